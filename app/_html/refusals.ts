// What is said instead of a page, and of which addresses.
import { type Answer, type HttpRequest, html, renderPage } from '#lib/http/index.ts';
import { findUnstorable, log } from '#lib/kit/index.ts';
import { wordsOf } from '#lib/language/index.ts';
import { settings } from '#lib/settings/index.ts';

/**
 * A NUL, or text that is not Unicode, can be neither stored nor shown; Next answers a malformed escape with a page of its own.
 * `path`: as it was sent.
 */
export function isReadable(path: string, query: URLSearchParams): boolean {
  try {
    return findUnstorable([decodeURIComponent(path), ...query]) === null;
  } catch {
    return false;
  }
}

export const UNREADABLE = {
  title: 'This address cannot be read',
  heading: 'This address cannot be read',
  message: 'It holds a character that no text can hold. Check it, or start again from the first page.',
};
export const UNAVAILABLE = {
  title: 'Not available right now',
  heading: 'Not available right now',
  message: 'We cannot show this page at the moment. Wait a little, then load it again.',
};
export const NO_SUCH_PAGE = {
  title: 'There is no such page',
  heading: 'There is no such page',
  message: 'The address is mistyped, or what was here is gone.',
  link: { href: '/', label: 'Go to the start page' },
};

/** The answer where neither the table of endpoints nor a page has the address. */
export function noSuchPage({ path, query, requestId }: HttpRequest): Answer {
  const isKnown = isReadable(path, new URLSearchParams(query));
  const [status, page] = isKnown ? [404, NO_SUCH_PAGE] : [400, UNREADABLE];
  log().info({ request_id: requestId, status, path: path.slice(0, 300) }, 'a page has nothing to show');
  return html(status, renderPage({ ...page, requestId }, wordsOf('en')), {
    https: settings().secureCookies,
    headers: { 'x-request-id': requestId },
  });
}
