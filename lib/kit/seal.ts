// Sealed values: AES-256-GCM under a key derived from GATEHOUSE_SECRET. The first secret seals, all open,
// so a new secret is put in front and the old one kept until everything is sealed anew.
// Shape: v1.<key id>.<iv>.<ciphertext and tag>, all base64url. The purpose is bound in as associated data.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

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

/** Seals text for one purpose; `secrets` come from the settings, newest first. */
export function seal(plain: string, purpose: string, secrets: readonly string[]): string {
  const current = keysOf(secrets)[0];
  if (!current) throw new Error('no sealing secret');
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', current.key, iv).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final(), cipher.getAuthTag()]);
  return `v1.${current.id}.${iv.toString('base64url')}.${body.toString('base64url')}`;
}

/** The text, or null where it was tampered with, sealed for something else, or by an unknown key. */
export function unseal(sealed: string, purpose: string, secrets: readonly string[]): string | null {
  const [version, id, iv, body, more] = sealed.split('.');
  const key = keysOf(secrets).find((candidate) => candidate.id === id);
  if (version !== 'v1' || !key || !iv || !body || more !== undefined) return null;
  try {
    const bytes = decode(body);
    const decipher = createDecipheriv('aes-256-gcm', key.key, decode(iv), { authTagLength: 16 })
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}

/** Buffer skips what is no base64url; a seal has one spelling, so that it can be passed on as it came. */
function decode(part: string): Buffer {
  const bytes = Buffer.from(part, 'base64url');
  if (bytes.toString('base64url') !== part) throw new Error('not what was sealed');
  return bytes;
}

/** Was it sealed by a secret that is no longer the first? */
export function needsReseal(sealed: string, secrets: readonly string[]): boolean {
  return sealed.split('.')[1] !== keysOf(secrets)[0]?.id;
}
