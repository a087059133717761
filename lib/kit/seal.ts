// Seals URLs, forms, rows and all cookies except session cookies (lib/sessions/session-rows.ts): AES-256-GCM under a
// key derived from GATEHOUSE_SECRET. The first secret is used for sealing, and all secrets for opening. Operators put
// a new secret in front of the older one, so that older seals can still be opened. Format: v1.<key
// id>.<iv>.<ciphertext and tag>, each part base64url. The purpose is the associated data.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import type { z } from 'zod';

type SealingKey = { id: string; key: Buffer };

let sealingKeys: { secrets: readonly string[]; keys: SealingKey[] } | undefined;

function keysOf(secrets: readonly string[]): SealingKey[] {
  if (sealingKeys?.secrets !== secrets) {
    const keys = secrets.map((secret) => ({
      id: createHash('sha256').update(`gatehouse key id:${secret}`).digest('base64url').slice(0, 6),
      key: Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'seal v1', 32)),
    }));
    sealingKeys = { secrets, keys };
  }
  return sealingKeys.keys;
}

/** Seals text for one purpose. `secrets` come from the settings, newest first. */
export function seal(plain: string, purpose: string, secrets: readonly string[]): string {
  return sealBytes(Buffer.from(plain), purpose, secrets);
}

export function sealBytes(plain: Uint8Array, purpose: string, secrets: readonly string[]): string {
  const current = keysOf(secrets)[0];
  if (!current) throw new Error('no sealing secret');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return `v1.${current.id}.${iv.toString('base64url')}.${body.toString('base64url')}`;
}

/** Returns the plaintext. `null`: altered value, different purpose or unknown secret. */
export function unseal(sealed: string, purpose: string, secrets: readonly string[]): string | null {
  return unsealBytes(sealed, purpose, secrets)?.toString('utf8') ?? null;
}

export function unsealBytes(sealed: string, purpose: string, secrets: readonly string[]): Buffer | null {
  const [version, id, iv, body, more] = sealed.split('.');
  const key = keysOf(secrets).find((candidate) => candidate.id === id);
  if (version !== 'v1' || !key || !iv || !body || more !== undefined) return null;
  try {
    const bytes = decode(body);
    const decipher = createDecipheriv('aes-256-gcm', key.key, decode(iv), { authTagLength: 16 })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
  } catch {
    return null;
  }
}

/**
 * Decodes base64url. Buffer ignores invalid characters, but this function rejects them, so that each seal has
 * one spelling and seals can be compared as text.
 */
function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new Error('not base64url');
  return bytes;
}

export function sealJson(value: object, purpose: string, secrets: readonly string[]): string {
  return seal(JSON.stringify(value), purpose, secrets);
}

/** Returns the value sealed by `sealJson`. `null`: `unseal` failed or the value does not match `shape`. */
export function unsealJson<Value>(
  shape: z.ZodType<Value>,
  sealed: string,
  purpose: string,
  secrets: readonly string[],
): Value | null {
  const text = unseal(sealed, purpose, secrets);
  return text === null ? null : parseAs(shape, text);
}

/** Parses JSON and validates it. `null`: invalid JSON or wrong shape. */
export function parseAs<Value>(shape: z.ZodType<Value>, text: string): Value | null {
  try {
    return shape.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** True if the value was sealed with a secret other than the first. */
export function needsReseal(sealed: string, secrets: readonly string[]): boolean {
  return sealed.split('.')[1] !== keysOf(secrets)[0]?.id;
}

/** Returns the key ids in the order of the secrets. The second part of each seal is its key id. */
export const sealingKeyIds = (secrets: readonly string[]): string[] => keysOf(secrets).map(({ id }) => id);
