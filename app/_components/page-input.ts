// Reads a page's path and query. lib/architecture.test.ts lets pages read them only here, where values that PostgreSQL
// cannot store are refused; proxy.ts has refused them before, with a status.
import { headers } from 'next/headers';
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

/** The query of a hosted page, and the request id that the proxy sets. A repeated interaction counts as missing. */
export async function pageInput(searchParams: SearchParams) {
  const { interaction, done } = await searchParams;
  if (typeof interaction === 'string') requireStorable(interaction);
  const sent = await headers();
  return {
    interaction: typeof interaction === 'string' ? interaction : undefined,
    done: typeof done === 'string' ? done : undefined,
    cookie: sent.get('cookie') ?? undefined,
    requestId: sent.get('x-request-id') ?? '',
  };
}
