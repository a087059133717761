// Error pages, and the addresses that need them.
import { type Answer, type HttpRequest, html } from '#lib/http/message.ts';
import { renderPage } from '#lib/http/page.ts';
import { log } from '#lib/kit/log.ts';
import { findUnstorable } from '#lib/kit/text.ts';
import { wordsOf } from '#lib/language/words.ts';
import { inTheme } from '#lib/sessions/choices.ts';
import { settings } from '#lib/settings/settings.ts';
import { findCredential } from '#lib/tokens/credential-text.ts';

/**
 * False if the address contains NUL or invalid Unicode, because such text can be neither stored nor shown. Next
 * itself rejects malformed escapes. `path`: the path as sent.
 */
export function isReadable(path: string, query: URLSearchParams): boolean {
  try {
    return findUnstorable([decodeURIComponent(path), ...query]) === null;
  } catch {
    return false;
  }
}

/** Returns the first 300 characters of a path for the log; `[redacted]` if the path contains a credential. */
export function loggedPath(path: string): string {
  return findCredential(path.replaceAll(/%[0-7][0-9A-Fa-f]/g, decodeURIComponent)) === null
    ? path.slice(0, 300)
    : '[redacted]';
}

export const UNREADABLE = {
  title: 'errors.unreadable',
  heading: 'errors.unreadable',
  message: 'errors.unreadable_lead',
} as const;
export const UNAVAILABLE = {
  title: 'errors.not_available',
  heading: 'errors.not_available',
  message: 'errors.cannot_show',
} as const;
export const NO_SUCH_PAGE = {
  title: 'errors.no_page',
  heading: 'errors.no_page',
  message: 'errors.mistyped',
  link: { href: '/', label: 'frame.start_page' },
} as const;

/** Response for an address that is neither in the endpoint table nor a page. */
export function noSuchPage({ path, query, requestId, headers }: HttpRequest): Answer {
  const isKnown = isReadable(path, new URLSearchParams(query));
  const [status, page] = isKnown ? [404, NO_SUCH_PAGE] : [400, UNREADABLE];
  log().info({ request_id: requestId, status, path: loggedPath(path) }, 'a page has nothing to show');
  return html(status, renderPage({ ...page, requestId }, inTheme(wordsOf('en'), headers['cookie'])), {
    https: settings().secureCookies,
    headers: { 'x-request-id': requestId },
  });
}
