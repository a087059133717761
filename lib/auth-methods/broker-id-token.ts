// Verifies an ID token that a client presents for exchange (RFC 8693): issued by the broker, for our client_id there,
// unexpired, signed with a published key. No sign-in of ours asked for it, so there is no nonce to compare.
import { jwtVerify } from 'jose';
import { z } from 'zod';
import { now } from '#lib/kit/clock.ts';
import type { SnapshotMethod } from '#lib/store/registry/snapshot-rows.ts';
import type { Broker } from './broker-discovery.ts';
import { ID_TOKEN_ALGORITHMS } from './broker-discovery.ts';
import { dateOf } from './broker-identity.ts';
import { subjectOfToken } from './broker-presets.ts';
import { describePerson, type ToldPerson } from './person-claims.ts';

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
