// Randomness and digests. The prefix of a token tells secret scanners and readers what it is.
import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { now } from './clock.ts';

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

// The id of a request: a UUID of version 7 (RFC 9562 §5.7). It begins with the time, so the logs' indexes of time find
// what they have of it.

export function newRequestId(): string {
  const time = now().getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
