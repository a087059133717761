import { headers } from 'next/headers';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** What a hosted page is told by the browser, and its request id by the proxy. A repeated interaction is none. */
export async function pageInput(searchParams: SearchParams) {
  const { interaction, done } = await searchParams;
  const sent = await headers();
  return {
    interaction: typeof interaction === 'string' ? interaction : undefined,
    done: typeof done === 'string' ? done : undefined,
    cookie: sent.get('cookie') ?? undefined,
    requestId: sent.get('x-request-id') ?? '',
  };
}
