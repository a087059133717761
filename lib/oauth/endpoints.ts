// The table of endpoints (pattern, methods, handlers, format of an error), the declaration of each endpoint, and the
// function that passes a request to its handler. The Node server calls `handleHttp`; a route file of app/ calls
// `handleRow`.

import { isDeepStrictEqual } from 'node:util';
import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import {
  compileEndpoints,
  type Endpoint,
  endpoint,
  MethodNotAllowed,
  plainEndpoint,
} from '#lib/http/endpoint.ts';
import { foreignHost } from '#lib/http/forwarding.ts';
import type { Answer, HttpRequest, PathParams } from '#lib/http/message.ts';
import { STRICT_TRANSPORT_SECURITY } from '#lib/http/security-headers.ts';
import { log } from '#lib/kit/log.ts';
import { observeRequest } from '#lib/observability/metrics.ts';
import { ISSUER_LAYOUTS, type IssuerLayout, pathIn } from '#lib/registry/issuers.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  type AddressedIssuer,
  currentSnapshot,
  knownSnapshot,
  recentSnapshot,
  refreshSnapshot,
  type Snapshot,
  watchedSnapshot,
} from '#lib/store/snapshot.ts';
import { authorizeDeclaration, authorizePostDeclaration } from './authorize/declaration.ts';
import { AuthorizeRefused, onCurrentRegistry } from './authorize/request.ts';
import { handleAuthorize, handleAuthorizePost } from './authorize.ts';
import {
  brokerCodeDeclaration,
  brokerFormDeclaration,
  brokerRedirectDeclaration,
  handleBrokerCallback,
  handleBrokerForm,
  handleBrokerRedirect,
  handleOwnBrokerForm,
  handleOwnBrokerRedirect,
  ownBrokerFormDeclaration,
  ownBrokerRedirectDeclaration,
} from './broker.ts';
import {
  type ClientRequest,
  type IssuerRequest,
  isAllowedOrigin,
  namedClient,
  readClientRequest,
} from './client.ts';
import { handleClientLogo } from './client-logo.ts';
import { deviceDeclaration, handleDeviceAuthorization } from './device.ts';
import { type Declaration, InvalidGrant, SwitchedOff, UnknownIssuer } from './errors.ts';
import { exchangeDeclaration, handleExchange } from './exchange/handler.ts';
import { forwardAuthDeclaration, gatewayOf, handleForwardAuth } from './forward-auth.ts';
import {
  handleIntrospect,
  handleRevoke,
  introspectionDeclaration,
  revocationDeclaration,
} from './introspection.ts';
import { findIssuer, hasIssuer, type Issuer, isAnswered } from './issuer.ts';
import {
  type ApiDocument,
  handleJwks,
  handleMetadata,
  handleResourceMetadata,
  jwksDeclaration,
  managementMetadataDeclaration,
  metadataDeclaration,
  resourceMetadataDeclaration,
} from './metadata.ts';
import { handleConsent } from './pages/consent.ts';
import { handleContinue } from './pages/continue.ts';
import { handleDevice } from './pages/device.ts';
import { handleRegister } from './pages/register.ts';
import { handleConfirm, handleNewPassword, handleSetUp } from './pages/second-step.ts';
import { handlePasskeySignIn, handleSignIn } from './pages/sign-in.ts';
import { handlePush, pushedDeclaration, pushRefusal } from './par.ts';
import {
  authorizeError,
  issuerError,
  jsonError,
  negotiatedError,
  pageError,
  pushError,
  tokenError,
  withErrorCount,
} from './refusals.ts';
import { handleRegistration, registersClients, registrationDeclaration } from './registration.ts';
import { handleLogout, handleSignOut, handleSignOutPost } from './sign-out.ts';
import { signOutDeclaration, signOutPostDeclaration } from './sign-out-request.ts';
import {
  changePasswordDeclaration,
  handleChangePassword,
  handleFavicon,
  handleHealth,
  handleLogo,
  handlePasskeyEndpoints,
  handleReady,
  handleRelatedOrigins,
  handleRobots,
  healthDeclaration,
  passkeyEndpointsDeclaration,
  readyDeclaration,
  relatedOriginsDeclaration,
} from './site-files.ts';
import { handleToken, tokenDeclaration } from './token.ts';
import {
  handleUserinfo,
  handleUserinfoPost,
  userinfoDeclaration,
  userinfoPostDeclaration,
} from './userinfo.ts';

