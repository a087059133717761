// The rules that several endpoints share: grant types, scopes, resources, redirect URIs, PKCE, prompt, profiles, and
// the required strength of a sign-in.

import { hash } from 'node:crypto';
import { profileExcludes } from '#lib/catalogue/apis/definition.ts';
import { type ClientKind, isPrivateUse } from '#lib/catalogue/clients/definition.ts';
import { methodCan, type SecondFactorPolicy, secondFactorOf } from '#lib/catalogue/methods/questions.ts';
import type { Params } from '#lib/http/params.ts';
import { ACR_VALUES, type AcrLevel, acrOfLevel, levelOf } from '#lib/registry/claims.ts';
import type { SignInStrength } from '#lib/store/hot/validity.ts';
import type { SnapshotApi, SnapshotClient, SnapshotMethod } from '#lib/store/snapshot.ts';
import { InvalidRequest, InvalidScope, InvalidTarget, UnauthorizedClient } from './errors.ts';
import type { Issuer } from './issuer.ts';

// Grant types, and those allowed in a document or registration (RFC 7591 §2). Every other file imports these names; a
// test enforces it.

/** grant type of RFC 6749 §4.1.3 */
export const AUTHORIZATION_CODE = 'authorization_code';
/** grant type of RFC 6749 §4.3.2 */
export const PASSWORD = 'password';
/** grant type of RFC 6749 §6 */
export const REFRESH_TOKEN = 'refresh_token';
/** grant type of RFC 6749 §4.4.2 */
export const CLIENT_CREDENTIALS = 'client_credentials';
/** grant type of RFC 7523 §2.1 */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** grant type of RFC 8628 §3.4 */
export const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';
/** grant type of RFC 8693 §2.1 */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

type GrantType = {
  type: string;
  /** kinds of clients whose documents can list the grant */
  document: readonly ClientKind[];
  /** kinds of clients that can list the grant at registration */
  registration: readonly ClientKind[];
};

const EVERY_KIND: readonly ClientKind[] = ['browser', 'native', 'confidential'];

export const GRANT_TYPES: readonly GrantType[] = [
  { type: AUTHORIZATION_CODE, document: EVERY_KIND, registration: EVERY_KIND },
  { type: PASSWORD, document: [], registration: [] },
  { type: REFRESH_TOKEN, document: EVERY_KIND, registration: ['native', 'confidential'] },
  { type: CLIENT_CREDENTIALS, document: ['confidential'], registration: ['confidential'] },
  { type: DEVICE_CODE, document: [], registration: ['native', 'confidential'] },
  { type: JWT_BEARER, document: ['confidential'], registration: [] },
  { type: TOKEN_EXCHANGE, document: ['confidential'], registration: [] },
];

/** Returns the grant types for this kind of client, in the order of the table. */
export const grantTypesFor = (kind: ClientKind, by: 'document' | 'registration'): string[] =>
  GRANT_TYPES.filter((grant) => grant[by].includes(kind)).map(({ type }) => type);

// Scopes (RFC 6749 §3.3): their order never matters, repetitions are ignored, and the result is in the API's order.

const MAX_LENGTH = 4_096;
const TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

/** True if the value has OAuth scope syntax and length, even for scopes of another server. */
export const isScope = (value: string): boolean =>
  value.length <= MAX_LENGTH && value.split(' ').every((name) => name === '' || TOKEN.test(name));

const MOST_LISTED = 400;

function listNames(names: readonly string[]): string {
  const text = names.join(' ');
  return text.length > MOST_LISTED ? `${text.slice(0, MOST_LISTED)}...` : text || 'none';
}

/** Scopes of other services. For each, a hint on how a client gets the same claims from Gatehouse. */
const HINTS = new Map([
  [
    'groups',
    ' Groups are a claim, not a scope: set token_claims: [groups] at the API for access tokens, and use the claims parameter for ID tokens and userinfo (docs/how-to/groups.md).',
  ],
]);

/** Returns the requested scopes. Throws InvalidScope if one of them is not in `allowed`. */
export function parseScope(value: string, allowed: readonly string[]): string[] {
  if (value.length > MAX_LENGTH) throw new InvalidScope('The scope is too long.');
  const requestedScopes = new Set(value.split(' ').filter((name) => name !== ''));
  for (const name of requestedScopes) {
    if (!TOKEN.test(name))
      throw new InvalidScope('scope contains a character that is not allowed in a scope.');
    if (!allowed.includes(name))
      throw new InvalidScope(
        `The scope '${name.slice(0, 100)}' is unknown or not allowed here. Allowed: ${listNames(allowed)}.${HINTS.get(name) ?? ''}`,
      );
  }
  if (requestedScopes.size === 0) throw new InvalidScope('The scope is empty.');
  return allowed.filter((name) => requestedScopes.has(name));
}

