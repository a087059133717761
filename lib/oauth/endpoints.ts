// The one table of addresses: pattern, methods, handler, how an error looks. Both doors mount it.
import {
  type Answer,
  answer,
  type CorsPolicy,
  compileEndpoints,
  type Endpoint,
  type HttpRequest,
  MethodNotAllowed,
  type PathParams,
  parseForm,
  parseJson,
  STRICT_TRANSPORT_SECURITY,
} from '#lib/http/index.ts';
import { observed } from '#lib/observability/index.ts';
import { settings } from '#lib/settings/index.ts';
import { currentSnapshot } from '#lib/store/index.ts';
import { handleHealth, handleReady } from './area-a.ts';
import { handleAuthorize, handleAuthorizePost } from './authorize/handler.ts';
import { handleBrokerCallback, handleBrokerRedirect, handleOwnBrokerRedirect } from './broker-callback.ts';
import { allowedOrigins } from './client.ts';
import { negotiatedError, pageError } from './error-page.ts';
import { InvalidGrant, UnknownIssuer } from './errors.ts';
import { handleExchange } from './exchange/handler.ts';
import { handleConsent } from './hosted/consent.ts';
import { handleContinue } from './hosted/continue.ts';
import { handleLogout } from './hosted/logout.ts';
import { handleSignIn } from './hosted/sign-in.ts';
import { handleIntrospect } from './introspection.ts';
import { findIssuer } from './issuer.ts';
import { handleJwks, handleMetadata } from './metadata.ts';
import { noteRefusedToken } from './refusals.ts';
import { jsonError } from './respond-error.ts';
import { handleRevoke } from './revocation.ts';
import { handleToken } from './token/handler.ts';
import { upToDate } from './up-to-date.ts';

const ISSUER = '/auth/:authMethodId/api/:apiId';

const guard = async (params: PathParams): Promise<void> => {
  await findIssuer(params);
};
/** 404 is a page for a browser; every other error of a protocol address is JSON. */
const protocol = {
  guard,
  within: upToDate<Answer>,
  onError: (error: unknown, request: HttpRequest) => issuerError(error, request),
};

function issuerError(error: unknown, request: HttpRequest): Answer {
  return error instanceof UnknownIssuer ? negotiatedError(error, request) : jsonError(error, request);
}

function tokenError(error: unknown, request: HttpRequest, path: PathParams): Answer {
  if (!(error instanceof UnknownIssuer || error instanceof MethodNotAllowed))
    noteRefusedToken(request, path, error);
  return issuerError(error, request);
}

/** The combination that a broker's code was waiting for is gone: there is nothing to redeem it for. */
function exchangeError(error: unknown, request: HttpRequest): Answer {
  const gone = error instanceof UnknownIssuer;
  return jsonError(gone ? new InvalidGrant('The issuer of this request is gone.') : error, request);
}

/** Our own pages, and the origins of the client that the request names. */
const clientOrigins: CorsPolicy = {
  readableBy: async (origin, request) => {
    if (origin === settings().baseUrl || origin === settings().authUrl) return true;
    const client = (await currentSnapshot()).clients.get((await clientIdOf(request)) ?? '');
    return client !== undefined && allowedOrigins(client).includes(origin);
  },
};
const anyOrigin: CorsPolicy = { readableBy: 'anyone' };

async function clientIdOf(request: HttpRequest): Promise<string | undefined> {
  const basic = /^basic +(\S+)$/i.exec(request.headers['authorization'] ?? '')?.[1];
  try {
    if (basic) return decodeURIComponent(Buffer.from(basic, 'base64').toString('utf8').split(':')[0] ?? '');
    const body = await request.body();
    if (body === 'too-large') return undefined;
    const text = Buffer.from(body).toString('utf8');
    const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '');
    return (isJson ? parseJson(text) : parseForm(text)).values.get('client_id');
  } catch {
    return undefined;
  }
}

const metadata = { methods: { GET: handleMetadata }, head: true, cors: anyOrigin, ...protocol };

export const endpoints: readonly Endpoint[] = [
  {
    pattern: `${ISSUER}/authorize`,
    methods: { GET: handleAuthorize, POST: handleAuthorizePost },
    guard,
    within: upToDate,
    onError: pageError,
  },
  {
    pattern: `${ISSUER}/token`,
    methods: { POST: handleToken },
    cors: clientOrigins,
    ...protocol,
    onError: tokenError,
  },
  { pattern: `${ISSUER}/revoke`, methods: { POST: handleRevoke }, cors: clientOrigins, ...protocol },
  { pattern: `${ISSUER}/introspect`, methods: { POST: handleIntrospect }, ...protocol },
  { pattern: `${ISSUER}/jwks`, methods: { GET: handleJwks }, head: true, cors: anyOrigin, ...protocol },
  ...['oauth-authorization-server', 'openid-configuration'].flatMap((name): Endpoint[] => [
    { pattern: `${ISSUER}/.well-known/${name}`, ...metadata },
    { pattern: `/.well-known/${name}${ISSUER}`, ...metadata },
  ]),
  { pattern: '/health', methods: { GET: handleHealth }, head: true, onError: jsonError },
  { pattern: '/ready', methods: { GET: handleReady }, head: true, onError: jsonError },
  { pattern: '/auth/callback/broker', methods: { GET: handleBrokerRedirect }, onError: negotiatedError },
  {
    pattern: '/auth/callback/broker/:code',
    methods: { GET: handleBrokerCallback },
    onError: negotiatedError,
  },
  {
    pattern: '/auth/callback/:authMethodId',
    methods: { GET: handleOwnBrokerRedirect },
    onError: negotiatedError,
  },
  {
    pattern: '/auth/token',
    methods: { POST: handleExchange },
    cors: clientOrigins,
    within: upToDate,
    onError: exchangeError,
  },
  { pattern: '/login/submit', methods: { POST: handleSignIn }, onError: pageError },
  { pattern: '/consent/submit', methods: { POST: handleConsent }, onError: pageError },
  { pattern: '/logout/submit', methods: { POST: handleLogout }, onError: pageError },
  { pattern: '/continue', methods: { GET: handleContinue }, onError: pageError },
];

/**
 * Next answers a doubled slash with a 308, which would post a secret again, and a malformed escape with a 500; an
 * absolute target is somebody else's. None of them is an address of ours.
 */
function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !/\/\/|\\|%00/.test(path) && isDecodable(path);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** No page lives here: what is not in the table does not exist, for programs in JSON. */
const OURS_ALONE = /^\/auth\//;

const match = compileEndpoints(endpoints);

/** Answers a request to one of our addresses; null where it is somebody else's (a page). */
export async function handleHttp(request: HttpRequest): Promise<Answer | null> {
  const found = match(request.path);
  if (!found && isPlainPath(request.path) && !OURS_ALONE.test(request.path)) return null;
  const given = found
    ? await observed(found.endpoint.pattern, request, () => answer(found.endpoint, request, found.params))
    : nothingHere(request);
  if (settings().secureCookies) given.headers['strict-transport-security'] ??= STRICT_TRANSPORT_SECURITY;
  return given;
}

function nothingHere(request: HttpRequest): Answer {
  const given = negotiatedError(new UnknownIssuer('no such address'), request);
  given.headers['x-request-id'] = request.requestId;
  return given;
}
