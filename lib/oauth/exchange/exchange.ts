// Token exchange: presented tokens, terms, delegation, and the new token, which can be an ID-JAG.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { authMethodOf } from '#lib/auth-methods/auth-method.ts';
import { BUILT_IN_API } from '#lib/catalogue/apis/definition.ts';
import { type IdJagAudience, idJagAudienceOf } from '#lib/catalogue/clients/definition.ts';
import { type Answer, json } from '#lib/http/message.ts';
import type { Params } from '#lib/http/params.ts';
import { currentKey, findPublicKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { countToken } from '#lib/observability/metrics.ts';
import { requiredOf } from '#lib/openapi/document.ts';
import { levelOf } from '#lib/registry/claims.ts';
import {
  findLiveMachineToken,
  findLiveToken,
  type LiveMachineToken,
  type LiveToken,
  type LockedToken,
} from '#lib/store/hot/access-tokens.ts';
import {
  type Exchange,
  exchangeToken,
  findDelegatedScopes,
  type Vouching,
  vouchForSignIn,
} from '#lib/store/hot/exchange.ts';
import type { SignInStrength } from '#lib/store/hot/validity.ts';
import type { Snapshot, SnapshotApi, SnapshotMethod, SnapshotSubscription } from '#lib/store/snapshot.ts';
import { claimedIssuer, mintOpaque, readAccessToken, readMachineToken } from '#lib/tokens/access-token.ts';
import type { Proof } from '#lib/tokens/dpop.ts';
import { ID_JAG_TYPE } from '#lib/tokens/id-jag.ts';
import { decodeCompact, signCompact, verifyCompact } from '#lib/tokens/jws.ts';
import {
  type AuthenticatedClient,
  type ClientRequest,
  PERSON_REFUSED,
  type ProvedClient,
  proofError,
  requireProof,
  requireProvedClient,
  requireSubscription,
  requireTrust,
  scopeCeiling,
  scopesOfPerson,
} from '../client.ts';
import {
  type DeclaredError,
  InvalidGrant,
  InvalidRequest,
  InvalidScope,
  InvalidTarget,
  refuses,
  TemporarilyUnavailable,
  UnauthorizedClient,
} from '../errors.ts';
import { tokenResponse } from '../grants/grant.ts';
import {
  atHost,
  findIssuer,
  hasAddress,
  hasIssuer,
  heardBy,
  type Issuer,
  isPairwise,
  isPossibleSub,
  personOfSub,
} from '../issuer.ts';
import { ID_TOKEN_TYPE } from '../openid.ts';
import {
  acrTold,
  idTokenAlg,
  isAbsolute,
  isScope,
  levelOfApi,
  parseScope,
  requireProfiledClient,
  scopesAbove,
  strictnessOf,
} from '../rules.ts';

// Opens a presented token that has `cnf` (RFC 8693 §2.1). The caller must prove the token's key (RFC 9449 §7), or be
// the confidential client in the token's audience. Otherwise an exchange would turn a stolen bound token into a bearer
// token.

type Presenter = { client: ProvedClient; proof: Proof | null; snapshot: Snapshot };

/** Throws InvalidDpopProof if there is no valid proof. */
function openToken<Token extends LiveToken | LiveMachineToken>(
  lockedToken: LockedToken<Token>,
  { client, proof, snapshot }: Presenter,
): Token {
  if (isAudience(client, snapshot, lockedToken.place.apiId)) return lockedToken.inspect();
  const token = lockedToken.open(proof);
  if (token) return token;
  throw proofError(proof === null ? 'proof-missing' : 'proof-other-key');
}

/** True if the client's document is published at the address of the API, which is the `aud` of the token. */
const isAudience = ({ clientId }: ProvedClient, { apis }: Snapshot, apiId: string): boolean =>
  apis.get(apiId)?.url === clientId;

/**
 * Checks the key of another issuer's token, like `openToken`. `cnf`: the claim in that token (RFC 7800 §3.1).
 */
function requireConfirmed(cnf: unknown, proof: Proof | null): void {
  if (cnf === undefined) return;
  const jkt = typeof cnf === 'object' && cnf !== null && Reflect.get(cnf, 'jkt');
  if (proof === null) throw proofError('proof-missing');
  if (jkt !== proof.jkt.toString('base64url')) throw proofError('proof-other-key');
}

// A subject or actor token (RFC 8693 §2.1) must be an active access token of this service, or an ID token signed by a
// broker's keys. Other tokens are rejected with invalid_request (§2.2.2).

export const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
export const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';

/** The user's current actor, which contains the earlier actors (RFC 8693 §4.1). */
type Act = Record<string, unknown>;

type Presented = {
  personId: string;
  /** for a broker's ID token: revocation counters (epochs) when it was read; null: for another token */
  epochs: { person: string; method: string } | null;
  authMethodId: string;
  authTime: Date;
  /** expiry of the token in seconds since 1970 */
  expiresAt: number;
  /** data of a Gatehouse access token; null for another token */
  own: OwnToken | null;
};

/** A presented Gatehouse access token. Its token family contains the data about earlier exchanges. */
type OwnToken = Pick<
  LiveToken,
  'familyId' | 'clientId' | 'apiId' | 'scopes' | 'act' | 'exchangeDepth' | 'ceilings' | 'acrLevel' | 'amr'
> & { jti: string | null; opaqueHash: Uint8Array | null };

type TokenAsked = {
  role: 'subject' | 'actor';
  token: string;
  type: string;
  authMethodId: string | undefined;
  by: Presenter;
};

async function readPresented(presentedToken: TokenAsked): Promise<Presented> {
  const { role, type } = presentedToken;
  switch (type) {
    case ACCESS_TOKEN:
    case JWT:
      return ownToken(presentedToken);
    case ID_TOKEN:
      return brokersToken(presentedToken);
    default:
      throw new InvalidRequest(
        `${role}_token_type must be the type of an access token, a JWT or an ID token (RFC 8693 section 3).`,
      );
  }
}

/** The actor: a user, or a client acting for itself (RFC 8693 §4.1). */
type PresentedActor = { sub: string; clientId: string | null; expiresAt: number };

async function readActor(presentedToken: Omit<TokenAsked, 'role'>): Promise<PresentedActor> {
  const machine = await ownMachine({ ...presentedToken, role: 'actor' });
  if (machine) return { ...machine, sub: machine.clientId };
  const { personId, own, expiresAt } = await readPresented({ ...presentedToken, role: 'actor' });
  return { sub: personId, clientId: own?.clientId ?? null, expiresAt };
}

/** Returns null if the token is not a machine token. */
async function ownMachine({ role, token, type, by }: TokenAsked) {
  const { snapshot } = by;
  const machine = type === ID_TOKEN ? null : readMachineToken(token, snapshot);
  if (!machine) return null;
  const tokenQuery = { version: snapshot.version, askedBy: by.client.clientId, tokenHash: machine.hash };
  const liveMachineToken = await findLiveMachineToken(tokenQuery);
  if (
    !liveMachineToken ||
    !hasAddress(snapshot, liveMachineToken.place) ||
    (type === JWT && machine.jti === undefined)
  )
    throw unacceptable(role);
  return openToken(liveMachineToken, by);
}

function unacceptable(role: string): InvalidRequest {
  return new InvalidRequest(
    `The ${role}_token is expired, revoked, not of the type named, or from an unknown issuer.`,
  );
}

async function ownToken(presentedToken: TokenAsked): Promise<Presented> {
  const { role, token, type, authMethodId, by } = presentedToken;
  const { snapshot } = by;
  const access = readAccessToken(token, snapshot);
  if (!access && (await ownMachine(presentedToken)))
    throw new InvalidRequest(`The ${role}_token was issued to a client in its own name, not to a person.`);
  if (!access || (type === JWT && access.opaqueHash !== null)) throw unacceptable(role);
  const presented = { version: snapshot.version, askedBy: by.client.clientId, refreshHash: null, access };
  const liveToken = await findLiveToken(presented);
  if (!liveToken || !hasAddress(snapshot, liveToken.place)) throw unacceptable(role);
  const live = openToken(liveToken, by);
  if (authMethodId !== undefined && authMethodId !== live.authMethodId)
    throw new InvalidRequest('auth_method is not the sign-in method that issued the token.');
  return {
    personId: live.personId,
    epochs: null,
    authMethodId: live.authMethodId,
    authTime: new Date(live.authTime * 1000),
    expiresAt: live.expiresAt,
    own: { ...live, jti: access.jti ?? null, opaqueHash: access.opaqueHash },
  };
}

async function brokersToken({ role, token, authMethodId, by }: TokenAsked): Promise<Presented> {
  const brokers = [...by.snapshot.methods.values()].flatMap((row) => {
    const { id, idTokens } = authMethodOf(row);
    return idTokens ? [{ id, epoch: row.epoch, ...idTokens }] : [];
  });
  const issuer = withoutSlash(claimedIssuer(token) ?? '');
  const fitting = brokers.filter((broker) =>
    authMethodId === undefined ? withoutSlash(broker.issuer) === issuer : broker.id === authMethodId,
  );
  const [broker, ...more] = fitting;
  if (more.length > 0)
    throw new InvalidRequest(
      'Set auth_method: more than one sign-in method trusts the issuer of this token.',
    );
  if (!broker) throw unacceptable(role);
  const verdict = await broker.verify(token);
  if (verdict.kind === 'unavailable')
    throw new TemporarilyUnavailable('The broker that issued the token is not reachable.');
  if (verdict.kind === 'refused') throw unacceptable(role);
  requireConfirmed(decodeCompact(token)?.payload['cnf'], by.proof);
  const { personId, personEpoch, authTime, expiresAt } = verdict;
  const epochs = { person: personEpoch, method: broker.epoch };
  return { personId, epochs, authMethodId: broker.id, authTime, expiresAt, own: null };
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, '');
}

