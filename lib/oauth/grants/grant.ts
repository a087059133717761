// The grants of the token endpoint except ID-JAG: their input, their result, and the response with its tokens.

import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  accountName,
  haveTwoNames,
  networkOf,
  passwordLimits,
  underLimits,
} from '#lib/auth-methods/attempts.ts';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { refusalStep } from '#lib/auth-methods/local.ts';
import type { AuthMethod } from '#lib/auth-methods/method.ts';
import { kindOf } from '#lib/catalogue/clients/definition.ts';
import { type Answer, json } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import type { HashRequest } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import { tellOfAdoption } from '#lib/mail/send.ts';
import { countSecurityEvent, countSignIn, countToken } from '#lib/observability/metrics.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/claims.ts';
import { giveMachineToken } from '#lib/store/hot/access-tokens.ts';
import { redeemCode, refuseCode } from '#lib/store/hot/codes.ts';
import type { OpenIdFacts } from '#lib/store/hot/person-facts.ts';
import {
  bindFamily,
  createFamily,
  explainRefreshToken,
  keepRefreshToken,
  type RefreshFacts,
  revokeFamily,
  rotateRefreshToken,
} from '#lib/store/hot/refresh-tokens.ts';
import type { SignInStrength } from '#lib/store/hot/validity.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import {
  recentSnapshot,
  type Snapshot,
  type SnapshotClient,
  type SnapshotMethod,
  type SnapshotSubscription,
} from '#lib/store/snapshot.ts';
import {
  type MachineToken,
  mintMachineToken,
  mintOpaque,
  signAccessToken,
  signMachineToken,
} from '#lib/tokens/access-token.ts';
import type { Proof } from '#lib/tokens/dpop.ts';
import { hashPresented, mint } from '#lib/tokens/formats.ts';
import {
  type AuthenticatedClient,
  codeGrantGivesRefreshToken,
  type IssuerRequest,
  nonceHeader,
  personRefused,
  proofError,
  requireProvedClient,
  requireTrustOfUser,
  scopeCeiling,
  scopesOfPerson,
} from '../client.ts';
import {
  type DeclaredError,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  type OAuthError,
  refuses,
  SlowDown,
  TemporarilyUnavailable,
  UnauthorizedClient,
  UnsupportedGrantType,
} from '../errors.ts';
import { actorsHeardBy, heardBy, type Issuer } from '../issuer.ts';
import { signIdToken, tokenClaims } from '../openid.ts';
import {
  challengeOf,
  followsFapi2,
  followsOAuth21,
  hasStrictScopes,
  isCodeVerifier,
  levelOfApi,
  PASSWORD,
  parseScope,
  policyOf,
  scopesAbove,
  strengthClaims,
  tellsAcr,
} from '../rules.ts';

// Input of a grant: the request of an authenticated client with an approved subscription.

export type GrantContext = Pick<IssuerRequest, 'http' | 'ip' | 'issuer'> & {
  client: AuthenticatedClient;
  /** the approved subscription */
  subscription: SnapshotSubscription;
  /** proof of the key to which the tokens are bound (RFC 9449); null: bearer tokens */
  proof: Proof | null;
};

export type Granted = SignInStrength & {
  familyId: string;
  personId: string;
  scopes: string[];
  authTime: Date;
  refreshToken: string | null;
  /** the stored opaque token; null: a JWT must be signed */
  opaqueToken: string | null;
  /** data for the ID token; null: no ID token */
  openid: OpenIdFacts | null;
  /** expiry of the access token in seconds since 1970, if the statement about the token family returned it */
  expiresAt?: number;
  /** for an exchange: actor and `issued_token_type` */
  exchanged?: { act: Record<string, unknown> | null; issuedTokenType: string };
};

/** A token issued to the client itself (RFC 6749 §4.4), without a user, a refresh token or an ID token. */
export type MachineGranted = {
  /** the stored opaque token, or the `jti` of the unsigned JWT */
  token: MachineToken;
  scopes: string[];
};

export type Grant<Result = Granted | MachineGranted> = (
  params: Params,
  context: GrantContext,
) => Promise<Result>;

