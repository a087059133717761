// Functions of the broker method: OpenID Connect, or plain OAuth 2.0 with a userinfo endpoint. The method and the
// broker's subject identify a person, never an email address.
import { jwtVerify } from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import { countCall } from '#lib/observability/metrics.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { isOpen } from '#lib/outbound/fetch.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import {
  type Broker,
  BrokerRefused,
  breakerOf,
  failureOf,
  ID_TOKEN_ALGORITHMS,
  type IdJagProof,
  NoAuthTime,
  openBroker,
  proveSignature,
  unwrapOutboundFailed,
} from './broker-discovery.ts';
import { type AnswerFault, answerFault, brokerOf, callbackOf } from './callback.ts';
import type {
  BrokerAnswer,
  Departure,
  Expectation,
  IdTokenVerdict,
  StartSignIn,
  ToldByIdJag,
  Verdict,
} from './method.ts';
import {
  describePerson,
  exactJson,
  knowIdentity,
  leavesOpen,
  type Members,
  namesInForm,
  subjectAt,
  subjectOfToken,
  type ToldPerson,
} from './person-claims.ts';

// Reads the person from the broker's response: from the ID token, and from userinfo for claims that the ID token
// lacks. Plain OAuth 2.0 has only userinfo. `subject` identifies the person; other members only describe the person.

// The list of a person’s email addresses, if a plain OAuth 2.0 provider has one. The address in userinfo may be a
// public address that nobody verified.

const list = z.array(z.unknown());
const entry = z.object({ email: z.string(), primary: z.literal(true), verified: z.literal(true) });

/**
 * Returns the primary verified address as userinfo members, or no members. `ask` downloads the list. Rejects if the
 * list is missing, because the stored address would otherwise be deleted after a temporary failure.
 */
async function provedAddress(ask: () => Promise<string>): Promise<Members> {
  const listedAddress = listIn(await ask())
    .map((item) => entry.safeParse(item).data)
    .find((item) => item !== undefined);
  return listedAddress ? { email: listedAddress.email, email_verified: true } : {};
}

function listIn(body: string): unknown[] {
  try {
    return list.parse(exactJson(body));
  } catch {
    // the cause is not logged, because it would quote the broker's response
    throw new client.ClientError('the list of email addresses is none');
  }
}

export type BrokerIdentity = ToldPerson & {
  subject: string;
  authTime: Date | null;
  /** authentication methods, as reported by the broker */
  amr: string[];
  acr: string | null;
};

const word = z.string().regex(/^[\x20-\x7e]{1,200}$/);
const proof = z.object({ amr: z.array(word).max(20).catch([]), acr: word.nullable().catch(null) });

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

export async function identityOf(
  row: SnapshotMethod,
  broker: Broker,
  tokens: Tokens,
): Promise<BrokerIdentity> {
  if (broker.keys === null) return plainIdentity(row, broker, tokens.access_token);
  const claims = tokens.claims();
  if (!claims) throw new client.ClientError('the ID token is missing');
  const more = leavesOpen(row, claims) ? await userInfo(broker, tokens, claims.sub) : {};
  return {
    ...describePerson(row, claims, more),
    subject: subjectOf(row, claims),
    authTime: dateOf(claims.auth_time),
    ...proof.parse(claims),
  };
}

/** Returns the subject, which is always read from the ID token, because userinfo is not signed. */
function subjectOf(row: SnapshotMethod, claims: Members): string {
  const named = subjectOfToken(row, claims);
  if ('fault' in named) throw new BrokerRefused(named.fault);
  return named.subject;
}

const YEAR_2000 = 946_684_800;
/** Seconds by which the clock of a broker may be ahead of Gatehouse's clock. */
const AHEAD_SECONDS = 60;

/** Converts seconds since 1970 to a date. `null`: the value is text, milliseconds, before 2000, or in the future. */
function dateOf(seconds: unknown): Date | null {
  if (typeof seconds !== 'number') return null;
  const latest = now().getTime() / 1000 + AHEAD_SECONDS;
  return seconds >= YEAR_2000 && seconds <= latest ? new Date(seconds * 1000) : null;
}

/**
 * Returns no members if userinfo fails. Rejects only a response about another subject, and a signed response with a
 * wrong issuer or audience.
 */
