// Reads path and query of a page. lib/architecture.test.ts requires pages to use this module, because it rejects
// values that PostgreSQL cannot store. For such values the proxy has already returned an error status.
import { requireStorable } from '#lib/kit/text.ts';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** Reads the query. If a parameter occurs several times, its first value is used. */
export async function readQuery(searchParams: SearchParams): Promise<Record<string, string>> {
  const entries = Object.entries(await searchParams).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return requireStorable(Object.fromEntries(entries));
}

/** Decodes a part of the path. Ids of unregistered clients are URLs, so a part can contain encoded slashes. */
function decodePart(part: unknown): unknown {
  if (typeof part !== 'string' || /^https?:\/\//i.test(part)) return part;
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Reads the named parts of the path. */
export async function readPath<Parts extends object>(params: Promise<Parts>): Promise<Parts> {
  const parts = Object.entries(await params).map(([name, part]) => [name, decodePart(part)]);
  return requireStorable(Object.fromEntries(parts) as Parts);
}
