// Reads a page's path and query. lib/architecture.test.ts requires pages to use this module, which rejects values
// that PostgreSQL cannot store. The proxy has already rejected them with a status.
import { requireStorable } from '#lib/kit/text.ts';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The query; the first value of each name counts. */
export async function readQuery(searchParams: SearchParams): Promise<Record<string, string>> {
  const given = Object.entries(await searchParams).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return requireStorable(Object.fromEntries(given));
}

/** Path part as sent: ids of unregistered clients are addresses with slashes. */
function decodePart(part: unknown): unknown {
  if (typeof part !== 'string' || /^https?:\/\//i.test(part)) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The named parts of the path. */
export async function readPath<Parts extends object>(params: Promise<Parts>): Promise<Parts> {
  const parts = Object.entries(await params).map(([name, part]) => [name, decodePart(part)]);
  return requireStorable(Object.fromEntries(parts) as Parts);
}