/** A function that returns the grant function for an issuer; null: the issuer does not support the grant. */
export type GrantOf = (issuer: Issuer) => Grant | null;

export type Bound = Pick<GrantContext, 'ip' | 'issuer' | 'subscription'> & {
  client: SnapshotClient;
  http: Pick<GrantContext['http'], 'requestId'>;
};

/**
 * Returns the keys to which new tokens are bound. A public client's refresh tokens are bound, too (RFC 9449 §5).
 */
export function boundKeys({ proof, client }: Pick<GrantContext, 'proof' | 'client'>) {
  const jkt = proof?.jkt ?? null;
  return { jkt, refreshJkt: client.confidential ? null : jkt };
}

/**
 * True if the refresh token is issued once, without rotation: for APIs with FAPI 2.0 (Security Profile §5.3.2.1, 9),
 * and for clients with DPoP that choose it.
 */
const keepsRefreshToken = ({ issuer, client, proof }: GrantContext): boolean =>
  followsFapi2(issuer.api) || (client.refreshTokenRotation === 'never' && proof !== null);

/** Returns the members of a request that the statements of lib/store require. */
export function binding({ http, issuer, client, ip }: Omit<Bound, 'subscription'>) {
  return {
    version: issuer.snapshot.version,
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    issuerHost: issuer.host,
    requestId: http.requestId,
    ip,
  };
}

// The token endpoint's successful response (specification 2.1, RFC 6749 §5.1).

export type ToldGranted = Pick<
  Granted,
  'personId' | 'scopes' | 'authTime' | 'acrLevel' | 'amr' | 'expiresAt'
> & {
  exchanged?: Pick<NonNullable<Granted['exchanged']>, 'act'>;
};

/** Claims of a user's access token, except the id of its token family. */
export async function accessClaims(
  granted: ToldGranted,
  { issuer, client }: Pick<Bound, 'issuer' | 'client'>,
) {
  const { personId, exchanged, scopes, authTime, expiresAt } = granted;
  return {
    issuer: issuer.url,
    api: issuer.api,
    sub: await heardBy(client, personId, issuer),
    clientId: client.clientId,
    scopes,
    authTime,
    expiresAt,
    act: (await actorsHeardBy(client, exchanged?.act ?? null, issuer)) ?? undefined,
    ofPerson: await tokenClaims(issuer.api, { personId, authMethodId: issuer.method.id }),
    strength: strengthClaims(granted, issuer),
  };
}

/** `grant`: grant type in the usage counts. */
export async function tokenResponse(
  granted: Granted,
  { issuer, client, proof }: Pick<GrantContext, 'issuer' | 'client' | 'proof'>,
  grant: string,
): Promise<Answer> {
  const { exchanged, expiresAt, personId, authTime, openid } = granted;
  const accessToken =
    granted.opaqueToken ??
    (await signAccessToken(
      {
        ...(await accessClaims(granted, { issuer, client })),
        familyId: granted.familyId,
        jkt: proof?.jkt,
      },
      issuer.snapshot,
    ));
  const idToken =
    openid &&
    (await signIdToken({
      issuer,
      client,
      personId,
      authTime,
      acrLevel: granted.acrLevel,
      accessToken,
      facts: openid,
      scopes: granted.scopes,
    }));
  countToken({ apiId: issuer.api.id, authMethodId: issuer.method.id }, grant);
  return json(
    200,
    {
      access_token: accessToken,
      ...(exchanged ? { issued_token_type: exchanged.issuedTokenType } : {}),
      token_type: tokenType(proof),
      expires_in: expiresAt === undefined ? issuer.api.accessTokenTtlSeconds : expiresAt - nowSeconds(),
      ...(granted.refreshToken === null ? {} : { refresh_token: granted.refreshToken }),
      ...(idToken === null ? {} : { id_token: idToken }),
      // RFC 6749 §5.1 permits leaving out an unchanged scope, but Spring Security would then grant no authority
      scope: granted.scopes.join(' '),
    },
    { pragma: 'no-cache', ...nonceHeader(proof) },
  );
}