// Exchange by delegation: a user permits this client to act at this API until a date (docs/project/decisions/0020).
// The client authenticates, and identifies itself as actor with a token issued to it (RFC 8693 §2.1).

const NOT_LET =
  'This client has no approved trusted subscription to the target API, and the person has not allowed it to act at that API with this actor_token.';

type DelegationAsked = {
  client: ProvedClient;
  api: SnapshotApi;
  subject: Presented;
  /** client of the actor token; null if it is not a Gatehouse client */
  actorClientId: string | null;
};

/**
 * Returns the scopes that the user delegated to the client at the API. Throws UnauthorizedClient if there are none. A
 * broker's ID token does not prove a delegation.
 */
async function requireDelegation({
  client,
  api,
  subject,
  actorClientId,
}: DelegationAsked): Promise<string[]> {
  const itself = actorClientId === client.clientId;
  const scopes =
    itself && subject.own ? await findDelegatedScopes(subject.personId, client.clientId, api.id) : null;
  if (scopes) return scopes;
  throw new UnauthorizedClient(NOT_LET, { reason: 'not-trusted' });
}

// Determines the strength, scope and actors of the new token from a verified subject token (RFC 8693). An exchange
// never raises any of these.

const TOO_WEAK =
  'The target API requires a stronger sign-in than that of the subject_token. Send the person through the browser.';
