// Access tokens: a JWT of RFC 9068, or 256 random bits. A JWT's `jti` starts with its family's id, so that it can be
// introspected as revoked although it is stored nowhere.
import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import { currentKey } from '#lib/keys/index.ts';
import type { Directory, DirectoryApi } from '#lib/store/index.ts';
import { type Minted, mint } from './formats.ts';

export type AccessTokenClaims = {
  issuer: string;
  api: DirectoryApi;
  familyId: string;
  personId: string;
  clientId: string;
  scopes: readonly string[];
  authTime: Date;
};

/** An opaque token must be stored by the statement that grants it, so it is made before; a JWT after. */
export function mintOpaque(api: DirectoryApi): Minted | null {
  return api.accessTokenFormat === 'opaque' ? mint('access') : null;
}

/** RFC 9068 §2.2. */
export async function signAccessToken(claims: AccessTokenClaims, registry: Directory): Promise<string> {
  const key = await currentKey(claims.api.signingAlg, registry);
  const issuedAt = Math.floor(registry.now().getTime() / 1000);
  return new SignJWT({
    client_id: claims.clientId,
    scope: claims.scopes.join(' '),
    auth_time: Math.floor(claims.authTime.getTime() / 1000),
  })
    .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid })
    .setIssuer(claims.issuer)
    .setAudience(claims.api.url)
    .setSubject(claims.personId)
    .setJti(`${claims.familyId}.${randomBytes(12).toString('base64url')}`)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + claims.api.accessTokenTtlSeconds)
    .sign(key.privateKey);
}