/** Returns the token type (RFC 6749 §7.1, RFC 9449 §5). */
const tokenType = (proof: GrantContext['proof']) => (proof === null ? 'bearer' : 'DPoP');

/** Returns the response with a token in the client's own name (RFC 6749 §4.4.3). */
export async function machineResponse(
  { token, scopes }: MachineGranted,
  { issuer, client, proof }: Pick<GrantContext, 'issuer' | 'client' | 'proof'>,
  grant: string,
): Promise<Answer> {
  const { url, api, method, snapshot } = issuer;
  const claims = { issuer: url, api, clientId: client.clientId, scopes, jkt: proof?.jkt };
  const accessToken =
    'opaque' in token ? token.opaque : await signMachineToken({ ...claims, jti: token.jti }, snapshot);
  countToken({ apiId: api.id, authMethodId: method.id }, grant);
  return json(
    200,
    {
      access_token: accessToken,
      token_type: tokenType(proof),
      expires_in: api.accessTokenTtlSeconds,
      scope: scopes.join(' '),
    },
    { pragma: 'no-cache', ...nonceHeader(proof) },
  );
}

// The authorization code grant, with and without PKCE (RFC 6749 §4.1.3, RFC 7636 §4.5). The statement that redeems the
// code checks every binding, so that a stranger's attempt does not use up the code.

const CODE_REFUSED = 'The code is unknown, expired, already used, or belongs to another request.';

export const redeemAuthorizationCode: Grant<Granted> = async ({ values }, context) => {
  const code = values.get('code');
  if (code === undefined) throw new InvalidRequest('code is missing.');
  const verifier = values.get('code_verifier');
  if (verifier !== undefined && !isCodeVerifier(verifier)) {
    throw new InvalidRequest('code_verifier must be 43 to 128 characters of letters, digits and . - _ ~');
  }
  // the code was issued before the API adopted the profile
  if (verifier === undefined && followsOAuth21(context.issuer.api))
    throw new InvalidGrant(CODE_REFUSED, { reason: 'verifier-missing' });
  const codeHash = hashPresented('code', code);
  const redirectUri = values.get('redirect_uri') ?? null;
  if (!codeHash) throw new InvalidGrant(CODE_REFUSED, { reason: 'code-unknown' });
  // no stored code contains NUL, and PostgreSQL accepts no parameter with it
  if (redirectUri?.includes('\u0000'))
    throw new InvalidGrant(CODE_REFUSED, { reason: 'code-other-redirect-uri' });

  const bound = {
    codeHash,
    redirectUri,
    codeChallenge: verifier === undefined ? null : challengeOf(verifier),
    jkt: boundKeys(context).jkt,
  };
  const granted = await tokensOfCode(bound, context);
  if (granted) return granted;
  const { reason, reused } = await refuseCode({ ...binding(context), ...bound });
  if (reused) countSecurityEvent('code.reused');
  throw new InvalidGrant(CODE_REFUSED, { reason });
};

type BoundCode = Pick<Parameters<typeof redeemCode>[0], 'codeHash' | 'redirectUri' | 'codeChallenge' | 'jkt'>;

/** Redeems the code. Null: the code is invalid or already used. */
export async function tokensOfCode(bound: BoundCode, context: GrantContext): Promise<Granted | null> {
  const keepsRefresh = keepsRefreshToken(context);
  const kind = keepsRefresh ? 'keptRefresh' : 'refresh';
  const refresh = codeGrantGivesRefreshToken(context.client) ? mint(kind) : null;
  const opaque = mintOpaque(context.issuer.api);
  const familyId = randomUUID();
  const redeemed = await redeemCode({
    ...binding(context),
    ...bound,
    strictScopes: hasStrictScopes(context.issuer.api),
    familyId,
    refreshHash: refresh?.hash ?? null,
    keepsRefresh,
    endsWithSession: refresh !== null && kindOf(context.client) === 'browser',
    refreshJkt: refresh ? boundKeys(context).refreshJkt : null,
    opaqueHash: opaque?.hash ?? null,
  });
  if (!redeemed) return null;
  return {
    familyId,
    personId: redeemed.personId,
    scopes: redeemed.scopes,
    authTime: redeemed.authTime,
    acrLevel: redeemed.acrLevel,
    amr: redeemed.amr,
    refreshToken: refresh?.value ?? null,
    opaqueToken: opaque?.value ?? null,
    openid: redeemed.openid,
  };
}

