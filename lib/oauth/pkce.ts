// PKCE (RFC 7636), S256 only.
import { hash } from 'node:crypto';

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
