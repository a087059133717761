import fc from 'fast-check';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import type { Snapshot } from '#lib/store/snapshot.ts';
import { always, like, nasty } from '../../scripts/fuzz/values.ts';
import { readAccessToken } from './access-token.ts';
import { hashPresented, mint } from './formats.ts';

const KINDS = ['code', 'refresh', 'access', 'session'] as const;
const FAMILY = '01234567-89ab-4cde-8f01-23456789abcd';

test('CD-11: credentials of one kind are never accepted as another kind', () => {
  always(fc.constantFrom(...KINDS), fc.constantFrom(...KINDS), nasty, (kind, other, text) => {
    const { value, hash } = mint(kind);
    expect(hashPresented(kind, value)).toEqual(hash);
    if (other !== kind) expect(hashPresented(other, value)).toBeNull();
    for (const one of KINDS) expect(hashPresented(one, text)).toBeNull();
  });
});

test('JW-01, JW-02, JW-04, JW-05: only a token signed by a published key with its own algorithm is accepted', async () => {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true });
  const stranger = await generateKeyPair('ES256');
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk);
  const key = {
    kid,
    alg: 'ES256',
    publicJwk: jwk,
    sealedPrivate: '',
    signsFrom: '2020-01-01',
    retiresAt: null,
    retiredAt: null,
  };
  const snapshot = { keys: [key] } as unknown as Snapshot;
  const claims = {
    jti: `${FAMILY}.abcdefghijklmnop`,
    sub: 'p',
    scope: 'read',
    iat: 1_700_000_000,
    exp: 4_000_000_000,
  };
  const sign = (header: object, signer = privateKey) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid, ...header }).sign(signer);
  const good = await sign({});
  expect((await readAccessToken(good, snapshot))?.familyId).toBe(FAMILY);

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const [, payload = '', signature = ''] = good.split('.');
  const secret = new TextEncoder().encode(JSON.stringify(jwk));
  const forged = [
    ...['none', 'None', 'NONE', ''].flatMap((alg) => [
      `${encode({ alg, typ: 'at+jwt', kid })}.${payload}.`,
      `${encode({ alg, typ: 'at+jwt', kid })}.${payload}.${signature}`,
    ]),
    await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid }).sign(secret),
    await sign({ jwk: await exportJWK(stranger.publicKey), kid: 'unknown' }, stranger.privateKey),
    await sign({ jku: 'https://evil.example/jwks' }, stranger.privateKey),
    await sign({ typ: 'JWT' }),
    ...['../../etc/passwd', "' OR 1=1--", 'x'.repeat(10_000)].map(
      (other) => `${encode({ alg: 'ES256', typ: 'at+jwt', kid: other })}.${payload}.${signature}`,
    ),
  ];
  for (const token of forged) expect(await readAccessToken(token, snapshot), token.slice(0, 60)).toBeNull();

  const bytes = (token: string) =>
    token
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('hex'))
      .join('.');
  await fc.assert(
    fc.asyncProperty(like(good, ...forged), async (token) => {
      if (bytes(token) !== bytes(good)) expect(await readAccessToken(token, snapshot)).toBeNull();
    }),
    { numRuns: 3_000 },
  );
});