// The refresh grant (RFC 6749 §6) with rotation: each token works once, and its reuse revokes the token family (RFC
// 9700 §4.14.2). Exception: if two honest requests are sent at once, the second is rejected without a revocation.

const REFRESH_REFUSED =
  'The refresh token is unknown, expired, revoked, already used, or was issued to another client or by another issuer.';

const NOTHING_LEFT =
  'None of these scopes is allowed any more. The refresh token stays valid. A new sign-in requests the allowed scopes.';

export const rotateToken: Grant = async ({ values }, context) => {
  const presented = values.get('refresh_token');
  if (presented === undefined) throw new InvalidRequest('refresh_token is missing.');
  const keptHash = hashPresented('keptRefresh', presented);
  const oldHash = keptHash ?? hashPresented('refresh', presented);
  if (!oldHash) throw new InvalidGrant(REFRESH_REFUSED, { reason: 'refresh-unknown' });
  const rotation = refreshRotation(values.get('scope'), context);
  const successor = keptHash ? null : mint('refresh');
  const opaque = mintOpaque(context.issuer.api);
  const { jkt, refreshJkt } = boundKeys(context);
  const rotationRequest = { ...rotation, jkt, oldHash, opaqueHash: opaque?.hash ?? null };
  // without rotation, only proofs of a key distinguish the client from a thief
  if (keptHash) requireKey(context);
  const rotated = successor
    ? await rotateRefreshToken({ ...rotationRequest, newHash: successor.hash })
    : await keepRefreshToken(rotationRequest);
  if (!rotated) throw await refusal(oldHash, rotation.scopes, context);
  // the sign-in took place before the client had a key
  if (refreshJkt && !rotated.bound) await bindFamily(rotated.familyId, refreshJkt);
  return {
    familyId: rotated.familyId,
    personId: rotated.personId,
    scopes: rotated.scopes,
    authTime: rotated.authTime,
    acrLevel: rotated.acrLevel,
    amr: rotated.amr,
    refreshToken: successor?.value ?? null,
    opaqueToken: opaque?.value ?? null,
    openid: rotated.scopes.includes('openid') ? rotated.openid : null,
  };
};

function requireKey({ proof }: GrantContext): void {
  if (proof === null) throw proofError('proof-missing');
}

/** Returns the input of a refresh without the tokens. `scope`: as the client sent it. */
export function refreshRotation(scope: string | undefined, context: Bound) {
  const { api } = context.issuer;
  const all = [...OPENID_SCOPE_NAMES, ...api.scopes.map(({ name }) => name)];
  return {
    ...binding(context),
    scopes: scope === undefined ? null : parseScope(scope, all),
    strictScopes: hasStrictScopes(api),
    ceiling: ceilingOf(context),
  };
}

const ceilingOf = ({ issuer, subscription }: Bound): string[] => [
  ...OPENID_SCOPE_NAMES,
  ...scopeCeiling(issuer.api, subscription),
];

/** Returns the reason why the refresh token was not rotated. If the token was reused, its token family is revoked. */
async function refusal(
  oldHash: Buffer,
  requestedScopes: string[] | null,
  context: GrantContext,
): Promise<OAuthError> {
  const facts = await explainRefreshToken({
    ...binding(context),
    oldHash,
    scopes: requestedScopes,
    jkt: boundKeys(context).jkt,
  });
  if (facts?.reason === 'refresh-used' && !facts.race) {
    countSecurityEvent('token.reused');
    await revokeFamily(facts.familyId, 'refresh token reused', 'token.reused', binding(context));
  }
  return refreshRefusal(facts, requestedScopes, context);
}

const RESTS_ON_CONSENT: readonly string[] = ['consent', 'device'];