/** Handlers of the forms on hosted pages. They are not a public interface, so they have no declaration. */
const FORMS: Readonly<Record<string, (request: HttpRequest) => Promise<Answer>>> = {
  '/login/submit': handleSignIn,
  '/login/passkey': handlePasskeySignIn,
  '/new-password/submit': handleNewPassword,
  '/consent/submit': handleConsent,
  '/confirm/submit': handleConfirm,
  '/set-up/submit': handleSetUp,
  '/register/submit': handleRegister,
  '/device/submit': handleDevice,
  '/logout/submit': handleLogout,
};

const ISSUER = '/auth/:authMethodId/api/:apiId';

type Handle<Context> = (context: Context) => Promise<Answer>;

/** Parses a client's request once, then runs the handler on the snapshot returned by `read`. */
const onRegistry =
  (read = recentSnapshot) =>
  (http: HttpRequest, _: PathParams, handle: Handle<ClientRequest>) => {
    const request = readClientRequest(http);
    const clientId = async (error: unknown) =>
      error instanceof AuthorizeRefused ? error.clientId : request.namedClientId();
    return onCurrentRegistry({ read, clientId }, (snapshot) => handle({ ...request, snapshot }));
  };

/** Like `onRegistry`, for endpoints under an issuer. Throws UnknownIssuer. */
const underIssuer =
  (read = recentSnapshot) =>
  (http: HttpRequest, path: PathParams, handle: Handle<IssuerRequest>) =>
    onRegistry(read)(http, path, (request) =>
      handle({ ...request, issuer: findIssuer(request.snapshot, path) }),
    );

/** Like `underIssuer`, for the registration endpoint. Throws SwitchedOff if registration is off. */
const underRegistrar: ReturnType<typeof underIssuer> = async (http, path, handle) => {
  if (!registersClients())
    throw new SwitchedOff(
      'Dynamic registration is off: REGISTRATION_TOKEN is not set (docs/how-to/mcp-clients.md).',
    );
  return underIssuer(currentSnapshot)(http, path, handle);
};

/**
 * A document of an issuer uses the watched registry. If the issuer is missing, the registry is refreshed, because
 * another process may have just created the issuer.
 */
async function watchedIssuer(_: HttpRequest, path: PathParams, handle: Handle<{ issuer: Issuer }>) {
  const snapshot = await watchedSnapshot();
  const current = hasIssuer(snapshot, path) ? snapshot : await refreshSnapshot();
  return handle({ issuer: findIssuer(current, path) });
}

/** Like `watchedIssuer`, for a document of an API. Default: the built-in API, which exists from the first start. */
async function watchedApi(_: HttpRequest, { apiId = BUILT_IN_API }: PathParams, handle: Handle<ApiDocument>) {
  const latestSnapshot = await watchedSnapshot();
  const snapshot = latestSnapshot.apis.has(apiId) ? latestSnapshot : await refreshSnapshot();
  const api = snapshot.apis.get(apiId);
  if (!api) throw new UnknownIssuer('no such API');
  return handle({ snapshot, api });
}

/**
 * Returns the response to an error of an exchange. If the issuer of the pending sign-in no longer exists, the broker's
 * code cannot be redeemed.
 */
function exchangeError(error: unknown, request: HttpRequest): Answer {
  const gone = error instanceof UnknownIssuer;
  return jsonError(gone ? new InvalidGrant('The issuer of this request no longer exists.') : error, request);
}

/** Permits CORS requests from Gatehouse's pages, and from origins of the client that the request names. */
async function clientOrigins(origin: string, request: ClientRequest | null): Promise<boolean> {
  if (origin === settings().baseUrl || origin === settings().authUrl) return true;
  const client = request && (await namedClient(request));
  return client ? isAllowedOrigin(client, origin) : false;
}

