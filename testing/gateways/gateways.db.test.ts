// What docs/gateways.md says, run: each gateway of Debian's with the configuration from there, before a real API.
import http from 'node:http';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { closePool } from '#lib/store/index.ts';
import { sql } from '../data/registry.ts';
import { bearer, type GatewayWorld, givenGateway } from '../in-process/forward-auth.ts';
import { ask } from '../in-process/in-process.ts';
import { OPENID_PATH } from '../in-process/openid.ts';
import { TRU, tokensAs } from '../in-process/step-up.ts';
import { certificateFor } from '../net/certificate.ts';
import { send } from '../net/http.ts';
import { type Listening, listen } from '../net/listen.ts';
import { passOn } from '../net/onward.ts';
import { type GatewayName, isInstalled, startGateway } from './programs.ts';

let world: GatewayWorld;
let api: Listening;
let secure: Listening;
const running: { stop: () => Promise<void> }[] = [];
const urls = new Map<GatewayName, string>();
const NAMES = (['nginx', 'caddy', 'haproxy', 'apache'] as const).filter(isInstalled);
const ASKING = NAMES.filter((name) => name !== 'apache');

beforeAll(async () => {
  setLogLevel('silent');
  world = await givenGateway();
  // says what it was told
  api = await listen(
    http.createServer((request, response) => {
      const status = request.url?.includes('forbids') ? 403 : 200;
      response.writeHead(status).end(JSON.stringify(request.headers));
    }),
  );
  // mod_auth_openidc asks by https only
  secure = await listen(
    https.createServer(
      certificateFor('localhost'),
      passOn(() => world.door.url),
    ),
  );
  const words = {
    'https://auth.example/auth/local/': `${secure.url.replace('http:', 'https:')}/auth/pw/`,
    'https://auth.example': world.door.url,
    'orders:read': 'read',
    '127.0.0.1:8080': `127.0.0.1:${api.port}`,
    INTROSPECTION_SECRET: 'fixture-orders-introspection-secret',
  };
  for (const [name, gateway] of await Promise.all(
    NAMES.map(async (name) => [name, await startGateway(name, words)] as const),
  )) {
    urls.set(name, gateway.url);
    running.push(gateway);
  }
});
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await Promise.all([api?.close(), secure?.close(), world?.door.close()]);
});

const call = (name: GatewayName, headers: Record<string, string | string[]> = {}, path = '/orders/1') =>
  send(`${urls.get(name)}${path}`, { headers });
const told = (text: string) => JSON.parse(text) as Record<string, string>;
const FORGED = Object.fromEntries(
  ['Sub', 'Client-Id', 'Scope', 'Issuer', 'Kind', 'Act', 'Claims', 'Claims-Omitted'].map((name) => [
    `X-Auth-${name}`,
    'forged',
  ]),
);
const scoped = async (scope: string) => (await tokensAs(world.alice.cookie, { scope }))['access_token'] ?? '';

async function withoutDatabase<T>(work: () => Promise<T>): Promise<T> {
  const { databaseUrl } = settings();
  settings().databaseUrl = 'postgres://localhost:1/none';
  await closePool();
  try {
    return await work();
  } finally {
    settings().databaseUrl = databaseUrl;
    await closePool();
  }
}

