// POST ISSUER/register (RFC 7591), for callers with REGISTRATION_TOKEN. With OPEN_REGISTRATION, it also registers
// public clients on a developer's machine. The new client must wait: its subscription to the issuer's API is pending in
// the approvers' inbox.

import { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { underLimits } from '#lib/auth-methods/attempts.ts';
import { profileExcludes } from '#lib/catalogue/apis/definition.ts';
import {
  type ClientKind,
  type ClientValues,
  checkedNewClient,
  isLocalHost,
  takesSecret,
} from '#lib/catalogue/clients/definition.ts';
import { machineFault } from '#lib/catalogue/subscriptions/definition.ts';
import { type Answer, json } from '#lib/http/message.ts';
import { readText } from '#lib/http/params.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { equalDigests, randomToken, sha256 } from '#lib/kit/random.ts';
import { tellApprovers } from '#lib/mail/request-mails.ts';
import { optional, requiredOf } from '#lib/openapi/document.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/claims.ts';
import { type Fault, faultsOf } from '#lib/registry/definition.ts';
import { type DisplayText, membersOfText, textsOfMember } from '#lib/registry/display-text.ts';
import { settings } from '#lib/settings/settings.ts';
import { callerLimits } from '#lib/store/hot/limits.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import type { SnapshotApi } from '#lib/store/snapshot.ts';
import { insertRegistration } from '#lib/store/unregistered.ts';
import { mint } from '#lib/tokens/formats.ts';
import type { IssuerRequest } from './client.ts';
import {
  bodyTooLarge,
  type Declaration,
  InvalidClientMetadata,
  InvalidRedirectUri,
  InvalidRequest,
  InvalidToken,
  issuerPath,
  refuses,
  SlowDown,
  serviceErrors,
  UnapprovedSoftwareStatement,
  UnknownIssuer,
} from './errors.ts';
import {
  AUTHORIZATION_CODE,
  CLIENT_CREDENTIALS,
  DEVICE_CODE,
  followsFapi2,
  grantTypesFor,
  REFRESH_TOKEN,
} from './rules.ts';

// Parameters and responses of `POST ISSUER/register` (RFC 7591 §3).

const texts = z.array(z.string());

/**
 * Metadata of RFC 7591 §2 and OpenID Connect Registration. The registry's own rules are checked after these schemas.
 */
const clientMetadata = z.object({
  redirect_uris: requiredOf(
    texts,
    AUTHORIZATION_CODE,
    'The redirect addresses after sign-in, compared character by character.',
  ),
  private_use_schemes: optional(
    z.boolean(),
    'A confidential client has redirect URIs with a private-use scheme (RFC 8252 §7.1). Specific to Gatehouse.',
  ),
  client_name: optional(
    z.string(),
    'The name shown to people. Default: the host of the first redirect URI. `client_name#de` is the German name, and so on.',
  ),
  token_endpoint_auth_method: optional(
    z.string(),
    '`none` for a public client, `client_secret_basic` (the default), `client_secret_post` or `private_key_jwt`.',
  ),
  application_type: optional(
    z.string(),
    'For public clients: `web` is a single-page application, which gets no refresh token. Any other value means `native`.',
  ),
  grant_types: optional(
    texts,
    'Grants that are not available are omitted from the response. `client_credentials`, for a confidential client, requests tokens in its own name, which an approver must allow.',
  ),
  response_types: optional(texts, 'Must contain `code`.'),
  scope: optional(
    z.string(),
    'Space-separated scopes that the client can request. Scopes that the API does not have are omitted. Default: all scopes of the API.',
  ),
  jwks: optional(
    z.looseObject({}),
    'The public keys of the client, for `private_key_jwt`. Ignored with another method.',
  ),
  jwks_uri: optional(z.string(), 'The https address of the public keys. Ignored with another method.'),
  logo_uri: optional(z.string(), 'The https address of a square picture.'),
  tos_uri: optional(z.string(), 'Its terms of service.'),
  policy_uri: optional(z.string(), 'Its privacy policy.'),
  post_logout_redirect_uris: optional(texts, 'The redirect addresses after sign-out.'),
  backchannel_logout_uri: optional(z.string(), 'The https address that receives logout tokens.'),
  backchannel_logout_session_required: optional(z.boolean(), 'The logout token must contain the session id.'),
  require_pushed_authorization_requests: optional(
    z.boolean(),
    'Authorize requests must be pushed (RFC 9126 §6).',
  ),
  id_token_signed_response_alg: optional(z.string(), '`RS256` (the default) or `ES256`.'),
  id_token_claims: optional(
    z.boolean(),
    'Its ID tokens contain the claims of the granted scopes, as userinfo does. Specific to Gatehouse.',
  ),
  subject_type: optional(z.string(), '`public` (the default) or `pairwise`.'),
  dpop_bound_access_tokens: optional(
    z.boolean(),
    'The access tokens of the client are bound to its key (RFC 9449 §5.2). A browser client then also gets refresh tokens.',
  ),
  refresh_token_rotation: optional(
    z.string(),
    '`always` (the default), or `never` for a confidential client with DPoP: its refresh token stays the same.',
  ),
  sector_identifier_uri: optional(
    z.string(),
    'Not accepted: a developer registers such a client in the console.',
  ),
  software_statement: optional(z.string(), 'Refused here.'),
});
type ClientMetadata = z.output<typeof clientMetadata>;

/** Schema of the response, which repeats the registered metadata (RFC 7591 §3.2.1). */
const RegistrationResponse = z.looseObject({
  client_id: z.string(),
  client_id_issued_at: z.int().describe('Seconds since 1970.'),
  client_secret: z.string().optional().describe('For confidential clients without keys; returned once.'),
  client_secret_expires_at: z.int().optional().describe('0: the secret does not expire.'),
  client_name: z.string(),
  redirect_uris: texts,
  grant_types: texts,
  response_types: texts,
  token_endpoint_auth_method: z.string(),
  scope: z.string(),
});

export const registrationDeclaration: Declaration = {
  path: issuerPath,
  header: z.object({ Authorization: z.string().describe('`Bearer` and the registration token.') }),
  body: clientMetadata,
  bodyTypes: ['application/json'],
  answers: { RegistrationResponse },
  errors: [
    {
      status: 404,
      error: 'not_found',
      when: 'The authentication method or the API does not exist, the API does not list this method, or dynamic registration is off (neither `REGISTRATION_TOKEN` nor `OPEN_REGISTRATION` is set).',
      as: 'json',
    },
    ...refuses(InvalidToken, [
      'The registration token is missing or wrong. The response contains `WWW-Authenticate`. With `OPEN_REGISTRATION` on the machine of a developer, public clients with loopback addresses need no token.',
    ]),
    ...refuses(InvalidRequest, [
      'The body is not a JSON object, or its content type is not application/json.',
    ]),
    // the token is checked before the size
    { ...bodyTooLarge },
    ...refuses(InvalidRedirectUri, [
      'redirect_uris is missing, or contains an address that is not allowed for this kind of client.',
    ]),
    ...refuses(InvalidClientMetadata, [
      'Another member has an invalid value, members contradict each other, or grant_types, response_types or scope has no supported value.',
    ]),
    ...refuses(UnapprovedSoftwareStatement, ['A software_statement was sent, which is not supported.']),
    ...refuses(SlowDown, [
      'Limit of wrong registration tokens: 60 from an address (a /64 for IPv6) in five minutes. `Retry-After` contains the seconds to wait.',
      'Limit: 100 registered clients can wait for approval at an API. An approver must decide first.',
    ]),
    ...serviceErrors,
  ],
  security: [{ registrationToken: [] }],
};

// Maps client metadata (RFC 7591) to registry fields under the registry's rules, and back.

/** Metadata members whose field in the registry has the same name. */
const SAME = [
  ['redirectUris', 'redirect_uris'],
  ['privateUseSchemes', 'private_use_schemes'],
  ['tokenEndpointAuthMethod', 'token_endpoint_auth_method'],
  ['jwks', 'jwks'],
  ['jwksUri', 'jwks_uri'],
  ['requirePushedAuthorizationRequests', 'require_pushed_authorization_requests'],
  ['logoUri', 'logo_uri'],
  ['tosUri', 'tos_uri'],
  ['policyUri', 'policy_uri'],
  ['postLogoutRedirectUris', 'post_logout_redirect_uris'],
  ['backchannelLogoutUri', 'backchannel_logout_uri'],
  ['backchannelLogoutSessionRequired', 'backchannel_logout_session_required'],
  ['idTokenSignedResponseAlg', 'id_token_signed_response_alg'],
  ['idTokenClaims', 'id_token_claims'],
  ['subjectType', 'subject_type'],
  ['dpopBoundAccessTokens', 'dpop_bound_access_tokens'],
  ['refreshTokenRotation', 'refresh_token_rotation'],
] as const satisfies readonly (readonly [keyof ClientValues, keyof ClientMetadata])[];

type Registration = {
  client: ClientValues;
  /** maximum scopes of the subscription; empty: every scope of the API */
  scopes: string[];
  /** the client also requests machine access */
  machine: boolean;
  /** the client also requests the device grant */
  device: boolean;
  grantTypes: string[];
};

/**
 * Parses a request body into a registration at this API. Throws InvalidRequest, InvalidRedirectUri or
 * InvalidClientMetadata.
 */
function readRegistration(text: string, api: SnapshotApi): Registration {
  const { metadata: sent, given } = readMetadata(text);
  const metadata = underProfile(sent, api);
  if (metadata.software_statement !== undefined)
    throw new UnapprovedSoftwareStatement('software_statement is not accepted: send the metadata itself.');
  if (metadata.sector_identifier_uri !== undefined)
    throw new InvalidClientMetadata(
      'sector_identifier_uri is not accepted in dynamic registration: a developer registers such a client in the console.',
    );
  if (metadata.response_types && !metadata.response_types.includes('code'))
    throw new InvalidClientMetadata('response_types must contain code, the only supported response type.');
  const kind = kindAsked(metadata);
  const grantTypes = grantTypesOf(metadata, kind);
  const redirectUris = metadata.redirect_uris ?? [];
  if (redirectUris.length === 0 && grantTypes.includes(AUTHORIZATION_CODE))
    throw new InvalidRedirectUri('redirect_uris is missing.');
  const client = readClient(metadata, {
    redirectUris,
    kind,
    name: textsOfMember(given, 'client_name', metadata.client_name ?? null),
  });
  const machine = grantTypes.includes(CLIENT_CREDENTIALS);
  const scopes = scopesOf(metadata, api);
  const unbounded = machineFault(api.id, machine, scopes);
  if (unbounded !== null) throw new InvalidClientMetadata(`scope is missing: ${unbounded.message}.`);
  const device = grantTypes.includes(DEVICE_CODE);
  return { client, scopes, machine, device, grantTypes };
}

/** Applies FAPI 2.0 Security Profile §5.3.2.1 (6) and §5.4.1 if the API follows the profile. */
function underProfile(metadata: ClientMetadata, api: SnapshotApi): ClientMetadata {
  const { token_endpoint_auth_method: by = null, id_token_signed_response_alg: alg = 'ES256' } = metadata;
  if (profileExcludes(api, by))
    throw new InvalidClientMetadata(
      'token_endpoint_auth_method must be private_key_jwt: this API follows FAPI 2.0.',
    );
  if (!followsFapi2(api)) return metadata;
  if (alg !== 'ES256')
    throw new InvalidClientMetadata(
      'id_token_signed_response_alg must be ES256 or omitted: this API follows FAPI 2.0.',
    );
  return { ...metadata, id_token_signed_response_alg: alg };
}

/**
 * Parses the body. `given`: all members of the body, including those without a schema field, such as `client_name#de`.
 */
function readMetadata(text: string): { metadata: ClientMetadata; given: Record<string, unknown> } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidRequest('The body is not valid JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidRequest('The JSON body must be an object.');
  const rawMetadata = withoutUnusedKeys(
    Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)),
  );
  const read = clientMetadata.safeParse(rawMetadata, { reportInput: true });
  if (read.success) return { metadata: read.data, given: rawMetadata };
  throw refusal(faultsOf(read.error));
}