const callback = (pattern: string, GET: typeof handleBrokerCallback, POST?: typeof handleBrokerCallback) =>
  plainEndpoint({ pattern, methods: { GET, ...(POST && { POST }) }, onError: negotiatedError });

const publicDocument = {
  head: true,
  cors: 'any-origin',
  open: watchedIssuer,
  onError: issuerError,
} as const;

/** Addresses that browsers and crawlers request from every site, without a link. */
const PROBED = {
  '/.well-known/change-password': handleChangePassword,
  '/.well-known/passkey-endpoints': handlePasskeyEndpoints,
  '/robots.txt': handleRobots,
  '/favicon.ico': handleFavicon,
};

export const endpoints: readonly Endpoint[] = [
  endpoint({
    pattern: `${ISSUER}/authorize`,
    methods: { GET: handleAuthorize, POST: handleAuthorizePost },
    open: underIssuer(),
    onError: withErrorCount(authorizeError),
  }),
  endpoint({
    pattern: `${ISSUER}/par`,
    methods: { POST: handlePush },
    cors: clientOrigins,
    open: underIssuer(watchedSnapshot),
    onError: withErrorCount((thrown, ...at) => pushError({ thrown, told: pushRefusal(thrown) }, ...at)),
  }),
  endpoint({
    pattern: `${ISSUER}/token`,
    methods: { POST: handleToken },
    cors: clientOrigins,
    open: underIssuer(),
    onError: withErrorCount(tokenError),
  }),
  endpoint({
    pattern: `${ISSUER}/device_authorization`,
    methods: { POST: handleDeviceAuthorization },
    open: underIssuer(),
    onError: withErrorCount(issuerError),
  }),
  endpoint({
    pattern: `${ISSUER}/revoke`,
    methods: { POST: handleRevoke },
    cors: clientOrigins,
    open: underIssuer(currentSnapshot),
    onError: withErrorCount(issuerError),
  }),
  endpoint({
    pattern: `${ISSUER}/introspect`,
    methods: { POST: handleIntrospect },
    open: underIssuer(),
    onError: withErrorCount(issuerError),
  }),
  endpoint({
    pattern: `${ISSUER}/userinfo`,
    methods: { GET: handleUserinfo, POST: handleUserinfoPost },
    cors: 'any-origin',
    open: underIssuer(),
    onError: withErrorCount(issuerError),
  }),
  endpoint({
    pattern: `${ISSUER}/logout`,
    methods: { GET: handleSignOut, POST: handleSignOutPost },
    open: underIssuer(currentSnapshot),
    onError: pageError,
  }),
  endpoint({
    pattern: `${ISSUER}/register`,
    methods: { POST: handleRegistration },
    cors: clientOrigins,
    open: underRegistrar,
    onError: withErrorCount(issuerError),
  }),
  endpoint({ pattern: `${ISSUER}/jwks`, methods: { GET: handleJwks }, ...publicDocument }),
  ...['oauth-authorization-server', 'openid-configuration']
    .flatMap((name) => [`${ISSUER}/.well-known/${name}`, `/.well-known/${name}${ISSUER}`])
    .map((pattern) => endpoint({ pattern, methods: { GET: handleMetadata }, ...publicDocument })),
  ...['apis/:apiId', 'api/v1'].map((path) =>
    endpoint({
      pattern: `/.well-known/oauth-protected-resource/${path}`,
      methods: { GET: handleResourceMetadata },
      head: true,
      cors: 'any-origin',
      open: watchedApi,
      onError: jsonError,
    }),
  ),
  endpoint({
    pattern: '/verify/:apiId',
    methods: { GET: handleForwardAuth },
    head: true,
    anyMethod: true,
    open: gatewayOf,
    onError: jsonError,
  }),
  plainEndpoint({
    pattern: '/.well-known/webauthn',
    methods: { GET: handleRelatedOrigins },
    head: true,
    onError: jsonError,
  }),
  ...Object.entries(PROBED).map(([pattern, GET]) =>
    plainEndpoint({ pattern, methods: { GET }, head: true, onError: jsonError }),
  ),
  plainEndpoint({ pattern: '/health', methods: { GET: handleHealth }, head: true, onError: jsonError }),
  plainEndpoint({ pattern: '/ready', methods: { GET: handleReady }, head: true, onError: jsonError }),
  callback('/auth/callback/broker', handleBrokerRedirect, handleBrokerForm),
  callback('/auth/callback/broker/:code', handleBrokerCallback),
  callback('/auth/callback/:authMethodId', handleOwnBrokerRedirect, handleOwnBrokerForm),
  endpoint({
    pattern: '/auth/token',
    methods: { POST: handleExchange },
    cors: clientOrigins,
    open: onRegistry(currentSnapshot),
    onError: withErrorCount(exchangeError),
  }),
  plainEndpoint({
    pattern: '/client-logo',
    methods: { GET: handleClientLogo },
    head: true,
    onError: negotiatedError,
  }),
  plainEndpoint({
    pattern: '/logo/:hash',
    methods: { GET: handleLogo },
    head: true,
    onError: negotiatedError,
  }),
  ...Object.entries(FORMS).map(([pattern, POST]) =>
    plainEndpoint({ pattern, methods: { POST }, onError: pageError }),
  ),
  plainEndpoint({ pattern: '/continue', methods: { GET: handleContinue }, onError: pageError }),
];

