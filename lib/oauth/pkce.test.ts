import { expect, test } from 'vitest';
import { InvalidRequest } from './errors.ts';
import { challengeOf, codeChallengeOf, isCodeChallenge, isCodeVerifier } from './rules.ts';

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

const challenge = (sent: Record<string, string>, demandedBy: string | null = null) =>
  codeChallengeOf({ values: new Map(Object.entries(sent)), repeated: new Set() }, demandedBy);

test('RFC 7636 §4.3: the challenge of a request is optional unless a rule requires it', () => {
  expect(challenge({})).toBeNull();
  for (const reason of [null, 'this client'])
    expect(challenge({ code_challenge: CHALLENGE, code_challenge_method: 'S256' }, reason)).toBe(CHALLENGE);
});

test.each<[string, Record<string, string>, string]>([
  ['no challenge', {}, 'code_challenge and code_challenge_method are required for this client.'],
  ['a method alone', { code_challenge_method: 'S256' }, 'code_challenge is missing.'],
  ['a challenge alone', { code_challenge: CHALLENGE }, "code_challenge_method must be 'S256'."],
  [
    'the method plain',
    { code_challenge: CHALLENGE, code_challenge_method: 'plain' },
    "code_challenge_method must be 'S256'.",
  ],
  [
    'a short challenge',
    { code_challenge: 'a', code_challenge_method: 'S256' },
    'code_challenge must be 43 base64url characters (the SHA-256 of the verifier).',
  ],
])('RFC 7636 §4.4.1: %s is rejected if a challenge is required', (_, sent, message) => {
  expect(() => challenge(sent, 'this client')).toThrow(InvalidRequest);
  expect(() => challenge(sent, 'this client')).toThrow(message);
});
