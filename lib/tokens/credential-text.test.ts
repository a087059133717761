import { describe, expect, it, test } from 'vitest';
import { PASTED } from '#testing/data/pasted.ts';
import { findCredential, NO_CREDENTIAL_PATTERN } from './credential-text.ts';
import { mint, type TokenKind } from './formats.ts';

const KINDS: TokenKind[] = [
  ...(['code', 'device', 'refresh', 'keptRefresh', 'access', 'machine', 'session'] as const),
  ...(['clientSecret', 'mail'] as const),
];
const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const browser = new RegExp(`^(?:${NO_CREDENTIAL_PATTERN})$`, 'v');

describe.each(Object.entries(PASTED))('a credential %s', (_, form) => {
  it.each([...KINDS.map((kind) => [kind, mint(kind).value]), ['JWT', JWT]])(
    'is found: %s',
    (_kind, token) => {
      expect(findCredential(form(token as string))).toBe(token);
      expect(browser.test(form(token as string))).toBe(false);
    },
  );
});

test.each([
  ['Basic c2hvcDpzZWNyZXQ=', 'c2hvcDpzZWNyZXQ='],
  ['bearer 0123456789', '0123456789'],
  ['{"client_secret": "of another service"}', 'of'],
  ['username=a&password=hunter2', 'hunter2'],
])('a value with a name is found: %s', (text, value) => {
  expect(findCredential(text)).toBe(value);
  expect(browser.test(text)).toBe(false);
});

it('a private key is found', () => {
  const text = '-----BEGIN PRIVATE KEY----- MC4CAQ';
  expect(findCredential(text)).toBe(text);
  expect(browser.test(text)).toBe(false);
});

test.each([
  ...['shop', 'ada@example.com', 'https://shop.example/cb', 'shop orders', 'sign_in.refused', 'gha_', 'eyJ'],
  ...[
    'token.issued',
    'the password page',
    'Bearer',
    'dpop',
    'access_token',
    '7e1c4d70-9a33-4a6a-b2f2-7a5e1f2b9d10',
  ],
  ...['Ødegård', 'basics', 'forgotten password', 'DPoP: required'],
])('a name is no credential: %s', (text) => {
  expect(findCredential(text)).toBeNull();
  expect(browser.test(text)).toBe(true);
});
