// Who signed in at the broker: from the ID token, with userinfo for what it lacks, or with plain OAuth 2.0 only from
// userinfo. `subject` identifies the person; everything else describes them.
import { jwtVerify } from 'jose';
import * as client from 'openid-client';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import { log } from '#lib/kit/log.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { type Broker, ID_TOKEN_ALGORITHMS } from './broker-discovery.ts';
import { BrokerRefused } from './broker-failure.ts';
import {
  describePerson,
  exactJson,
  leavesOpen,
  type Members,
  subjectAt,
  subjectOfToken,
  type ToldPerson,
} from './person-claims.ts';

// The list of a person's e-mail addresses, where a plain OAuth 2.0 provider has one: what its userinfo says may be a
// public address that nothing proved.

const list = z.array(z.unknown());
const entry = z.object({ email: z.string(), primary: z.literal(true), verified: z.literal(true) });

/**
 * The one that is primary and verified, as members of userinfo, or none; `ask` gives the body of the list. Rejects
 * where there is no list: the address that is known would be taken away by a failure.
 */
async function provedAddress(ask: () => Promise<string>): Promise<Members> {
  const found = listIn(await ask())
    .map((one) => entry.safeParse(one).data)
    .find((one) => one !== undefined);
  return found ? { email: found.email, email_verified: true } : {};
}

function listIn(body: string): unknown[] {
  try {
    return list.parse(exactJson(body));
  } catch {
    // what the cause quotes is the broker's
    throw new client.ClientError('the list of e-mail addresses is none');
  }
}

export type BrokerIdentity = ToldPerson & {
  subject: string;
  authTime: Date | null;
  /** how they proved it, in the broker's words */
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

/** A subject of another claim comes from the ID token too: userinfo is not signed. */
function subjectOf(row: SnapshotMethod, claims: Members): string {
  const named = subjectOfToken(row, claims);
  if ('fault' in named) throw new BrokerRefused(named.fault);
  return named.subject;
}

const YEAR_2000 = 946_684_800;
/** a broker's clock may be ahead of ours */
const AHEAD_SECONDS = 60;

/**
 * Seconds since 1970 as a date. Null: no time, such as a text, milliseconds, or anything before 2000 or still to come.
 */
function dateOf(seconds: unknown): Date | null {
  if (typeof seconds !== 'number') return null;
  const latest = now().getTime() / 1000 + AHEAD_SECONDS;
  return seconds >= YEAR_2000 && seconds <= latest ? new Date(seconds * 1000) : null;
}

/** Nothing where userinfo fails; it rejects only if its answer is about another subject, or signed and not for us. */
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
  return ofSubject(await verified(broker, answer.text), expected);
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
 * OpenID Connect Core §5.3.2: a signed answer names its issuer and audience. Rejects where they are not the broker and
 * us.
 */
async function verified({ config, keys }: Broker, jwt: string): Promise<Members> {
  const refused = (why: string) => new BrokerRefused(`the signed userinfo answer is refused: ${why}`);
  if (keys === null) throw refused('a plain OAuth 2.0 provider has no keys to verify it with');
  if (jwt.split('.').length !== 3) throw refused('it is no signed JWT; an encrypted one cannot be read');
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
    // the keys could not be fetched: the broker said nothing false
    if (!/^ERR_J/.test(code) || /^ERR_JWKS_(TIMEOUT|INVALID)$|^ERR_JOSE_GENERIC$/.test(code)) throw error;
    throw refused(message);
  }
}

async function plainIdentity(
  row: SnapshotMethod,
  broker: Broker,
  accessToken: string,
): Promise<BrokerIdentity> {
  const { text, isJwt } = await askUserinfo(broker, accessToken);
  const claims = isJwt ? await verified(broker, text) : members.parse(exactJson(text));
  const subject = subjectAt(claims, broker.subjectClaim);
  if (subject === null) throw new client.ClientError(`the userinfo answer has no ${broker.subjectClaim}`);
  const told = describePerson(row, await withProvedAddress(broker, accessToken, claims));
  return { ...told, subject, authTime: null, amr: [], acr: null };
}

/** Where there is a list of addresses, userinfo says nothing of them. */
async function withProvedAddress(broker: Broker, accessToken: string, claims: Members): Promise<Members> {
  const { emailsAddress } = broker;
  if (emailsAddress === null) return claims;
  const { email: _, email_verified: __, ...rest } = claims;
  const proved = await provedAddress(
    async () => (await askWithToken(broker, accessToken, emailsAddress)).text,
  );
  return { ...rest, ...proved };
}

// Verifies an ID token that a client presents for exchange (RFC 8693): issued by the broker, for our client_id there,
// unexpired, signed with a published key. No sign-in of ours asked for it, so there is no nonce to compare.

const MAX_LENGTH = 16_384;
const claimsOf = z.object({
  sub: z.string().min(1).max(255),
  iat: z.number(),
  exp: z.number(),
  azp: z.string().optional(),
  /** in logout tokens only (OpenID Connect Back-Channel Logout §2.4) */
  events: z.undefined().optional(),
});

/** `issuedAt`: it may be older than what is known of the person; `expiresAt` in seconds since 1970 */
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
  // OpenID Connect Core §3.1.3.7: issued to another client that also named us
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
