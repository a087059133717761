// Opens cookies that iron-session sealed in the version before (format Fe26.2 of iron-webcrypto). None is sealed any more: this
// file can go when every session of that version has ended.
import { createDecipheriv, createHmac, pbkdf2Sync, timingSafeEqual } from 'node:crypto';

const PREFIX = 'Fe26.2';

/** The sealed text; null if it was not sealed under one of the passwords, or with a time to live. */
export function openIronSeal(sealed: string, passwords: Readonly<Record<string, string>>): string | null {
  const parts = sealed.split('*');
  const [prefix, id = '', encryptionSalt = '', iv = '', body = '', expiry, integritySalt = '', mac = ''] =
    parts;
  // ours had no expiry: the store decides how long a session lives
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

/** One iteration, as iron-session does: the password has 256 random bits. */
function keyOf(password: string, salt: string): Buffer {
  return pbkdf2Sync(password, salt, 1, 32, 'sha1');
}
