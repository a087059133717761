// What a page is asked for. Every page reads its address here, so that no page can be asked for what nothing below can hold
// (a test forbids it elsewhere); proxy.ts has refused such an address already, with its status.
import { headers } from 'next/headers';
import { requireStorable } from '#lib/kit/index.ts';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** The first of each name. */
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

/** What a hosted page is told by the browser, and its request id by the proxy. A repeated interaction is none. */
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