/**
 * The scope parameter without `offline_access`, which has a meaning only together with `openid` (OpenID Connect
 * Core §11). MCP clients request this scope if the metadata contains it. Without `openid`, tokens outlive a sign-out
 * anyway.
 */
export const withoutOfflineAccess = (value: string): string =>
  value
    .split(' ')
    .filter((name) => name !== 'offline_access')
    .join(' ');

// Resource indicators (RFC 8707 §2): an issuer belongs to one API, so `resource` must name that API. The parameter does
// not change the token: `aud` is the API's configured url, however the client spells the resource.

/** Name of the parameter that may be repeated in a request (RFC 8707 §2). */
export const RESOURCE = 'resource';

/** Matches an absolute http or https address in the characters of RFC 3986 §2, without a fragment. */
const ABSOLUTE = /^https?:\/\/[\w\-.~:[\]@!$&'()*+,;=%][\w\-.~:/?[\]@!$&'()*+,;=%]*$/i;

/** True if the resource is an absolute address that a URL parser does not change. */
export const isAbsolute = (resource: string): boolean => ABSOLUTE.test(resource) && URL.canParse(resource);

/**
 * True if the resource names the API at `apiUrl`. Compares after URL Standard parsing, so `https://mcp.example` equals
 * `https://mcp.example/`. The origin of the API's url is accepted, too: clients without API metadata send only the
 * host, and each issuer has one API.
 */
export function namesApi(apiUrl: string, resource: string): boolean {
  if (resource === apiUrl) return true;
  const url = ABSOLUTE.test(resource) ? URL.parse(resource) : null;
  const parsedApiUrl = URL.parse(apiUrl);
  if (!url || !parsedApiUrl) return false;
  return url.href === parsedApiUrl.href || url.href === `${parsedApiUrl.origin}/`;
}

/** Throws InvalidTarget unless every `resource` of the request names this API. */
export function requireOwnResource({ url }: { url: string }, { values, more }: Params): void {
  const first = values.get(RESOURCE);
  if (first === undefined) return;
  const foreign = [first, ...(more?.get(RESOURCE) ?? [])].some((resource) => !namesApi(url, resource));
  if (foreign)
    throw new InvalidTarget(
      `resource must be the API of this issuer, ${url}, as an absolute URI without a fragment.`,
    );
}

// The redirect_uri must match exactly, with one exception for native clients. The port of a loopback IP address can
// vary (RFC 8252 §7.3). The port of `localhost` can vary too, because many programs register that name. The comparison
// is textual, without normalisation (RFC 9700 §2.1).

const LOOPBACK = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)$/;

export function isRegisteredRedirectUri(client: SnapshotClient, uri: string): boolean {
  if (client.redirectUris.includes(uri)) return true;
  if (client.confidential || client.applicationType !== 'native') return false;
  const sent = withoutPort(uri);
  return sent !== null && client.redirectUris.some((registered) => withoutPort(registered) === sent);
}

function withoutPort(uri: string): string | null {
  const match = LOOPBACK.exec(uri);
  return match ? `${match[1]}${match[2]}` : null;
}

/** Appends parameters without a URL parser, so that the registered part is unchanged. */
export function appendParameters(uri: string, parameters: readonly (readonly [string, string])[]): string {
  const query = parameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return `${uri}${uri.includes('?') ? (/[?&]$/.test(uri) ? '' : '&') : '?'}${query}`;
}

// PKCE (RFC 7636), S256 only.

/** Form of a code verifier (RFC 7636 §4.1). */
export const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
/** Form of a code challenge (RFC 7636 §4.2): a SHA-256 has exactly 43 characters. */
export const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export function isCodeVerifier(value: string): boolean {
  return CODE_VERIFIER.test(value);
}

export function isCodeChallenge(value: string): boolean {
  return CODE_CHALLENGE.test(value);
}

/** Returns the S256 challenge of a verifier (RFC 7636 §4.6). */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}

/**
 * Returns the request's code_challenge. The challenge is required if `demandedBy` names a reason. Throws InvalidRequest
 * if a required challenge is missing, or the method is `plain` (specification 4.5 rules 1 to 4).
 */
export function codeChallengeOf({ values }: Params, demandedBy: string | null): string | null {
  const challenge = values.get('code_challenge');
  const method = values.get('code_challenge_method');
  if (challenge === undefined && method === undefined) {
    if (demandedBy !== null)
      throw new InvalidRequest(`code_challenge and code_challenge_method are required for ${demandedBy}.`);
    return null;
  }
  if (challenge === undefined) throw new InvalidRequest('code_challenge is missing.');
  if (method !== 'S256') throw new InvalidRequest("code_challenge_method must be 'S256'.");
  if (!isCodeChallenge(challenge)) {
    throw new InvalidRequest('code_challenge must be 43 base64url characters (the SHA-256 of the verifier).');
  }
  return challenge;
}

