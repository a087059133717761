// Passwords as a test types them.
import { type HashRequest, readTypedPassword, type TypedPassword } from '#lib/kit/index.ts';

export function typed(password: string): TypedPassword {
  const read = readTypedPassword(password);
  if (read === null) throw new Error('the test types a password that is too long');
  return read;
}

export const asStranger: HashRequest = { asker: 'stranger', from: null };
