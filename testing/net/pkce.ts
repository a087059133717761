// Creates PKCE pairs (RFC 7636), and computes the challenge of a verifier.
import { createHash, randomBytes } from 'node:crypto';

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

export function freshPkce(verifier = randomBytes(32).toString('base64url')) {
  const challenge = challengeOf(verifier);
  return { verifier, challenge, params: { code_challenge: challenge, code_challenge_method: 'S256' } };
}
