// Reads an access token of this service: signature, type at+jwt and expiry of a JWT. Whether it was revoked, the store
// knows.
import { decodeJwt } from 'jose';
import { findPublicKey } from '#lib/keys/keys.ts';
import { nowSeconds } from '#lib/kit/clock.ts';
import type { Snapshot } from '#lib/store/registry/snapshot-rows.ts';
import { ACCESS_TOKEN_TYPE } from './access-token.ts';
import { hashPresented } from './formats.ts';
import { decodeCompact, verifyCompact } from './jws.ts';

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

const JTI = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{16}$/;

export function readAccessToken(token: string, snapshot: Snapshot): PresentedAccess | null {
  const opaqueHash = hashPresented('access', token);
  if (opaqueHash) return { opaqueHash, familyId: null, scopes: [], issuedAt: 0, expiresAt: 0 };
  const payload = verifyCompact(token, ACCESS_TOKEN_TYPE, (kid) => findPublicKey(snapshot, kid));
  if (!payload) return null;
  const { jti, iat, exp, scope } = payload;
  if (typeof jti !== 'string' || typeof iat !== 'number' || typeof exp !== 'number') return null;
  const familyId = JTI.exec(jti)?.[1];
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
