// Randomness and digests. A typed prefix lets a secret scanner, and a reader, see what leaked.
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

/** `<prefix>` and 32 random bytes as base64url: 256 bits (RFC 6749 §10.10 asks for 128). */
export function randomToken(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function sha256(value: string): Buffer {
  return hash('sha256', value, 'buffer');
}

/** Compares two digests of equal length without telling where they differ. */
export function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
