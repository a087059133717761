// The digest that an old service made of a password.
import { createHash } from 'node:crypto';
import { md5Crypt, shaCrypt } from './crypt.ts';
import { portable } from './portable.ts';

/** What is needed to make the old digest of a password. */
export type Recipe = { scheme: string; rounds: number; salt: Buffer };

/** The import takes no more (lib/moving-in/people/hash-text.ts): about 0.3 s with the longest password. */
const MAX_DIGEST_ROUNDS = 100_000;

/** Salted once, the salt after the password or before it: the digest in hexadecimal. */
const ONCE = /^(after|before)(md5|sha1|sha256|sha384|sha512)$/;

export const isOnce = ({ scheme }: Pick<Recipe, 'scheme'>): boolean => ONCE.test(scheme);

export async function makeOldDigest({ scheme, rounds, salt }: Recipe, password: string): Promise<string> {
  if (rounds > MAX_DIGEST_ROUNDS) throw new Error(`${rounds} rounds are too many`);
  const [, order, algorithm] = ONCE.exec(scheme) ?? [];
  if (algorithm !== undefined) {
    const parts = order === 'after' ? [Buffer.from(password), salt] : [salt, Buffer.from(password)];
    return createHash(algorithm).update(Buffer.concat(parts)).digest('hex');
  }
  if (scheme === 'crypt1' || scheme === 'cryptapr1')
    return md5Crypt(password, salt, scheme === 'crypt1' ? '$1$' : '$apr1$');
  if (scheme === 'crypt5' || scheme === 'crypt6')
    return shaCrypt(password, salt, rounds, scheme === 'crypt5' ? 'sha256' : 'sha512');
  if (scheme === 'phpass') return portable(password, salt, rounds, 'md5');
  if (scheme === 'drupal') return portable(password, salt, rounds, 'sha512');
  throw new Error(`no scheme ${scheme}`);
}
