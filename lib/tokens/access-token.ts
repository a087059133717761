// Access tokens: a JWT (RFC 9068), or 256 random bits. The `jti` of a JWT starts with the id of its token family, so
// that introspection can tell that it was revoked although it is not stored.
import { randomBytes } from 'node:crypto';
import { currentKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/registry/snapshot-rows.ts';
import type { PersonClaims } from '#lib/store/tokens/openid.ts';
import { type Minted, mint } from './formats.ts';
import { signCompact } from './jws.ts';

export type AccessTokenClaims = {
  issuer: string;
  api: SnapshotApi;
  familyId: string;
  /** the person, as the client knows them */
  sub: string;
  clientId: string;
  scopes: readonly string[];
  authTime: Date;
  /** seconds since 1970, if sooner than the API's lifetime */
  expiresAt?: number | undefined;
  /** who acts for the person (RFC 8693 §4.1) */
  act?: Record<string, unknown> | undefined;
  /** of the person, as the API asks for them (RFC 9068 §2.2.3); none has the name of a member below */
  ofPerson?: PersonClaims | undefined;
  /** how the person signed in (RFC 9068 §2.2.1); left out: no one signed in */
  strength?: { acr?: string; amr?: string[] };
  /** the thumbprint of the key that it is bound to (RFC 9449 §6.1); null: a bearer token */
  jkt?: Uint8Array | null | undefined;
};

/** RFC 9068 §2.1. */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/**
 * An opaque token is made before the statement that stores it; null: the API takes JWTs, which are signed afterwards.
 */
export function mintOpaque(api: SnapshotApi): Minted | null {
  return api.accessTokenFormat === 'opaque' ? mint('access') : null;
}

type Signed = Pick<AccessTokenClaims, 'issuer' | 'api' | 'clientId' | 'scopes' | 'jkt'> & { jti: string };

const confirmation = (jkt: Uint8Array | null | undefined) =>
  jkt ? { cnf: { jkt: Buffer.from(jkt).toString('base64url') } } : {};

/** RFC 9068 §2.2, of a client in its own name: it is the subject. */
export async function signMachineToken(claims: Signed, snapshot: Snapshot): Promise<string> {
  const key = await currentKey(claims.api.signingAlg, snapshot);
  return signCompact(ACCESS_TOKEN_TYPE, machineTokenPayload(claims), key);
}

/** Its claims. Without a `jti`: those that are known before it is given. */
export function machineTokenPayload({
  issuer,
  api,
  clientId,
  scopes,
  jti,
  jkt,
}: Omit<Signed, 'jti'> & { jti?: string }) {
  const iat = nowSeconds();
  return {
    ...{ client_id: clientId, scope: scopes.join(' '), iss: issuer, aud: api.url, sub: clientId },
    ...confirmation(jkt),
    ...(jti !== undefined && { jti }),
    ...{ iat, exp: iat + api.accessTokenTtlSeconds },
  };
}

/** RFC 9068 §2.2. */
export async function signAccessToken(claims: AccessTokenClaims, snapshot: Snapshot): Promise<string> {
  const key = await currentKey(claims.api.signingAlg, snapshot);
  const jti = `${claims.familyId}.${randomBytes(12).toString('base64url')}`;
  return signCompact(ACCESS_TOKEN_TYPE, accessTokenPayload(claims, jti), key);
}

/** Its claims. Without a `jti`: those that are known before it is given. */
export function accessTokenPayload(claims: Omit<AccessTokenClaims, 'familyId'>, jti?: string) {
  const issuedAt = nowSeconds();
  return {
    ...claims.ofPerson,
    client_id: claims.clientId,
    scope: claims.scopes.join(' '),
    auth_time: Math.floor(claims.authTime.getTime() / 1000),
    ...claims.strength,
    ...(claims.act === undefined ? {} : { act: claims.act }),
    ...confirmation(claims.jkt),
    iss: claims.issuer,
    aud: claims.api.url,
    sub: claims.sub,
    ...(jti !== undefined && { jti }),
    iat: issuedAt,
    exp: claims.expiresAt ?? issuedAt + claims.api.accessTokenTtlSeconds,
  };
}
