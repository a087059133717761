// Verifies an ID token that a client presents for exchange (RFC 8693): issued by the broker, for our client_id there,
// unexpired, signed with a published key. No sign-in of ours asked for it, so there is no nonce to compare.
import { jwtVerify } from 'jose';
import { z } from 'zod';
import { now } from '#lib/kit/index.ts';
import type { Broker } from './broker-discovery.ts';
import { ID_TOKEN_ALGORITHMS } from './broker-discovery.ts';
import { type BrokerIdentity, dateOf } from './broker-identity.ts';

const MAX_LENGTH = 16_384;
const text = z.string().trim().min(1).max(320).nullable().catch(null);
const claimsOf = z.object({
  sub: z.string().min(1).max(255),
  iat: z.number(),
  exp: z.number(),
  azp: z.string().optional(),
  /** in logout tokens only (OpenID Connect Back-Channel Logout §2.4) */
  events: z.undefined().optional(),
  email: text,
  name: text,
});

export async function verifyIdToken(
  broker: Broker,
  idToken: string,
): Promise<(BrokerIdentity & { authTime: Date; expiresAt: number }) | null> {
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
  const { sub, azp, email, name, iat, exp } = claims.data;
  const several = Array.isArray(payload.aud) && payload.aud.length > 1;
  // OpenID Connect Core §3.1.3.7: issued to another client that also named us
  if ((several || azp !== undefined) && azp !== clientId) return null;
  const authTime = dateOf(payload['auth_time']) ?? new Date(iat * 1000);
  return { subject: sub, email, name, authTime, expiresAt: Math.floor(exp) };
}
