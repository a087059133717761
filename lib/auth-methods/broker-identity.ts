// Who signed in at the broker: from the ID token, with userinfo for a missing name, or from userinfo alone with plain OAuth
// 2.0. `subject` identifies the person; e-mail and name are only shown.
import * as client from 'openid-client';
import { z } from 'zod';
import { log } from '#lib/kit/index.ts';
import type { Broker } from './broker-discovery.ts';

export type BrokerIdentity = {
  subject: string;
  email: string | null;
  name: string | null;
  authTime: Date | null;
};

const text = z.string().trim().min(1).max(320).nullable().catch(null);
const shown = z.object({ email: text, name: text, preferred_username: text, login: text });
/** OpenID Connect Core §2: at most 255 characters. Some plain OAuth 2.0 brokers send a number. */
const subject = z.union([z.string().min(1).max(255), z.int().transform(String)]);

type Tokens = client.TokenEndpointResponse & client.TokenEndpointResponseHelpers;

export async function identityOf(broker: Broker, tokens: Tokens): Promise<BrokerIdentity> {
  if (broker.subjectClaim !== null) return plainIdentity(broker, broker.subjectClaim, tokens.access_token);
  const claims = tokens.claims();
  if (!claims) throw new client.ClientError('the ID token is missing');
  const own = nameIn(claims);
  const more = own.email === null && own.name === null ? await userInfo(broker, tokens, claims.sub) : own;
  return { subject: subject.parse(claims.sub), ...more, authTime: dateOf(claims.auth_time) };
}

export function dateOf(seconds: unknown): Date | null {
  return typeof seconds === 'number' && seconds > 0 ? new Date(seconds * 1000) : null;
}

function nameIn(claims: unknown): { email: string | null; name: string | null } {
  const { email, name, preferred_username, login } = shown.parse(claims);
  return { email, name: name ?? preferred_username ?? login };
}

/** E-mail and name from userinfo, or nulls if it fails; it rejects only if userinfo is about another subject. */
async function userInfo(broker: Broker, tokens: Tokens, expected: string) {
  const nothing = { email: null, name: null };
  if (broker.config.serverMetadata().userinfo_endpoint === undefined) return nothing;
  try {
    return nameIn(await client.fetchUserInfo(broker.config, tokens.access_token, expected));
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') throw error;
    log().warn({ fault: code }, `the userinfo endpoint of a broker failed: ${message}`);
    return nothing;
  }
}

async function plainIdentity(broker: Broker, claim: string, accessToken: string): Promise<BrokerIdentity> {
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
  const found = subject.safeParse(Object.hasOwn(claims, claim) ? claims[claim] : undefined);
  if (!found.success) throw new client.ClientError(`the userinfo answer has no ${claim}`);
  return { subject: found.data, ...nameIn(claims), authTime: null };
}