// prompt and max_age (OpenID Connect Core §3.1.2.1).

/** Values of `prompt`. `create` is from Initiating User Registration 1.0. */
export const PROMPTS = ['none', 'login', 'consent', 'select_account', 'create'] as const;
export type Prompt = (typeof PROMPTS)[number];

export function parsePrompt(value: string | undefined): ReadonlySet<Prompt> {
  const names = (value ?? '').split(' ').filter((name) => name !== '');
  const prompts = new Set<Prompt>();
  for (const name of names) {
    if (!isPrompt(name))
      throw new InvalidRequest("prompt must be 'none', 'login', 'consent', 'select_account' or 'create'.");
    prompts.add(name);
  }
  if (prompts.has('none') && names.length > 1)
    throw new InvalidRequest("prompt 'none' cannot be combined with other values.");
  return prompts;
}

function isPrompt(name: string): name is Prompt {
  return PROMPTS.some((prompt) => prompt === name);
}

/** Parses the maximum number of seconds since the last sign-in. Null means unlimited. */
export function parseMaxAge(value: string | undefined): number | null {
  if (value === undefined) return null;
  if (!/^\d{1,9}$/.test(value)) throw new InvalidRequest('max_age must be a whole number of seconds.');
  return Number(value);
}

/** Error for a request with max_age if the broker returns no auth_time. */
export const NO_AUTH_TIME = 'The broker returned no auth_time, which max_age requires.';

// Restrictions of an API profile. `oauth-2.1`: OAuth 2.0 features removed by OAuth 2.1 (draft-ietf-oauth-v2-1).
// `redirect_uri` at the token endpoint is optional and checked if sent, as §10.2 requires. `fapi-2.0`: additional rules
// of the FAPI 2.0 Security Profile; lib/registry fixes API settings for it.

type Profiled = Pick<SnapshotApi, 'profile'>;
type Client = { tokenEndpointAuthMethod: string | null };

/** True if the API forbids the password grant (§1.3), and codes without PKCE (§4.1.1, §7.5.2). */
export const followsOAuth21 = ({ profile }: Profiled): boolean => profile !== null;

/** True if the API follows the FAPI 2.0 Security Profile (Final). */
export const followsFapi2 = ({ profile }: Profiled): boolean => profile === 'fapi-2.0';

/**
 * The reason why the request must contain a code challenge: the kind of client, the API, or a redirect address that any
 * application on the device can claim (RFC 8252 §8.1). Null if the challenge is optional.
 */
export function pkceDemandedBy(
  api: Profiled,
  { client, redirectUri }: { client: { confidential: boolean }; redirectUri: string },
): string | null {
  if (!client.confidential) return 'this client';
  if (isPrivateUse(redirectUri)) return 'a redirect_uri with a private-use scheme';
  return followsOAuth21(api) ? 'this API' : null;
}

/** Throws UnauthorizedClient if the profile excludes the client. */
export function requireProfiledClient(api: Profiled, client: Client): void {
  if (profileExcludes(api, client.tokenEndpointAuthMethod))
    throw new UnauthorizedClient(
      'This API accepts only confidential clients with private_key_jwt (FAPI 2.0).',
      {
        reason: 'profile-client',
      },
    );
}

/** Algorithms of client assertions that FAPI 2.0 §5.4.1 permits. */
export const FAPI2_ALGS = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];

/** Returns the signature algorithm of the client's ID tokens. FAPI 2.0 §5.4.1 forbids RS256. */
export const idTokenAlg = <Alg extends string>(
  api: Profiled,
  { idTokenSignedResponseAlg: alg }: { idTokenSignedResponseAlg: Alg },
): Alg | 'ES256' => (followsFapi2(api) ? 'ES256' : alg);

// True if the API allows devices without a browser (RFC 8628). The default is off, because phishing abuses the device
// flow more than any other flow (RFC 10027).

export const connectsDevices = ({ deviceGrant }: Pick<SnapshotApi, 'deviceGrant'>): boolean =>
  deviceGrant === 'on';

/** Error description for the client's developer. */
export const DEVICES_OFF =
  'The device grant is off at this API: an administrator can set device_grant to on (docs/how-to/devices.md).';

// Required sign-in strength: levels of the API and its scopes (RFC 9470), plus the second-factor policy of the API or
// method for password-only users (docs/project/decisions/0023).

/** The API's policy; default: the method's policy. */
export const policyOf = (api: SnapshotApi, method: SnapshotMethod): SecondFactorPolicy =>
  api.secondFactor ?? secondFactorOf(method);

