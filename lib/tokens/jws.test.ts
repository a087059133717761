import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { exportJWK, jwtVerify, SignJWT } from 'jose';
import { expect, test } from 'vitest';
import { signCompact, verifyCompact } from './jws.ts';

const pairs = {
  ES256: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  RS256: generateKeyPairSync('rsa', { modulusLength: 2048 }),
};
type Alg = keyof typeof pairs;
const algs = Object.keys(pairs) as Alg[];
const CLAIMS = { sub: 'somebody', jti: 'ü' };

const signing = (alg: Alg, kid = 'k') => ({ kid, alg, privateKey: pairs[alg].privateKey });
const finding =
  (alg: Alg, publicKey: KeyObject = pairs[alg].publicKey) =>
  (kid: string) =>
    kid === 'k' ? { kid, alg, publicKey } : null;
const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

for (const alg of algs) {
  test(`RFC 7515: jose verifies Gatehouse’s ${alg} signatures, and Gatehouse verifies those of jose`, async () => {
    const token = signCompact('at+jwt', CLAIMS, signing(alg));
    const { payload, protectedHeader } = await jwtVerify(token, pairs[alg].publicKey, { typ: 'at+jwt' });
    expect(payload).toEqual(CLAIMS);
    expect(protectedHeader).toEqual({ alg, typ: 'at+jwt', kid: 'k' });

    const theirs = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg, typ: 'at+jwt', kid: 'k' })
      .sign(pairs[alg].privateKey);
    expect(verifyCompact(theirs, 'at+jwt', finding(alg))).toEqual(CLAIMS);
  });

  test(`${alg}: a token that was modified in any part is rejected`, () => {
    const token = signCompact('at+jwt', CLAIMS, signing(alg));
    const [head = '', body = '', tail = ''] = token.split('.');
    const flipped = (text: string, at: number) =>
      text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    const changed = [
      [flipped(head, 5), body, tail],
      [head, flipped(body, 5), tail],
      [head, body, flipped(tail, 5)],
      [head, part({ ...CLAIMS, sub: 'somebody else' }), tail],
      [head, body, ''],
      [head, body, tail.slice(0, -4)],
      [head, body, `${tail}AAAA`],
      [head, body, tail, tail],
      [head, `${body}=`, tail],
    ].map((parts) => parts.join('.'));
    for (const one of ['', '.', '..', head, ...changed])
      expect(verifyCompact(one, 'at+jwt', finding(alg))).toBeNull();
  });
}

test('RFC 8725 §3.11: one key signs tokens of several types, each verified under its type', () => {
  const key = signing('ES256');
  const typs = ['at+jwt', 'JWT', 'logout+jwt', 'oauth-id-jag+jwt'];
  for (const typ of typs) {
    const token = signCompact(typ, CLAIMS, key);
    for (const expected of typs)
      expect(verifyCompact(token, expected, finding('ES256'))).toEqual(expected === typ ? CLAIMS : null);
  }
});

test('RFC 8725 §3.1: the key determines the algorithm of a signature, and not the token', async () => {
  const secret = Buffer.from(JSON.stringify(await exportJWK(pairs.ES256.publicKey)));
  const hmac = await new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: 'k' })
    .sign(secret);
  const none = `${part({ alg: 'none', typ: 'at+jwt', kid: 'k' })}.${part(CLAIMS)}.`;
  const other = signCompact('at+jwt', CLAIMS, signing('RS256'));
  for (const token of [hmac, none, other])
    expect(verifyCompact(token, 'at+jwt', finding('ES256'))).toBeNull();
});

test('a JWT with another type, an unknown key, a critical header or an unusual spelling is rejected', async () => {
  const find = finding('ES256');
  expect(verifyCompact(signCompact('JWT', CLAIMS, signing('ES256', 'k')), 'at+jwt', find)).toBeNull();
  expect(verifyCompact(signCompact('at+jwt', CLAIMS, signing('ES256', 'other')), 'at+jwt', find)).toBeNull();
  const critical = await new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: 'k', crit: ['b64'], b64: true })
    .sign(pairs.ES256.privateKey);
  expect(verifyCompact(critical, 'at+jwt', find)).toBeNull();
  const token = signCompact('at+jwt', CLAIMS, signing('ES256'));
  // base64url encodes 64 bytes with four unused bits in the last character
  const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const respelt = token.slice(0, -1) + last[last.indexOf(token.at(-1) as string) + 1];
  expect(verifyCompact(respelt, 'at+jwt', find)).toBeNull();
  expect(verifyCompact(`${token.slice(0, -1)}`, 'at+jwt', find)).toBeNull();
  expect(verifyCompact('a'.repeat(9_000), 'at+jwt', find)).toBeNull();
});
