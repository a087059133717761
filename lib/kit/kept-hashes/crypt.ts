// crypt(3): MD5 ($1$ and Apache's $apr1$), SHA-256 ($5$) and SHA-512 ($6$), without the prefix and the salt.
import { createHash } from 'node:crypto';
import { crypt64, inSlices } from './slices.ts';

const repeated = (bytes: Buffer, length: number): Buffer => {
  const whole = Math.ceil(length / bytes.length);
  return Buffer.concat(Array.from({ length: whole }, () => bytes)).subarray(0, length);
};

/** Which bytes of the digest make four characters, the lowest first. */
type Order = readonly number[];

const written = (digest: Buffer, orders: readonly Order[]): string =>
  orders
    .map((order) =>
      crypt64(
        order.map((at) => digest[at] ?? 0),
        order.length + 1,
      ),
    )
    .join('');

const MD5_ORDER: Order[] = [[12, 6, 0], [13, 7, 1], [14, 8, 2], [15, 9, 3], [5, 10, 4], [11]];

export async function md5Crypt(password: string, salt: Buffer, magic: string): Promise<string> {
  const key = Buffer.from(password);
  const alternate = createHash('md5').update(key).update(salt).update(key).digest();
  const first = createHash('md5').update(key).update(magic).update(salt);
  first.update(repeated(alternate, key.length));
  for (let bits = key.length; bits > 0; bits >>= 1)
    first.update((bits & 1) === 1 ? Buffer.alloc(1) : key.subarray(0, 1));
  let digest: Buffer = first.digest();
  await inSlices(1_000, 2 * (key.length + salt.length + 16), (n) => {
    digest = roundOf('md5', n, digest, key, salt);
  });
  return written(digest, MD5_ORDER);
}

function roundOf(algorithm: string, n: number, digest: Buffer, key: Buffer, salt: Buffer): Buffer {
  const hash = createHash(algorithm).update(n % 2 === 1 ? key : digest);
  if (n % 3 !== 0) hash.update(salt);
  if (n % 7 !== 0) hash.update(key);
  return hash.update(n % 2 === 1 ? digest : key).digest();
}

/** Three bytes at a time, each group beginning with another third of the digest. */
function shaOrder(third: number, turn: 1 | 2): Order[] {
  return Array.from({ length: third }, (_, n) => {
    const ofEach = [n, n + third, n + 2 * third];
    const from = (turn * n) % 3;
    return [ofEach[from], ofEach[(from + 1) % 3], ofEach[(from + 2) % 3]].map(Number).toReversed();
  });
}
const SHA_ORDER = {
  sha256: [...shaOrder(10, 2), [30, 31]],
  sha512: [...shaOrder(21, 1), [63]],
};

export async function shaCrypt(
  password: string,
  salt: Buffer,
  rounds: number,
  algorithm: 'sha256' | 'sha512',
): Promise<string> {
  const key = Buffer.from(password);
  const alternate = createHash(algorithm).update(key).update(salt).update(key).digest();
  const first = createHash(algorithm).update(key).update(salt).update(repeated(alternate, key.length));
  for (let bits = key.length; bits > 0; bits >>= 1) first.update((bits & 1) === 1 ? alternate : key);
  let digest: Buffer = first.digest();
  const ofKey = createHash(algorithm);
  await inSlices(key.length, key.length, () => {
    ofKey.update(key);
  });
  const ofSalt = createHash(algorithm);
  for (let n = 0; n < 16 + (digest[0] ?? 0); n += 1) ofSalt.update(salt);
  const keyed = repeated(ofKey.digest(), key.length);
  const salted = repeated(ofSalt.digest(), salt.length);
  await inSlices(rounds, 2 * (key.length + salt.length + 64), (n) => {
    digest = roundOf(algorithm, n, digest, keyed, salted);
  });
  return written(digest, algorithm === 'sha256' ? SHA_ORDER.sha256 : SHA_ORDER.sha512);
}