/** Returns the strictness of the policy. 0: no second factor; 1: for users with a factor; 2: for every user. */
export const strictnessOf = (api: SnapshotApi, method: SnapshotMethod): 0 | 1 | 2 =>
  (({ off: 0, own: 1, optional: 1, required: 2 }) as const)[policyOf(api, method)];

/** Highest named level; null: no level named. */
export function highest(levels: readonly (AcrLevel | null)[]): AcrLevel | null {
  const named = levels.filter((level) => level !== null);
  return named.length === 0 ? null : (Math.max(...named) as AcrLevel);
}

const levelOfAcr = (acr: string | null = null): AcrLevel | null => (acr === null ? null : levelOf(acr));

/** Returns the level that the API requires for every scope. 1 means any sign-in. */
export const levelOfApi = (api: SnapshotApi): AcrLevel => levelOfAcr(api.requiredAcr) ?? 1;

/** Returns the level that the API or one of these scopes requires; null: none. */
export function requiredLevel(api: SnapshotApi, scopes: readonly string[]): AcrLevel | null {
  if (api.requiredAcr === null && !hasStrictScopes(api)) return null;
  const named = api.scopes.filter(({ name }) => scopes.includes(name));
  return highest([levelOfAcr(api.requiredAcr), ...named.map((scope) => levelOfAcr(scope.required_acr))]);
}

/** Scopes of the API that require a higher level. */
export const scopesAbove = (api: SnapshotApi, level: AcrLevel): string[] =>
  api.scopes.filter((scope) => (levelOfAcr(scope.required_acr) ?? 1) > level).map(({ name }) => name);

/** True if any scope requires a sign-in level. */
export const hasStrictScopes = (api: SnapshotApi): boolean =>
  api.scopes.some((scope) => scope.required_acr !== undefined);

/** True if the API's tokens always contain sign-in strength, without a request for it. */
export const tellsAcr = (api: SnapshotApi): boolean =>
  api.secondFactor !== null || api.requiredAcr !== null || hasStrictScopes(api);

/** Returns the lowest acr class that Gatehouse itself can confirm. A broker's classes are excluded. */
const lowestOf = (method: SnapshotMethod): AcrLevel => (methodCan(method, 'asksPassword') ? 1 : 2);

/** True if sign-ins by this method can reach the class. */
export function isPossible(acr: string, method: SnapshotMethod): boolean {
  const level = levelOf(acr);
  return level !== null && level >= lowestOf(method);
}

/** `level`: sign-in level; null means 1. Returns the acr class, or null if only the broker knows it. */
export function acrTold(level: AcrLevel | null, method: SnapshotMethod): string | null {
  const reached = level ?? 1;
  return reached < lowestOf(method) ? null : acrOfLevel(reached);
}

/**
 * `acr` and `amr` of an access token and its introspection (RFC 9068 §2.2.1, RFC 9470 §6). They are present if the
 * request named a class, the sign-in exceeded a password, or the API requires a level.
 */
export function strengthClaims(
  { acrLevel, amr }: SignInStrength,
  { api, method }: { api: SnapshotApi; method: SnapshotMethod },
): { acr?: string; amr?: string[] } {
  if (acrLevel === null && !tellsAcr(api)) return {};
  const acr = acrTold(acrLevel, method);
  return { ...(acr === null ? {} : { acr }), ...(amr === null || amr.length === 0 ? {} : { amr }) };
}

// Authentication context classes in ID tokens and metadata. A broker's classes are passed as `broker_acr` and never
// mixed with these.

/**
 * The acr class of an ID token. Null if only the broker knows the class. `level`: level of the sign-in; null means 1.
 * `acrs`: classes of which the client requires one, in the client's spelling (OpenID Connect Core §5.5.1.1). The ID
 * token contains the strongest of them that the sign-in reaches.
 */
export function acrOfIdToken(
  level: AcrLevel | null,
  method: SnapshotMethod,
  acrs: readonly string[] = [],
): string | null {
  const reached = acrs
    .filter((acr) => isPossible(acr, method) && (levelOf(acr) ?? 4) <= (level ?? 1))
    .sort((acr, other) => (levelOf(other) ?? 0) - (levelOf(acr) ?? 0));
  return reached[0] ?? acrTold(level, method);
}

/**
 * `acr_values_supported` in metadata. Undefined omits the member, because metadata lists are never empty
 * (RFC 8414 §3.2). If only the API's policy is `off`, users of the method can still use an existing factor, so its
 * classes are reachable (RFC 9470 §7).
 */
export function supportedAcrs({ api, method }: Issuer): string[] | undefined {
  const withFactor = policyOf(api, method) !== 'off' || secondFactorOf(method) !== 'off';
  const acrs = ACR_VALUES.filter((acr) => isPossible(acr, method) && (withFactor || levelOf(acr) === 1));
  return acrs.length === 0 ? undefined : acrs;
}
