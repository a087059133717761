// Only this file reads typed passwords. Hashing, LDAP binds and calls to other services require its result type.

import { randomToken } from './random.ts';

declare const brand: unique symbol;
/** Typed text, limited to 1,024 bytes of UTF-8. */
export type TypedPassword = string & { readonly [brand]: true };

export const MAX_PASSWORD_BYTES = 1_024;

/** Returns `null` if the text is longer than any valid password. Timing depends only on the length of the input. */
export const readTypedPassword = (text: string): TypedPassword | null =>
  // one UTF-16 code unit takes one to three bytes in UTF-8
  isTyped(text) ? text : null;

/** One that no account has. */
export const inventPassword = (): TypedPassword => randomToken('') as TypedPassword;

const isTyped = (text: string): text is TypedPassword =>
  text.length <= MAX_PASSWORD_BYTES && Buffer.byteLength(text) <= MAX_PASSWORD_BYTES;

/**
 * Unicode forms to verify, at most two: NFC (used for new hashes) and the typed form. For typed NFC, the second form is
 * NFD. Identical forms collapse into one.
 */
export function formsOf(password: TypedPassword): [nfc: string] | [nfc: string, other: string] {
  const nfc = password.normalize('NFC');
  const other = password === nfc ? password.normalize('NFD') : password;
  return other === nfc ? [nfc] : [nfc, other];
}
