// Randomness and digests. The prefix of a token tells secret scanners and readers what it is.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** The prefix and 32 random bytes as base64url: 256 bits (RFC 6749 §10.10 asks for 128). */
export function randomToken(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function sha256(value: string): Buffer<ArrayBuffer> {
  return hash('sha256', value, 'buffer');
}

/** Compares in constant time. */
export function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
