// Before every page: a fresh nonce and the security headers of HTML. It is no lock: every page and action asks for its
// own rights. Protocol addresses stay outside, since Next cuts large bodies of what passes here.
import { type NextRequest, NextResponse } from 'next/server';
import { htmlSecurityHeaders } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';

const PERSONAL = /^\/(?:login|consent|logout|account|developer|admin)(?:\/|$)/;

export function proxy(request: NextRequest): NextResponse {
  const nonce = crypto.randomUUID().replaceAll('-', '');
  const security = htmlSecurityHeaders({
    nonce,
    https: settings().authUrl.startsWith('https:'),
    development: process.env.NODE_ENV === 'development',
  });
  // Next takes the nonce for its scripts from the request. Whatever a client sent under these names is overwritten.
  const headers = new Headers(request.headers);
  headers.delete('x-nonce');
  headers.delete('content-security-policy-report-only');
  headers.set('content-security-policy', security['content-security-policy'] as string);

  const response = NextResponse.next({ request: { headers } });
  for (const [name, value] of Object.entries(security)) response.headers.set(name, value);
  if (PERSONAL.test(request.nextUrl.pathname)) response.headers.set('cache-control', 'no-store');
  return response;
}

/** Pages, and whatever has no address (so that a 404 page is protected too); no route handler and no file. */
export const config = {
  matcher: [
    '/((?!_next/|auth/|\\.well-known/|health$|ready$|openapi\\.json$|continue$|(?:login|consent|logout)/submit$|[^/]+\\.\\w+$).*)',
  ],
};
