// Recognises an access token of this service. A JWT's signature is verified with the one algorithm of its key, its
// type must be at+jwt; whether it still lives, only the store can say.
import { importJWK, jwtVerify } from 'jose';
import { findPublicKey } from '#lib/keys/index.ts';
import type { Directory } from '#lib/store/index.ts';
import { hashPresented } from './formats.ts';

export type PresentedAccess = {
  opaqueHash: Buffer | null;
  familyId: string | null;
  jti?: string;
  scopes: string[];
  /** seconds since 1970 */
  issuedAt: number;
  expiresAt: number;
};

const JTI = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.[\w-]{16}$/;

export async function readAccessToken(token: string, registry: Directory): Promise<PresentedAccess | null> {
  const opaqueHash = hashPresented('access', token);
  if (opaqueHash) return { opaqueHash, familyId: null, scopes: [], issuedAt: 0, expiresAt: 0 };
  if (token.length > 8_192 || token.split('.').length !== 3) return null;
  try {
    const { payload } = await jwtVerify(
      token,
      async (header) => {
        const key = findPublicKey(registry, header.kid ?? '');
        if (!key || key.alg !== header.alg) throw new Error('unknown key');
        return importJWK(key.jwk, key.alg);
      },
      {
        typ: 'at+jwt',
        algorithms: ['ES256', 'RS256'],
        requiredClaims: ['jti', 'exp', 'iat', 'sub'],
        currentDate: registry.now(),
      },
    );
    const familyId = JTI.exec(payload.jti ?? '')?.[1];
    if (!familyId || payload.jti === undefined) return null;
    return {
      opaqueHash: null,
      familyId,
      jti: payload.jti,
      scopes: String(payload['scope'] ?? '')
        .split(' ')
        .filter(Boolean),
      issuedAt: payload.iat ?? 0,
      expiresAt: payload.exp ?? 0,
    };
  } catch {
    return null;
  }
}
