// Access tokens: a JWT of RFC 9068, or 256 random bits. A JWT's `jti` starts with its family's id, so that it can be
// introspected as revoked although it is stored nowhere.
import { randomBytes } from 'node:crypto';
import { currentKey } from '#lib/keys/index.ts';
import { nowSeconds } from '#lib/kit/index.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/index.ts';
import { type Minted, mint } from './formats.ts';
import { signCompact } from './jws.ts';

export type AccessTokenClaims = {
  issuer: string;
  api: SnapshotApi;
  familyId: string;
  personId: string;
  clientId: string;
  scopes: readonly string[];
  authTime: Date;
  /** seconds since 1970, where it ends sooner than the API's tokens do */
  expiresAt?: number | undefined;
  /** who acts for the person (RFC 8693 §4.1) */
  act?: Record<string, unknown> | undefined;
};

/** RFC 9068 §2.1. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** An opaque token must be stored by the statement that grants it, so it is made before; a JWT after. */
export function mintOpaque(api: SnapshotApi): Minted | null {
  return api.accessTokenFormat === 'opaque' ? mint('access') : null;
}

/** RFC 9068 §2.2. */
export async function signAccessToken(claims: AccessTokenClaims, snapshot: Snapshot): Promise<string> {
  const key = await currentKey(claims.api.signingAlg, snapshot);
  const issuedAt = nowSeconds();
  const payload = {
    client_id: claims.clientId,
    scope: claims.scopes.join(' '),
    auth_time: Math.floor(claims.authTime.getTime() / 1000),
    ...(claims.act === undefined ? {} : { act: claims.act }),
    iss: claims.issuer,
    aud: claims.api.url,
    sub: claims.personId,
    jti: `${claims.familyId}.${randomBytes(12).toString('base64url')}`,
    iat: issuedAt,
    exp: claims.expiresAt ?? issuedAt + claims.api.accessTokenTtlSeconds,
  };
  return signCompact(ACCESS_TOKEN_TYPE, payload, key);
}