// Matches a request to its row in the table of endpoints. At the further addresses of an issuer, only the issuer's
// endpoints exist, at the paths of its layout. Their handlers and their table are the same
// (docs/project/decisions/0009).

/** Endpoints of an issuer, by the pattern of their path on the issuer's own host. */
const atHost = endpoints
  .filter(({ pattern }) => pattern.includes(ISSUER))
  .map((row) => ({ row, pattern: row.pattern.replace(ISSUER, '') }));

export const hostPatterns: readonly string[] = [...new Set(atHost.map(({ pattern }) => pattern))];

const match = compileEndpoints(endpoints);

/** Endpoints of an issuer, by their path below the issuer, for each layout. */
const rowsIn = new Map<IssuerLayout, ReadonlyMap<string, Endpoint>>(
  ISSUER_LAYOUTS.map((layout) => [
    layout,
    new Map(atHost.map(({ row, pattern }) => [pathIn(layout, pattern), row])),
  ]),
);
const below = [...new Set([...rowsIn.values()].flatMap((rows) => [...rows.keys()]))];
/** Matches the path of a metadata document with the well-known name before the issuer’s path (RFC 8414 §3.1). */
const METADATA = /^\/\.well-known\/(?:oauth-authorization-server|openid-configuration)(?=\/)/;

/** True if some layout of issuers contains this path. */
const isNamed = (path: string) => METADATA.test(path) || below.some((suffix) => path.endsWith(suffix));

/** Matches paths at which Next has no page, so an address that is not in the table of endpoints returns 404. */
const NO_PAGES = /^\/auth\//;

/** Paths on an issuer’s own host that are also pages of Gatehouse: sign-out and registration. */
const PAGES = ['/logout', '/register'];

const isNoPage = (path: string) =>
  NO_PAGES.test(path) || (!PAGES.includes(path) && hostPatterns.includes(path)) || !isPlainPath(path);

const watchedOrRefreshed = () => watchedSnapshot(refreshSnapshot);

type Answering = (request: HttpRequest) => Promise<Answer | null>;

/** Handles requests for endpoints of the table. Returns null for a page. */
export async function handleHttp(request: HttpRequest): Promise<Answer | null> {
  const routeMatch = match(request.path);
  if (!routeMatch) return handleUnlisted(request);
  return (await handleAtHost(request, watchedOrRefreshed)) ?? answerRow(routeMatch, request);
}

/**
 * Answers a request whose path is not in the table of endpoints. At an issuer's own host, the issuer answers;
 * otherwise the answer is 404. Returns null if the path is a page.
 */
