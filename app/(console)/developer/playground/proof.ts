// The proof of a key, for one request (RFC 9449 §4.2).
import { exportJWK, SignJWT } from 'jose';
import type { BrowserKey } from './key.ts';
import { randomText, sha256Text } from './pkce.ts';

export type ProofOf = {
  method: 'GET' | 'POST';
  address: string;
  /** what the service gave last; null: nothing yet */
  nonce: string | null;
  /** the token that is used with it; null: at the token address there is none */
  accessToken: string | null;
};

export async function proofFor(
  { pair }: Pick<BrowserKey, 'pair'>,
  { method, address, nonce, accessToken }: ProofOf,
) {
  const jwk = await exportJWK(pair.publicKey);
  return new SignJWT({
    htm: method,
    htu: address,
    jti: randomText(16),
    ...(nonce === null ? {} : { nonce }),
    ...(accessToken === null ? {} : { ath: await sha256Text(accessToken) }),
  })
    .setProtectedHeader({ typ: 'dpop+jwt', alg: 'ES256', jwk })
    .setIssuedAt()
    .sign(pair.privateKey);
}
