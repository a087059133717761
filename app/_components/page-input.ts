// Reads a page's path and query. lib/architecture.test.ts lets pages read them only here, where values that PostgreSQL
// cannot store are refused; the proxy has refused them before, with a status.
import { requireStorable } from '#lib/kit/index.ts';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The query; the first value of each name counts. */
export async function readQuery(searchParams: SearchParams): Promise<Record<string, string>> {
  const given = Object.entries(await searchParams).flatMap(([name, value]) => {
    const first = Array.isArray(value) ? value[0] : value;
    return first === undefined ? [] : [[name, first] as const];
  });
  return requireStorable(Object.fromEntries(given));
}

/** The named parts of the path. */
export async function readPath<Parts>(params: Promise<Parts>): Promise<Parts> {
  return requireStorable(await params);
}
