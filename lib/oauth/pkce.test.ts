import { expect, test } from 'vitest';
import { challengeOf, isCodeChallenge, isCodeVerifier } from './rules.ts';

// example of RFC 7636, appendix B
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

test('SPEC 4.5.4: the PKCE challenge is BASE64URL(SHA256(ASCII(verifier)))', () => {
  expect(challengeOf(VERIFIER)).toBe(CHALLENGE);
});

test('PK-13, PK-12: a PKCE verifier has 43 to 128 characters of its alphabet', () => {
  for (const good of ['a'.repeat(43), 'Z'.repeat(128), `${'.-_~'.repeat(10)}abc`])
    expect(isCodeVerifier(good)).toBe(true);
  const rest = 'a'.repeat(42);
  for (const bad of [
    'a'.repeat(42),
    'a'.repeat(129),
    `${rest}+`,
    `${rest}/`,
    `${rest}é`,
    `${rest}\0`,
    `${VERIFIER}\n`,
    '',
  ])
    expect(isCodeVerifier(bad), JSON.stringify(bad)).toBe(false);
});

test('PK-05: a PKCE challenge has exactly 43 base64url characters', () => {
  expect(isCodeChallenge(CHALLENGE)).toBe(true);
  const rest = CHALLENGE.slice(1);
  for (const bad of [
    rest,
    `${CHALLENGE}a`,
    `${rest}=`,
    `${rest}+`,
    `${rest}/`,
    `${rest}\0`,
    `${rest}~`,
    ` ${rest}`,
  ])
    expect(isCodeChallenge(bad), JSON.stringify(bad)).toBe(false);
});
