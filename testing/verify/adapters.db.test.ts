// Runs each framework adapter with the README's code and tokens from a real service: all accept and reject the same
// tokens, with equal challenges.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { fixtureApi, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';
import { attempt, send } from '#testing/net/http.ts';
import type { Listening } from '#testing/net/listen.ts';
import { claimsOf, passwordGrant, refresh, revoke, tokensOf, tokenUrl } from '#testing/service/token.ts';
import { type Adapter, type Answered, HAS_PYTHON, LACKING, startAdapters } from './adapters.ts';
import { handlerOf, installed, startExample } from './installed.ts';
import { newSigner } from './scripted-issuer.ts';

let door: Listening;
let folder: string;
const adapters = { jwt: [] as Adapter[], opaque: [] as Adapter[] };
const addressOf = (api: string) => `${door.url}/.well-known/oauth-protected-resource/apis/${api}`;

beforeAll(async () => {
  door = await openDoor();
  await givenFixtures();
  await sql(
    "insert into subscriptions (client_id, api_id, state, trusted) values ('tru', 'billing', 'approved', true)",
  );
  folder = installed(['express', 'fastify', 'hono', '@hono/node-server']).folder;
  adapters.jwt = await startAdapters(folder, { api: addressOf('orders') });
  // the token format changes nothing in the adapters
  adapters.opaque = await startAdapters(
    folder,
    { api: addressOf('billing'), secret: fixtureApi('billing').secret },
    ['http.mjs', ...(HAS_PYTHON ? ['flask_api.py'] : [])],
  );
});
afterAll(async () => {
  const started = [...adapters.jwt, ...adapters.opaque];
  await Promise.all(started.map(({ stop }) => stop?.()));
  for (const { log } of started) expect(log ? readFileSync(log, 'utf8') : '').not.toMatch(/eyJ|gha_/);
  await door.close();
  await rm(path.dirname(folder), { recursive: true, force: true });
});

/**
 * Returns a token with every scope of the API, or with a single scope, to which a refresh has narrowed it.
 */
async function tokenFor(
  api: string,
  { scope, method = 'pw', by }: { scope?: string; method?: string; by?: ProofKey } = {},
) {
  const [client, at] = [fixtureClient('tru'), { method, api }];
  const headers = by ? { dpop: await proofOf(by, { address: tokenUrl(door, at) }) } : {};
  const { accessToken, refreshToken } = tokensOf(
    await passwordGrant(door, client, fixturePerson('alice'), {}, { at, headers }),
  );
  if (scope === undefined) return accessToken;
  return tokensOf(await refresh(door, client, refreshToken, { scope }, at)).accessToken;
}

/** Returns the response of the adapters, and checks that all adapters give the same response. */
async function answerOf(format: keyof typeof adapters, ...authorization: string[]): Promise<Answered> {
  const answers = await Promise.all(
    adapters[format].map(async ({ name, ask }) => ({ name, ...(await ask(authorization)) })),
  );
  const [{ name: _, ...first }] = answers as [Answered & { name: string }];
  expect(answers).toEqual(adapters[format].map(({ name }) => ({ name, ...first })));
  return first;
}

const challenge = (api: string, error?: string) =>
  `Bearer ${error === undefined ? '' : `error="${error}", `}resource_metadata="${addressOf(api)}"`;
const INVALID = 'invalid_token", error_description="the token is not valid here';
const NARROW = 'insufficient_scope", error_description="the token does not have this scope", scope="read';

test.skip.for(LACKING)('the tests of %s are skipped, because its runtime is not installed', () => {});

test('a valid token is accepted with the scheme in any letter case, and the handler receives the caller', async () => {
  const token = await tokenFor('orders');
  for (const scheme of ['Bearer', 'bearer'])
    expect(await answerOf('jwt', `${scheme} ${token}`)).toEqual({
      status: 200,
      challenge: null,
      text: JSON.stringify({ sub: claimsOf(token)['sub'] }),
    });
});

test('a token of a sign-in method that is enabled later is accepted without a restart', async () => {
  await sql("insert into auth_methods (id, type, name) values ('late', 'local', 'Late')");
  await sql("insert into combinations (auth_method_id, api_id) values ('late', 'orders')");
  await currentSnapshot();
  const token = await tokenFor('orders', { method: 'late' });
  expect(claimsOf(token)['iss']).toMatch(/late/);
  expect((await answerOf('jwt', `Bearer ${token}`)).status).toBe(200);
});

test('for a missing, invalid or insufficient token, the challenge follows RFC 6750 and names the metadata of RFC 9728', async () => {
  const good = await tokenFor('orders');
  const [head = '', payload = '', signature = ''] = good.split('.');
  const header = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string; kid: string };
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const { privateKey } = await newSigner();
  const forged = (over: object) => new SignJWT(claimsOf(good)).setProtectedHeader({ ...header, ...over });

  for (const none of [[], ['Basic YTpi'], ['Bearer']])
    expect(await answerOf('jwt', ...none)).toMatchObject({ status: 401, challenge: challenge('orders') });
  for (const [what, ...bad] of [
    ['two headers', `Bearer ${good}`, `Bearer ${good}`],
    ['nonsense', 'Bearer nonsense'],
    ['no signature', `Bearer ${encoded({ ...header, alg: 'none' })}.${payload}.`],
    ['another signature', `Bearer ${await forged({}).sign(privateKey)}`],
    ['an unknown key', `Bearer ${await forged({ kid: 'unknown' }).sign(privateKey)}`],
    ['another type', `Bearer ${encoded({ ...header, typ: 'JWT' })}.${payload}.${signature}`],
    ['a secret', `Bearer ${await forged({ alg: 'HS256' }).sign(new Uint8Array(32))}`],
    ['another API', `Bearer ${await tokenFor('billing')}`],
    ['long', `Bearer ${'x'.repeat(15_000)}`],
  ] as [string, ...string[]][])
    expect(await answerOf('jwt', ...bad), what).toEqual({
      status: 401,
      challenge: challenge('orders', INVALID),
      text: '',
    });
  expect(await answerOf('jwt', `Bearer ${await tokenFor('orders', { scope: 'write' })}`)).toEqual({
    status: 403,
    challenge: challenge('orders', NARROW),
    text: '',
  });
});

