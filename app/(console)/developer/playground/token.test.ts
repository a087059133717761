import { expect, it } from 'vitest';
import { claimsOf, decodeJwt } from './attempt.ts';

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = (payload: object) => `${part({ alg: 'ES256', typ: 'at+jwt' })}.${part(payload)}.c2ln`;

it('a JWT’s header and payload are decoded, including non-ASCII text', () => {
  expect(decodeJwt(jwt({ sub: 'p1', name: 'Łucja' }))).toEqual({
    header: { alg: 'ES256', typ: 'at+jwt' },
    payload: { sub: 'p1', name: 'Łucja' },
  });
});

it('every text that is not a JWT is rejected', () => {
  for (const token of ['', 'ghat_abc', 'a.b', 'a.b.c', `${jwt({})}.more`])
    expect(decodeJwt(token)).toBeNull();
});

it('times in a decoded token are formatted, and each claim has an explanation', () => {
  expect(claimsOf({ exp: 1_795_254_828, scope: 'a b', extra: ['x'] })).toEqual([
    { name: 'exp', value: '1795254828 (2026-11-21T09:53:48Z)', meaning: 'valid until' },
    { name: 'scope', value: 'a b', meaning: 'what the application can do' },
    { name: 'extra', value: '["x"]', meaning: '' },
  ]);
});