const PUBLIC = 'A public client cannot authenticate, so it cannot exchange tokens.';
const NOT_TRUSTED = 'This client has no approved trusted subscription to the target API.';

/** Throws UnauthorizedClient for a public client, because anybody can send its client_id. */
export const requireExchangeClient = (client: AuthenticatedClient): ProvedClient =>
  requireProvedClient(client, PUBLIC, 'exchange-public');

/**
 * Returns the client's subscription to the target API. `asActor`: the client presents itself as the actor, so the
 * subscription needs no trust.
 */
export function requireTarget(
  api: SnapshotApi,
  client: ProvedClient,
  asActor: boolean,
): SnapshotSubscription {
  // tokens of the management API require consent on the page (docs/project/decisions/0014)
  if (api.id === BUILT_IN_API) throw new InvalidTarget('Token exchange is not available for this API.');
  return (asActor ? requireSubscription : requireTrust)(api, client, NOT_TRUSTED);
}

type TermsAsked = {
  client: ProvedClient;
  api: SnapshotApi;
  subscription: SnapshotSubscription;
  subject: Presented;
  actor: PresentedActor | null;
  /** scope parameter as sent */
  scope: string | undefined;
};

/** Returns the members of the new token family, except for ids and tokens. */
export async function exchangeTerms(
  { client, api, subscription, subject, actor, scope }: TermsAsked,
  snapshot: Snapshot,
) {
  const method = snapshot.methods.get(subject.authMethodId);
  if (!method || !api.authMethods.includes(method.id))
    throw new InvalidTarget('The target API does not have the sign-in method of this token.');
  const strength = strengthOf(subject, api, method, snapshot);
  // a client without trust needs the user's delegation
  const delegationQuery = { client, api, subject, actorClientId: actor?.clientId ?? null };
  const delegated = subscription.trusted ? null : await requireDelegation(delegationQuery);
  const tooHigh = scopesAbove(api, strength.acrLevel ?? 1);
  const possible = scopeCeiling(api, subscription).filter(
    (name) => !tooHigh.includes(name) && (delegated?.includes(name) ?? true),
  );
  const { personId, epochs, authTime, own } = subject;
  const ceiling = await scopesOfPerson({ api, method }, personId, possible);
  if (ceiling === null) throw new InvalidRequest(PERSON_REFUSED, { reason: 'person-refused' });
  return {
    version: snapshot.version,
    basis: delegated ? ('delegation' as const) : ('exchange' as const),
    personId,
    clientId: client.clientId,
    apiId: api.id,
    authMethodId: method.id,
    scopes: scopesOf(scope, ceiling, subject, api),
    authTime,
    notAfter: Math.min(subject.expiresAt, actor?.expiresAt ?? subject.expiresAt),
    epochs,
    // the client is the actor, even if it presents the token of another client as actor token
    act: actOf(subject, delegated && actor ? { ...actor, sub: client.clientId } : actor),
    exchangeDepth: depthOf(own),
    ceilings: ceilingsOf(own),
    strength: { acrLevel: strength.acrLevel, amr: strength.amr },
    asksFactor: strength.asksFactor,
  } satisfies Partial<Exchange>;
}

