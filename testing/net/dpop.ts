// Creates valid and invalid DPoP proofs (RFC 9449) with jose.
import { createHash, randomUUID } from 'node:crypto';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

export type ProofKey = { alg: string; privateKey: CryptoKey; jwk: JWK; jkt: string };

export async function proofKey(alg = 'ES256', options: { modulusLength?: number } = {}): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true, ...options });
  const jwk = await exportJWK(publicKey);
  return { alg, privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) };
}

type Proven = {
  method?: string;
  address: string;
  /** access token that the request contains; missing for token requests */
  token?: string;
  nonce?: string;
  /** claims that replace those of a valid proof; undefined omits a claim */
  claims?: Record<string, unknown>;
  header?: Record<string, unknown>;
};

export function proofOf(key: ProofKey, { method = 'POST', address, token, nonce, claims, header }: Proven) {
  const said = {
    jti: randomUUID(),
    htm: method,
    htu: address,
    iat: Math.floor(Date.now() / 1000),
    ...(token !== undefined && { ath: createHash('sha256').update(token).digest('base64url') }),
    ...(nonce !== undefined && { nonce }),
    ...claims,
  };
  const kept = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
  return new SignJWT(kept)
    .setProtectedHeader({ alg: key.alg, typ: 'dpop+jwt', jwk: key.jwk, ...header })
    .sign(key.privateKey);
}
