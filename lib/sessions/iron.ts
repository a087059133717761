// Opens the seals that iron-session makes (format Fe26.2 of iron-webcrypto) with node:crypto: 20 µs instead of 230 with Web
// Crypto, for each authorize request. The library makes the seals.
import { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';

const PREFIX = 'Fe26.2';

/** The text, or null for anything that was not sealed with one of the passwords and without an expiry. */
export function openSeal(sealed: string, passwords: Readonly<Record<string, string>>): string | null {
  const parts = sealed.split('*');
  const [prefix, id = '', encryptionSalt = '', iv = '', body = '', expiry, integritySalt = '', mac = ''] =
    parts;
  // our seals never expire; the store knows when a session does
  if (parts.length !== 8 || prefix !== PREFIX || expiry !== '') return null;
  const password = Object.hasOwn(passwords, id) ? passwords[id] : undefined;
  if (password === undefined) return null;
  const sealedPart = parts.slice(0, 6).join('*');
  const expected = createHmac('sha256', keyOf(password, integritySalt)).update(sealedPart).digest();
  const given = Buffer.from(mac, 'base64url');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  try {
    const decipher = createDecipheriv(
      'aes-256-cbc',
      keyOf(password, encryptionSalt),
      Buffer.from(iv, 'base64url'),
    );
    return Buffer.concat([decipher.update(Buffer.from(body, 'base64url')), decipher.final()]).toString(
      'utf8',
    );
  } catch {
    return null;
  }
}

/** One iteration, as in the library: the password is 256 random bits already. */
function keyOf(password: string, salt: string): Buffer {
  return pbkdf2Sync(password, salt, 1, 32, 'sha1');
}
