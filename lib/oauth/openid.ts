// OpenID Connect: the parameters of a request, the claims, the ID token, and its use as a hint.

import { createHash, createPublicKey } from 'node:crypto';
import { z } from 'zod';
import { recordEvent } from '#lib/audit/audit-log.ts';
import { groupsTold, rolesOf, tellsGroups } from '#lib/catalogue/apis/definition.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { PROFILE_KEYS } from '#lib/catalogue/people/profile.ts';
import type { HttpRequest } from '#lib/http/message.ts';
import { type Params, readBodyParams } from '#lib/http/params.ts';
import { currentKey, findHintKey, type VerifyingKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { inBackground, keepMade } from '#lib/kit/process.ts';
import { parseAs, sealJson, unsealJson } from '#lib/kit/seal.ts';
import {
  type AcrLevel,
  BROKER_CLAIMS,
  levelOf,
  OPENID_SCOPE_NAMES,
  SCOPE_CLAIMS,
} from '#lib/registry/claims.ts';
import { settings } from '#lib/settings/settings.ts';
import {
  findPersonClaims,
  type OpenIdFacts,
  type OpenIdRequest,
  type PersonClaims,
} from '#lib/store/hot/person-facts.ts';
import { ID_TOKEN_SECONDS } from '#lib/store/keys.ts';
import type { SnapshotApi, SnapshotClient, SnapshotMethod } from '#lib/store/snapshot.ts';
import { signCompact, verifyCompact } from '#lib/tokens/jws.ts';
import { InvalidRequest, LoginRequired } from './errors.ts';
import { formerKeys, heardBy, type Issuer, isPossibleSub, knowFormerKeys, sessionHeardBy } from './issuer.ts';
import { acrOfIdToken, idTokenAlg } from './rules.ts';

// User claims for a client (OpenID Connect Core §5.4, §5.5): claims of scopes, and individually requested claims.
// Unknown values are omitted, never null.

/**
 * Standard claims of an ID token, whose values are fixed or depend on the request. Claim maps of methods, and requests,
 * cannot change them.
 */
const ID_TOKEN_CLAIMS: readonly string[] = [
  'iss',
  'sub',
  'aud',
  'exp',
  'iat',
  'auth_time',
  'nonce',
  'at_hash',
  'sid',
  'acr',
  'amr',
];

const SCOPES = Object.entries(SCOPE_CLAIMS);

/** Returns the scope of a claim. Custom claims of a method belong to `profile`. */
function scopeOfClaim(claim: string): string {
  return SCOPES.find(([, claims]) => claims.includes(claim))?.[0] ?? 'profile';
}

/** For metadata: ID token claims plus claims available to users of this method. */
export function supportedClaims(api: SnapshotApi, method: SnapshotMethod): string[] {
  const mapped = Object.keys(z.record(z.string(), z.unknown()).safeParse(method.config['claims']).data ?? {});
  const baseClaims = [...ID_TOKEN_CLAIMS, 'name', ...PROFILE_KEYS, 'email', 'email_verified', 'updated_at'];
  return [
    ...new Set([
      ...baseClaims,
      ...(methodCan(method, 'hasAccounts') ? ['preferred_username'] : []),
      ...(methodCan(method, 'tellsProfile') ? BROKER_CLAIMS : []),
      ...mapped,
      ...ownClaims(api),
    ]),
  ];
}

/** For metadata: OpenID scopes with claims available to users of this method. */
export function supportedScopes(api: SnapshotApi, method: SnapshotMethod): string[] {
  const claims = supportedClaims(api, method);
  return OPENID_SCOPE_NAMES.filter((scope) => {
    const brought = SCOPES.find(([name]) => name === scope)?.[1];
    return brought?.some((claim) => claims.includes(claim)) ?? true;
  });
}

type Whose = { personId: string; authMethodId: string };
type Asked = { scopes: readonly string[]; names: readonly string[] };

/**
 * Claims about Gatehouse groups. If the API defines a scope with the name of a claim, the claim requires that scope.
 */
const GROUP_CLAIMS = ['groups', 'roles'] as const;

/** Returns those of the scopes that add a group claim to access tokens and ID tokens. */
const groupScopes = (api: SnapshotApi, scopes: readonly string[]): string[] =>
  ownClaims(api).filter((claim) => scopes.includes(claim));

/**
 * Claims about Gatehouse groups at the API. If the API defines no group claims, claims with these names come from the
 * method.
 */
const ownClaims = (api: SnapshotApi): string[] =>
  GROUP_CLAIMS.filter((claim) => (claim === 'groups' ? tellsGroups(api) : api.roles !== null));

/**
 * User claims of the scopes, plus individually requested claims. If the API defines a scope with the name of a group
 * claim, only that scope returns the claim. The scope may be restricted to clients or users.
 */
export async function claimsFor(api: SnapshotApi, whose: Whose, claimsRequest: Asked): Promise<PersonClaims> {
  const { scopes, names } = claimsRequest;
  const apiClaims = ownClaims(api);
  const hasScope = (claim: string) => api.scopes.some(({ name }) => name === claim);
  const ofGroups = apiClaims.filter(
    (claim) => scopes.includes(claim) || (names.includes(claim) && !hasScope(claim)),
  );
  if (names.length === 0 && ofGroups.length === 0 && !SCOPES.some(([scope]) => scopes.includes(scope)))
    return {};
  const isWanted = (claim: string) =>
    !apiClaims.includes(claim) && (names.includes(claim) || scopes.includes(scopeOfClaim(claim)));
  const { claims, groups } = await findPersonClaims({
    ...whose,
    withGroups: ofGroups.length > 0,
    withUserName: isWanted('preferred_username'),
  });
  return {
    ...Object.fromEntries(Object.entries(claims).filter(([claim]) => isWanted(claim))),
    ...(ofGroups.includes('groups') && { groups: groupsTold(api, groups) }),
    ...(ofGroups.includes('roles') && { roles: rolesOf(api, groups) }),
  };
}

/** Limit for all user claims in one access token, as JSON, because proxies reject longer headers. */
const MAX_TOKEN_CLAIMS = 8_192;

/**
 * User claims for the API's access tokens (RFC 9068 §2.2.3). If the API requests no claims, no query runs. If the
 * claims are too large together, the largest ones are dropped.
 */
export async function tokenClaims(api: SnapshotApi, whose: Whose): Promise<PersonClaims> {
  const names = api.tokenClaims;
  // the API's token claims are independent of granted scopes
  const claims = await claimsFor(api, whose, { scopes: groupScopes(api, names), names });
  const sized = Object.entries(claims).map(([claim, value]) => ({
    claim,
    value,
    bytes: Buffer.byteLength(JSON.stringify([claim, value])),
  }));
  let left = MAX_TOKEN_CLAIMS;
  if (sized.reduce((sum, { bytes }) => sum + bytes, 0) <= left) return claims;
  const fittingClaims: PersonClaims = {};
  const leftOut: string[] = [];
  for (const { claim, value, bytes } of sized.sort((a, b) => a.bytes - b.bytes)) {
    left -= bytes;
    if (left >= 0) fittingClaims[claim] = value;
    else leftOut.push(claim);
  }
  noteLeftOut({ ...whose, apiId: api.id }, leftOut);
  return fittingClaims;
}

const once = keepMade<void>('claims left out', 10_000);

/**
 * Logs dropped claims once an hour per user and API in this process, because later tokens of the user exceed the limit,
 * too.
 */
function noteLeftOut({ personId, apiId, authMethodId }: Whose & { apiId: string }, claims: string[]): void {
  const hour = Math.floor(nowSeconds() / 3_600);
  once([apiId, personId, hour].join(' '), () => {
    log().warn({ api: apiId, claims }, 'claims were left out of an access token: all have over 8 KiB');
    const event = { event: 'claims.left_out', personId, apiId, authMethodId, details: { claims } } as const;
    const logUnrecorded = (error: unknown) => log().error({ err: error }, 'an event could not be recorded');
    inBackground(recordEvent(event).catch(logUnrecorded));
  });
}

// Parameters of an authorize request with scope `openid`, in addition to those of the code flow (OpenID Connect Core
// §3.1.2.1, §5.5).

const MAX_NONCE_BYTES = 2_048;
const MAX_CLAIMS = 100;

/**
 * The `claims` parameter (§5.5). `essential`, `value` and `values` apply only to `sub` and `acr`; other claims are
 * returned if their values are known.
 */
const claimRequest = z.object({ essential: z.boolean().optional() }).loose().nullable();
const claimRequests = z.record(z.string(), claimRequest);
const claimsShape = z.object({ userinfo: claimRequests.nullish(), id_token: claimRequests.nullish() });

/** ID token members of the `claims` parameter, with required values. */
type Demanded = z.output<typeof claimRequests>;

/** Throws InvalidRequest for a nonce that cannot be returned unchanged, and for malformed claims. */
export function readOpenIdRequest({ values }: Params): { openid: OpenIdRequest; demanded: Demanded } {
  const nonce = values.get('nonce');
  if (nonce !== undefined && (Buffer.byteLength(nonce) > MAX_NONCE_BYTES || !isKeepable(nonce))) {
    throw new InvalidRequest(
      `nonce is longer than ${MAX_NONCE_BYTES} bytes or contains a character that cannot be returned.`,
    );
  }
  const claims = values.get('claims');
  const parsed = claims === undefined ? {} : parseAs(claimsShape, claims);
  if (parsed === null)
    throw new InvalidRequest("claims must be a JSON object with the members 'userinfo' and 'id_token'.");
  const idToken = namesIn(parsed.id_token);
  const userinfo = namesIn(parsed.userinfo);
  if (idToken.length + userinfo.length > MAX_CLAIMS)
    throw new InvalidRequest(`claims must not request more than ${MAX_CLAIMS} claims.`);
  const acrs = demandedAcrs(parsed.id_token?.['acr']);
  const openid = {
    ...(nonce === undefined ? {} : { nonce }),
    idToken,
    userinfo,
    ...(acrs === null ? {} : { acrs }),
  };
  return { openid, demanded: parsed.id_token ?? {} };
}

/**
 * The `sub` that `claims` requires of the ID token (§3.1.2.2). Null if none is required. Throws LoginRequired if no
 * user can have it.
 */
function demandedSub({ sub }: Demanded): string | null {
  const [named] = valuesOf(sub);
  if (named === undefined) return null;
  if (typeof named !== 'string') throw new LoginRequired('claims requests a sub that does not exist.');
  return named;
}

/**
 * Acceptable acr classes (§5.5.1.1): the sign-in must reach one of them. Null if every class is acceptable. Throws
 * InvalidRequest for too many.
 */
function demandedAcrs(acr: z.output<typeof claimRequest> | undefined): string[] | null {
  const classes = valuesOf(acr);
  if (!acr?.essential || classes.length === 0) return null;
  if (classes.length > MAX_CLAIMS)
    throw new InvalidRequest(`claims must not list more than ${MAX_CLAIMS} acr values.`);
  return classes.map(String).filter((name) => levelOf(name) !== null);
}

function valuesOf(claim: z.output<typeof claimRequest> | undefined): unknown[] {
  const { value, values } = claim ?? {};
  return value === undefined ? (Array.isArray(values) ? values : []) : [value];
}

/**
 * Returns the scopes that the consent must include because claims are individually requested: the scope of each claim.
 */
export function scopesOfClaims({ idToken, userinfo }: OpenIdRequest): string[] {
  return [...idToken, ...userinfo].map(scopeOfClaim);
}

function namesIn(member: Record<string, unknown> | null | undefined): string[] {
  return Object.keys(member ?? {}).filter(
    (name) => !ID_TOKEN_CLAIMS.includes(name) && name.length <= 100 && isKeepable(name),
  );
}

function isKeepable(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}

// The ID token (OpenID Connect Core §2): user, time and method of the sign-in. Scope claims are at userinfo (§5.4). The
// ID token contains group claims, and with the client's `id_token_claims` all claims.

/** The `typ` of ID tokens. It prevents APIs from accepting an ID token as access token (RFC 9068 §4). */
export const ID_TOKEN_TYPE = 'JWT';

export async function signIdToken(about: {
  issuer: Issuer;
  client: SnapshotClient;
  personId: string;
  authTime: Date;
  /** level of the sign-in; null means 1 */
  acrLevel: AcrLevel | null;
  accessToken: string;
  facts: OpenIdFacts;
  scopes: readonly string[];
}): Promise<string> {
  const { issuer, client, personId, authTime, acrLevel, accessToken, facts, scopes } = about;
  const { nonce, sid, amr = [], brokerAcr, idToken: names, acrs } = facts;
  const acr = acrOfIdToken(acrLevel, issuer.method, acrs);
  const key = await currentKey(idTokenAlg(issuer.api, client), issuer.snapshot);
  const whose = { personId, authMethodId: issuer.method.id };
  const claimScopes = client.idTokenClaims ? scopes : groupScopes(issuer.api, scopes);
  const personClaims = await claimsFor(issuer.api, whose, { scopes: claimScopes, names });
  const issuedAt = nowSeconds();
  const payload = {
    ...personClaims,
    iss: issuer.url,
    sub: await heardBy(client, personId, issuer),
    aud: client.clientId,
    exp: issuedAt + ID_TOKEN_SECONDS,
    iat: issuedAt,
    auth_time: Math.floor(authTime.getTime() / 1000),
    ...(nonce === undefined ? {} : { nonce }),
    at_hash: atHash(accessToken),
    ...(sid === undefined ? {} : { sid: await sessionHeardBy(client, sid, issuer) }),
    ...(acr === null ? {} : { acr }),
    ...(amr.length === 0 ? {} : { amr }),
    ...(brokerAcr ? { broker_acr: brokerAcr } : {}),
  };
  return signCompact(ID_TOKEN_TYPE, payload, key);
}

/** `at_hash` of an access token (OpenID Connect Core §3.1.3.6). Both algorithms hash with SHA-256. */
function atHash(accessToken: string): string {
  return createHash('sha256').update(accessToken, 'ascii').digest().subarray(0, 16).toString('base64url');
}

// ID tokens that clients send as hints (OpenID Connect Core §3.1.2.1, RP-Initiated Logout §2). Gatehouse accepts
// expired tokens and tokens of retired keys, because a hint only identifies a user and authorizes nothing.

const claims = z.object({ iss: z.string(), sub: z.string(), aud: z.string(), sid: z.string().optional() });

export type Hint = z.output<typeof claims>;

const PURPOSE = 'id-token-hint';

/**
 * Reads a hint. `token`: an ID token, or the result of `shortHint`. Returns null if this issuer did not issue
 * it.
 */
export function readHint(issuer: Issuer, token: string): Hint | null {
  const hint = token.startsWith(SEALED)
    ? unsealJson(claims, token.slice(SEALED.length), PURPOSE, settings().secrets)
    : verifyHint(issuer, token);
  return hint?.iss === issuer.url ? hint : null;
}

/** Prefix of a shortened hint; no JWT begins with it. */
const SEALED = 'sealed.';

function verifyHint(issuer: Issuer, token: string): Hint | null {
  const payload = verifyCompact(
    token,
    ID_TOKEN_TYPE,
    (kid) => findHintKey(issuer.snapshot, kid) ?? formerKey(issuer, kid),
  );
  return claims.safeParse(payload).data ?? null;
}

/**
 * Returns the key that verifies hints of a former issuer. Gatehouse accepts such hints if it has the public keys
 * (RS256 and ES256).
 */
function formerKey(issuer: Issuer, kid: string): VerifyingKey | null {
  const jwk = formerKeys(issuer).find((key) => key.kid === kid);
  const alg = jwk?.alg ?? (jwk?.kty === 'RSA' ? 'RS256' : 'ES256');
  if (!jwk || (alg !== 'RS256' && alg !== 'ES256')) return null;
  return { kid, alg, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) };
}

