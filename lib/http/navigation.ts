// Properties of a request, read from headers of the browser: prefetch, target frame, and form posts from Gatehouse's
// pages.
import type { HttpRequest } from './message.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * True if the response will be shown inside another page (Fetch Metadata §2.1). Browsers send this header over https
 * and on localhost.
 */
export function isForFrame(headers: Headers): boolean {
  return /^(?:iframe|frame|fencedframe|embed|object)$/i.test(headers['sec-fetch-dest'] ?? '');
}

/**
 * True if the request came from a link on another site, a mail or a typed address, and not from a page or form of
 * Gatehouse (Fetch Metadata §2.3). Without the header, the result is false.
 */
export function isFromOutside(headers: Headers): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/**
 * True if this GET request may change a choice that the browser stores. Pages of other sites may not do this (Fetch
 * Metadata §2.3). Without the header, the result is true.
 */
export function mayKeepChoice(headers: Headers): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/**
 * The page that is sent instead of a form. Browsers do not show it (`frame-ancestors 'none'`), but developers can
 * read it.
 */
export const NOT_IN_A_FRAME = {
  title: 'page.framed',
  heading: 'page.framed',
  message: 'page.framed_lead',
} as const;

/**
 * True if the browser fetches the page before the user has clicked a link. Reads the headers of current and older
 * browsers, and of Next.
 */
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

/**
 * Returns `null` if this POST comes from a Gatehouse page, otherwise the reason for the log. A missing or opaque
 * origin is treated as another site (CVE-2026-27978). If a proxy sets `Referrer-Policy: no-referrer`, browsers send
 * an opaque origin from Gatehouse's pages, too (Fetch §3.2). Then Sec-Fetch-Site decides (Fetch Metadata §2.3), which
 * is `cross-site` for sandboxed frames.
 */
export function whyForeignPost({ headers }: Pick<HttpRequest, 'headers'>, ownOrigin: string): string | null {
  const { origin, 'sec-fetch-site': site } = headers;
  if (site !== undefined && site !== 'same-origin') return `Sec-Fetch-Site is ${site.slice(0, 100)}`;
  if (origin === ownOrigin) return null;
  if (origin === undefined) return 'Origin is missing';
  if (origin !== 'null') return `Origin is ${origin.slice(0, 300)}, not ${ownOrigin}`;
  return site === 'same-origin' ? null : OPAQUE;
}

const OPAQUE =
  'Origin is null and Sec-Fetch-Site is missing: does a proxy set Referrer-Policy: no-referrer? See docs/operate/deploy-node.md';
