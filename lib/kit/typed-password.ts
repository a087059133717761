// Only this file reads typed passwords. Hashing, LDAP binds and calls to other services accept only the type that it
// returns.

import { randomToken } from './random.ts';

declare const brand: unique symbol;
/** Typed text, limited to 1,024 bytes of UTF-8. */
export type TypedPassword = string & { readonly [brand]: true };

export const MAX_PASSWORD_BYTES = 1_024;

/** Returns the password; `null`: it is longer than any valid password. Timing depends only on the input length. */
export const readTypedPassword = (text: string): TypedPassword | null =>
  // one UTF-16 code unit becomes one to three bytes in UTF-8
  isTyped(text) ? text : null;

/** Returns a random password, which no account has. */
export const inventPassword = (): TypedPassword => randomToken('') as TypedPassword;

const isTyped = (text: string): text is TypedPassword =>
  text.length <= MAX_PASSWORD_BYTES && Buffer.byteLength(text) <= MAX_PASSWORD_BYTES;

/**
 * The Unicode forms of a password that are verified, at most two: NFC, which new hashes use, and the form as typed.
 * If the password was typed in NFC, the second form is NFD. Equal forms are verified once.
 */
export function formsOf(password: TypedPassword): [nfc: string] | [nfc: string, other: string] {
  const nfc = password.normalize('NFC');
  const other = password === nfc ? password.normalize('NFD') : password;
  return other === nfc ? [nfc] : [nfc, other];
}