/** Error if the statement issued no token. */
export function notExchanged(outcome: 'has-factor' | null, { restricted }: SnapshotSubscription) {
  if (outcome === 'has-factor') return new InvalidGrant(TOO_WEAK, { reason: 'acr-too-low' });
  return restricted
    ? new InvalidRequest(PERSON_REFUSED, { reason: 'person-refused' })
    : new InvalidRequest('The subject_token was just revoked, or can no longer be exchanged.');
}

/**
 * Returns the strength of the sign-in behind the token. Throws InvalidGrant if the target requires more. An exchange
 * never raises the strength: a sign-in without a second factor cannot reach a target that requires one now.
 */
function strengthOf(
  { own }: Presented,
  api: SnapshotApi,
  method: SnapshotMethod,
  { apis }: Snapshot,
): SignInStrength & { asksFactor: boolean } {
  const { acrLevel, amr } = own ?? { acrLevel: null, amr: null };
  const level = acrLevel ?? 1;
  const from = own && apis.get(own.apiId);
  const strictness = strictnessOf(api, method);
  const asksMore = level < 2 && strictness > (from ? strictnessOf(from, method) : 0);
  if (level < levelOfApi(api) || (asksMore && strictness === 2))
    throw new InvalidGrant(TOO_WEAK, { reason: 'acr-too-low' });
  return { acrLevel, amr, asksFactor: asksMore };
}

/**
 * Returns the scopes of the new token. At an API where the token was used before, they never exceed the earlier
 * scopes.
 */
function scopesOf(
  requestedScope: string | undefined,
  ceiling: string[],
  { own }: Presented,
  api: SnapshotApi,
): string[] {
  const ceilings = ceilingsOf(own) ?? {};
  const before = Object.hasOwn(ceilings, api.id) ? ceilings[api.id] : undefined;
  const allowed = before ? ceiling.filter((name) => before.includes(name)) : ceiling;
  if (requestedScope !== undefined) return parseScope(requestedScope, allowed);
  if (allowed.length === 0)
    throw new InvalidScope('None of the scopes of this token is allowed at the target API.');
  return allowed;
}

/** Returns, for each API at which the token was used, the maximum scopes. */
function ceilingsOf(ownToken: OwnToken | null): Record<string, string[]> | null {
  return ownToken && { ...ownToken.ceilings, [ownToken.apiId]: ownToken.scopes };
}