export async function handleUnlisted(request: HttpRequest): Promise<Answer | null> {
  const answered = await handleAtHost(request);
  if (answered) return answered;
  return isNoPage(request.path)
    ? withTransportSecurity(errorAnswer(new UnknownIssuer('no such address'), request))
    : null;
}

/**
 * Answers like `handleHttp`, by the row of a route file. Throws if the table has other handlers at the pattern. Next
 * accepts more spellings of a path for a file than the pattern does, such as escapes and a slash at the end;
 * `handleHttp` answers those.
 */
export function handleRow(pattern: string, handlers: Endpoint['handlers']): Answering {
  const row = endpoints.find((endpoint) => endpoint.pattern === pattern);
  if (!row || !isDeepStrictEqual(row.handlers, handlers))
    throw new Error(`${pattern} has other handlers in the table of endpoints`);
  const matchRow = compileEndpoints([row]);
  return async (request) => {
    const routeMatch = matchRow(request.path);
    if (!routeMatch) return handleHttp(request);
    return (await handleAtHost(request, watchedOrRefreshed)) ?? answerRow(routeMatch, request);
  };
}

type Found = NonNullable<ReturnType<typeof match>>;

async function answerRow({ endpoint: row, params }: Found, request: HttpRequest): Promise<Answer> {
  return withTransportSecurity(await observeRequest(row.pattern, request, () => row.answer(request, params)));
}

/**
 * Handles a request for a host that serves only issuers. Returns null for a different host. `read`: the registry that
 * decides about an unknown host, which another process may have just created. If this server also answers the path at
 * its own host, the registry that the watch confirms is sufficient.
 */
export async function handleAtHost(
  request: HttpRequest,
  read: () => Promise<Snapshot> = refreshSnapshot,
): Promise<Answer | null> {
  const calledHost = foreignHost(request.headers);
  if (calledHost === null) return null;
  const named = isNamed(request.path);
  // returns without a database query, because most services have no such host, and a request can name any host
  if (!named && knownSnapshot()?.issuersByHost.size === 0) return null;
  const issuers = await issuersAt(calledHost, request.path, named ? read : null);
  if (issuers.length === 0) return null;
  const called = rowAt(issuers, request.path);
  return withTransportSecurity(
    called
      ? await observeRequest(called.row.pattern, request, () =>
          called.row.answer(request, { address: called.url }),
        )
      : errorAnswer(new UnknownIssuer('no such address'), request),
  );
}

/** Finds the endpoint for this path among the issuers of the host. */
function rowAt(issuers: readonly AddressedIssuer[], path: string): { row: Endpoint; url: string } | null {
  const [document = ''] = METADATA.exec(path) ?? [];
  for (const { url, path: base, layout } of issuers) {
    const before = base !== '' && path === document + base;
    const row =
      before || path.startsWith(base)
        ? rowsIn.get(layout)?.get(before ? document : path.slice(base.length))
        : null;
    if (row) return { row, url };
  }
  return null;
}

/**
 * Returns the issuers that this host serves now. `read`: reads the registry for an unknown host; null: the path does not
 * exist below an issuer. Liveness checks send no query.
 */
async function issuersAt(
  calledHost: string,
  path: string,
  read: (() => Promise<Snapshot>) | null,
): Promise<readonly AddressedIssuer[]> {
  const at = (snapshot: Snapshot | null | undefined) =>
    snapshot?.issuersByHost.get(calledHost)?.filter(isAnswered) ?? [];
  if (path === '/health') return at(knownSnapshot());
  try {
    // reads the watched registry: a redirect runs no statement that would notice a changed owner of the host
    if (at(await recentSnapshot()).length > 0) return at(await watchedSnapshot());
    return read ? at(await read()) : [];
  } catch (error) {
    // without a registry no host is known, so Gatehouse’s own host returns the error
    log().debug({ err: error }, 'the registry could not be asked for a host');
    return [];
  }
}

