// Error page content, passed from the proxy, which sets the status, to the page inside the frame.
import type { Plain, Told } from '#lib/language/message.ts';

export type RefusedPage = { path: string; heading: Plain; message: Told };

/** Only the proxy's rewrite reaches this page. The proxy does not know the address itself, so it returns 404. */
export const REFUSED_PAGE = '/account/refused';
const HEADER = 'x-refused-page';

/** Replaces what a client sent under this name. */
export function passRefusedPage(headers: Headers, page: RefusedPage | null): void {
  headers.delete(HEADER);
  if (page) headers.set(HEADER, encodeURIComponent(JSON.stringify(page)));
}

export function readRefusedPage(headers: Headers): RefusedPage {
  const passed = headers.get(HEADER);
  if (passed === null) return { path: REFUSED_PAGE, heading: 'errors.no_page', message: 'errors.mistyped' };
  return JSON.parse(decodeURIComponent(passed)) as RefusedPage;
}