/** Maximum number of exchanges, because token lookups read all ancestors. */
const MAX_EXCHANGES = 8;

function depthOf(ownToken: OwnToken | null): number {
  const depth = (ownToken?.exchangeDepth ?? 0) + 1;
  if (depth > MAX_EXCHANGES) throw new InvalidRequest('The subject_token was exchanged too often.');
  return depth;
}

const MAX_ACTORS = 8;

/**
 * The current actor, which contains the earlier actors (RFC 8693 §4.1). Without an actor, the earlier chain remains.
 */
function actOf(subject: Presented, actor: PresentedActor | null): Act | null {
  const before = subject.own?.act ?? null;
  if (!actor) return before;
  let depth = 1;
  for (let at: unknown = before; at; at = (at as Act)['act']) depth += 1;
  if (depth > MAX_ACTORS) throw new InvalidRequest('The chain of actors is too long.');
  return {
    sub: actor.sub,
    ...(actor.clientId === null ? {} : { client_id: actor.clientId }),
    ...(before ? { act: before } : {}),
  };
}

// Token exchange (RFC 8693): exchanges a subject token for an access token of another API, or for one with less scope.
// It requires an approved and trusted subscription to the target API, or a user's delegation to the client at that API.
// The new token never outlives the subject token, and has no refresh token.

export async function exchangeSubjectToken(params: Params, context: TokenContext): Promise<Answer> {
  const { values } = params;
  const { snapshot, proof } = context;
  const client = requireExchangeClient(context.client);
  const api = targetOf(params, snapshot);
  const issuedTokenType = issuedTypeOf(values.get('requested_token_type'), api);
  const subscription = requireTarget(api, client, values.has('actor_token'));
  requireProfiledClient(api, client);
  requireProof(proof, { client, api });

  const by = { client, proof, snapshot };
  const presentedToken = presentedAs('subject', params, by);
  const subject = presentedToken && (await readPresented(presentedToken));
  if (!subject) throw new InvalidRequest('subject_token is missing.');
  const acting = presentedAs('actor', params, by);
  const actor = acting && (await readActor(acting));
  const scope = values.get('scope');
  const terms = await exchangeTerms({ client, api, subscription, subject, actor, scope }, snapshot);
  const { authMethodId, act, strength } = terms;
  const opaque = mintOpaque(api);
  const familyId = randomUUID();
  const expiresAt = await exchangeToken({
    ...terms,
    familyId,
    subject: subject.own,
    opaqueHash: opaque?.hash ?? null,
    requestId: context.http.requestId,
    ip: context.ip,
    jkt: proof?.jkt ?? null,
  });
  if (typeof expiresAt !== 'number') throw notExchanged(expiresAt, subscription);
  const granted = {
    ...strength,
    familyId,
    personId: terms.personId,
    scopes: terms.scopes,
    authTime: terms.authTime,
    refreshToken: null,
    opaqueToken: opaque?.value ?? null,
    openid: null,
    expiresAt,
    exchanged: { act, issuedTokenType },
  };
  const issuer = findIssuer(snapshot, { authMethodId, apiId: api.id });
  return tokenResponse(granted, { issuer, client, proof }, 'token-exchange');
}

/** Returns the single API that `audience` and `resource` name. */
function targetOf(params: Params, snapshot: Snapshot): SnapshotApi {
  const { values, repeated } = params;
  if (!values.has('audience') && !values.has('resource'))
    throw new InvalidRequest('audience or resource is missing.');
  if (repeated.has('audience') || repeated.has('resource'))
    throw new InvalidTarget('A token is for one API: send one audience or resource.');
  const api = targetNamed(params, { snapshot });
  if (!api)
    throw new InvalidTarget(
      'audience or resource is not the address of an API of this service, or they name different APIs.',
    );
  return api;
}

