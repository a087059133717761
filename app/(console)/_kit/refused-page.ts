// Content of an error page. The proxy sets the status and passes the content to the page that renders it inside the
// frame.
import type { Plain, Told } from '#lib/language/message.ts';

export type RefusedPage = { path: string; heading: Plain; message: Told };

/**
 * A browser sees this page only through a rewrite of the proxy. A direct request to the address returns 404, because
 * the proxy's table does not contain it.
 */
export const REFUSED_PAGE = '/account/refused';
const HEADER = 'x-refused-page';

/** Replaces a header of this name that a client sent. */
export function passRefusedPage(headers: Headers, page: RefusedPage | null): void {
  headers.delete(HEADER);
  if (page) headers.set(HEADER, encodeURIComponent(JSON.stringify(page)));
}

export function readRefusedPage(headers: Headers): RefusedPage {
  const passed = headers.get(HEADER);
  if (passed === null) return { path: REFUSED_PAGE, heading: 'errors.no_page', message: 'errors.mistyped' };
  return JSON.parse(decodeURIComponent(passed)) as RefusedPage;
}
