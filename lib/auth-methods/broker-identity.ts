// Who signed in at the broker: from the ID token, with userinfo for what it leaves open, or from userinfo alone with plain
// OAuth 2.0. `subject` identifies the person; everything else describes them.
import * as client from 'openid-client';
import { z } from 'zod';
import { log } from '#lib/kit/index.ts';
import type { SnapshotMethod } from '#lib/store/index.ts';
import type { Broker } from './broker-discovery.ts';
import { describePerson, leavesOpen, type Members, type ToldPerson } from './person-claims.ts';

export type BrokerIdentity = ToldPerson & {
  subject: string;
  authTime: Date | null;
  /** how they proved it, in the broker's words */
  amr: string[];
  acr: string | null;
};

/** OpenID Connect Core §2: at most 255 characters. Some plain OAuth 2.0 brokers send a number. */
const subject = z.union([z.string().min(1).max(255), z.int().transform(String)]);
const word = z.string().regex(/^[\x20-\x7e]{1,200}$/);
const proof = z.object({ amr: z.array(word).max(20).catch([]), acr: word.nullable().catch(null) });

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

export async function identityOf(
  row: SnapshotMethod,
  broker: Broker,
  tokens: Tokens,
): Promise<BrokerIdentity> {
  if (broker.subjectClaim !== null) return plainIdentity(row, broker, tokens.access_token);
  const claims = tokens.claims();
  if (!claims) throw new client.ClientError('the ID token is missing');
  const more = leavesOpen(row, claims) ? await userInfo(broker, tokens, claims.sub) : {};
  return {
    ...describePerson(row, claims, more),
    subject: subject.parse(claims.sub),
    authTime: dateOf(claims.auth_time),
    ...proof.parse(claims),
  };
}

export function dateOf(seconds: unknown): Date | null {
  return typeof seconds === 'number' && seconds > 0 ? new Date(seconds * 1000) : null;
}

/** Nothing where userinfo fails; it rejects only if userinfo is about another subject. */
async function userInfo(broker: Broker, tokens: Tokens, expected: string): Promise<Members> {
  if (broker.config.serverMetadata().userinfo_endpoint === undefined) return {};
  try {
    return await client.fetchUserInfo(broker.config, tokens.access_token, expected);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    log().warn({ fault: code }, `the userinfo endpoint of a broker failed: ${message}`);
    return {};
  }
}

async function plainIdentity(
  row: SnapshotMethod,
  broker: Broker,
  accessToken: string,
): Promise<BrokerIdentity> {
  const address = new URL(broker.config.serverMetadata().userinfo_endpoint ?? '');
  const headers = new Headers({ accept: 'application/json' });
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
    throw new client.ClientError(`the userinfo address answered ${answer.status}`);
  }
  const claims = z.record(z.string(), z.unknown()).parse(await answer.json());
  const claim = broker.subjectClaim ?? 'sub';
  const found = subject.safeParse(Object.hasOwn(claims, claim) ? claims[claim] : undefined);
  if (!found.success) throw new client.ClientError(`the userinfo answer has no ${claim}`);
  return { ...describePerson(row, claims), subject: found.data, authTime: null, amr: [], acr: null };
}
