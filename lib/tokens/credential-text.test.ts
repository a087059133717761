import { describe, expect, it, test } from 'vitest';
import { PASTED } from '#testing/data/pasted.ts';
import { findCredential, NO_CREDENTIAL_PATTERN, redactCredentials } from './credential-text.ts';
import { mint, type TokenKind } from './formats.ts';

const KINDS: TokenKind[] = [
  ...(['code', 'device', 'refresh', 'keptRefresh', 'access', 'machine', 'session'] as const),
  ...(['clientSecret', 'mail'] as const),
];
const JWT = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl';
const browser = new RegExp(`^(?:${NO_CREDENTIAL_PATTERN})$`, 'v');

describe.each(Object.entries(PASTED))('a credential %s', (_, form) => {
  it.each([...KINDS.map((kind) => [kind, mint(kind).value]), ['JWT', JWT]])(
    'the token is recognized as a credential: %s',
    (_kind, token) => {
      expect(findCredential(form(token as string))).toBe(token);
      expect(browser.test(form(token as string))).toBe(false);
    },
  );
});

test.each([
  ['Basic c2hvcDpzZWNyZXQ=', 'c2hvcDpzZWNyZXQ='],
  ['bearer 0123456789abcdef', '0123456789abcdef'],
  ['Bearer 7e1c4d70-9a33-4a6a-b2f2-7a5e1f2b9d10', '7e1c4d70-9a33-4a6a-b2f2-7a5e1f2b9d10'],
  ['BEARER kJhGfDsAqWeRtYuIoP', 'kJhGfDsAqWeRtYuIoP'],
  ['{"client_secret": "of another service"}', 'of another service'],
  [`{'password': 'it"s'}`, 'it"s'],
  ['{ password: "hunter2" }', 'hunter2'],
  ['{"password":12345678}', '12345678'],
  ['username=a&password=hunter2', 'hunter2'],
  ['password=Passwort', 'Passwort'],
  ['client_secret: 8f7a9c2e41d05b36', '8f7a9c2e41d05b36'],
  ['CLIENT: shop client_secret = 8f7a9c2e41d05b36', '8f7a9c2e41d05b36'],
])('the value that follows the name of a secret is recognized as a credential: %s', (text, value) => {
  expect(findCredential(text)).toBe(value);
  expect(browser.test(text)).toBe(false);
});

test.each(['PRIVATE KEY', 'EC PRIVATE KEY', 'ENCRYPTED PRIVATE KEY', 'PGP PRIVATE KEY BLOCK'])(
  'a private key is recognized as a credential: %s',
  (label) => {
    const text = `my key -----BEGIN ${label}----- MC4CAQ`;
    expect(findCredential(text)).toBe(text);
    expect(browser.test(text)).toBe(false);
  },
);

test.each([
  ...['shop', 'ada@example.com', 'https://shop.example/cb', 'shop orders', 'sign_in.refused', 'gha_', 'eyJ'],
  ...['token.issued', 'the password page', 'Bearer', 'dpop', 'access_token', 'msgha_12345678'],
  '7e1c4d70-9a33-4a6a-b2f2-7a5e1f2b9d10',
  ...['Ødegård', 'basics', 'forgotten password', 'DPoP: required'],
  ...[
    'Basic plan',
    'Basic Shop',
    'basic Bestellübersicht',
    'Basic Auth-Umstellung 2026',
    'Basic Kundenverwaltung',
  ],
  ...['DPoP rollout', 'DPoP Einführung', 'dpop configuration-guide-2026', 'DPoP ORDERS-ARCHIVE-2026'],
  ...['bearer documentation-of-orders', 'Bearer Documentation-Of-Orders', 'bearer internationalization2'],
  ...['Bearer token of orders_service_v2.eu', 'basic https://shop.example/cb?x=1'],
  ...[
    'password: reset',
    'Password: zurücksetzen',
    'password : change-of-password-2026',
    'password:',
    'password=',
  ],
  ...[
    'reset-password=true',
    'forgot_password=1',
    'client_secret: rotation',
    'device_code: documentation-for-tv',
  ],
  ...['"password" policy', 'id_token = explained', 'the "client_secret": rotation'],
  ...['PRIVATE KEY rotation', 'Rotation der PRIVATE KEYs', '-----BEGIN PUBLIC KEY-----', 'BEGIN PRIVATE KEY'],
])('ordinary text is not mistaken for credentials: %s', (text) => {
  expect(findCredential(text)).toBeNull();
  expect(browser.test(text)).toBe(true);
});

describe('redactCredentials', () => {
  it.each(Object.entries(PASTED))('redactCredentials replaces a credential %s', (_, form) => {
    for (const token of [...KINDS.map((kind) => mint(kind).value), JWT])
      expect(redactCredentials(`${form(token)} and ${form(token)}`)).toBe(
        `${form('[redacted]')} and ${form('[redacted]')}`,
      );
  });

  it.each([
    ['{"password":12345678, "user":"ada"}', '{"password":[redacted], "user":"ada"}'],
    ['Basic c2hvcDpzZWNyZXQ= of shop', 'Basic [redacted] of shop'],
    ['username=a&password=hunter2', 'username=a&password=[redacted]'],
    ['password=password', 'password=[redacted]'],
    ['postgres://gatehouse:p@ss:w@db/x?a=b@c', 'postgres://gatehouse:[redacted]@db/x?a=b@c'],
    ['smtps://:pw@mail', 'smtps://:[redacted]@mail'],
    ['key -----BEGIN PRIVATE KEY-----\nMC4C\n-----END PRIVATE KEY----- end', 'key [redacted] end'],
    ['key -----BEGIN EC PRIVATE KEY----- MC4C', 'key [redacted]'],
  ])('the credential in the text %s is replaced', (text, redacted) => {
    expect(redactCredentials(text)).toBe(redacted);
  });

  it.each(['http://127.0.0.1:3000/x@y', 'https://ada@example.com/', 'the password page', 'mail to a:b@c'])(
    'a text without credentials stays unchanged: %s',
    (text) => {
      expect(redactCredentials(text)).toBe(text);
    },
  );

  it('a hostile text of 1 MB is searched for credentials in linear time', () => {
    const began = performance.now();
    for (const text of ['a.', 'a://', 'password', '-----BEGIN ', 'eyJ', 'gha_', 'Bearer '])
      redactCredentials(text.repeat(1_000_000 / text.length));
    expect(performance.now() - began).toBeLessThan(7_000);
  });
});

test('private keys with any kind of label are recognized, and a long label without an end takes linear time', () => {
  for (const label of ['', 'RSA ', 'EC ', 'ENCRYPTED ', 'OPENSSH ', 'PGP '])
    expect(findCredential(`x -----BEGIN ${label}PRIVATE KEY----- y`)).not.toBeNull();
  expect(findCredential('-----BEGIN PGP PRIVATE KEY BLOCK-----')).not.toBeNull();
  // a regular expression with quadratic running time would take minutes
  const label = `-----BEGIN ${'PRIVATE KEY '.repeat(100_000)}`;
  expect(findCredential(label)).toBeNull();
  expect(redactCredentials(label)).toBe(label);
});

test('in JSON inside a string, secret members of the inner object are redacted', () => {
  expect(redactCredentials(String.raw`{"body":"{\"client_secret\":\"abcDEF123\"}"}`)).not.toContain(
    'abcDEF123',
  );
});
