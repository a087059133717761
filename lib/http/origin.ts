// Does a form post come from one of our own pages? A missing or opaque origin counts as foreign (CVE-2026-27978).
import type { HttpRequest } from './message.ts';

export function isSameOriginPost(request: HttpRequest, ownOrigin: string): boolean {
  const site = request.headers['sec-fetch-site'];
  return request.headers['origin'] === ownOrigin && (site === undefined || site === 'same-origin');
}