/** Like `targetOf`, but returns null instead of throwing an error. */
export function targetNamed(
  { values, repeated }: Params,
  { snapshot }: Pick<ClientRequest, 'snapshot'>,
): SnapshotApi | null {
  if (repeated.has('audience') || repeated.has('resource')) return null;
  const [audience, resource] = [values.get('audience'), values.get('resource')];
  const byUrl = (url: string) => [...snapshot.apis.values()].find((api) => api.url === url);
  const named = [
    ...(audience === undefined ? [] : [snapshot.apis.get(audience) ?? byUrl(audience)]),
    ...(resource === undefined ? [] : [byUrl(resource)]),
  ];
  const [api] = named;
  return api && named.every((other) => other === api) ? api : null;
}

/**
 * Returns the issued_token_type of the response: access token, or jwt if the client requested it and the API uses
 * JWTs.
 */
function issuedTypeOf(requested: string | undefined, api: SnapshotApi): string {
  const possible = api.accessTokenFormat === 'jwt' ? [ACCESS_TOKEN, JWT] : [ACCESS_TOKEN];
  if (requested === undefined) return ACCESS_TOKEN;
  if (!possible.includes(requested))
    throw new InvalidRequest('requested_token_type must be the access token type that the API uses.');
  return requested;
}

function presentedAs<Role extends 'subject' | 'actor'>(role: Role, { values }: Params, by: Presenter) {
  const [token, type] = [values.get(`${role}_token`), values.get(`${role}_token_type`)];
  if (token === undefined && type === undefined) return null;
  if (token === undefined) throw new InvalidRequest(`${role}_token is missing.`);
  if (type === undefined) throw new InvalidRequest(`${role}_token_type is missing.`);
  const authMethodId = role === 'subject' ? values.get('auth_method') : undefined;
  return { role, token, type, authMethodId, by };
}

// Context of the grants at /auth/token after client authentication; each grant finds its issuer.

type ExchangeContext = Pick<ClientRequest, 'http' | 'ip' | 'snapshot'> & {
  client: AuthenticatedClient;
};

/**
 * Context of a grant at /auth/token. `proof`: proof of the key to which the tokens are bound (RFC 9449); null: bearer
 * tokens.
 */
export type TokenContext = ExchangeContext & { proof: Proof | null };

type ExchangeGrant = (params: Params, context: TokenContext) => Promise<Answer>;

/**
 * A grant at /auth/token. `apiOf`: finds the API that the request names before client authentication; null: the
 * request names none.
 */
export type ExchangeKind = {
  grant: ExchangeGrant;
  apiOf: (params: Params, request: ClientRequest) => Promise<SnapshotApi | null> | SnapshotApi | null;
};

// Issues ID-JAGs based on the user's sign-in.

// Finds the user and the issuer of a sign-in, from a token that the client received. The token is an ID token
// (draft-ietf-oauth-identity-assertion-authz-grant §4.3.3) or an access token of Gatehouse.

const UNACCEPTABLE =
  'The subject_token is expired, revoked, not of the type named, from another issuer, or was issued to another client.';
const PAIRWISE =
  'The sub of this ID token is pairwise. Send the access token that was issued with it as subject_token.';

type PresentedSignIn = {
  issuer: Issuer;
  personId: string;
  signIn: Vouching['signIn'];
};

type Context = ExchangeContext & { client: ProvedClient; proof: Proof | null; issuer: Issuer | null };

async function readSignIn({ values }: Params, context: Context): Promise<PresentedSignIn> {
  const [token, type] = [values.get('subject_token'), values.get('subject_token_type')];
  if (token === undefined) throw new InvalidRequest('subject_token is missing.');
  if (type === ID_TOKEN) return ofIdToken(token, context);
  if (type === ACCESS_TOKEN || type === JWT) return ofAccessToken(token, context);
  throw new InvalidRequest('subject_token_type must be the type of an ID token or an access token.');
}

const idTokenClaims = z.object({
  iss: z.string(),
  sub: z.string(),
  aud: z.string(),
  exp: z.number(),
  auth_time: z.int(),
  sid: z.uuid().optional(),
  acr: z.string().optional(),
});

