// Hashes that Node’s own key derivation makes: PBKDF2, scrypt, and Firebase’s scrypt.
import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Reader } from './reader.ts';

const derive = promisify(pbkdf2);
const DIGEST_BYTES = new Map([
  ['sha1', 20],
  ['sha256', 32],
  ['sha512', 64],
]);
const bytesOf = (text = ''): Buffer => Buffer.from(text, 'base64');
const equal = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other);

const PBKDF2 = /^\$pbkdf2-(sha(?:1|256|512))\$i=(\d+)\$([^$]*)\$([^$]+)$/;

/**
 * Blocks of PBKDF2 do not depend on each other: the first one is derived and compared, so a long key costs no more than
 * a short one.
 */
export const pbkdf2Check: Reader = (stored) => {
  const [, digest = '', rounds, salt, key] = PBKDF2.exec(stored) ?? [];
  if (key === undefined) return null;
  const block = bytesOf(key).subarray(0, DIGEST_BYTES.get(digest));
  return async (password) =>
    equal(await derive(password, bytesOf(salt), Number(rounds), block.length, digest), block);
};

type Cost = { ln: number; r: number; p: number };
const costOf = (ln?: string, r?: string, p?: string): Cost => ({
  ln: Number(ln),
  r: Number(r),
  p: Number(p),
});

function scrypted(password: string, salt: Buffer, length: number, { ln, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** ln;
  // Node refuses more than 32 MiB unless it is told
  const options = { N, r, p, maxmem: 256 * N * r + 1024 * 1024 };
  return new Promise((resolve, reject) =>
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key))),
  );
}

const SCRYPT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]*)\$([^$]+)$/;

export const scryptCheck: Reader = (stored) => {
  const [, ln, r, p, salt, key] = SCRYPT.exec(stored) ?? [];
  if (key === undefined) return null;
  const wanted = bytesOf(key);
  return async (password) =>
    equal(await scrypted(password, bytesOf(salt), wanted.length, costOf(ln, r, p)), wanted);
};

const FIRESCRYPT = /^\$firescrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]*)\$([^$]+)\$([^$]*)\$([^$]+)$/;

/** The signer key, encrypted with AES-256-CTR under a key that scrypt derives of the password. */
export const firescryptCheck: Reader = (stored) => {
  const [, ln, r, p, ...parts] = FIRESCRYPT.exec(stored) ?? [];
  const [salt, key, separator, signer] = parts.map(bytesOf);
  if (!salt || !key || !separator || !signer) return null;
  return async (password) => {
    const under = await scrypted(password, Buffer.concat([salt, separator]), 32, costOf(ln, r, p));
    const cipher = createCipheriv('aes-256-ctr', under, Buffer.alloc(16));
    return equal(Buffer.concat([cipher.update(signer), cipher.final()]), key);
  };
};
