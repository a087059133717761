// bcrypt, and what other services put through it. $2x$ names a bug of one old program: the library checks it as if it
// were $2a$, so it is refused here. The native part is loaded when the first such hash is checked.
import { createHash, createHmac } from 'node:crypto';
import type { Reader } from './reader.ts';

const BCRYPT = /^(\$[a-z0-9-]+)?(\$2[aby]\$\d\d\$[./A-Za-z0-9]{53})(?:\$([\w-]*))?$/;

/** How the password goes into bcrypt, by what is written before the hash; a pepper is written after it. */
function spelled(before: string | undefined, password: string, pepper: string): string | null {
  if (before === undefined) return password;
  if (before === '$bcrypt-pepper') return password + Buffer.from(pepper, 'base64url').toString();
  // Meteor and Django
  if (before === '$bcrypt-sha256hex') return createHash('sha256').update(password).digest('hex');
  // WordPress since 6.8
  if (before === '$wp') return createHmac('sha384', 'wp-sha384').update(password).digest('base64');
  return null;
}

export const bcryptCheck: Reader = (stored) => {
  const [, before, hash, pepper = ''] = BCRYPT.exec(stored) ?? [];
  if (hash === undefined) return null;
  return async (password) => {
    const spelt = spelled(before, password, pepper);
    return spelt !== null && (await import('@node-rs/bcrypt')).verify(spelt, hash);
  };
};
