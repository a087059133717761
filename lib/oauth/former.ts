// Refresh tokens of a former service: the request to that service, and the new token family.

import { z } from 'zod';
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { type Params, parseForm } from '#lib/http/params.ts';
import { now } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch, withBreaker } from '#lib/outbound/fetch.ts';
import { OPENID_SCOPE_NAMES } from '#lib/registry/claims.ts';
import type { IssuerAddress } from '#lib/registry/issuers.ts';
import { settings } from '#lib/settings/settings.ts';
import { forgetAsked, markAsked, restoreFormerToken, spendFormerToken } from '#lib/store/former.ts';
import { authorize } from '#lib/store/hot/authorize.ts';
import { attemptLimit, callerLimits, type Limit } from '#lib/store/hot/limits.ts';
import { findPersonBySub } from '#lib/store/hot/person-facts.ts';
import { findPersonAtMethod } from '#lib/store/identities.ts';
import { database } from '#lib/store/prisma.ts';
import { RegistryChanged } from '#lib/store/snapshot.ts';
import { isRefresh, mint } from '#lib/tokens/formats.ts';
import { readForeignToken } from '#lib/tokens/jws.ts';
import { secondFactorStep, strengthAsked } from './authorize/interaction.ts';
import { forPerson, identify, validate } from './authorize/request.ts';
import { scopeCeiling } from './client.ts';
import { InvalidGrant, OAuthError, TemporarilyUnavailable } from './errors.ts';
import { binding, type GrantContext, type Granted, redeemAuthorizationCode } from './grants/grant.ts';
import { formerAddress, formerKeys, knowFormerKeys } from './issuer.ts';
import { challengeOf, REFRESH_TOKEN } from './rules.ts';

// Refresh tokens that only their former service can read. Gatehouse forwards the client’s request once; the returned
// tokens identify the user (RFC 6749 §6).

/** A former issuer whose service Gatehouse may query. */
type AskedIssuer = IssuerAddress & { asks: NonNullable<IssuerAddress['asks']> };

/** Facts about the sign-in that the tokens in the former service's response prove. */
type FormerGrant = { sub: string; scopes: string[]; authTime: Date | null };

const answered = z.object({
  access_token: z.string(),
  id_token: z.string().optional(),
  scope: z.string().optional(),
});

/**
 * Parameters with the client's credentials, which are forwarded. An assertion names the old issuer, so the former
 * service accepts it.
 */
const CREDENTIALS = ['client_id', 'client_secret', 'client_assertion', 'client_assertion_type'];

const UNAVAILABLE = 'The service that issued this refresh token is not responding. Try again in a moment.';
const NO_SCOPE =
  'The service that issued this refresh token does not return its scope. The person must sign in again.';
const REFUSED_THERE = 'The service that issued this refresh token no longer accepts it.';