/** Returns the error for a refresh token, from the facts about it. */
export function refreshRefusal(
  facts: RefreshFacts | null,
  requestedScopes: string[] | null,
  context: Bound,
): OAuthError {
  const isUsed = facts?.reason === 'refresh-used';
  const reason = !facts ? 'refresh-unknown' : isUsed && facts.race ? 'refresh-race' : facts.reason;
  if (facts && reason === null && !RESTS_ON_CONSENT.includes(facts.basis) && !context.subscription.trusted) {
    return new UnauthorizedClient(
      'This sign-in rests on a trusted subscription, which the client no longer has.',
      { reason: 'not-trusted' },
    );
  }
  if (facts && reason === null && requestedScopes?.some((name) => !facts.scopes.includes(name))) {
    return new InvalidScope('scope exceeds the granted scopes.');
  }
  const left = ceilingOf(context);
  if (facts && reason === null && !(requestedScopes ?? facts.scopes).some((name) => left.includes(name))) {
    return requestedScopes === null ? new InvalidGrant(NOTHING_LEFT) : new InvalidScope(NOTHING_LEFT);
  }
  return new InvalidGrant(REFRESH_REFUSED, { reason });
}

// The client credentials grant (RFC 6749 §4.4): a token for the client itself, without a user. It requires a
// confidential client with an approved machine subscription. The scope is at most the subscription's. There is no
// refresh token, because the client can always request a new token.

// Machine clients of an API. Issuers do not offer client_credentials if their API has no machine clients.

/** Ids of APIs with machine clients, cached for each map of clients. Every change of a client replaces the map. */
const machineApis = new WeakMap<Snapshot['clients'], ReadonlySet<string>>();

/** True if an approved subscription to the API permits machine tokens. */
export function hasMachines({ snapshot, api }: Issuer): boolean {
  let apis = machineApis.get(snapshot.clients);
  if (!apis) {
    apis = apisWithMachines(snapshot);
    machineApis.set(snapshot.clients, apis);
  }
  return apis.has(api.id);
}

function apisWithMachines({ clients }: Snapshot): ReadonlySet<string> {
  const apis = new Set<string>();
  for (const { subscriptions } of clients.values())
    for (const { apiId, machine, state } of subscriptions)
      if (machine && state === 'approved') apis.add(apiId);
  return apis;
}

const NO_MACHINE = 'The client_credentials grant requires an approved subscription with machine: true.';
const PUBLIC = 'A public client cannot authenticate, so it cannot get tokens in its own name.';
const FULL =
  'This client has too many active tokens. Use each one until it expires, or revoke those that are not needed.';
const FULL_SECONDS = 60;

/**
 * Error for a client without machine tokens: unsupported_grant_type if the metadata does not list the grant, otherwise
 * unauthorized_client (RFC 6749 §5.2).
 */
function notMachine(issuer: Issuer): OAuthError {
  const why = { reason: 'not-machine' } as const;
  return hasMachines(issuer)
    ? new UnauthorizedClient(NO_MACHINE, why)
    : new UnsupportedGrantType(NO_MACHINE, why);
}

/** Returns the scopes of a client_credentials token. `requestedScope`: undefined if the client requested none. */
export function machineScopes(
  requestedScope: string | undefined,
  { issuer, client, subscription }: Pick<GrantContext, 'issuer' | 'client' | 'subscription'>,
): string[] {
  if (!subscription.machine) throw notMachine(issuer);
  requireProvedClient(client, PUBLIC, 'machine-public');
  // tokens without a user contain no user claims
  if (requestedScope?.split(' ').includes('openid'))
    throw new InvalidScope("The client_credentials grant returns no ID token: omit the scope 'openid'.");
  const ceiling = scopeCeiling(issuer.api, subscription);
  return requestedScope === undefined ? ceiling : parseScope(requestedScope, ceiling);
}

export async function clientCredentials({ values }: Params, context: GrantContext): Promise<MachineGranted> {
  const { issuer } = context;
  const requestedScope = values.get('scope');
  const scopes = machineScopes(requestedScope, context);
  const { token, hash } = mintMachineToken(issuer.api);
  const outcome = await giveMachineToken({
    ...binding(context),
    scopes,
    tokenHash: hash,
    jkt: boundKeys(context).jkt,
  });
  if (outcome === 'full') throw new SlowDown(FULL_SECONDS, FULL);
  if (outcome === 'refused') throw new UnauthorizedClient(NO_MACHINE);
  return { token, scopes };
}

