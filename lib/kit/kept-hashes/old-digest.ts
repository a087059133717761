// Computes the digest of a password in the format of an old service.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

// Splits long computations into slices, so that other work can run between them.

/** Number of bytes that are hashed in less than a millisecond. */
const SLICE_BYTES = 65_536;

/** `bytes`: approximate number of bytes that one step hashes. */
async function inSlices(count: number, bytes: number, step: (n: number) => void): Promise<void> {
  const steps = Math.max(1, Math.floor(SLICE_BYTES / bytes));
  for (let n = 0; n < count; n += 1) {
    if (n % steps === steps - 1) await setImmediate();
    step(n);
  }
}

const ITOA64 = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Encodes bytes as crypt(3) writes numbers: six bits per character, the lowest byte first. */
function crypt64(bytes: readonly number[], length: number): string {
  let value = bytes.reduce((sum, byte, at) => sum + byte * 256 ** at, 0);
  let text = '';
  for (let n = 0; n < length; n += 1) {
    text += ITOA64.charAt(value % 64);
    value = Math.floor(value / 64);
  }
  return text;
}

// crypt(3): MD5 ($1$ and Apache's $apr1$), SHA-256 ($5$) and SHA-512 ($6$), without the prefix and the salt.

const repeatBytes = (bytes: Buffer, length: number): Buffer => {
  const whole = Math.ceil(length / bytes.length);
  return Buffer.concat(Array.from({ length: whole }, () => bytes)).subarray(0, length);
};

/** The positions of the digest's bytes that form four characters, the lowest byte first. */
type Order = readonly number[];

const writeDigest = (digest: Buffer, orders: readonly Order[]): string =>
  orders
    .map((order) =>
      crypt64(
        order.map((at) => digest[at] ?? 0),
        order.length + 1,
      ),
    )
    .join('');

const MD5_ORDER: Order[] = [[12, 6, 0], [13, 7, 1], [14, 8, 2], [15, 9, 3], [5, 10, 4], [11]];

async function md5Crypt(password: string, salt: Buffer, magic: string): Promise<string> {
  const key = Buffer.from(password);
  const alternate = createHash('md5').update(key).update(salt).update(key).digest();
  const first = createHash('md5').update(key).update(magic).update(salt);
  first.update(repeatBytes(alternate, key.length));
  for (let bits = key.length; bits > 0; bits >>= 1)
    first.update((bits & 1) === 1 ? Buffer.alloc(1) : key.subarray(0, 1));
  let digest: Buffer = first.digest();
  await inSlices(1_000, 2 * (key.length + salt.length + 16), (n) => {
    digest = roundOf('md5', n, digest, key, salt);
  });
  return writeDigest(digest, MD5_ORDER);
}

function roundOf(algorithm: string, n: number, digest: Buffer, key: Buffer, salt: Buffer): Buffer {
  const hash = createHash(algorithm).update(n % 2 === 1 ? key : digest);
  if (n % 3 !== 0) hash.update(salt);
  if (n % 7 !== 0) hash.update(key);
  return hash.update(n % 2 === 1 ? digest : key).digest();
}

/** Groups of three bytes, one from each third of the digest. From group to group, another third comes first. */
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

async function shaCrypt(
  password: string,
  salt: Buffer,
  rounds: number,
  algorithm: 'sha256' | 'sha512',
): Promise<string> {
  const key = Buffer.from(password);
  const alternate = createHash(algorithm).update(key).update(salt).update(key).digest();
  const first = createHash(algorithm).update(key).update(salt).update(repeatBytes(alternate, key.length));
  for (let bits = key.length; bits > 0; bits >>= 1) first.update((bits & 1) === 1 ? alternate : key);
  let digest: Buffer = first.digest();
  const ofKey = createHash(algorithm);
  await inSlices(key.length, key.length, () => {
    ofKey.update(key);
  });
  const ofSalt = createHash(algorithm);
  for (let n = 0; n < 16 + (digest[0] ?? 0); n += 1) ofSalt.update(salt);
  const keyed = repeatBytes(ofKey.digest(), key.length);
  const salted = repeatBytes(ofSalt.digest(), salt.length);
  await inSlices(rounds, 2 * (key.length + salt.length + 64), (n) => {
    digest = roundOf(algorithm, n, digest, keyed, salted);
  });
  return writeDigest(digest, algorithm === 'sha256' ? SHA_ORDER.sha256 : SHA_ORDER.sha512);
}

// phpass ("portable hashes": WordPress before 6.8, phpBB), and Drupal 7, which uses the same format with SHA-512.

/**
 * Number of characters of each digest. Drupal truncates the whole text to 55 characters, so that 43
 * characters remain for SHA-512.
 */
const LENGTH = { md5: 22, sha512: 43 };

async function portable(
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

/** Parameters for computing the old digest of a password. */
export type Recipe = { scheme: string; rounds: number; salt: Buffer };

/**
 * Maximum number of rounds, which takes about 0.3 s with the longest password. The import rejects hashes with
 * more rounds (lib/catalogue/people/person-line.ts).
 */
const MAX_DIGEST_ROUNDS = 100_000;

/** Digests of a single round in hexadecimal, with the salt before or after the password. */
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
