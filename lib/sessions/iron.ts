// Opens the seals that iron-session makes (format Fe26.2 of iron-webcrypto), with node:crypto at once instead of eight
// trips to Web Crypto: 20 µs instead of 230 for each authorize request. Making seals is left to the library.
import { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';

const PREFIX = 'Fe26.2';

/** The sealed text, or null for anything that was not sealed by one of the passwords, for good. */
export function openSeal(sealed: string, passwords: Readonly<Record<string, string>>): string | null {
  const parts = sealed.split('*');
  const [prefix, id = '', encryptionSalt = '', iv = '', body = '', expiry, integritySalt = '', mac = ''] =
    parts;
  // seals that expire are none of ours: a session's life is the store's matter
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

/** One iteration, as the library has it: the password is 256 random bits already. */
function keyOf(password: string, salt: string): Buffer {
  return pbkdf2Sync(password, salt, 1, 32, 'sha1');
}
