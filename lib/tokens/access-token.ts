// Access tokens: a JWT (RFC 9068), or 256 random bits. The `jti` of a JWT starts with the id of its token family, so
// that introspection can tell that it was revoked although it is not stored.
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

/** The claims of the token. Without `jti`: the claims before the token is issued. */
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

/** The claims of the token. Without `jti`: the claims before the token is issued. */
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

// Access tokens of clients in their own name (RFC 6749 §4.4). They have a table of their own and a prefix (a JWT: in
// its `jti`), by which a lookup knows which table to read.

/** The token itself, or what a JWT will be called by. */
export type MachineToken = { opaque: string } | { jti: string };

/** `hash`: what the row is found by; `jti`: of a JWT. */
export type PresentedMachine = { hash: Buffer; jti?: string };

/** No `jti` of a person's begins like this, and no opaque token. */
const MACHINE_JTI = /^machine\.[\w-]{43}$/;

/** Made before the statement that stores it. */
export function mintMachineToken(api: SnapshotApi): { token: MachineToken; hash: Buffer } {
  if (api.accessTokenFormat === 'opaque') {
    const { value, hash } = mint('machine');
    return { token: { opaque: value }, hash };
  }
  const jti = randomToken('machine.');
  return { token: { jti }, hash: sha256(jti) };
}

/** Null for anything but a token that this service gave to a machine; whether it lives, the store knows. */
export function readMachineToken(token: string, snapshot: Snapshot): PresentedMachine | null {
  const hash = hashPresented('machine', token);
  if (hash) return { hash };
  // no second signature is checked for what a person's token would have been
  if (!claimsMachine(token)) return null;
  const payload = verifyCompact(token, ACCESS_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  const { jti, exp } = payload ?? {};
  if (typeof jti !== 'string' || typeof exp !== 'number' || exp <= nowSeconds()) return null;
  return { hash: sha256(jti), jti };
}

/** Does it call itself one, unverified? */
function claimsMachine(token: string): boolean {
  try {
    return MACHINE_JTI.test(decodeJwt(token).jti ?? '');
  } catch {
    return false;
  }
}

// Reads an access token of this service: signature, type at+jwt and expiry of a JWT. Whether it was revoked, the store
// knows.

export type PresentedAccess = {
  opaqueHash: Buffer | null;
  familyId: string | null;
  jti?: string;
  scopes: string[];
  /** seconds since 1970 */
  issuedAt: number;
  expiresAt: number;
  /** of a JWT: the thumbprint of the key that it is bound to (RFC 9449 §6.1), base64url */
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

/** Null: in a way that is none of ours. */
function boundTo(cnf: unknown): { jkt?: string } | null {
  if (cnf === undefined) return {};
  const jkt = typeof cnf === 'object' && cnf !== null && Reflect.get(cnf, 'jkt');
  return typeof jkt === 'string' ? { jkt } : null;
}

/** Of what is no living access token to us: was it one, or may a key that another process has made say more? */
export function whyUnread(token: string, snapshot: Snapshot): 'expired' | 'unknown-key' | 'unknown' {
  const { header, payload } = decodeCompact(token) ?? {};
  if (!header || !payload) return 'unknown';
  const key = typeof header['kid'] === 'string' ? findPublicKey(snapshot, header['kid']) : null;
  if (!key) return 'unknown-key';
  const isOver = typeof payload['exp'] === 'number' && payload['exp'] <= nowSeconds();
  return isOver && verifyCompact(token, ACCESS_TOKEN_TYPE, () => key) ? 'expired' : 'unknown';
}

/** The `iss` of a JWT, unverified; null if it has none or is not a JWT. */
export function claimedIssuer(token: string): string | null {
  try {
    return decodeJwt(token).iss ?? null;
  } catch {
    return null;
  }
}
