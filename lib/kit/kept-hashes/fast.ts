// Digests that are fast to guess, or not costly enough: those of LDAP servers, crypt(3), WordPress, Drupal and old
// Django. They are stored only inside of argon2id.
import type { Recipe } from './old-digest.ts';

/** `digest`: as the old service wrote it. */
export type FastHash = Recipe & { digest: string };

const DIGEST_BYTES = new Map([
  ['md5', 16],
  ['sha1', 20],
  ['sha256', 32],
  ['sha384', 48],
  ['sha512', 64],
]);
const LDAP = /^\{(S?)(MD5|SHA|SHA1|SHA256|SHA384|SHA512)\}([A-Za-z0-9+/]*={0,2})$/i;
const DJANGO = /^(md5|sha1)\$([^$]*)\$([0-9a-f]+)$/;
const MD5_CRYPT = /^\$(1|apr1)\$([^$]{0,8})\$([./A-Za-z0-9]{22})$/;
const SHA_CRYPT = /^\$([56])\$(?:rounds=(\d+)\$)?([^$]{0,16})\$([./A-Za-z0-9]{43}|[./A-Za-z0-9]{86})$/;
const PORTABLE = /^\$([PHS])\$([./A-Za-z0-9])([./A-Za-z0-9]{8})([./A-Za-z0-9]{22,43})$/;
const ITOA64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Null: it is not a whole one of these. */
export const readFast = (text: string): FastHash | null =>
  readLdap(text) ?? readDjango(text) ?? readCrypt(text) ?? readPortable(text);

function readLdap(text: string): FastHash | null {
  const [, salted, name = '', value] = LDAP.exec(text) ?? [];
  if (value === undefined) return null;
  const algorithm = name.toLowerCase().replace(/^sha$/, 'sha1');
  const bytes = Buffer.from(value, 'base64');
  const length = DIGEST_BYTES.get(algorithm) ?? 0;
  if (salted ? bytes.length <= length : bytes.length !== length) return null;
  const digest = bytes.subarray(0, length).toString('hex');
  return { scheme: `after${algorithm}`, rounds: 1, salt: bytes.subarray(length), digest };
}

function readDjango(text: string): FastHash | null {
  const [, algorithm = '', salt = '', digest] = DJANGO.exec(text) ?? [];
  if (digest === undefined) return null;
  if (digest.length !== 2 * (DIGEST_BYTES.get(algorithm) ?? 0)) return null;
  return { scheme: `before${algorithm}`, rounds: 1, salt: Buffer.from(salt), digest };
}

function readCrypt(text: string): FastHash | null {
  const [, name, md5Salt = '', md5Digest] = MD5_CRYPT.exec(text) ?? [];
  if (md5Digest !== undefined)
    return { scheme: `crypt${name}`, rounds: 1_000, salt: Buffer.from(md5Salt), digest: md5Digest };
  const [, which, rounds = '5000', salt = '', digest] = SHA_CRYPT.exec(text) ?? [];
  if (digest === undefined) return null;
  if (digest.length !== (which === '5' ? 43 : 86)) return null;
  // crypt(3) takes fewer rounds than 1,000 for 1,000
  return {
    scheme: `crypt${which}`,
    rounds: Math.max(1_000, Number(rounds)),
    salt: Buffer.from(salt),
    digest,
  };
}

function readPortable(text: string): FastHash | null {
  const [, name, log = '', salt = '', digest] = PORTABLE.exec(text) ?? [];
  if (digest === undefined) return null;
  if (digest.length !== (name === 'S' ? 43 : 22)) return null;
  const rounds = 2 ** ITOA64.indexOf(log);
  return { scheme: name === 'S' ? 'drupal' : 'phpass', rounds, salt: Buffer.from(salt), digest };
}
