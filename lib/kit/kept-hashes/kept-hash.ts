// Kinds of hashes that other services made, recognized by their format.

import { createCipheriv, createHash, createHmac, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { hash as argon2, verify as verifyArgon2 } from '@node-rs/argon2';
import type { DigestAnswer, DigestJob } from './digest-worker.ts';
import { isOnce, makeOldDigest, type Recipe } from './old-digest.ts';

// bcrypt, and formats that wrap it. Rejects $2x$, which marks hashes of an old program with a bug, because the
// library would verify them like $2a$. The native module is loaded at the first check.

const BCRYPT = /^(\$[a-z0-9-]+)?(\$2[aby]\$\d\d\$[./A-Za-z0-9]{53})(?:\$([\w-]*))?$/;

/** Converts the password to the input of bcrypt, according to the prefix. A pepper is stored after the hash. */
function bcryptInput(before: string | undefined, password: string, pepper: string): string | null {
  if (before === undefined) return password;
  if (before === '$bcrypt-pepper') return password + Buffer.from(pepper, 'base64url').toString();
  // this prefix marks the format of Meteor and Django
  if (before === '$bcrypt-sha256hex') return createHash('sha256').update(password).digest('hex');
  // this prefix marks the format of WordPress since version 6.8
  if (before === '$wp') return createHmac('sha384', 'wp-sha384').update(password).digest('base64');
  return null;
}

const bcryptCheck: Reader = (stored) => {
  const [, before, hash, pepper = ''] = BCRYPT.exec(stored) ?? [];
  if (hash === undefined) return null;
  return async (password) => {
    const spelt = bcryptInput(before, password, pepper);
    return spelt !== null && (await import('@node-rs/bcrypt')).verify(spelt, hash);
  };
};

// Hashes for which Node has a key derivation function: PBKDF2, scrypt, and Firebase's variant of scrypt.

const derive = promisify(pbkdf2);
const DIGEST_BYTES = new Map([
  ['sha1', 20],
  ['sha256', 32],
  ['sha512', 64],
]);
const bytesOf = (text = ''): Buffer => Buffer.from(text, 'base64');
const equal = (hash: Buffer, other: Buffer): boolean =>
  hash.length === other.length && timingSafeEqual(hash, other);

const PBKDF2 = /^\$pbkdf2-(sha(?:1|256|512))\$i=(\d+)\$([^$]*)\$([^$]+)$/;

/**
 * PBKDF2 blocks are independent: only the first block is derived and compared, so long keys cost no more than short
 * keys.
 */
const pbkdf2Check: Reader = (stored) => {
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

function scryptDigest(password: string, salt: Buffer, length: number, { ln, r, p }: Cost): Promise<Buffer> {
  const N = 2 ** ln;
  // Node's default limit is 32 MiB
  const options = { N, r, p, maxmem: 256 * N * r + 1024 * 1024 };
  return new Promise((resolve, reject) =>
    scrypt(password, salt, length, options, (error, key) => (error ? reject(error) : resolve(key))),
  );
}

const SCRYPT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]*)\$([^$]+)$/;

const scryptCheck: Reader = (stored) => {
  const [, ln, r, p, salt, key] = SCRYPT.exec(stored) ?? [];
  if (key === undefined) return null;
  const wanted = bytesOf(key);
  return async (password) =>
    equal(await scryptDigest(password, bytesOf(salt), wanted.length, costOf(ln, r, p)), wanted);
};

const FIRESCRYPT = /^\$firescrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([^$]*)\$([^$]+)\$([^$]*)\$([^$]+)$/;

/**
 * The hash of Firebase is the signer key, encrypted with AES-256-CTR. The key for this encryption is derived from the
 * password by scrypt.
 */
const firescryptCheck: Reader = (stored) => {
  const [, ln, r, p, ...parts] = FIRESCRYPT.exec(stored) ?? [];
  const [salt, key, separator, signer] = parts.map(bytesOf);
  if (!salt || !key || !separator || !signer) return null;
  return async (password) => {
    const under = await scryptDigest(password, Buffer.concat([salt, separator]), 32, costOf(ln, r, p));
    const cipher = createCipheriv('aes-256-ctr', under, Buffer.alloc(16));
    return equal(Buffer.concat([cipher.update(signer), cipher.final()]), key);
  };
};

// Digests that can be guessed quickly, because computing them costs too little: LDAP servers, crypt(3),
// WordPress, Drupal and old Django. Gatehouse stores them only inside an argon2id hash.

/** `digest`: as the old service stored it. */
type FastHash = Recipe & { digest: string };

