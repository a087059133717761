// Runs before the console's pages, and for requests that Next would reject itself: sets a fresh nonce, the security
// headers of HTML and the status. Next sends the status before a page can set it, and its notFound() and error pages
// are empty without JavaScript (measured). Each page and form checks the permissions again.
import { type NextRequest, NextResponse } from 'next/server';
import { withCookie } from '#lib/http/cookies.ts';
import { redirect } from '#lib/http/message.ts';
import { isForFrame, NOT_IN_A_FRAME } from '#lib/http/navigation.ts';
import { renderPage } from '#lib/http/page.ts';
import { htmlSecurityHeaders } from '#lib/http/security-headers.ts';
import { log } from '#lib/kit/log.ts';
import { newRequestId } from '#lib/kit/random.ts';
import { UnstorableValue } from '#lib/kit/text.ts';
import { wordsOf } from '#lib/language/words.ts';
import { inTheme } from '#lib/sessions/choices.ts';
import { isStateId } from '#lib/sessions/page-state.ts';
import { settings } from '#lib/settings/settings.ts';
import { findCredential } from '#lib/tokens/credential-text.ts';
import { answerAtHost, plainRequest, webResponse } from './_doors/plain.ts';
import { isReadable, loggedPath, NO_SUCH_PAGE, UNAVAILABLE, UNREADABLE } from './_doors/refusals.ts';
import { chooseTheme } from './_html/theme.ts';
import { type Access, checkAccess } from './(console)/_kit/access.ts';
import { refusedInWords } from './(console)/_kit/in-words.ts';
import { settleLanguage, wordsOfPage } from './(console)/_kit/page-language.ts';
import { passRefusedPage, REFUSED_PAGE } from './(console)/_kit/refused-page.ts';
import type { PageWords } from './(console)/_texts/page-words.ts';

const SHOWS_PREVIEWS =
  /^\/(?:admin\/mails|(?:admin\/apis|(?:admin|developer)\/clients)\/[^/]+\/(?:brand|texts))$/;
const PERSONAL = /^\/(?:account|developer|admin)(?:\/|$)/;

export async function answerVisit(request: NextRequest): Promise<NextResponse> {
  const answered = await answerAtHost(plainRequest(request));
  if (answered) return asNext(webResponse(answered));
  if (isOfRoute(request.nextUrl)) return NextResponse.next();
  const security = htmlSecurityHeaders({
    nonce: crypto.randomUUID().replaceAll('-', ''),
    https: settings().authUrl.startsWith('https:'),
    development: process.env.NODE_ENV === 'development',
    // the playground calls the token endpoint, possibly on another host
    connect: request.nextUrl.pathname === '/developer/playground' ? settings().authUrl : undefined,
    frames: SHOWS_PREVIEWS.test(request.nextUrl.pathname),
  });
  const requestId = newRequestId();
  const response = await answer(request, security['content-security-policy'] as string, requestId);
  response.headers.set('x-request-id', requestId);
  for (const [name, value] of Object.entries(security)) response.headers.set(name, value);
  if (response.status !== 200 || PERSONAL.test(request.nextUrl.pathname)) {
    response.headers.set('cache-control', 'no-store');
  }
  return response;
}

/**
 * True if the proxy runs because the address contains an escape that decodes to a valid character. Next matches pages
 * by the path before decoding, so an escaped spelling of a personal page, such as `/%61ccount`, matches no page.
 */
const isOfRoute = ({ pathname, searchParams }: URL) =>
  pathname.includes('%') &&
  isReadable(pathname, searchParams) &&
  !PERSONAL.test(decodeURIComponent(pathname));

const asNext = ({ body, status, headers }: Response) => new NextResponse(body, { status, headers });