async function userInfo(broker: Broker, tokens: Tokens, expected: string): Promise<Members> {
  if (broker.config.serverMetadata().userinfo_endpoint === undefined) return {};
  let answer: { text: string; isJwt: boolean };
  try {
    answer = await askUserinfo(broker, tokens.access_token);
    const claims = answer.isJwt ? null : members.parse(exactJson(answer.text));
    if (claims) return ofSubject(claims, expected);
  } catch (error) {
    if (error instanceof AnotherSubject) throw error;
    const { code, message } = error as { code?: string; message: string };
    log().warn({ fault: code }, `the userinfo endpoint of a broker failed: ${message}`);
    return {};
  }
  return ofSubject(await verifyUserinfo(broker, answer.text), expected);
}

const members = z.record(z.string(), z.unknown());

class AnotherSubject extends BrokerRefused {}

function ofSubject(claims: Members, expected: string): Members {
  if (claims['sub'] !== expected) throw new AnotherSubject('the userinfo answer is about another subject');
  return claims;
}

const askUserinfo = (broker: Broker, accessToken: string) =>
  askWithToken(broker, accessToken, broker.config.serverMetadata().userinfo_endpoint ?? '');

async function askWithToken(broker: Broker, accessToken: string, at: string) {
  const address = new URL(at);
  if (broker.proof) address.searchParams.set('appsecret_proof', broker.proof(accessToken));
  const headers = new Headers({ accept: 'application/json, application/jwt;q=0.9' });
  const answer = await client.fetchProtectedResource(
    broker.config,
    accessToken,
    address,
    'GET',
    null,
    headers,
  );
  if (answer.status !== 200) {
    await answer.body?.cancel();
    throw new client.ClientError(`${address.origin}${address.pathname} answered ${answer.status}`);
  }
  const isJwt = /^\s*application\/jwt\s*(;|$)/i.test(answer.headers.get('content-type') ?? '');
  return { text: await answer.text(), isJwt };
}

/**
 * A signed response contains its issuer and audience (OpenID Connect Core §5.3.2). This function rejects the
 * response if these are not the broker and Gatehouse.
 */
async function verifyUserinfo({ config, keys }: Broker, jwt: string): Promise<Members> {
  const userinfoRefused = (why: string) => new BrokerRefused(`the signed userinfo answer is refused: ${why}`);
  if (keys === null) throw userinfoRefused('a plain OAuth 2.0 provider has no keys to verify it with');
  if (jwt.split('.').length !== 3)
    throw userinfoRefused('it is no signed JWT; an encrypted one cannot be read');
  try {
    const { payload } = await jwtVerify(jwt.trim(), keys, {
      algorithms: ID_TOKEN_ALGORITHMS,
      issuer: config.serverMetadata().issuer,
      audience: config.clientMetadata().client_id,
      clockTolerance: 30,
      currentDate: now(),
    });
    return payload;
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    // the download of the keys failed, so the broker's response may still be valid
    if (!/^ERR_J/.test(code) || /^ERR_JWKS_(TIMEOUT|INVALID)$|^ERR_JOSE_GENERIC$/.test(code)) throw error;
    throw userinfoRefused(message);
  }
}

async function plainIdentity(
  row: SnapshotMethod,
  broker: Broker,
  accessToken: string,
): Promise<BrokerIdentity> {
  const { text, isJwt } = await askUserinfo(broker, accessToken);
  const claims = isJwt ? await verifyUserinfo(broker, text) : members.parse(exactJson(text));
  const subject = subjectAt(claims, broker.subjectClaim);
  if (subject === null) throw new client.ClientError(`the userinfo answer has no ${broker.subjectClaim}`);
  const profile = describePerson(row, await withProvedAddress(broker, accessToken, claims));
  return { ...profile, subject, authTime: null, amr: [], acr: null };
}

/** Adds the verified address from the broker's list of addresses. The address in userinfo is then ignored. */
async function withProvedAddress(broker: Broker, accessToken: string, claims: Members): Promise<Members> {
  const { emailsAddress } = broker;
  if (emailsAddress === null) return claims;
  const { email: _, email_verified: __, ...rest } = claims;
  const proved = await provedAddress(
    async () => (await askWithToken(broker, accessToken, emailsAddress)).text,
  );
  return { ...rest, ...proved };
}

// Verifies an ID token that a client presents for exchange (RFC 8693): issued by the broker for Gatehouse’s
// client_id, unexpired, signed with a published key. Gatehouse did not start this sign-in, so there is no nonce to
// compare.

const MAX_LENGTH = 16_384;
const claimsOf = z.object({
  sub: z.string().min(1).max(255),
  iat: z.number(),
  exp: z.number(),
  azp: z.string().optional(),
  /** only logout tokens contain `events` (OpenID Connect Back-Channel Logout §2.4) */
  events: z.undefined().optional(),
});

