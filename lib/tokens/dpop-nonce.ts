// Nonces of DPoP proofs (RFC 9449 §8), which no store holds: each is a code of its minute under a key derived from the
// service's secret, so any instance knows it, and it is used up by nothing.
import { createHmac, hkdfSync } from 'node:crypto';
import { nowSeconds } from '#lib/kit/clock.ts';

/** This minute and two before. */
const GOOD_MINUTES = 3;

/** By the list of secrets, which is one object for as long as the settings are. */
const keys = new WeakMap<readonly string[], Buffer[]>();

function keysOf(secrets: readonly string[]): Buffer[] {
  const found =
    keys.get(secrets) ??
    secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'dpop nonce v1', 32)));
  keys.set(secrets, found);
  return found;
}

/** 128 bits, base64url. */
const nonceAt = (minute: number, key: Buffer): string =>
  createHmac('sha256', key).update(String(minute)).digest().subarray(0, 16).toString('base64url');

const currentMinute = () => Math.floor(nowSeconds() / 60);

/** That of this minute, under the newest secret. */
export function currentNonce(secrets: readonly string[]): string {
  const [key] = keysOf(secrets);
  if (!key) throw new Error('no secret');
  return nonceAt(currentMinute(), key);
}

/** `before`: of the last minutes, and there is a newer one; null: none that counts. */
export function isCurrentNonce(nonce: string, secrets: readonly string[]): 'now' | 'before' | null {
  if (nonce.length !== 22) return null;
  const minute = currentMinute();
  for (const key of keysOf(secrets))
    for (let ago = 0; ago < GOOD_MINUTES; ago += 1)
      if (nonceAt(minute - ago, key) === nonce) return ago === 0 ? 'now' : 'before';
  return null;
}
