// Random tokens and digests. The prefix of a token shows its type to secret scanners and readers.
import { hash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { now } from './clock.ts';

/** Returns the prefix and 32 random bytes in base64url: 256 bits (RFC 6749 §10.10 requires 128). */
export function randomToken(prefix: string): string {
  return prefix + randomBytes(32).toString('base64url');
}

export function sha256(value: string): Buffer<ArrayBuffer> {
  return hash('sha256', value, 'buffer');
}

/** Compares two digests in constant time. */
export function equalDigests(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}

// Creates a request id: a UUID of version 7 (RFC 9562 §5.7). It starts with the time, so queries of the log can use
// an index on time.

export function newRequestId(): string {
  const time = now().getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