/**
 * A user as an ID token describes them. `issuedAt`: data that was stored after this time takes precedence;
 * `expiresAt`: seconds since 1970.
 */
export type FromIdToken = ToldPerson & {
  subject: string;
  authTime: Date;
  issuedAt: Date;
  expiresAt: number;
};

export async function verifyIdToken(
  row: SnapshotMethod,
  broker: Broker,
  idToken: string,
): Promise<FromIdToken | null> {
  const { issuer } = broker.config.serverMetadata();
  const clientId = broker.config.clientMetadata().client_id;
  if (broker.keys === null || idToken.length > MAX_LENGTH) return null;
  const { payload, protectedHeader } = await jwtVerify(idToken, broker.keys, {
    algorithms: ID_TOKEN_ALGORITHMS,
    issuer,
    audience: clientId,
    clockTolerance: 30,
    currentDate: now(),
    requiredClaims: ['sub', 'iat', 'exp'],
  });
  const claims = claimsOf.safeParse(payload);
  const isIdToken = protectedHeader.typ === undefined || /^jwt$/i.test(protectedHeader.typ);
  if (!claims.success || !isIdToken) return null;
  const { azp, iat, exp } = claims.data;
  const named = subjectOfToken(row, payload);
  if ('fault' in named) return null;
  const several = Array.isArray(payload.aud) && payload.aud.length > 1;
  // OpenID Connect Core §3.1.3.7: a token that was issued to another client can contain Gatehouse as second audience
  if ((several || azp !== undefined) && azp !== clientId) return null;
  const issuedAt = new Date(iat * 1000);
  const authTime = dateOf(payload['auth_time']) ?? issuedAt;
  return {
    ...describePerson(row, payload),
    subject: named.subject,
    authTime,
    issuedAt,
    expiresAt: Math.floor(exp),
  };
}

/** tolerance for differences between the broker's clock and Gatehouse's clock */
const TOLERANCE_SECONDS = 30;

export async function startAtBroker(row: SnapshotMethod, input: StartSignIn): Promise<Departure> {
  // this step usually makes no call to the broker, so only its failures are counted
  const began = performance.now();
  try {
    // fails before the redirect, and not only after the person returns from the broker
    if (isOpen(breakerOf(row))) throw new OutboundFailed('breaker-open');
    const broker = await unwrapOutboundFailed(openBroker(row));
    const nonce = broker.sendsNonce ? client.randomNonce() : null;
    const codeVerifier = broker.sendsChallenge ? client.randomPKCECodeVerifier() : null;
    const redirectUri = `${input.origin}${callbackOf(row)}`;
    const parameters = {
      ...broker.parameters,
      redirect_uri: redirectUri,
      scope: broker.scope,
      state: input.state,
      ...(codeVerifier !== null && {
        code_challenge: await client.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      }),
      nonce: nonce ?? '',
      login_hint: input.loginHint ?? '',
      max_age: String(input.maxAgeSeconds ?? input.freshSeconds ?? ''),
      prompt: input.again ? 'login' : '',
      response_mode: broker.responseMode ?? '',
    };
    const sent = Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== ''));
    const location = client.buildAuthorizationUrl(broker.config, sent).href;
    const { state, maxAgeSeconds } = input;
    const expectation = { broker: brokerOf(row), redirectUri, state, codeVerifier, nonce, maxAgeSeconds };
    return { kind: 'depart', location, expectation };
  } catch (error) {
    failureOf(error, row.id);
    countCall(row.id, 'failed', began);
    return { kind: 'unavailable' };
  }
}

const FAULTS: Record<AnswerFault, string> = {
  'another-broker': "a broker's answer came after its method was given to another broker",
  elsewhere: "a broker's answer came to the address of another method",
  'iss-missing': "a broker's answer came without iss, and several brokers could have sent it",
};

export async function finishAtBroker(
  row: SnapshotMethod,
  answer: BrokerAnswer,
  expected: Expectation,
): Promise<Verdict> {
  // the code may come from another broker and must not reach this broker
  const fault = await answerFault(row, answer, expected);
  if (fault !== null) {
    log().warn({ auth_method: row.id, fault }, FAULTS[fault]);
    return { kind: 'refused' };
  }
  let identity: BrokerIdentity;
  const began = performance.now();
  try {
    identity = await unwrapOutboundFailed(redeem(row, answer, expected));
    countCall(row.id, 'answered', began);
  } catch (error) {
    const failure = failureOf(error, row.id);
    // a rejection by the broker is also a response, so the metric counts the call as answered
    countCall(row.id, failure.kind === 'unavailable' ? 'failed' : 'answered', began);
    return failure;
  }
  // keeps the stored name if later responses of the broker omit the name
  const keepsName = namesInForm(row);
  const name = identity.name ?? (keepsName ? (answer.name ?? null) : null);
  const person = await personOf(row, { ...identity, name, keepsName, saidAt: null });
  if (person === null) return { kind: 'refused' };
  const { authTime, amr, acr: brokerAcr } = identity;
  return { kind: 'identity', ...person, ...(authTime && { authTime }), amr, brokerAcr };
}