async function ofIdToken(
  token: string,
  { client, snapshot, issuer: called }: Context,
): Promise<PresentedSignIn> {
  const payload = verifyCompact(token, ID_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  const issuer = called ?? issuerNamed(token, snapshot);
  if (!issuer || payload?.['iss'] !== issuer.url || payload['aud'] !== client.clientId)
    throw new InvalidRequest(UNACCEPTABLE);
  if (isPairwise(client, issuer.api)) throw new InvalidRequest(PAIRWISE);
  const claims = idTokenClaims.safeParse(payload).data;
  if (!claims || claims.exp <= nowSeconds() || !isPossibleSub(client, claims.sub, issuer))
    throw new InvalidRequest(UNACCEPTABLE);
  const { sub, auth_time: authTime, sid = null, acr = '' } = claims;
  const personId = await personOfSub(sub, issuer);
  return { issuer, personId, signIn: { authTime, sid, level: levelOf(acr) ?? 1 } };
}

/** Returns the issuer that the token names in `iss`, without comparing the called address. Null: unknown issuer. */
function issuerNamed(token: string, snapshot: Snapshot): Issuer | null {
  const iss = claimedIssuer(token) ?? '';
  const [, authMethodId = '', apiId = ''] = /\/auth\/([^/]+)\/api\/([^/]+)$/.exec(iss) ?? [];
  const where = hasIssuer(snapshot, { address: iss }) ? { address: iss } : { authMethodId, apiId };
  return hasIssuer(snapshot, where) ? findIssuer(snapshot, where) : null;
}

async function ofAccessToken(
  token: string,
  { client, proof, snapshot, issuer: called }: Context,
): Promise<PresentedSignIn> {
  const access = readAccessToken(token, snapshot);
  const { version } = snapshot;
  const lockedToken =
    access && (await findLiveToken({ version, askedBy: client.clientId, refreshHash: null, access }));
  const live = lockedToken && openToken(lockedToken, { client, proof, snapshot });
  if (live?.clientId !== client.clientId) throw new InvalidRequest(UNACCEPTABLE);
  const ids = { authMethodId: live.authMethodId, apiId: live.apiId };
  if (called && (called.method.id !== ids.authMethodId || called.api.id !== ids.apiId))
    throw new InvalidRequest(UNACCEPTABLE);
  const issuer = called ?? atHost(findIssuer(snapshot, ids), live.issuerHost);
  return { issuer, personId: live.personId, signIn: { familyId: live.familyId } };
}

// Issues an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §4.3) by token exchange, at an issuer's token
// endpoint or at /auth/token. A client whose user has signed in receives a grant that another authorization server
// accepts. Administrators decide which grants the client may request; the user is not asked.

export const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';

const LIFETIME_SECONDS = 300;
const MAX_RESOURCE = 2_000;

export const asksForIdJag = ({ values }: Params): boolean => values.get('requested_token_type') === ID_JAG;

/**
 * `issuer`: the issuer whose token endpoint was called; null: /auth/token, which accepts the sign-ins of every
 * issuer.
 */
export async function giveIdJag(
  params: Params,
  context: TokenContext & { issuer: Issuer | null },
): Promise<Answer> {
  const { snapshot, http, ip } = context;
  const client = requireExchangeClient(context.client);
  const audience = audienceOf(params, client);
  const idJagRequest = askedOf(params);
  const { issuer, personId, signIn } = await readSignIn(params, { ...context, client });
  if (issuer.api.id === BUILT_IN_API)
    throw new InvalidTarget('An ID-JAG cannot be issued for a token of the management API.');
  const vouched = await vouchForSignIn({
    version: snapshot.version,
    personId,
    clientId: client.clientId,
    apiId: issuer.api.id,
    authMethodId: issuer.method.id,
    issuerHost: issuer.host,
    signIn,
    audience: audience.issuer,
    requestId: http.requestId,
    ip,
  });
  if (!vouched)
    throw new InvalidRequest('The sign-in of the subject_token has ended, or took place at another issuer.');
  const { authTime, acrLevel, amr } = vouched;
  const acr = acrTold(acrLevel, issuer.method);
  const issuedAt = nowSeconds();
  const payload = {
    iss: issuer.url,
    sub: await heardBy(client, personId, issuer),
    aud: audience.issuer,
    client_id: audience.clientId,
    jti: randomUUID(),
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
    auth_time: authTime,
    ...idJagRequest,
    ...(acr === null ? {} : { acr }),
    ...(amr === null || amr.length === 0 ? {} : { amr }),
  };
  const key = await currentKey(idTokenAlg(issuer.api, client), snapshot);
  countToken({ apiId: issuer.api.id, authMethodId: issuer.method.id }, 'id-jag');
  const answer = {
    access_token: signCompact(ID_JAG_TYPE, payload, key),
    issued_token_type: ID_JAG,
    // the ID-JAG is not an access token (RFC 8693 §2.2.1)
    token_type: 'N_A',
    expires_in: LIFETIME_SECONDS,
  };
  return json(200, answer, { pragma: 'no-cache' });
}

/** Returns the audience of the request if the client may use it, with the client_id at that server. */
function audienceOf({ values, repeated }: Params, client: ProvedClient): IdJagAudience {
  const idJagAudiences = client.idJagAudiences;
  if (idJagAudiences.length === 0)
    throw new UnauthorizedClient('This client is not allowed to request an ID-JAG.', {
      reason: 'id-jag-not-allowed',
    });
  const audience = values.get('audience');
  if (audience === undefined) throw new InvalidRequest('audience is missing.');
  const idJagAudience = idJagAudiences
    .map((entry) => idJagAudienceOf(entry, client.clientId))
    .find(({ issuer }) => issuer === audience);
  if (idJagAudience && !repeated.has('audience')) return idJagAudience;
  throw new InvalidTarget('audience must be an issuer that is listed for this client.', {
    reason: 'id-jag-audience',
  });
}

/** Returns resource and scope of the request. The target server validates them, so both are copied unchanged. */
function askedOf({ values, repeated }: Params): { resource?: string; scope?: string } {
  for (const name of ['actor_token', 'authorization_details'])
    if (values.has(name)) throw new InvalidRequest(`${name} is not supported for an ID-JAG.`);
  const [resource, scope] = [values.get('resource'), values.get('scope')];
  if (
    resource !== undefined &&
    (repeated.has('resource') || resource.length > MAX_RESOURCE || !isAbsolute(resource))
  )
    throw new InvalidTarget('resource must be one absolute URI without a fragment.');
  if (scope !== undefined && !isScope(scope))
    throw new InvalidScope('scope contains a character that is not allowed in a scope.');
  return { ...(resource === undefined ? {} : { resource }), ...(scope === undefined ? {} : { scope }) };
}

// Parameters, responses and errors of a request for an ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant §4.3),
// at an issuer's token endpoint and at /auth/token.

const FOR = 'token exchange';

/** Schema of the request body at an issuer's token endpoint, which performs no other exchange. */
export const vouchingBody = {
  requested_token_type: requiredOf(z.literal(ID_JAG), FOR, `\`${ID_JAG}\`, the only supported value.`),
  subject_token: requiredOf(
    z.string(),
    FOR,
    'An ID token or an access token that this issuer issued to the client.',
  ),
  subject_token_type: requiredOf(
    z.string(),
    FOR,
    '`urn:ietf:params:oauth:token-type:id_token`, or `urn:ietf:params:oauth:token-type:access_token`.',
  ),
  audience: requiredOf(
    z.string(),
    FOR,
    'The issuer of the other authorization server, as listed for the client by an administrator. resource and scope belong to that server and are copied into the ID-JAG.',
  ),
};

/** Schema of a response with an ID-JAG, which is not an access token (RFC 8693 §2.2.1). */
export const IdJagResponse = z.object({
  access_token: z.string().describe('The ID-JAG, for the token endpoint of the other authorization server.'),
  issued_token_type: z.literal(ID_JAG),
  token_type: z.literal('N_A'),
  expires_in: z.int().describe('Lifetime of the ID-JAG in seconds.'),
});

export const vouchingErrors: readonly DeclaredError[] = [
  ...refuses(UnauthorizedClient, [
    'A public client, or a client without a listed audience, requests an ID-JAG.',
  ]),
  ...refuses(InvalidTarget, [
    'The audience of the requested ID-JAG is not listed for the client, or resource is not an absolute URI.',
  ]),
  ...refuses(InvalidRequest, [
    'The subject token of the requested ID-JAG is expired, from another issuer or client, or its sign-in has ended. Or actor_token or authorization_details was sent.',
  ]),
  ...refuses(InvalidScope, ['The scope of the requested ID-JAG contains a character that is not allowed.']),
];
