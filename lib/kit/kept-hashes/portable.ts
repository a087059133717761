// phpass ("portable hashes": WordPress before 6.8, phpBB) and Drupal 7, which is the same with SHA-512.
import { createHash } from 'node:crypto';
import { crypt64, inSlices } from './slices.ts';

/** Drupal cuts the whole text to 55 characters, so the digest to 43. */
const LENGTH = { md5: 22, sha512: 43 };

export async function portable(
  password: string,
  salt: Buffer,
  rounds: number,
  algorithm: 'md5' | 'sha512',
): Promise<string> {
  let digest = createHash(algorithm).update(salt).update(password).digest();
  await inSlices(rounds, Buffer.byteLength(password) + 64, () => {
    digest = createHash(algorithm).update(digest).update(password).digest();
  });
  let text = '';
  for (let at = 0; at < digest.length; at += 3) {
    const bytes = [...digest.subarray(at, at + 3)];
    text += crypt64(bytes, bytes.length + 1);
  }
  return text.slice(0, LENGTH[algorithm]);
}
