// A client secret that we sign ourselves, as Apple asks for it: what is kept of it, and the key that signs.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { oneLineKey } from '../../fields/values.ts';
import type { MethodConfig } from '../kind.ts';

const id = z.string().regex(/^[A-Z0-9]{10}$/, 'must be 10 capital letters and digits');

export const signedSecret = z.strictObject({
  team_id: id.describe('The team that the key is of'),
  key_id: id.describe('Which of its keys'),
});
export type SignedSecret = z.output<typeof signedSecret>;

export const signedSecretOf = (config: MethodConfig): SignedSecret | null =>
  signedSecret.safeParse(config['signed_secret']).data ?? null;

/** A P-256 key in PKCS#8 as PEM; null: it is no such key. */
export function signingKeyPem(given: string): string | null {
  const pem = pemOf(given);
  const key = keyIn(pem);
  return key?.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1'
    ? pem
    : null;
}

/** Of any kind: no service is told one. */
export const isPrivateKey = (given: string): boolean =>
  given.includes('PRIVATE KEY') || keyIn(pemOf(given)) !== null;

const pemOf = (given: string) =>
  `-----BEGIN PRIVATE KEY-----\n${oneLineKey(given)}\n-----END PRIVATE KEY-----\n`;

function keyIn(pem: string): KeyObject | null {
  try {
    return createPrivateKey(pem);
  } catch {
    return null;
  }
}
