// Client assertions, tested with random input.
import fc from 'fast-check';
import { CompactSign } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { makeAssertion, makePair, type Pair, setOf } from '#testing/clients/client-keys.ts';
import { like, nasty } from '../../scripts/fuzz/values.ts';
import { checkAssertion, claimedSubject } from './client-assertion.ts';

const ISSUER = 'https://auth.example/auth/local/api/orders';
const isAudience = (audience: string) => audience === ISSUER;
let pair: Pair;
let good: string;

beforeAll(async () => {
  pair = await makePair();
  good = await makeAssertion({ clientId: 'shop', audience: ISSUER, pair });
});
const check = (assertion: string, jwks = setOf(pair)) =>
  checkAssertion(assertion, { clientId: 'shop', jwks, jwksUri: null, isAudience });

test('RFC 7523 §3: only the exact text of an assertion that was signed is accepted, and no input throws an error', async () => {
  const [head, body, signature] = good.split('.') as [string, string, string];
  const texts = like(
    good,
    `${head}.${body}.`,
    `${head}..${signature}`,
    `${good}.${signature}`,
    `${body}.${body}.AA`,
  );
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      claimedSubject(text);
      if ((await check(text)).fault === null) expect(text).toBe(good);
    }),
    { numRuns: 2_000 },
  );
});

test('assertions with random signed claims are accepted only if claims have the expected values', async () => {
  const names = fc.constantFrom('iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti', 'x');
  const value = fc.oneof(nasty, fc.jsonValue(), fc.double(), fc.constantFrom('shop', ISSUER, 1e308, -1));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(names, value), async (claims) => {
      const signed = new CompactSign(Buffer.from(JSON.stringify(claims)));
      const text = await signed.setProtectedHeader({ alg: 'ES256', kid: pair.kid }).sign(pair.privateKey);
      claimedSubject(text);
      if ((await check(text)).fault !== null) return;
      expect(claims).toMatchObject({ iss: 'shop', sub: 'shop', aud: ISSUER, jti: expect.any(String) });
    }),
    { numRuns: 1_000 },
  );
});

test('a key verifies only assertions with its own algorithm, and without a kid every matching key is tried', async () => {
  const [rsa, ed, other] = await Promise.all([makePair('RS256'), makePair('Ed25519'), makePair()]);
  expect((await check(good, setOf(rsa, ed))).fault).toBe('assertion-key');
  const asserted = { clientId: 'shop', audience: ISSUER, pair };
  const nameless = await makeAssertion(asserted, { header: { kid: undefined } });
  expect((await check(nameless, setOf(other, rsa, pair))).fault).toBeNull();
  expect((await check(nameless, setOf(other, rsa))).fault).toBe('assertion-signature');
  const byOldName = await makeAssertion({ ...asserted, pair: { ...ed, alg: 'EdDSA' } });
  expect((await check(byOldName, setOf(ed))).fault).toBeNull();
  const weaker = await makeAssertion({ ...asserted, pair: { ...rsa, alg: 'RS512' } }).catch(() => null);
  if (weaker) expect((await check(weaker, setOf(rsa))).fault).toBe('assertion-key');
});
