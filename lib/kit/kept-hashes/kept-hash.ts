// The kinds of hashes of other services, each by how it is written.
import { hash as argon2, verify as verifyArgon2 } from '@node-rs/argon2';
import { bcryptCheck } from './bcrypt.ts';
import { firescryptCheck, pbkdf2Check, scryptCheck } from './derived.ts';
import { oldDigestOf } from './digest-threads.ts';
import { readFast } from './fast.ts';
import type { Reader } from './reader.ts';

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

/** Throws if it is not a fast hash. */
export async function wrapHash(fast: string): Promise<string> {
  const old = readFast(fast);
  if (!old) throw new Error('not a hash to wrap');
  const salt = old.salt.toString('base64url');
  return `$kept$${old.scheme}=${old.rounds}$${salt}${await argon2(old.digest, WRAP)}`;
}

/** bcrypt knows the first 72 bytes only: after such a password a new one is asked for, and no hash is made of it. */
export const cutsPassword = (stored: string, password: string): boolean =>
  /^(?:\$bcrypt-pepper)?\$2[aby]\$/.test(stored) && Buffer.byteLength(password) > 72;
