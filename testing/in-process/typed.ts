// Converts a text to the type of typed passwords, and provides the value that identifies who requests a password
// hash.
import type { HashRequest } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';

export function typed(password: string): TypedPassword {
  const read = readTypedPassword(password);
  if (read === null) throw new Error('the test types a password that is too long');
  return read;
}

export const asStranger: HashRequest = { asker: 'stranger', from: null };
