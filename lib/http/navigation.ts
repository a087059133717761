// What a browser says about a request in its headers: whether it is a prefetch, whether the answer goes into a frame, and
// whether a form was sent from one of our pages.
import type { HttpRequest } from './message.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/** Will the answer be shown inside another page (Fetch Metadata §2.1)? Browsers say so over https and on localhost. */
export function isForFrame(headers: Headers): boolean {
  return /^(?:iframe|frame|fencedframe|embed|object)$/i.test(headers['sec-fetch-dest'] ?? '');
}

/**
 * Did a link from elsewhere, a mail or a typed address lead here, and no page or form of ours (Fetch Metadata §2.3)? Browsers without the
 * header count as ours.
 */
export function isFromOutside(headers: Headers): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/** The page that is sent instead of a form. Browsers do not show it (`frame-ancestors 'none'`); developers read it. */
export const NOT_IN_A_FRAME = {
  title: 'Not in a frame',
  heading: 'Not in a frame',
  message:
    'This page is not shown inside another one. Open its address in the window itself, or ask with prompt=none.',
};

/** Does the browser fetch the page before anybody has clicked? Headers of current and older browsers, and of Next. */
export function isPrefetch(headers: Headers): boolean {
  return (
    AHEAD.test(headers['sec-purpose'] ?? '') ||
    AHEAD.test(headers['purpose'] ?? '') ||
    AHEAD.test(headers['x-purpose'] ?? '') ||
    AHEAD.test(headers['x-moz'] ?? '') ||
    headers['next-router-prefetch'] !== undefined
  );
}

const AHEAD = /\b(?:prefetch|prerender|preview)\b/i;

/** A missing or opaque origin counts as foreign (CVE-2026-27978). */
export function isSameOriginPost(request: HttpRequest, ownOrigin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  return request.headers['origin'] === ownOrigin && (site === undefined || site === 'same-origin');
}