/**
 * Keys belong to no particular authentication method in RFC 7591 §2. A client with another method than keys does not
 * use them, so they are neither registered nor returned.
 */
function withoutUnusedKeys(rawMetadata: Record<string, unknown>): Record<string, unknown> {
  if (rawMetadata['token_endpoint_auth_method'] === 'private_key_jwt') return rawMetadata;
  const { jwks: _, jwks_uri: __, ...others } = rawMetadata;
  return others;
}

/** Returns the error for these faults. Invalid redirect URIs have a separate error code (RFC 7591 §3.2.2). */
function refusal(faults: readonly Fault[]) {
  const atRedirect = faults.find(({ field }) => /^redirect_?uris/i.test(field));
  if (atRedirect) return new InvalidRedirectUri(`${atRedirect.message}.`);
  const message =
    faults[0]?.message.replace(/^name(?:\.(\S+))? /, (_, tag) => `client_name${tag ? `#${tag}` : ''} `) ??
    'The metadata is not valid';
  return new InvalidClientMetadata(`${message}.`);
}

type Decided = Pick<ClientValues, 'redirectUris' | 'kind'> & { name: DisplayText | null };

function readClient(metadata: ClientMetadata, decided: Decided): ClientValues {
  const clientId = randomToken('registered-');
  const name = decided.name ?? (URL.parse(decided.redirectUris[0] ?? '')?.host || clientId);
  const same = SAME.flatMap(([field, member]) =>
    metadata[member] === undefined ? [] : [[field, metadata[member]] as const],
  );
  const parseResult = checkedNewClient.safeParse(
    { ...Object.fromEntries(same), ...decided, clientId, name },
    { reportInput: true },
  );
  if (!parseResult.success) throw refusal(faultsOf(parseResult.error));
  const { ownerEmail: _, ...client } = parseResult.data;
  return { ...client, clientId };
}

function kindAsked({ token_endpoint_auth_method: by, application_type: type }: ClientMetadata): ClientKind {
  if (by !== 'none') return 'confidential';
  return type === 'web' || type === 'browser' ? 'browser' : 'native';
}

/**
 * Returns the requested grant types that this kind of client can register. Default: every grant in which a user takes
 * part.
 */
function grantTypesOf({ grant_types: asked }: ClientMetadata, kind: ClientKind): string[] {
  const possible = grantTypesFor(kind, 'registration');
  const grantTypes = possible.filter((grantType) =>
    asked ? asked.includes(grantType) : ![CLIENT_CREDENTIALS, DEVICE_CODE].includes(grantType),
  );
  if (grantTypes.some((grantType) => grantType !== REFRESH_TOKEN)) return grantTypes;
  throw new InvalidClientMetadata(
    'grant_types must contain authorization_code or, for a confidential client, client_credentials.',
  );
}

/** Returns the scope limit of the subscription, to which OpenID Connect scopes do not belong. */
function scopesOf({ scope }: ClientMetadata, api: SnapshotApi): string[] {
  const requestedScopes = (scope ?? '').split(' ').filter((name) => name !== '');
  const knownScopes = api.scopes.map(({ name }) => name).filter((name) => requestedScopes.includes(name));
  const isOpenId = (name: string) => OPENID_SCOPE_NAMES.includes(name);
  if (requestedScopes.length === 0 || knownScopes.length > 0 || requestedScopes.some(isOpenId))
    return knownScopes;
  throw new InvalidClientMetadata('scope contains no scope of this API.');
}

/** Returns the body of the response (RFC 7591 §3.2.1): all registered metadata, including defaults. */
function registeredMetadata({ client, scopes, grantTypes }: Registration, api: SnapshotApi) {
  const { kind, tokenEndpointAuthMethod: by } = client;
  const same = SAME.map(([field, member]) => [member, client[field]] as const);
  return {
    client_id: client.clientId,
    client_id_issued_at: nowSeconds(),
    ...membersOfText('client_name', client.name),
    ...Object.fromEntries(same.filter(([, value]) => value !== null)),
    application_type: kind === 'native' ? 'native' : 'web',
    token_endpoint_auth_method: by ?? (kind === 'confidential' ? 'client_secret_basic' : 'none'),
    grant_types: grantTypes,
    response_types: ['code'],
    scope: (scopes.length > 0 ? scopes : api.scopes.map(({ name }) => name)).join(' '),
  };
}

/** Maximum number of registered clients that wait for approval at one API. */
const MAX_WAITING = 100;
const FULL = `${MAX_WAITING} registered clients are waiting for approval at this API. Ask an approver to decide, then register again.`;
const FULL_SECONDS = 600;
const WRONG_TOKENS = { what: 'registrations', each: 60, windowSeconds: 300, all: 2_000, allSeconds: 5 };
/** Limits of registrations without a token: per address, and in total. */
const OPEN = { what: 'open registrations', each: 30, windowSeconds: 300, all: 120, allSeconds: 300 };
const NOT_LOCAL =
  'Without a registration token, only public clients on this machine can register: token_endpoint_auth_method none, and redirect_uris at http://localhost, http://127.0.0.1 or http://[::1].';
const BEARER = 'Bearer realm="Gatehouse"';

export async function handleRegistration(request: IssuerRequest): Promise<Answer> {
  const withoutToken = isOpenTo(request);
  if (!withoutToken) await requireToken(request);
  const { http, issuer, ip } = request;
  if (!/^application\/json *(;|$)/i.test(http.headers['content-type'] ?? ''))
    throw new InvalidRequest('The content type must be application/json.');
  const registration = readRegistration(await readText(http), issuer.api);
  if (withoutToken) await requireLocal(request, registration.client);
  const { client, scopes, machine, device } = registration;
  const { clientId, kind } = client;
  const secret = takesSecret(client) ? mint('clientSecret') : null;
  const by = { actor: 'registration', clientId, requestId: http.requestId, ip: ip ?? undefined };
  await inTransaction(async (db) => {
    const api = issuer.api.id;
    const newClient = {
      ...{ client, secretHash: secret?.hash ?? null, api },
      ...{ machine, device, scopes, maxWaiting: MAX_WAITING },
    };
    const outcome = await insertRegistration(db, newClient);
    if (outcome === 'full') throw new SlowDown(FULL_SECONDS, FULL);
    if (outcome === 'no-api') throw new UnknownIssuer('the API was just removed');
    const { clientId: _, kind: __, ...after } = client;
    await recordEvent(
      { ...by, event: 'client.created', details: { kind, after, origin: 'registration' } },
      db,
    );
    const details = { from: null, to: 'pending', trusted: false, machine, device, scopes };
    await recordEvent({ ...by, event: 'subscription.requested', apiId: api, details }, db);
    await tellApprovers(db, { clientId, api });
  });
  return json(201, {
    ...registeredMetadata(registration, issuer.api),
    ...(secret && { client_secret: secret.value, client_secret_expires_at: 0 }),
  });
}

const isOfThisMachine = (address: string): boolean => {
  const url = URL.parse(address);
  return url?.protocol === 'http:' && isLocalHost(url);
};

/** True if clients can register without a token, because the service runs on a developer machine. */
const isOpen = (): boolean => settings().openRegistration && isOfThisMachine(settings().baseUrl);

/** True if `ISSUER/register` exists. */
export const registersClients = (): boolean => settings().registrationToken !== null || isOpen();

const isOpenTo = ({ http }: IssuerRequest): boolean =>
  isOpen() && http.headers['authorization'] === undefined;

/**
 * Throws InvalidToken for a confidential client or an address that is not loopback, and SlowDown for too many requests.
 */
async function requireLocal({ http, issuer, ip }: IssuerRequest, client: ClientValues): Promise<void> {
  const isLocal = client.kind !== 'confidential' && client.redirectUris.every(isOfThisMachine);
  if (!isLocal) throw new InvalidToken(NOT_LOCAL, { headers: { 'www-authenticate': BEARER } });
  const context = { apiId: issuer.api.id, authMethodId: issuer.method.id, requestId: http.requestId, ip };
  await underLimits(
    callerLimits(OPEN, ip),
    context,
    async () => true,
    () => true,
  );
}

/** Requires the registration token. Wrong tokens are counted as guesses; missing tokens are not. */
async function requireToken({ http, issuer, ip }: IssuerRequest): Promise<void> {
  const bearerToken = /^bearer +(\S+)$/i.exec(http.headers['authorization']?.trim() ?? '')?.[1];
  if (bearerToken === undefined)
    throw new InvalidToken('The registration token is missing.', { headers: { 'www-authenticate': BEARER } });
  const context = { apiId: issuer.api.id, authMethodId: issuer.method.id, requestId: http.requestId, ip };
  const expected = sha256(settings().registrationToken ?? '');
  const isRight = await underLimits(
    callerLimits(WRONG_TOKENS, ip),
    context,
    async () => equalDigests(sha256(bearerToken), expected),
    (right) => !right,
  );
  if (!isRight)
    throw new InvalidToken('The registration token is wrong.', {
      headers: { 'www-authenticate': `${BEARER}, error="invalid_token"` },
      counted: true,
    });
}
