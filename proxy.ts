// Runs before every page: sets a fresh nonce, the security headers of HTML and the status. Next sends the status before a page
// can set it, and its own notFound() and error pages are empty without JavaScript (measured). Each page and form checks the
// rights again. Protocol addresses are excluded, because Next truncates large bodies of what passes here.
import { type NextRequest, NextResponse } from 'next/server';
import { htmlSecurityHeaders, isForFrame, NOT_IN_A_FRAME, renderPage } from '#lib/http/index.ts';
import { findUnstorable, log, UnstorableValue } from '#lib/kit/index.ts';
import { listPublishedApis, readPublishedApi } from '#lib/oauth/index.ts';
import { settings } from '#lib/settings/index.ts';
import { type Access, checkAccess } from './app/(console)/_visit/access.ts';
import { consentView, logoutView, signInView } from './app/(hosted)/_views.ts';

const PERSONAL = /^\/(?:login|consent|logout|account|developer|admin)(?:\/|$)/;
const API_PAGE = /^\/apis\/([^/]+)$/;

export async function proxy(request: NextRequest): Promise<NextResponse> {
  const security = htmlSecurityHeaders({
    nonce: crypto.randomUUID().replaceAll('-', ''),
    https: settings().authUrl.startsWith('https:'),
    development: process.env.NODE_ENV === 'development',
    // the playground asks the token address, which may stand on a host of its own
    connect: request.nextUrl.pathname === '/developer/playground' ? settings().authUrl : undefined,
  });
  const requestId = crypto.randomUUID();
  const response = await answer(request, security['content-security-policy'] as string, requestId);
  response.headers.set('x-request-id', requestId);
  for (const [name, value] of Object.entries(security)) response.headers.set(name, value);
  if (response.status !== 200 || PERSONAL.test(request.nextUrl.pathname)) {
    response.headers.set('cache-control', 'no-store');
  }
  return response;
}

async function answer(request: NextRequest, policy: string, requestId: string): Promise<NextResponse> {
  // Next takes the nonce for its scripts from these request headers, so what a client sent under their names is replaced.
  const headers = new Headers(request.headers);
  headers.delete('x-nonce');
  headers.delete('content-security-policy-report-only');
  headers.set('content-security-policy', policy);
  headers.set('x-request-id', requestId);
  const path = request.nextUrl.pathname.slice(0, 300);
  if (PERSONAL.test(request.nextUrl.pathname) && isForFrame(Object.fromEntries(headers))) {
    return pageOf(403, { ...NOT_IN_A_FRAME, requestId });
  }
  try {
    if (!isReadable(request.nextUrl)) return pageOf(400, { ...UNREADABLE, requestId });
    const access = await checkAccess(request.nextUrl.pathname, headers);
    if (access) return consolePage(access, headers, requestId);
    const status = await statusOf(request, requestId);
    if (status !== 200) log().info({ request_id: requestId, status, path }, 'a page has nothing to show');
    return NextResponse.next({ request: { headers }, status });
  } catch (error) {
    if (error instanceof UnstorableValue) return pageOf(400, { ...UNREADABLE, requestId });
    log().error({ request_id: requestId, status: 503, path, err: error }, 'a page cannot be shown');
    return pageOf(503, { ...UNAVAILABLE, requestId }, { 'retry-after': '5' });
  }
}

/** A NUL, or text that is not Unicode, can be neither stored nor shown. */
function isReadable({ pathname, searchParams }: NextRequest['nextUrl']): boolean {
  return !/%00/.test(pathname) && findUnstorable([pathname, ...searchParams]) === null;
}

function consolePage(access: Access, headers: Headers, requestId: string): NextResponse {
  if (access.kind === 'refused') {
    const { status, heading, message } = access;
    const link = { href: '/account', label: 'Go to your account' };
    return pageOf(status, { title: heading, heading, message, requestId, link });
  }
  if (access.kind === 'allowed') return NextResponse.next({ request: { headers } });
  const sent = headers.get('cookie');
  headers.set('cookie', [access.cookie.split(';')[0], ...(sent ? [sent] : [])].join('; '));
  const response = NextResponse.next({ request: { headers } });
  response.headers.append('set-cookie', access.cookie);
  return response;
}

function pageOf(
  status: number,
  page: Parameters<typeof renderPage>[0],
  headers: Record<string, string> = {},
): NextResponse {
  const type = { 'content-type': 'text/html; charset=utf-8' };
  return new NextResponse(renderPage(page), { status, headers: { ...type, ...headers } });
}

async function statusOf({ nextUrl, headers }: NextRequest, requestId: string): Promise<200 | 400 | 404> {
  const { pathname, searchParams } = nextUrl;
  const cookie = headers.get('cookie') ?? undefined;
  if (pathname === '/login' || pathname === '/consent') {
    const input = {
      interaction: only(searchParams, 'interaction'),
      done: only(searchParams, 'done'),
      cookie,
    };
    const view = await (pathname === '/login' ? signInView : consentView).prepare(requestId, input);
    return view.kind === 'unusable' ? 400 : 200;
  }
  // only to find out whether the database can be reached
  if (pathname === '/logout')
    await logoutView.prepare(requestId, { cookie, interaction: only(searchParams, 'interaction') });
  if (pathname === '/apis' || pathname === '/documentation') await listPublishedApis();
  const apiId = API_PAGE.exec(pathname)?.[1];
  return apiId === undefined || (await readPublishedApi(apiId)) ? 200 : 404;
}

/** The value of a parameter that stands once; undefined where it is repeated, as in the page. */
function only(searchParams: URLSearchParams, name: string): string | undefined {
  const [value, ...more] = searchParams.getAll(name);
  return more.length === 0 ? value : undefined;
}

const UNREADABLE = {
  title: 'This address cannot be read',
  heading: 'This address cannot be read',
  message: 'It holds a character that no text can hold. Check it, or start again from the first page.',
};
const UNAVAILABLE = {
  title: 'Not available right now',
  heading: 'Not available right now',
  message: 'We cannot show this page at the moment. Wait a little, then load it again.',
};

/**
 * Pages, and addresses that do not exist, so that Next's own 404 has the headers too; no route handler, and none of our files.
 * Each exception is matched to its end, so that no page falls under it.
 */
export const config = {
  matcher: [
    '/((?!_next/static/|api/v1(?:/|$)|api/cron/cleanup$|auth/(?:token$|callback/|[^/]+/api/)|\\.well-known/(?:oauth-authorization-server|openid-configuration)/auth/[^/]+/api/[^/]+$|health$|metrics$|ready$|openapi\\.json$|continue$|(?:login|consent|logout)/submit$|(?:account|developer|admin)/submit/[^/]+$|developer/check$|(?:console|gatehouse)\\.css$|icon\\.svg$).*)',
  ],
};