const FAST_DIGEST_BYTES = new Map([
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

/** Parses a fast hash; null: the text is incomplete, or has a different format. */
const readFast = (text: string): FastHash | null =>
  readLdap(text) ?? readDjango(text) ?? readCrypt(text) ?? readPortable(text);

function readLdap(text: string): FastHash | null {
  const [, salted, name = '', value] = LDAP.exec(text) ?? [];
  if (value === undefined) return null;
  const algorithm = name.toLowerCase().replace(/^sha$/, 'sha1');
  const bytes = Buffer.from(value, 'base64');
  const length = FAST_DIGEST_BYTES.get(algorithm) ?? 0;
  if (salted ? bytes.length <= length : bytes.length !== length) return null;
  const digest = bytes.subarray(0, length).toString('hex');
  return { scheme: `after${algorithm}`, rounds: 1, salt: bytes.subarray(length), digest };
}

function readDjango(text: string): FastHash | null {
  const [, algorithm = '', salt = '', digest] = DJANGO.exec(text) ?? [];
  if (digest === undefined) return null;
  if (digest.length !== 2 * (FAST_DIGEST_BYTES.get(algorithm) ?? 0)) return null;
  return { scheme: `before${algorithm}`, rounds: 1, salt: Buffer.from(salt), digest };
}

function readCrypt(text: string): FastHash | null {
  const [, name, md5Salt = '', md5Digest] = MD5_CRYPT.exec(text) ?? [];
  if (md5Digest !== undefined)
    return { scheme: `crypt${name}`, rounds: 1_000, salt: Buffer.from(md5Salt), digest: md5Digest };
  const [, which, rounds = '5000', salt = '', digest] = SHA_CRYPT.exec(text) ?? [];
  if (digest === undefined) return null;
  if (digest.length !== (which === '5' ? 43 : 86)) return null;
  // if fewer than 1,000 rounds are requested, crypt(3) uses 1,000
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

// Worker threads compute old digests with many rounds. Each parallel request gets a thread, and an idle thread ends.

type Thread = import('node:worker_threads').Worker;

const IDLE_MS = 10_000;
const restingThreads = new Map<Thread, NodeJS.Timeout>();

/** Computes the digest. If no thread can start, computes it in slices between other work. */
async function oldDigestOf(recipe: Recipe, password: string): Promise<string> {
  if (isOnce(recipe)) return makeOldDigest(recipe, password);
  const thread = restingThread() ?? startThread();
  if (thread === null) return makeOldDigest(recipe, password);
  const answer = await answerOf(thread, { ...recipe, password });
  if (answer === null) return makeOldDigest(recipe, password);
  rest(thread);
  if ('failed' in answer) throw new Error(answer.failed);
  return answer.digest;
}

function restingThread(): Thread | null {
  const [found] = restingThreads;
  if (!found) return null;
  const [thread, timer] = found;
  clearTimeout(timer);
  restingThreads.delete(thread);
  return thread;
}

function rest(thread: Thread): void {
  thread.unref();
  const timer = setTimeout(() => {
    restingThreads.delete(thread);
    void thread.terminate();
  }, IDLE_MS).unref();
  restingThreads.set(thread, timer);
}

function startThread(): Thread | null {
  // without this call, the bundler would move the file of the worker's program
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  try {
    const thread = new Worker(programFile(), { env: {}, execArgv: [], argv: [] });
    const forget = () => {
      clearTimeout(restingThreads.get(thread));
      restingThreads.delete(thread);
    };
    thread.on('exit', forget).on('error', forget);
    return thread;
  } catch {
    return null;
  }
}

/**
 * Returns the path of the worker's program. It is next to this file; in a bundle of Next, it is below the folder
 * in which the service was started.
 */
function programFile(): string {
  const name = 'digest-worker.ts';
  const beside = path.join(import.meta.dirname ?? '', name);
  return existsSync(beside)
    ? beside
    : path.resolve(/*turbopackIgnore: true*/ process.cwd(), 'lib/kit/kept-hashes', name);
}

/** Sends the job to the thread and returns its answer; null: the thread ended before it answered. */
function answerOf(thread: Thread, job: DigestJob): Promise<DigestAnswer | null> {
  return new Promise((resolve) => {
    const end = (answer: DigestAnswer | null) => {
      thread.off('message', end).off('exit', endWithout).off('error', endWithout);
      resolve(answer);
    };
    const endWithout = () => end(null);
    thread.once('message', end).once('exit', endWithout).once('error', endWithout);
    thread.ref();
    thread.postMessage(job);
  });
}

const argon2Check: Reader = (stored) =>
  stored.startsWith('$argon2') ? (password) => verifyArgon2(stored, password) : null;

const WRAPPED = /^\$kept\$([a-z0-9]+)=(\d+)\$([\w-]*)(\$argon2id\$.*)$/;

const wrappedCheck: Reader = (stored) => {
  const [, scheme = '', rounds, salt = '', around] = WRAPPED.exec(stored) ?? [];
  if (around === undefined) return null;
  const old = { scheme, rounds: Number(rounds), salt: Buffer.from(salt, 'base64url') };
  return async (password) => verifyArgon2(around, await oldDigestOf(old, password));
};

const READERS = [bcryptCheck, wrappedCheck, argon2Check, pbkdf2Check, scryptCheck, firescryptCheck];

export async function checkKept(stored: string, password: string): Promise<boolean> {
  for (const reader of READERS) {
    const check = reader(stored);
    if (check) return check(password);
  }
  return false;
}

const WRAP = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;

/** Wraps a fast hash in argon2id. Throws for any other kind of hash. */
export async function wrapHash(fast: string): Promise<string> {
  const old = readFast(fast);
  if (!old) throw new Error('not a hash to wrap');
  const salt = old.salt.toString('base64url');
  return `$kept$${old.scheme}=${old.rounds}$${salt}${await argon2(old.digest, WRAP)}`;
}

/**
 * True if bcrypt would ignore a part of the password, because it reads only the first 72 bytes. People with such a
 * password must choose a new one, and the old password is not hashed again.
 */
export const cutsPassword = (stored: string, password: string): boolean =>
  /^(?:\$bcrypt-pepper)?\$2[aby]\$/.test(stored) && Buffer.byteLength(password) > 72;

/**
 * A function that reads a stored hash and returns a function that checks passwords; null: the hash is of
 * another kind.
 */
type Reader = (stored: string) => ((password: string) => Promise<boolean>) | null;
