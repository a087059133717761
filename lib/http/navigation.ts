// Properties of a request from browser headers: prefetch, target frame, and form posts from Gatehouse’s pages.
import type { HttpRequest } from './message.ts';

type Headers = Readonly<Record<string, string | undefined>>;

/**
 * Reports whether the response will be shown inside another page (Fetch Metadata §2.1). Browsers send this header
 * over https and on localhost.
 */
export function isForFrame(headers: Headers): boolean {
  return /^(?:iframe|frame|fencedframe|embed|object)$/i.test(headers['sec-fetch-dest'] ?? '');
}

/**
 * Reports whether the request came from a foreign link, a mail or a typed address instead of a Gatehouse page or form
 * (Fetch Metadata §2.3). A missing header counts as a Gatehouse page.
 */
export function isFromOutside(headers: Headers): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

/**
 * Reports whether this GET may change stored browser state. Pages of other sites may not (Fetch Metadata §2.3). A
 * missing header counts as same site.
 */
export function mayKeepChoice(headers: Headers): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** The page that is sent instead of a form. Browsers do not show it (`frame-ancestors 'none'`); developers read it. */
export const NOT_IN_A_FRAME = {
  title: 'page.framed',
  heading: 'page.framed',
  message: 'page.framed_lead',
} as const;

/**
 * Reports whether the browser fetches the page before anybody has clicked. Reads the headers of current and older
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
 * Returns the reason, for the log, why this POST does not come from a Gatehouse page; `null`: it does. A missing
 * origin counts as foreign. An opaque origin also counts as foreign (CVE-2026-27978). If a proxy sets
 * `Referrer-Policy: no-referrer`, browsers send it from Gatehouse’s pages too (Fetch §3.2): then Sec-Fetch-Site
 * decides (Fetch Metadata §2.3). Sandboxed frames send `cross-site`.
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
