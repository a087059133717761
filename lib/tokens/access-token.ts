// Access tokens: JWT (RFC 9068) or 256 random bits. A JWT's `jti` starts with the id of its token family, so
// introspection detects revocation without storing the token.
import { randomBytes } from 'node:crypto';
import { decodeJwt } from 'jose';
import { currentKey, findPublicKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import { randomToken, sha256 } from '#lib/kit/random.ts';
import type { PersonClaims } from '#lib/store/hot/person-facts.ts';
import type { Snapshot, SnapshotApi } from '#lib/store/snapshot.ts';
import { hashPresented, type Minted, mint } from './formats.ts';
import { decodeCompact, signCompact, verifyCompact } from './jws.ts';

type AccessTokenClaims = {
  issuer: string;
  api: SnapshotApi;
  familyId: string;
  /** `sub` of the user for this client */
  sub: string;
  clientId: string;
  scopes: readonly string[];
  authTime: Date;
  /** seconds since 1970, if earlier than the API's lifetime */
  expiresAt?: number | undefined;
  /** the actor who acts for the user (RFC 8693 §4.1) */
  act?: Record<string, unknown> | undefined;
  /** user claims that the API requests (RFC 9068 §2.2.3); their names never equal a standard member of the token */
  ofPerson?: PersonClaims | undefined;
  /** authentication information (RFC 9068 §2.2.1); missing: the token has no sign-in */
  strength?: { acr?: string; amr?: string[] };
  /** thumbprint of the bound key (RFC 9449 §6.1); null: bearer token */
  jkt?: Uint8Array | null | undefined;
};

/** `typ` of access tokens (RFC 9068 §2.1). */
export const ACCESS_TOKEN_TYPE = 'at+jwt';

/** Creates an opaque token before the statement that stores it. Null if the API uses JWTs, which are signed later. */
export function mintOpaque(api: SnapshotApi): Minted | null {
  return api.accessTokenFormat === 'opaque' ? mint('access') : null;
}

type Signed = Pick<AccessTokenClaims, 'issuer' | 'api' | 'clientId' | 'scopes' | 'jkt'> & { jti: string };

const confirmation = (jkt: Uint8Array | null | undefined) =>
  jkt ? { cnf: { jkt: Buffer.from(jkt).toString('base64url') } } : {};

/** Signs a token for client credentials, with the client as subject (RFC 9068 §2.2). */
export async function signMachineToken(claims: Signed, snapshot: Snapshot): Promise<string> {
  const key = await currentKey(claims.api.signingAlg, snapshot);
  return signCompact(ACCESS_TOKEN_TYPE, machineTokenPayload(claims), key);
}

/** Claims of the token. Without `jti`: a preview before issuance. */
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

/** Signs a user's access token (RFC 9068 §2.2). */
export async function signAccessToken(claims: AccessTokenClaims, snapshot: Snapshot): Promise<string> {
  const key = await currentKey(claims.api.signingAlg, snapshot);
  const jti = `${claims.familyId}.${randomBytes(12).toString('base64url')}`;
  return signCompact(ACCESS_TOKEN_TYPE, accessTokenPayload(claims, jti), key);
}

/** Claims of the user's token. If `jti` is missing, they are a preview of a token that was not issued. */
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

// Client credentials tokens (RFC 6749 §4.4). They have a separate table and a separate prefix (in a JWT: of the `jti`),
// so a lookup knows which table to read.

/** A new machine token: the value of an opaque token, or the id of a JWT that is signed later. */
export type MachineToken = { opaque: string } | { jti: string };

/** A machine token in a request. `hash`: lookup key of the row. `jti`: present only for a JWT. */
export type PresentedMachine = { hash: Buffer; jti?: string };

/** Format of the `jti` of machine tokens. The `jti` of a user's token, and an opaque token, never begin like this. */
const MACHINE_JTI = /^machine\.[\w-]{43}$/;

/** Creates a machine token before the statement that stores it. */
export function mintMachineToken(api: SnapshotApi): { token: MachineToken; hash: Buffer } {
  if (api.accessTokenFormat === 'opaque') {
    const { value, hash } = mint('machine');
    return { token: { opaque: value }, hash };
  }
  const jti = randomToken('machine.');
  return { token: { jti }, hash: sha256(jti) };
}

/** Returns null if the text is not a machine token of this service. The store decides whether the token is active. */
export function readMachineToken(token: string, snapshot: Snapshot): PresentedMachine | null {
  const hash = hashPresented('machine', token);
  if (hash) return { hash };
  // avoids a second signature check for tokens of users
  if (!claimsMachine(token)) return null;
  const payload = verifyCompact(token, ACCESS_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  const { jti, exp } = payload ?? {};
  if (typeof jti !== 'string' || typeof exp !== 'number' || exp <= nowSeconds()) return null;
  return { hash: sha256(jti), jti };
}

/** True if the unverified token claims to be a machine token. */
function claimsMachine(token: string): boolean {
  try {
    return MACHINE_JTI.test(decodeJwt(token).jti ?? '');
  } catch {
    return false;
  }
}

// Access tokens of this service, verified by JWT signature, type at+jwt and expiry. The store decides whether they are
// revoked.

export type PresentedAccess = {
  opaqueHash: Buffer | null;
  familyId: string | null;
  jti?: string;
  scopes: string[];
  /** time of issuance in seconds since 1970 */
  issuedAt: number;
  expiresAt: number;
  /** JWT: thumbprint of the bound key (RFC 9449 §6.1), base64url */
  jkt?: string;
};

const FAMILY_JTI = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{16}$/;

export function readAccessToken(token: string, snapshot: Snapshot): PresentedAccess | null {
  const opaqueHash = hashPresented('access', token);
  if (opaqueHash) return { opaqueHash, familyId: null, scopes: [], issuedAt: 0, expiresAt: 0 };
  const payload = verifyCompact(token, ACCESS_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  if (!payload) return null;
  const { jti, iat, exp, scope } = payload;
  if (typeof jti !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null;
  const familyId = FAMILY_JTI.exec(jti)?.[1];
  if (!familyId || exp <= nowSeconds()) return null;
  const scopes = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : [];
  const bound = boundTo(payload['cnf']);
  if (bound === null) return null;
  return { opaqueHash: null, familyId, jti, scopes, issuedAt: iat, expiresAt: exp, ...bound };
}

/** Returns null if the confirmation method is unsupported. */
function boundTo(cnf: unknown): { jkt?: string } | null {
  if (cnf === undefined) return {};
  const jkt = typeof cnf === 'object' && cnf !== null && Reflect.get(cnf, 'jkt');
  return typeof jkt === 'string' ? { jkt } : null;
}

/**
 * Reason why an access token cannot be read: it has expired, or its key is unknown, perhaps because another process
 * created it just now.
 */
export function whyUnread(token: string, snapshot: Snapshot): 'expired' | 'unknown-key' | 'unknown' {
  const { header, payload } = decodeCompact(token) ?? {};
  if (!header || !payload) return 'unknown';
  const key = typeof header['kid'] === 'string' ? findPublicKey(snapshot, header['kid']) : null;
  if (!key) return 'unknown-key';
  const isOver = typeof payload['exp'] === 'number' && payload['exp'] <= nowSeconds();
  return isOver && verifyCompact(token, ACCESS_TOKEN_TYPE, () => key) ? 'expired' : 'unknown';
}

/** Returns the unverified `iss` of a JWT. Null if `iss` is missing, or the text is not a JWT. */
export function claimedIssuer(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}
