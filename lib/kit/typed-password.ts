// The one reader of passwords that people type. Only its result reaches a hash, a bind, or a call to another service.

import { randomToken } from './random.ts';

declare const brand: unique symbol;
/** At most 1,024 bytes of UTF-8, as it was typed. */
export type TypedPassword = string & { readonly [brand]: true };

export const MAX_PASSWORD_BYTES = 1_024;

/** Null: it is too long, which no password is. The length of what was typed is all that the time depends on. */
export const readTypedPassword = (text: string): TypedPassword | null =>
  // a character of UTF-16 has at most three bytes in UTF-8, and at least one
  isTyped(text) ? text : null;

/** One that no account has. */
export const inventPassword = (): TypedPassword => randomToken('') as TypedPassword;

const isTyped = (text: string): text is TypedPassword =>
  text.length <= MAX_PASSWORD_BYTES && Buffer.byteLength(text) <= MAX_PASSWORD_BYTES;

/**
 * The forms that a stored hash may have been made of, at most two: NFC, as new ones are, and as typed. Of a password
 * that is typed as NFC the second is NFD. Both are one unless a letter is written in several ways.
 */
export function formsOf(password: TypedPassword): [nfc: string] | [nfc: string, other: string] {
  const nfc = password.normalize('NFC');
  const other = password === nfc ? password.normalize('NFD') : password;
  return other === nfc ? [nfc] : [nfc, other];
}