async function answer(request: NextRequest, policy: string, requestId: string): Promise<NextResponse> {
  // Next reads the script nonce from these request headers, so values that the client sent are replaced.
  const headers = new Headers(request.headers);
  headers.delete('x-nonce');
  passRefusedPage(headers, null);
  headers.delete('content-security-policy-report-only');
  headers.set('content-security-policy', policy);
  headers.set('x-request-id', requestId);
  const path = loggedPath(request.nextUrl.pathname);
  const { method, nextUrl } = request;
  const sent = Object.fromEntries(headers);
  const theme = chooseTheme({ method, path: nextUrl.pathname, query: nextUrl.searchParams, headers: sent });
  if (theme) return redirectTo(request, theme.location, theme.cookie);
  const bare = withoutCredentials(method, nextUrl);
  if (bare !== null) return redirectTo(request, bare);
  if (PERSONAL.test(request.nextUrl.pathname) && isForFrame(Object.fromEntries(headers))) {
    return pageOf(headers, 403, { ...NOT_IN_A_FRAME, requestId });
  }
  try {
    if (!isReadable(request.nextUrl.pathname, request.nextUrl.searchParams))
      return pageOf(headers, 400, { ...UNREADABLE, requestId });
    const access = await checkAccess(request.nextUrl.pathname, headers);
    if (access) {
      if (access.kind === 'elsewhere') return redirectTo(request, access.href);
      const { locale = null } =
        access.kind === 'refused' ? (access.visitor ?? {}) : access.kind === 'allowed' ? access : {};
      const language = settleLanguage(request.nextUrl, headers, locale);
      return withHeaders(
        consolePage(
          access,
          request.nextUrl,
          headers,
          requestId,
          wordsOfPage(request.nextUrl.href, Object.fromEntries(headers), locale),
        ),
        language,
      );
    }
    log().info({ request_id: requestId, status: 404, path }, 'a page has nothing to show');
    return pageOf(headers, 404, { ...NO_SUCH_PAGE, requestId });
  } catch (error) {
    if (error instanceof UnstorableValue) return pageOf(headers, 400, { ...UNREADABLE, requestId });
    log().error({ request_id: requestId, status: 503, path, err: error }, 'a page cannot be shown');
    return pageOf(headers, 503, { ...UNAVAILABLE, requestId }, { 'retry-after': '5' });
  }
}

/** Redirects the browser. `cookie`: stores a choice of the user. */
function redirectTo(request: NextRequest, location: string, cookie: string | null = null): NextResponse {
  // Next requires an absolute address, and sends only its path
  const { href } = new URL(location, request.nextUrl);
  return asNext(webResponse(redirect(303, href, cookie === null ? {} : { 'set-cookie': cookie })));
}

/** Parameters whose values Gatehouse created: mail links, a hosted sign-in, the response to an authorize request. */
const OWN_VALUES = new Set([
  ...['token', 'interaction', 'session', 'to', 'id'],
  ...['code', 'state', 'iss', 'error', 'error_description', 'cursor'],
]);
/** Parameters that contain ids of stored states. Such an id can look like a token by chance. */
const STATE_IDS = new Set(['draft', 'told', 'result', 'proof', 'owed']);
const isOwnValue = (name: string, value: string) =>
  OWN_VALUES.has(name) || (STATE_IDS.has(name) && isStateId(value));

/** Removes typed or pasted credentials from the address; null: none found. */
function withoutCredentials(method: string, { pathname, searchParams }: URL): string | null {
  if (method !== 'GET' || !PERSONAL.test(pathname)) return null;
  const parameters = [...searchParams].filter(
    ([name, value]) => isOwnValue(name, value) || findCredential(value) === null,
  );
  if (parameters.length === searchParams.size) return null;
  const query = new URLSearchParams([...parameters, ['done', 'credential-refused']]);
  return `${pathname.replace(/^[/\\]+/, '/')}?${query}`;
}

function withHeaders(response: NextResponse, headers: Record<string, string>): NextResponse {
  for (const [name, value] of Object.entries(headers)) response.headers.append(name, value);
  return response;
}

function consolePage(
  access: Exclude<Access, { kind: 'elsewhere' }>,
  address: URL,
  headers: Headers,
  requestId: string,
  words: PageWords | null,
): NextResponse {
  if (access.kind === 'refused') {
    const { status, heading, cause, visitor } = access;
    const message = cause ? { text: refusedInWords(words, cause) } : access.message;
    if (!visitor) return pageOf(headers, status, { title: heading, heading, message, requestId }, {}, words);
    passRefusedPage(headers, { path: address.pathname, heading, message });
    const page = new URL(`${REFUSED_PAGE}${address.search}`, address);
    return NextResponse.rewrite(page, { status, request: { headers } });
  }
  if (access.kind === 'allowed') return NextResponse.next({ request: { headers } });
  headers.set('cookie', withCookie(headers.get('cookie') ?? undefined, access.cookie));
  const response = NextResponse.next({ request: { headers } });
  response.headers.append('set-cookie', access.cookie);
  return response;
}

function pageOf(
  sent: Headers,
  status: number,
  page: Parameters<typeof renderPage>[0],
  headers: Record<string, string> = {},
  words: PageWords | null = null,
): NextResponse {
  const type = { 'content-type': 'text/html; charset=utf-8' };
  return new NextResponse(
    renderPage(page, inTheme(words ?? wordsOf('en'), sent.get('cookie') ?? undefined)),
    {
      status,
      headers: { ...type, ...headers },
    },
  );
}