/** Shortens an ID token with many claims, so that it fits into a URL. Invalid tokens stay invalid. */
export function shortHint(issuer: Issuer, token: string): string {
  const hint = verifyHint(issuer, token);
  return SEALED + (hint === null ? 'none' : sealJson(hint, PURPOSE, settings().secrets));
}

/** Returns the `sub` of a hint, or null without a hint. Throws InvalidRequest for hints of other issuers. */
function hintedSub(issuer: Issuer, token: string | undefined): string | null {
  if (token === undefined) return null;
  const hint = readHint(issuer, token);
  if (!hint) throw new InvalidRequest('id_token_hint is not an ID token of this issuer.');
  return hint.sub;
}

// The user that an authorize request requires (OpenID Connect Core §3.1.2.1 `id_token_hint`, §5.5.1 `sub`).

/**
 * The `sub` required by id_token_hint or claims. Null if any user is acceptable. Throws LoginRequired if no user can
 * have it.
 */
export function expectedSubOf(
  { issuer, client }: { issuer: Issuer; client: SnapshotClient },
  hint: string | undefined,
  claims: Demanded,
): string | null {
  const hinted = hintedSub(issuer, hint);
  const demanded = demandedSub(claims);
  if (demanded !== null && !isPossibleSub(client, demanded, issuer))
    throw new LoginRequired('claims requests a sub that does not exist.');
  // the hint was issued before a change of subject identifiers, or to another client
  if (hinted !== null && !isPossibleSub(client, hinted, issuer))
    throw new LoginRequired('The sub of id_token_hint is unknown for this client.');
  if (hinted !== null && demanded !== null && hinted !== demanded)
    throw new InvalidRequest('id_token_hint and claims name different people.');
  return hinted ?? demanded;
}

