// What a person types (RFC 8628 §6.1): eight letters without vowels, which spell no word, 34.5 bits. Stored as an HMAC
// under GATEHOUSE_SECRET, since a plain hash of so few bits is guessed from a stolen database.
import { createHmac, hkdfSync, randomInt } from 'node:crypto';
import { settings } from '#lib/settings/settings.ts';

const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const TYPED_CODE = new RegExp(`^[${LETTERS}]{${LENGTH}}$`);

export const newTypedCode = (): string =>
  Array.from({ length: LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('');

/** As a device and a page show it: `WDJB-MJHT`. */
export const shownTypedCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Without regard to case, spaces and dashes; null: no code of ours looks like that. */
export function readTypedCode(typed: string): string | null {
  const code = typed
    .slice(0, 100)
    .replaceAll(/[\s\p{Dash_Punctuation}]/gu, '')
    .toUpperCase();
  return TYPED_CODE.test(code) ? code : null;
}

/** Under each secret, the newest first: what an older one stored is still found. */
export const typedCodeHmacs = (code: string): Buffer[] =>
  settings().secrets.map((secret) => {
    const key = Buffer.from(hkdfSync('sha256', secret, 'gatehouse', 'user code v1', 32));
    return createHmac('sha256', key).update(code).digest();
  });
