// Random tokens and digests. Token prefixes identify the token type to secret scanners and readers.
import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { now } from './clock.ts';

/** Returns the prefix and 32 random bytes as base64url: 256 bits (RFC 6749 §10.10 requires 128). */
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

// Creates a request id: UUID version 7 (RFC 9562 §5.7). Its leading timestamp lets log queries use the time indexes.

export function newRequestId(): string {
  const time = now().getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