/**
 * False for paths that Next handles badly. Next redirects a doubled slash with 308, which posts secrets again, and
 * fails with 500 on malformed escapes. Next also resolves `.` and `..`, which bypasses path rules of a proxy. Such
 * paths, and absolute targets, return 404.
 */
function isPlainPath(path: string): boolean {
  return path.startsWith('/') && !/\/\/|\\|%00/.test(path) && !DOTS.test(path) && isDecodable(path);
}

/** Matches a path segment `.` or `..`, which URL parsers resolve (WHATWG URL §4.1, RFC 3986 §5.2.4). */
const DOTS = /\/(?:\.|%2e){1,2}(?:\/|$)/i;

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/**
 * True for the paths of gateways only. At these paths, a request with two tokens receives the error for an invalid
 * token.
 */
export const takesAllTokens = (path: string): boolean => path.startsWith('/verify/');

function withTransportSecurity(answer: Answer): Answer {
  if (settings().secureCookies) answer.headers['strict-transport-security'] ??= STRICT_TRANSPORT_SECURITY;
  return answer;
}

/** Returns 405 for methods that pages do not accept, or null for GET and HEAD. */
export function refuseMethodOfPage(request: HttpRequest): Answer | null {
  if (['GET', 'HEAD'].includes(request.method)) return null;
  return withTransportSecurity(errorAnswer(new MethodNotAllowed('GET, HEAD'), request));
}

function errorAnswer(error: Error, request: HttpRequest): Answer {
  const answer = negotiatedError(error, request);
  answer.headers['x-request-id'] = request.requestId;
  return answer;
}

// Parameters and responses of each endpoint, by method and pattern. Internal form actions have no declaration. A test
// compares both tables.

export const declarations: Readonly<Record<string, Declaration>> = {
  [`GET ${ISSUER}/authorize`]: authorizeDeclaration,
  [`POST ${ISSUER}/authorize`]: authorizePostDeclaration,
  [`POST ${ISSUER}/par`]: pushedDeclaration,
  [`POST ${ISSUER}/token`]: tokenDeclaration,
  [`POST ${ISSUER}/device_authorization`]: deviceDeclaration,
  [`POST ${ISSUER}/revoke`]: revocationDeclaration,
  [`POST ${ISSUER}/introspect`]: introspectionDeclaration,
  [`GET ${ISSUER}/userinfo`]: userinfoDeclaration,
  [`POST ${ISSUER}/userinfo`]: userinfoPostDeclaration,
  [`GET ${ISSUER}/logout`]: signOutDeclaration,
  [`POST ${ISSUER}/logout`]: signOutPostDeclaration,
  [`POST ${ISSUER}/register`]: registrationDeclaration,
  [`GET ${ISSUER}/jwks`]: jwksDeclaration,
  [`GET ${ISSUER}/.well-known/oauth-authorization-server`]: metadataDeclaration,
  [`GET ${ISSUER}/.well-known/openid-configuration`]: metadataDeclaration,
  [`GET /.well-known/oauth-authorization-server${ISSUER}`]: metadataDeclaration,
  [`GET /.well-known/openid-configuration${ISSUER}`]: metadataDeclaration,
  'GET /.well-known/oauth-protected-resource/apis/:apiId': resourceMetadataDeclaration,
  'GET /.well-known/oauth-protected-resource/api/v1': managementMetadataDeclaration,
  'GET /verify/:apiId': forwardAuthDeclaration,
  'GET /.well-known/webauthn': relatedOriginsDeclaration,
  'GET /.well-known/change-password': changePasswordDeclaration,
  'GET /.well-known/passkey-endpoints': passkeyEndpointsDeclaration,
  'GET /health': healthDeclaration,
  'GET /ready': readyDeclaration,
  'GET /auth/callback/broker': brokerRedirectDeclaration,
  'POST /auth/callback/broker': brokerFormDeclaration,
  'POST /auth/callback/:authMethodId': ownBrokerFormDeclaration,
  'GET /auth/callback/broker/:code': brokerCodeDeclaration,
  'GET /auth/callback/:authMethodId': ownBrokerRedirectDeclaration,
  'POST /auth/token': exchangeDeclaration,
};
