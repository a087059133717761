// Each framework of the verification package, by the code of its README, in front of tokens of a real service: the same
// tokens are taken and refused, with the same challenge.

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { SignJWT } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { currentSnapshot } from '#lib/store/index.ts';
import { fixtureApi, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { attempt, send } from '#testing/net/http.ts';
import type { Listening } from '#testing/net/listen.ts';
import { claimsOf, passwordGrant, refresh, revoke, tokensOf } from '#testing/service/token.ts';
import { handlerOf, installed, startExample, type Told } from './installed.ts';
import { hasGo, hasPhp, hasPython } from './programs.ts';
import { newSigner } from './scripted-issuer.ts';

type Answered = { status: number; challenge: string | null; text: string };
type Ask = (...authorization: string[]) => Promise<Answered>;
type Adapter = { name: string; ask: Ask; url?: string; log?: string; stop?: () => Promise<void> };

const HAS_PYTHON = hasPython('jwt, cryptography, fastapi, uvicorn, flask, django');
const EXAMPLES: Record<string, boolean> = {
  'express.mjs': true,
  'fastify.mjs': true,
  'hono.mjs': true,
  'http.mjs': true,
  'fastapi_api.py': HAS_PYTHON,
  'starlette_api.py': HAS_PYTHON,
  'flask_api.py': HAS_PYTHON,
  'django_api.py': HAS_PYTHON,
  'main.go': hasGo(),
  'orders.php': hasPhp(),
};
const PROGRAMS = Object.keys(EXAMPLES).filter((name) => EXAMPLES[name]);
const LACKING = Object.keys(EXAMPLES).filter((name) => !EXAMPLES[name]);
const HANDLERS = ['route.js', 'worker.mjs'];

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
  adapters.jwt = await all({ api: addressOf('orders') });
  // the adapters differ in nothing that a token's format touches
  adapters.opaque = await all({ api: addressOf('billing'), secret: fixtureApi('billing').secret }, [
    'http.mjs',
    ...(HAS_PYTHON ? ['flask_api.py'] : []),
  ]);
});
afterAll(async () => {
  const started = [...adapters.jwt, ...adapters.opaque];
  await Promise.all(started.map(({ stop }) => stop?.()));
  for (const { log } of started) expect(log ? readFileSync(log, 'utf8') : '').not.toMatch(/eyJ|gha_/);
  await door.close();
  await rm(path.dirname(folder), { recursive: true, force: true });
});

async function all(told: Told, names = PROGRAMS): Promise<Adapter[]> {
  const programs = names.map(async (name): Promise<Adapter> => {
    const { url, stop, log } = await startExample(folder, name, told);
    const ask: Ask = async (...authorization) => {
      const { status, headers, text } = await send(url, { headers: { authorization } });
      // FastAPI says the name of a status in a body
      const said = status < 400 ? JSON.stringify(JSON.parse(text)) : text.replace(/^\{"detail":"\w+"\}$/, '');
      return { status, challenge: headers['www-authenticate'] ?? null, text: said };
    };
    return { name, ask, url, log, stop };
  });
  const handlers = HANDLERS.map(async (name): Promise<Adapter> => {
    const handler = await handlerOf(folder, name, told);
    const ask: Ask = async (...authorization) => {
      const headers = authorization.map((value): [string, string] => ['authorization', value]);
      const answer = await handler(new Request('https://api.example/orders', { headers }));
      return {
        status: answer.status,
        challenge: answer.headers.get('www-authenticate'),
        text: await answer.text(),
      };
    };
    return { name, ask };
  });
  return Promise.all([...programs, ...handlers]);
}

/** A token with all scopes of the API, or with one, which only a refresh narrows. */
async function tokenFor(api: string, { scope, method = 'pw' }: { scope?: string; method?: string } = {}) {
  const [client, at] = [fixtureClient('tru'), { method, api }];
  const { accessToken, refreshToken } = tokensOf(
    await passwordGrant(door, client, fixturePerson('alice'), {}, { at }),
  );
  if (scope === undefined) return accessToken;
  return tokensOf(await refresh(door, client, refreshToken, { scope }, at)).accessToken;
}

/** What all adapters answer, which is one answer. */
async function answerOf(format: keyof typeof adapters, ...authorization: string[]): Promise<Answered> {
  const answers = await Promise.all(
    adapters[format].map(async ({ name, ask }) => ({ name, ...(await ask(...authorization)) })),
  );
  const [{ name: _, ...first }] = answers as [Answered & { name: string }];
  expect(answers).toEqual(adapters[format].map(({ name }) => ({ name, ...first })));
  return first;
}

const challenge = (api: string, error?: string) =>
  `Bearer ${error === undefined ? '' : `error="${error}", `}resource_metadata="${addressOf(api)}"`;
const INVALID = 'invalid_token", error_description="the token is not valid here';
const NARROW = 'insufficient_scope", error_description="the token does not have this scope", scope="read';

test.skip.for(LACKING)('%s: what it runs with is not installed here', () => {});

test('a good token is taken, with its scheme in any case, and tells who calls', async () => {
  const token = await tokenFor('orders');
  for (const scheme of ['Bearer', 'bearer'])
    expect(await answerOf('jwt', `${scheme} ${token}`)).toEqual({
      status: 200,
      challenge: null,
      text: JSON.stringify({ sub: claimsOf(token)['sub'] }),
    });
});

test('a method that the API lets in later is followed without a restart', async () => {
  await sql("insert into auth_methods (id, type, name) values ('late', 'local', 'Late')");
  await sql("insert into combinations (auth_method_id, api_id) values ('late', 'orders')");
  await currentSnapshot();
  const token = await tokenFor('orders', { method: 'late' });
  expect(claimsOf(token)['iss']).toMatch(/late/);
  expect((await answerOf('jwt', `Bearer ${token}`)).status).toBe(200);
});

test('no token, a bad one and a narrow one have the challenges of RFC 6750, with the metadata of RFC 9728', async () => {
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
    ['DPoP', `DPoP ${good}`],
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

test('a header of 100 kB is refused by the server or by the package, and nothing hangs', async () => {
  const header = `Bearer ${'x'.repeat(100_000)}`;
  for (const { name, url, ask } of adapters.jwt) {
    // Node ends the connection while the header still comes
    const { status } = url ? await attempt(url, { headers: { authorization: header } }) : await ask(header);
    expect(url ? [400, 401, 431, 0] : [401], name).toContain(status);
  }
});

test('an opaque token is taken until it is revoked, as each adapter hears within seconds', async () => {
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

test('metadata that is away at the start is a 503 with Retry-After', async () => {
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