test('the server or the package rejects a header of 100 kB, and is not blocked by it', async () => {
  const header = `Bearer ${'x'.repeat(100_000)}`;
  for (const { name, url, ask } of adapters.jwt) {
    // Node closes the connection while the header still arrives
    const { status } = url ? await attempt(url, { headers: { authorization: header } }) : await ask([header]);
    expect(url ? [400, 401, 431, 0] : [401], name).toContain(status);
  }
});

test('an opaque token is accepted until its revocation, which each adapter notices within seconds', async () => {
  const token = await tokenFor('billing');
  const { status, text } = await answerOf('opaque', `Bearer ${token}`);
  expect([status, JSON.parse(text)]).toEqual([200, { sub: expect.any(String) }]);
  expect(await answerOf('opaque', `Bearer ${await tokenFor('billing', { scope: 'pay' })}`)).toMatchObject({
    status: 403,
    challenge: challenge('billing', NARROW),
  });
  const over = await tokenFor('billing');
  await revoke(door, fixtureClient('tru'), over);
  for (const bad of [over, 'gha_nonsense', await tokenFor('orders')])
    expect(await answerOf('opaque', `Bearer ${bad}`)).toMatchObject({
      status: 401,
      challenge: challenge('billing', INVALID),
    });
});

/** Matches names of implementations that check DPoP proofs. Go and PHP reject DPoP-bound tokens. */
const PROVES = /(?:js|py)$/;

test('a DPoP-bound token is accepted once, with a proof for this request (RFC 9449 §7)', async () => {
  const [key, other] = await Promise.all([proofKey(), proofKey()]);
  const [jwt, opaque] = [await tokenFor('orders', { by: key }), await tokenFor('billing', { by: key })];
  const places = [...adapters.jwt, ...adapters.opaque];
  for (const [n, { name, ask, at: address }] of places.entries()) {
    const token = n < adapters.jwt.length ? jwt : opaque;
    const prove = (more: Partial<Parameters<typeof proofOf>[1]> = {}, by = key) =>
      proofOf(by, { method: 'GET', address, token, ...more });
    const answer = async (scheme: string, ...proofs: string[]) => {
      const { status, challenge } = await ask([`${scheme} ${token}`], proofs);
      return `${status} ${/^\w+ error="\w+"/.exec(challenge ?? '')}`;
    };
    const good = await prove();
    const old = await prove({ claims: { iat: Math.floor(Date.now() / 1_000) - 400 } });
    expect(await answer('Bearer', good), name).toBe('401 Bearer error="invalid_token"');
    if (!PROVES.test(name)) {
      expect(await answer('DPoP', good), name).toBe('401 Bearer error="invalid_token"');
      continue;
    }
    for (const bad of [
      [],
      [await prove({}, other)],
      [await prove({ method: 'POST' })],
      [await prove({ address: `${address}/7` })],
      [await prove({ token: `${token}x` })],
      [old],
      [good, good],
    ])
      expect(await answer('DPoP', ...bad), name).toBe('401 DPoP error="invalid_dpop_proof"');
    expect(await answer('DPoP', good), name).toBe('200 null');
    expect(await answer('DPoP', good), name).toBe('401 DPoP error="invalid_dpop_proof"');
  }
});

test('a Host header that contains a path returns 400, and never changes the proof’s URL (RFC 9112 §3.2)', async () => {
  const key = await proofKey();
  const token = await tokenFor('orders', { by: key });
  for (const { name, url } of adapters.jwt) {
    if (!url) continue;
    const host = `${new URL(url).host}/orders/7?`;
    const dpop = await proofOf(key, { method: 'GET', address: `${url}/7`, token });
    const { status } = await send(url, { headers: { authorization: `DPoP ${token}`, dpop, host } });
    expect(status, name).toBe(PROVES.test(name) || name.endsWith('.go') ? 400 : 401);
    const plain = await send(url, { headers: { authorization: `Bearer ${await tokenFor('orders')}`, host } });
    if (PROVES.test(name)) expect(plain.status, name).toBe(400);
  }
});

test('if metadata are unavailable at startup, requests return 503 with Retry-After', async () => {
  const told = { api: 'http://127.0.0.1:1/.well-known/oauth-protected-resource/apis/orders' };
  const { url, stop } = await startExample(folder, 'express.mjs', told);
  const handler = await handlerOf(folder, 'worker.mjs', told);
  const headers = { authorization: `Bearer ${await tokenFor('orders')}` };
  const [one, two] = [
    await send(url, { headers }),
    await handler(new Request('https://api.example/', { headers })),
  ];
  expect([one.status, one.headers['retry-after'], one.headers['www-authenticate']]).toEqual([
    503,
    '5',
    undefined,
  ]);
  expect([two.status, two.headers.get('retry-after')]).toEqual([503, '5']);
  await stop();
});
