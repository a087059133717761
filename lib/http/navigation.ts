// What a browser says about a request beside its address: whether anybody has clicked yet, and where the answer would stand.

type Headers = Readonly<Record<string, string | undefined>>;

/** Will the answer stand inside another page (Fetch Metadata §2.1)? Browsers say so over https and on localhost. */
export function isForFrame(headers: Headers): boolean {
  return /^(?:iframe|frame|fencedframe|embed|object)$/i.test(headers['sec-fetch-dest'] ?? '');
}

/** What stands there in the place of a form; a browser shows not even this, whoever reads the answer does. */
export const NOT_IN_A_FRAME = {
  title: 'Not in a frame',
  heading: 'Not in a frame',
  message:
    'This page is not shown inside another one. Open its address in the window itself, or ask with prompt=none.',
};

/** The page is fetched, or run, before anybody has asked for it: of today's browsers, of older ones, and of Next. */
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
