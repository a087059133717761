// Is a form post from one of our own pages? A missing or opaque origin is a stranger's (CVE-2026-27978's lesson).
import type { HttpRequest } from './message.ts';

export function isSameOriginPost(request: HttpRequest, ownOrigin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  return request.headers['origin'] === ownOrigin && (site === undefined || site === 'same-origin');
}