async function redeem(
  row: SnapshotMethod,
  answer: BrokerAnswer,
  expected: Expectation,
): Promise<BrokerIdentity> {
  const broker = await openBroker(row);
  const iss = answer.iss ?? (answer.whole ? null : broker.config.serverMetadata().issuer);
  const address = new URL(expected.redirectUri);
  address.search = new URLSearchParams({
    code: answer.code,
    state: expected.state,
    ...(iss === null ? {} : { iss }),
  }).toString();
  const tokens = await client
    .authorizationCodeGrant(broker.config, address, {
      expectedState: expected.state,
      ...(expected.codeVerifier === null ? {} : { pkceCodeVerifier: expected.codeVerifier }),
      idTokenExpected: broker.keys !== null,
      ...(expected.nonce === null ? {} : { expectedNonce: expected.nonce }),
    })
    .catch((error: unknown) => {
      // the library rejects non-numeric values first
      throw expected.maxAgeSeconds !== null && isAboutAuthTime(error) ? new NoAuthTime() : error;
    });
  const identity = await identityOf(row, broker, tokens);
  if (expected.maxAgeSeconds !== null) checkAge(identity.authTime, expected.maxAgeSeconds);
  return identity;
}

const isAboutAuthTime = (error: unknown) =>
  error instanceof client.ClientError &&
  error.code === 'OAUTH_INVALID_RESPONSE' &&
  error.cause instanceof Error &&
  error.cause.message.includes('"auth_time"');

/**
 * Rejects a sign-in that is older than `max_age` (OpenID Connect Core §3.1.3.7 (13)). Plain OAuth 2.0 contains
 * no time of the sign-in.
 */
function checkAge(authTime: Date | null, maxAgeSeconds: number): void {
  if (authTime === null) throw new NoAuthTime();
  if (authTime.getTime() + (maxAgeSeconds + TOLERANCE_SECONDS) * 1000 >= now().getTime()) return;
  throw new BrokerRefused('the person signed in at the broker longer ago than max_age');
}

export async function verifyBrokerIdToken(row: SnapshotMethod, idToken: string): Promise<IdTokenVerdict> {
  let tokenIdentity: Awaited<ReturnType<typeof verifyIdToken>>;
  try {
    tokenIdentity = await unwrapOutboundFailed(
      openBroker(row).then((broker) => verifyIdToken(row, broker, idToken)),
    );
  } catch (error) {
    return failureOf(error, row.id);
  }
  // only the ID token is available, without userinfo
  const person = tokenIdentity && (await personOf(row, { ...tokenIdentity, saidAt: tokenIdentity.issuedAt }));
  if (!tokenIdentity || !person) return { kind: 'refused' };
  return {
    kind: 'identity',
    ...person,
    authTime: tokenIdentity.authTime,
    expiresAt: tokenIdentity.expiresAt,
  };
}

export async function proveBrokerIdJag(
  row: SnapshotMethod,
  assertion: string,
): Promise<IdJagProof | 'unavailable'> {
  try {
    return await unwrapOutboundFailed(openBroker(row).then((broker) => proveSignature(broker, assertion)));
  } catch (error) {
    return failureOf(error, row.id).kind === 'unavailable' ? 'unavailable' : 'jag-signature';
  }
}

/** Finds or creates the person whom an ID-JAG names. Applies its claims in the same way as those of an ID token. */
export async function personOfIdJag(row: SnapshotMethod, { subject: sub, issuedAt, payload }: ToldByIdJag) {
  const saidAt = new Date(issuedAt * 1000);
  const named = subjectOfToken(row, { ...payload, sub });
  return 'fault' in named ? null : personOf(row, { ...describePerson(row, payload), ...named, saidAt });
}

type Told = ToldPerson & { subject: string; saidAt: Date | null; keepsName?: boolean };

function personOf(row: SnapshotMethod, profile: Told) {
  const { subject, email, emailVerified, name, claims, leftOut, groups, saidAt, keepsName = false } = profile;
  const profileFields = { email, emailVerified, name, claims, leftOut, groups };
  return knowIdentity(row, { subject, ...profileFields, saidAt, keepsName });
}