describe.each(ASKING)('%s', (name) => {
  test('lets a good token through, and says whose it is in the place of what the caller said', async () => {
    const answer = await call(name, { ...bearer(world.token), ...FORGED });
    expect(answer.status, answer.text).toBe(200);
    expect(told(answer.text)).toMatchObject({
      'x-auth-sub': world.alice.personId,
      'x-auth-client-id': 'tru',
      'x-auth-scope': 'read',
      'x-auth-kind': 'person',
    });
    for (const absent of ['x-auth-act', 'x-auth-claims', 'x-auth-claims-omitted'])
      expect(told(answer.text)).not.toHaveProperty(absent);
    await sql("update apis set token_claims = '{email}' where id = 'orders'");
    const { text } = await call(name, { ...bearer(world.token), ...FORGED });
    await sql("update apis set token_claims = '{}' where id = 'orders'");
    const claims = Buffer.from(told(text)['x-auth-claims'] ?? '', 'base64url').toString('utf8');
    expect(JSON.parse(claims)).toEqual({ email: 'alice@example.com' });
    expect((await call(name, bearer(world.token), '/orders/forbids')).status).toBe(403);
  });

  test('passes the challenges on, and lets nothing else through', async () => {
    const metadata = `resource_metadata="${settings().baseUrl}/.well-known/oauth-protected-resource/apis/orders"`;
    const none = await call(name, FORGED);
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, `Bearer ${metadata}`]);
    const bad = await call(name, bearer('x'));
    expect(bad.status).toBe(401);
    expect(bad.headers['www-authenticate']).toContain('error="invalid_token"');
    const weak = await call(name, bearer(await scoped('write')));
    expect(weak.status).toBe(403);
    expect(weak.headers['www-authenticate']).toContain('error="insufficient_scope"');
    expect(weak.headers['www-authenticate']).toContain('scope="read"');
    const two = await call(name, { authorization: [`Bearer ${world.token}`, 'Bearer x'] });
    expect([400, 401]).toContain(two.status);
  });

  test('refuses a revoked token at the next request', async () => {
    const token = await scoped('read');
    expect((await call(name, bearer(token))).status).toBe(200);
    await ask(`${OPENID_PATH}/revoke`, { form: { ...TRU, token } });
    expect((await call(name, bearer(token))).status).toBe(401);
  });

  test('lets nothing through while the database is away', async () => {
    const answer = await withoutDatabase(() => call(name, bearer(world.token)));
    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await call(name, bearer(world.token))).status).toBe(200);
  });
});

test.runIf(NAMES.includes('apache'))('apache introspects, for each request', async () => {
  const token = await scoped('read');
  const good = await call('apache', { ...bearer(token), ...FORGED });
  expect(good.status, good.text).toBe(200);
  expect(told(good.text)).toMatchObject({ 'x-auth-sub': world.alice.personId, 'x-auth-scope': 'read' });
  expect(Object.values(told(good.text))).not.toContain('forged');
  expect((await call('apache')).status).toBe(401);
  expect((await call('apache', bearer('x'))).status).toBe(401);
  expect([401, 403]).toContain((await call('apache', bearer(await scoped('write')))).status);
  await ask(`${OPENID_PATH}/revoke`, { form: { ...TRU, token } });
  expect((await call('apache', bearer(token))).status).toBe(401);
  const away = await withoutDatabase(async () => call('apache', bearer(world.token)));
  expect(away.status).toBeGreaterThanOrEqual(400);
});

/** As the documentation of each shows what it sends; the caller's own headers come along. */
const DOCUMENTED = {
  traefik: { 'x-forwarded-method': 'POST', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'api.example' },
  apisix: { 'x-forwarded-proto': 'http', 'x-forwarded-method': 'GET', 'x-forwarded-for': '192.0.2.9' },
};
test.each(Object.entries(DOCUMENTED))('%s asks as its documentation says', async (_name, sent) => {
  const verify = (headers: Record<string, string>) =>
    send(`${world.door.url}/verify/orders?scope=read`, {
      headers: { ...sent, 'x-forwarded-uri': '/orders/1?a=b', ...headers },
    });
  expect((await verify(bearer(world.token))).status).toBe(200);
  expect((await verify({})).status).toBe(401);
});

test('envoy asks by the method of its caller; where it appends the path and the query, it gets 404', async () => {
  for (const [url, status] of [
    ['/verify/orders?scope=read', 200],
    ['/verify/orders/orders/1?scope=read', 404],
  ] as const) {
    const sent = { method: 'PATCH', headers: { ...bearer(world.token), 'content-length': '0' } };
    expect((await send(`${world.door.url}${url}`, sent)).status).toBe(status);
  }
});
