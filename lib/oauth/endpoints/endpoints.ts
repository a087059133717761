// The one table of endpoints: pattern, methods, handlers, and how an error looks. Both doors mount it (dispatch.ts).
import { type Endpoint, endpoint, plainEndpoint } from '#lib/http/endpoint.ts';
import type { Answer, HttpRequest, PathParams } from '#lib/http/message.ts';
import { BUILT_IN_API } from '#lib/registry/objects/api.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  currentSnapshot,
  recentSnapshot,
  refreshSnapshot,
  watchedSnapshot,
} from '#lib/store/registry/snapshot.ts';
import { handleAuthorize, handleAuthorizePost } from '../authorize/handler.ts';
import { onCurrentRegistry } from '../authorize-request/current-registry.ts';
import { AuthorizeRefused } from '../authorize-request/response.ts';
import {
  handleBrokerCallback,
  handleBrokerForm,
  handleBrokerRedirect,
  handleOwnBrokerForm,
  handleOwnBrokerRedirect,
} from '../broker/broker-callback.ts';
import { handleClientLogo } from '../client-documents/logo.ts';
import { isAllowedOrigin } from '../clients/client.ts';
import {
  type ClientRequest,
  type IssuerRequest,
  namedClient,
  readClientRequest,
} from '../clients/client-request.ts';
import {
  handleChangePassword,
  handleFavicon,
  handlePasskeyEndpoints,
  handleRobots,
} from '../declarations/probed-addresses.ts';
import { handleRelatedOrigins } from '../declarations/related-origins.ts';
import { handleDeviceAuthorization } from '../device/ask.ts';
import { InvalidGrant, SwitchedOff, UnknownIssuer } from '../errors/errors.ts';
import { handleExchange } from '../exchange/handler.ts';
import { handleContinue } from '../hosted/continue.ts';
import { FORMS } from '../hosted/forms.ts';
import { handlePush, pushRefusal } from '../pushed-requests/handler.ts';
import { counted } from '../refusals/counted-refusals.ts';
import {
  authorizeError,
  issuerError,
  jsonError,
  negotiatedError,
  pageError,
  pushError,
  tokenError,
} from '../refusals/render-error.ts';
import { handleRegistration, registersClients } from '../registration/handler.ts';
import { findIssuer, hasIssuer, type Issuer } from '../rules/issuer.ts';
import { handleHealth, handleReady } from './area-a.ts';
import { gatewayOf, handleForwardAuth } from './forward-auth.ts';
import { handleIntrospect } from './introspection.ts';
import { handleLogo } from './logo.ts';
import { handleJwks, handleMetadata } from './metadata.ts';
import { type ApiDocument, handleResourceMetadata } from './resource-metadata.ts';
import { handleRevoke } from './revocation.ts';
import { handleSignOut, handleSignOutPost } from './sign-out.ts';
import { handleToken } from './token.ts';
import { handleUserinfo, handleUserinfoPost } from './userinfo.ts';

const ISSUER = '/auth/:authMethodId/api/:apiId';

type Handle<Context> = (context: Context) => Promise<Answer>;

/** A client's request, read once, on the registry as `read` gives it. */
const onRegistry =
  (read = recentSnapshot) =>
  (http: HttpRequest, _: PathParams, handle: Handle<ClientRequest>) => {
    const request = readClientRequest(http);
    const clientId = async (error: unknown) =>
      error instanceof AuthorizeRefused ? error.clientId : request.namedClientId();
    return onCurrentRegistry({ read, clientId }, (snapshot) => handle({ ...request, snapshot }));
  };

/** The same under an issuer, or UnknownIssuer. */
const underIssuer =
  (read = recentSnapshot) =>
  (http: HttpRequest, path: PathParams, handle: Handle<IssuerRequest>) =>
    onRegistry(read)(http, path, (request) =>
      handle({ ...request, issuer: findIssuer(request.snapshot, path) }),
    );

/** Without the setting this address does not exist. */
const underRegistrar: ReturnType<typeof underIssuer> = async (http, path, handle) => {
  if (!registersClients())
    throw new SwitchedOff(
      'Clients do not register themselves here: REGISTRATION_TOKEN is not set (docs/agents.md).',
    );
  return underIssuer(currentSnapshot)(http, path, handle);
};

/**
 * A document under an issuer rests on the watch of the registry. One that is not there may have been made a moment ago,
 * by another process: so the registry is asked.
 */
async function watchedIssuer(_: HttpRequest, path: PathParams, handle: Handle<{ issuer: Issuer }>) {
  const snapshot = await watchedSnapshot();
  const current = hasIssuer(snapshot, path) ? snapshot : await refreshSnapshot();
  return handle({ issuer: findIssuer(current, path) });
}

/** The same of an API. The built-in one is there from the first start on. */
async function watchedApi(_: HttpRequest, { apiId = BUILT_IN_API }: PathParams, handle: Handle<ApiDocument>) {
  const known = await watchedSnapshot();
  const snapshot = known.apis.has(apiId) ? known : await refreshSnapshot();
  const api = snapshot.apis.get(apiId);
  if (!api) throw new UnknownIssuer('no such API');
  return handle({ snapshot, api });
}

/** The combination that a broker's code was waiting for is gone: there is nothing to redeem it for. */
function exchangeError(error: unknown, request: HttpRequest): Answer {
  const gone = error instanceof UnknownIssuer;
  return jsonError(gone ? new InvalidGrant('The issuer of this request is gone.') : error, request);
}

/** Our own pages, and the origins of the client that the request names. */
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

/** What is asked of every site, without a link to it. */
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
    onError: counted(authorizeError),
  }),
  endpoint({
    pattern: `${ISSUER}/par`,
    methods: { POST: handlePush },
    cors: clientOrigins,
    open: underIssuer(watchedSnapshot),
    onError: counted((thrown, ...at) => pushError({ thrown, told: pushRefusal(thrown) }, ...at)),
  }),
  endpoint({
    pattern: `${ISSUER}/token`,
    methods: { POST: handleToken },
    cors: clientOrigins,
    open: underIssuer(),
    onError: counted(tokenError),
  }),
  endpoint({
    pattern: `${ISSUER}/device_authorization`,
    methods: { POST: handleDeviceAuthorization },
    open: underIssuer(),
    onError: counted(issuerError),
  }),
  endpoint({
    pattern: `${ISSUER}/revoke`,
    methods: { POST: handleRevoke },
    cors: clientOrigins,
    open: underIssuer(currentSnapshot),
    onError: counted(issuerError),
  }),
  endpoint({
    pattern: `${ISSUER}/introspect`,
    methods: { POST: handleIntrospect },
    open: underIssuer(),
    onError: counted(issuerError),
  }),
  endpoint({
    pattern: `${ISSUER}/userinfo`,
    methods: { GET: handleUserinfo, POST: handleUserinfoPost },
    cors: 'any-origin',
    open: underIssuer(),
    onError: counted(issuerError),
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
    onError: counted(issuerError),
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
    onError: counted(exchangeError),
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
