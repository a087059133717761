// Lists each console page once, with a permitted visitor.
import { PAGES, VISITORS, type Visitor } from './console-access.ts';

export type Shown = { address: string; visitor: Visitor | 'newcomer' };

/** Each page with its visitor. */
export const shownPages: readonly Shown[] = [
  ...new Map(PAGES.map((entry) => [entry[0], entry] as const).reverse()).values(),
]
  .reverse()
  .map(([, address, row]) => {
    const may = VISITORS.filter((_, at) => row[at] === 200);
    return { address, visitor: may.find((one) => one === readerOf(address)) ?? may[0] ?? 'nobody' };
  });

function readerOf(address: string): Visitor {
  if (address.startsWith('/admin')) return 'administrator';
  if (address.startsWith('/developer')) return 'developer';
  return /password|mail|verify/.test(address) ? 'nobody' : 'endUser';
}