// Converts a posted form into a GET query, because only a GET receives the cookie, and logs contain no body.

/** Limit for the query: together with cookies and path it fits into Node's 16 KiB header limit. */
const MAX_LENGTH = 8_192;

/**
 * The body as a query, with a long `id_token_hint` shortened (RP-Initiated Logout 1.0 §2 requires POST support).
 * Returns null if the body is not a form, is malformed, or is still too long. Throws UnreadableParams.
 */
export async function postedQuery(http: HttpRequest, issuer: Issuer): Promise<string | null> {
  const type = http.headers['content-type'] ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) return null;
  await readBodyParams(http);
  const body = Buffer.from((await http.body()) as Uint8Array).toString('utf8');
  if (!/^[\x21-\x7e]*$/.test(body)) return null;
  await knowFormerKeys(issuer);
  const query = body.length > MAX_LENGTH ? withShortHint(body, issuer) : body;
  return query.length > MAX_LENGTH ? null : query.replaceAll('#', '%23');
}

function withShortHint(body: string, issuer: Issuer): string {
  const params = new URLSearchParams(body);
  const [token, again] = params.getAll('id_token_hint');
  if (token === undefined || again !== undefined) return body;
  params.set('id_token_hint', shortHint(issuer, token));
  return params.toString();
}