// Errors of the client_credentials grant (RFC 6749 §4.4).

export const machineErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'The client_credentials grant for a public client, or without an approved subscription.',
    'The client_credentials grant for a client without `machine: true` in its subscription, at an API with machines.',
  ]),
  ...refuses(UnsupportedGrantType, [
    'The client_credentials grant at an API without machines. Its metadata does not contain the grant.',
  ]),
  ...refuses(InvalidScope, [
    'The client_credentials grant with the scope `openid`, or with a scope that the API or the subscription does not have.',
  ]),
  ...refuses(SlowDown, [
    'The client has 10,000 active tokens in its own name. `Retry-After` contains the seconds to wait. Revoked tokens no longer count.',
  ]),
];

// The resource owner password grant (RFC 6749 §4.3), for trusted subscriptions and methods that check passwords. The
// requested scope is ignored: the token always has the API's full scope (specification 4.6 rule 3), except scopes that
// require more than a password. A user with a second factor receives the error for a wrong password.

const UNAVAILABLE = 'The service that checks passwords is not responding. Try again in a moment.';
const MUST_CHANGE = 'The password must be changed first.';
const OWES_PASSWORD = 'The password must be changed first: sign in in a browser and choose a new one.';
const WRONG = 'Incorrect username or password.';
const NOT_TRUSTED = 'The password grant requires an approved trusted subscription.';

type VerifyPassword = NonNullable<AuthMethod['verifyPassword']>;
type Verdict = Awaited<ReturnType<VerifyPassword>>;
type RightPassword = { method: SnapshotMethod; verdict: Extract<Verdict, { kind: 'identity' }> };

/**
 * Correct passwords by request. If a registry change repeats a request, its password is not checked again, as long as
 * its method exists.
 */
const rightPasswords = new WeakMap<GrantContext['http'], RightPassword>();

/**
 * Null if the method cannot check passwords, or if the API follows OAuth 2.1 or requires stronger
 * authentication.
 */
export const passwordGrant: GrantOf = ({ method, api }) => {
  if (followsOAuth21(api) || levelOfApi(api) > 1 || policyOf(api, method) === 'required') return null;
  const verify = authMethodOf(method).verifyPassword;
  return verify ? (params, context) => grant(params, context, verify) : null;
};

/** Returns the scopes of a successful password grant. The requested scope is ignored. */
export function passwordScopes(
  requestedScope: string | undefined,
  { issuer: { api }, client }: Pick<GrantContext, 'issuer' | 'client'>,
): string[] {
  // an ID token would be empty, because no browser sign-in happened
  if (requestedScope?.split(' ').includes('openid'))
    throw new InvalidScope("The password grant returns no ID token: omit the scope 'openid'.");
  requireTrustOfUser(api, client, NOT_TRUSTED);
  const tooHigh = scopesAbove(api, 1);
  return api.scopes.map((scope) => scope.name).filter((name) => !tooHigh.includes(name));
}

/** Values for the token family of a sign-in with a correct password, without tokens. */
export const passwordFamily = (
  context: Bound,
  { personId, personEpoch, scopes }: { personId: string; personEpoch: string; scopes: string[] },
) => ({
  ...binding(context),
  personId,
  personEpoch,
  methodEpoch: context.issuer.method.epoch,
  scopes,
  keepsStrength: tellsAcr(context.issuer.api),
});

/** Error for a statement that created no token family. */
export const noFamily = ({ subscription }: Pick<Bound, 'subscription'>) =>
  subscription.restricted ? personRefused() : new UnauthorizedClient(NOT_TRUSTED);

