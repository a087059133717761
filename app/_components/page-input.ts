import { headers } from 'next/headers';

export type SearchParams = Promise<Record<string, string | string[] | undefined>>;

/** What a hosted page is told by the browser. A repeated interaction is none. */
export async function pageInput(searchParams: SearchParams) {
  const { interaction } = await searchParams;
  const cookie = (await headers()).get('cookie') ?? undefined;
  return { interaction: typeof interaction === 'string' ? interaction : undefined, cookie };
}
