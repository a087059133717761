// PKCE (RFC 7636), S256 only.
import { hash } from 'node:crypto';
import type { Params } from '#lib/http/params.ts';
import { InvalidRequest } from '../errors/errors.ts';

/** RFC 7636 §4.1. */
export const CODE_VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
/** RFC 7636 §4.2: a SHA-256 is exactly 43 characters. */
export const CODE_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

export function isCodeVerifier(value: string): boolean {
  return CODE_VERIFIER.test(value);
}

export function isCodeChallenge(value: string): boolean {
  return CODE_CHALLENGE.test(value);
}

/** RFC 7636 §4.6. */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}

/**
 * A client that must prove possession (`demandedBy` says why) sends one; `plain` is refused (specification 4.5 rules 1
 * to 4). InvalidRequest.
 */
export function codeChallengeOf({ values }: Params, demandedBy: string | null): string | null {
  const challenge = values.get('code_challenge');
  const method = values.get('code_challenge_method');
  if (challenge === undefined && method === undefined) {
    if (demandedBy !== null)
      throw new InvalidRequest(`code_challenge and code_challenge_method are required for ${demandedBy}.`);
    return null;
  }
  if (challenge === undefined) throw new InvalidRequest('code_challenge is missing.');
  if (method !== 'S256') throw new InvalidRequest("code_challenge_method must be 'S256'.");
  if (!isCodeChallenge(challenge)) {
    throw new InvalidRequest('code_challenge must be 43 base64url characters (the SHA-256 of the verifier).');
  }
  return challenge;
}