async function grant({ values }: Params, context: GrantContext, verify: VerifyPassword): Promise<Granted> {
  const { issuer, client } = context;
  const username = values.get('username')?.trim();
  const secret = values.get('password');
  if (!username) throw new InvalidRequest('username is missing.');
  if (secret === undefined) throw new InvalidRequest('password is missing.');
  const possible = passwordScopes(values.get('scope'), context);

  const typedPassword = readTypedPassword(secret);
  const confidential = client.confidential ? client.clientId : null;
  const asking: HashRequest = {
    asker: 'stranger',
    from: confidential === null ? networkOf(context.ip) : `client ${confidential}`,
  };
  const limits = passwordLimits({
    account: accountName(issuer.method, username),
    address: context.ip,
    confidentialClientId: confidential,
    device: null,
    twoNames: haveTwoNames(issuer.method, await recentSnapshot()),
  });
  const { version, ...names } = binding(context);
  const earlier = rightPasswords.get(context.http);
  const step = refusalStep(issuer.method);
  const again = earlier && isDeepStrictEqual(earlier.method, issuer.method) ? earlier.verdict : null;
  const check = (password: TypedPassword) =>
    underLimits(
      limits,
      { ...names, reliedOn: { version, clientId: client.clientId } },
      async () => {
        step.begin();
        const passwordVerdict = await verify(username, password, {
          ...asking,
          checked: step.begin,
          context: names,
        });
        if (passwordVerdict.kind !== 'identity') return passwordVerdict;
        if (passwordVerdict.adopted) tellOfAdoption(passwordVerdict.adopted);
        if (passwordVerdict.letIn === false || passwordVerdict.hasFactor) {
          await step.delayRefusal();
          return { kind: passwordVerdict.letIn === false ? 'not-let-in' : 'second-factor' } as const;
        }
        return passwordVerdict.owesPassword ? ({ kind: 'owes-password' } as const) : passwordVerdict;
      },
      (result) => ['refused', 'second-factor', 'not-let-in'].includes(result.kind),
      (result) => result.kind === 'identity',
    );
  const verdict =
    again ?? (typedPassword === null ? ({ kind: 'refused' } as const) : await check(typedPassword));
  const where = { apiId: issuer.api.id, authMethodId: issuer.method.id };
  const refuse = async (refused: Exclude<typeof verdict, { kind: 'identity' }>) => {
    const { kind: reason } = refused;
    countSignIn(where, reason === 'unavailable' ? reason : 'refused');
    const because = 'told' in refused && refused.told ? { because: refused.told } : {};
    const details = { grant_type: PASSWORD, reason, ...because };
    await recordRefusal({ ...names, event: 'sign_in.refused', details });
    if (reason === 'unavailable') return new TemporarilyUnavailable(UNAVAILABLE);
    if (reason === 'must-change') return new InvalidGrant(MUST_CHANGE);
    if (reason === 'owes-password') return new InvalidGrant(OWES_PASSWORD);
    return new InvalidGrant(WRONG, { counted: typedPassword !== null });
  };
  if (verdict.kind !== 'identity') throw await refuse(verdict);
  rightPasswords.set(context.http, { method: issuer.method, verdict });

  const scopes = await scopesOfPerson(issuer, verdict.personId, possible);
  if (scopes === null) throw personRefused();
  const keepsRefresh = keepsRefreshToken(context);
  const refresh = mint(keepsRefresh ? 'keptRefresh' : 'refresh');
  const opaque = mintOpaque(issuer.api);
  const familyId = randomUUID();
  const created = await createFamily({
    ...passwordFamily(context, { ...verdict, scopes }),
    familyId,
    refreshHash: refresh.hash,
    keepsRefresh,
    opaqueHash: opaque?.hash ?? null,
    ...boundKeys(context),
    attempts: again ? [] : limits.map((limit) => limit.key),
  });
  if (created === 'has-factor') {
    await step.delayRefusal();
    throw await refuse({ kind: 'second-factor' });
  }
  countSignIn(where, 'succeeded');
  if (!created) throw noFamily(context);
  return {
    familyId,
    personId: verdict.personId,
    scopes,
    authTime: created.authTime,
    acrLevel: null,
    amr: ['pwd'],
    refreshToken: refresh.value,
    opaqueToken: opaque?.value ?? null,
    openid: null,
  };
}