/** Limits of requests that the former service rejects, so that strangers cannot flood that service. */
const REFUSALS = { what: 'former', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

/**
 * Returns the limits of a caller. Authenticated clients have a separate limit, because all their users share
 * one address.
 */
const limitsOf = ({ client, ip }: GrantContext): Limit[] =>
  client.confidential
    ? [...callerLimits(REFUSALS, null), attemptLimit('client', `former ${client.clientId}`, 600)]
    : callerLimits(REFUSALS, ip);

/**
 * Throws InvalidGrant after a rejection or an unproven response, TemporarilyUnavailable if there is no response (a
 * retry is possible), and TooManyAttempts after too many rejections.
 */
async function askFormer(
  values: ReadonlyMap<string, string>,
  context: GrantContext,
  address: AskedIssuer,
): Promise<FormerGrant> {
  const { version, ...names } = binding(context);
  const formerGrant = await underLimits(
    limitsOf(context),
    { ...names, reliedOn: { version, clientId: context.client.clientId } },
    () => sentThere(values, context, address),
    (answer) => answer === null,
  );
  if (formerGrant === null) throw new InvalidGrant(REFUSED_THERE, { reason: 'refresh-unknown' });
  return formerGrant;
}

/** Returns null if the former service rejects the token, or if its response does not prove a user. */
async function sentThere(
  values: ReadonlyMap<string, string>,
  { http, client, issuer }: GrantContext,
  { url, asks }: AskedIssuer,
): Promise<FormerGrant | null> {
  const form = new URLSearchParams({
    grant_type: REFRESH_TOKEN,
    refresh_token: values.get('refresh_token') ?? '',
  });
  for (const name of CREDENTIALS) {
    const value = values.get(name);
    if (value !== undefined) form.set(name, value);
  }
  const { authorization } = http.headers;
  const headers = { accept: 'application/json', ...(authorization !== undefined && { authorization }) };
  const call = outboundFetch(asks);
  const send = () => call(asks.address, { method: 'POST', headers, body: form });
  const answer = await withBreaker(`former ${asks.address}`, send).catch((error: unknown) => {
    if (error instanceof OutboundFailed) throw new TemporarilyUnavailable(UNAVAILABLE);
    throw error;
  });
  if (answer.status >= 500 || answer.status === 429) throw new TemporarilyUnavailable(UNAVAILABLE);
  const tokenAnswer = answered.safeParse(await answer.json().catch(() => null)).data;
  if (answer.status !== 200 || !tokenAnswer) return null;
  await knowFormerKeys(issuer);
  const of = { issuer: url, keys: { keys: formerKeys(issuer) } };
  const access = await readForeignToken(tokenAnswer.access_token, of);
  const identity =
    tokenAnswer.id_token === undefined ? null : await readForeignToken(tokenAnswer.id_token, of);
  // subject of the ID token; if there is none, subject of a readable access token
  const payload = tokenAnswer.id_token === undefined ? access : identity;
  const isOne = access === null || identity === null || access.sub === identity.sub;
  if (typeof payload?.sub !== 'string' || !isOf(payload, client.clientId) || !isOne) return null;
  const { sub, auth_time: authTime } = payload;
  const scope = tokenAnswer.scope ?? access?.['scope'];
  // `scope` is optional if it equals the requested scope, which only the former service knows (RFC 6749 §5.1)
  if (typeof scope !== 'string') throw new SpentThere(NO_SCOPE, { reason: 'refresh-unknown' });
  return {
    sub,
    scopes: scope.split(' ').filter(Boolean),
    authTime: typeof authTime === 'number' ? new Date(authTime * 1000) : null,
  };
}

type Claims = NonNullable<Awaited<ReturnType<typeof readForeignToken>>>;

/**
 * True if the token was issued to this client (OpenID Connect Core §2, RFC 9068 §2.2). An API name in `aud` proves
 * nothing.
 */
function isOf({ aud, azp, client_id: clientId }: Claims, client: string): boolean {
  const named = azp ?? clientId;
  return named === undefined ? [aud].flat().includes(client) : named === client;
}

// A former service's refresh token creates one token family, as if a browser sign-in had issued a code and the client
// had redeemed it. All checks of a sign-in apply: the user's consent, the API's requirements, and the client's
// permitted users.

/** Thrown if the former service accepted the token, but this request issues no token family for it. */
class SpentThere extends InvalidGrant {}

const REFUSED =
  'The refresh token is unknown, expired, revoked, already used, or was issued to another client or by another issuer.';
const SIGN_IN = 'The scopes of this refresh token are not allowed here. The person must sign in again.';

/** Revocation counter (epoch) of users who were never signed out everywhere. */
const NEVER_ENDED = '0';
/** Maximum lifetime of a record, in seconds: no service keeps a refresh token longer than a year. */
const YEAR = 31_536_000;

/** After these errors, Gatehouse deletes its record of the token, except after `SpentThere`. */
const KEEP_NOTHING = [InvalidGrant, TemporarilyUnavailable, TooManyAttempts, RegistryChanged];

/** Result of a former token. `restore`: undoes the use of an imported token after an error. */
type Former = {
  personId: string;
  personEpoch: string;
  scopes: string[];
  authTime: Date | null;
  restore: () => Promise<void>;
};

/**
 * For each request: the result of its former token, which is already used up. A retry after a registry change reuses
 * it.
 */
const spent = new WeakMap<GrantContext['http'], Former>();

/** Returns null for a Gatehouse token, or if no former service accepted the token. */
export async function formerGrant({ values }: Params, context: GrantContext): Promise<Granted | null> {
  const presented = values.get('refresh_token');
  if (presented === undefined || isRefresh(presented)) return null;
  const former = spent.get(context.http) ?? (await takenFrom(presented, values, context));
  if (former === null) return null;
  spent.set(context.http, former);
  try {
    return await give(former, values.get('scope'), context);
  } catch (error) {
    if (error instanceof OAuthError) await former.restore();
    throw error;
  }
}

async function takenFrom(
  presented: string,
  values: Params['values'],
  context: GrantContext,
): Promise<Former | null> {
  const { clientId, apiId, authMethodId } = binding(context);
  const token = { tokenHash: sha256(presented), clientId, apiId, authMethodId };
  const brought = await spendFormerToken(token);
  if (brought) return { ...brought, restore: () => restoreFormerToken(token, brought) };
  const address = formerAddress(context.issuer);
  if (!address?.asks) return null;
  const seconds = Math.min(YEAR, Math.ceil((address.end - now().getTime()) / 1000));
  if (!(await markAsked({ ...token, seconds }))) throw new InvalidGrant(REFUSED, { reason: 'refresh-used' });
  try {
    const { sub, scopes, authTime } = await askFormer(values, context, { ...address, asks: address.asks });
    const personId = await findPersonBySub(sub);
    const person =
      personId === null ? null : await findPersonAtMethod(database(), { id: personId }, authMethodId);
    // signing a user out everywhere also revokes the user's tokens of former services
    if (person?.epoch !== NEVER_ENDED) throw new SpentThere(SIGN_IN);
    return {
      personId: person.personId,
      personEpoch: person.epoch,
      scopes,
      authTime,
      restore: async () => {},
    };
  } catch (error) {
    // the record that the token was forwarded remains only for accepted tokens, so that strangers cannot fill
    // the table
    if (!(error instanceof SpentThere) && KEEP_NOTHING.some((kind) => error instanceof kind))
      await forgetAsked(token);
    throw error;
  }
}

async function give(
  former: Former,
  requestedScope: string | undefined,
  context: GrantContext,
): Promise<Granted> {
  const { issuer, client, subscription, proof } = context;
  const person = await findPersonAtMethod(database(), { id: former.personId }, issuer.method.id);
  if (!person?.signsIn || person.disabled) throw new InvalidGrant(SIGN_IN);
  const wanted = requestedScope?.split(' ');
  const ceiling = [...OPENID_SCOPE_NAMES, ...scopeCeiling(issuer.api, subscription)];
  const scopes = former.scopes.filter(
    (name) => ceiling.includes(name) && (wanted === undefined || wanted.includes(name)),
  );
  if (scopes.length === 0) throw new InvalidGrant(SIGN_IN);
  const verifier = randomToken('');
  const params = parseForm(
    new URLSearchParams({
      response_type: 'code',
      client_id: client.clientId,
      scope: scopes.join(' '),
      code_challenge: challengeOf(verifier),
      code_challenge_method: 'S256',
    }).toString(),
  );
  // no browser visits this URI, because the code stays inside the process
  const recipient = { ...identify(issuer, params, issuer.url), issuer };
  const request = await forPerson(validate(recipient, params), former.personId);
  if (request.waits || request.shutOut || request.scopes.length === 0) throw new InvalidGrant(SIGN_IN);
  const code = mint('code');
  // no page can ask for a second factor
  const asking = { strength: request.strength, silent: true, here: false, postponed: false, graceDays: 0 };
  const { facts, issued } = await authorize({
    ...binding(context),
    restricted: subscription.restricted,
    consentSince: request.consentSince,
    signIn: {
      kind: 'person',
      personId: former.personId,
      personEpoch: former.personEpoch,
      methodEpoch: issuer.method.epoch,
      // an unknown sign-in time counts as older than any age limit
      authTime: former.authTime ?? new Date(0),
    },
    codeChallenge: request.codeChallenge,
    dpopJkt: proof?.jkt ?? null,
    freshChallenge: false,
    strength: strengthAsked(asking, settings().trustedBrowserDays),
    code: {
      hash: code.hash,
      redirectUri: request.redirectUri,
      scopes: request.scopes,
      scopeAsked: false,
      basis: request.trusted ? 'trust' : 'consent',
      consentScopes: request.consentScopes,
      maxAgeSeconds: null,
      openid: request.openid,
      expectedPersonId: former.personId,
    },
  });
  if (facts && secondFactorStep(asking, facts)) throw new InvalidGrant(SIGN_IN, { reason: 'acr-too-low' });
  if (!issued) throw new InvalidGrant(SIGN_IN);
  const redemption = new Map([
    ['code', code.value],
    ['code_verifier', verifier],
    ['redirect_uri', request.redirectUri],
  ]);
  return redeemAuthorizationCode({ values: redemption, repeated: new Set() }, context) as Promise<Granted>;
}
