// PKCE (RFC 7636), S256 only.
import { hash } from 'node:crypto';

const VERIFIER = /^[A-Za-z0-9\-._~]{43,128}$/;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** RFC 7636 §4.1. */
export function isCodeVerifier(value: string): boolean {
  return VERIFIER.test(value);
}

/** RFC 7636 §4.2: a SHA-256 is exactly 43 characters. */
export function isCodeChallenge(value: string): boolean {
  return CHALLENGE.test(value);
}

/** RFC 7636 §4.6. */
export function challengeOf(verifier: string): string {
  return hash('sha256', verifier, 'base64url');
}
