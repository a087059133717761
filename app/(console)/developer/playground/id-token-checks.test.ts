import { createHash } from 'node:crypto';
import { createLocalJWKSet, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { beforeAll, expect, it } from 'vitest';
import { type Attempt, checkIdToken } from './attempt.ts';

const issuer = 'https://auth.example/auth/local/api/orders';
const attempt = {
  clientId: 'shop',
  nonce: 'n1',
  combination: { issuer, jwks: `${issuer}/jwks` },
} as Attempt;
const atHash = createHash('sha256').update('access').digest().subarray(0, 16).toString('base64url');
const good = { iss: issuer, aud: 'shop', sub: 'p1', nonce: 'n1', at_hash: atHash };

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let jwks: ReturnType<typeof createLocalJWKSet>;
beforeAll(async () => {
  keys = await generateKeyPair('ES256');
  jwks = createLocalJWKSet({ keys: [await exportJWK(keys.publicKey)] });
});

async function verdicts(claims: JWTPayload, typ = 'JWT') {
  const jwt = new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ }).setIssuedAt();
  const idToken = await jwt.setExpirationTime('1h').sign(keys.privateKey);
  const checks = await checkIdToken({ idToken, accessToken: 'access', attempt }, jwks);
  return checks.map(({ ok }) => ok);
}

it('an ID token of this issuer, application and request is accepted', async () => {
  expect(await verdicts(good)).toEqual([true, true, true]);
  const { nonce: _, ...refreshed } = good;
  expect(await verdicts(refreshed)).toEqual([true, true]);
});

it('an ID token with a wrong nonce, at_hash, iss, aud or typ fails its check', async () => {
  expect(await verdicts({ ...good, nonce: 'n2' })).toEqual([true, false, true]);
  expect(await verdicts({ ...good, at_hash: 'x' })).toEqual([true, true, false]);
  for (const claims of [
    { ...good, iss: 'https://evil.example' },
    { ...good, aud: 'other' },
  ])
    expect(await verdicts(claims)).toEqual([false]);
  expect(await verdicts(good, 'at+jwt')).toEqual([false]);
});
