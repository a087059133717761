// Difficult conditions for a gateway: names that would break a header, long claims, preflights, a flood of unknown
// tokens, and an unavailable database.
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { setLogLevel } from '#lib/kit/log.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { closePool } from '#lib/store/pool.ts';
import { sql } from '#testing/data/registry.ts';
import {
  bearer,
  type Gateway,
  type GatewayWorld,
  givenGateway,
  nodeGateway,
} from '#testing/in-process/forward-auth.ts';
import { ask } from '#testing/in-process/in-process.ts';
import { giveFormat } from '#testing/in-process/machines.ts';
import { tokensAs } from '#testing/in-process/step-up.ts';

let world: GatewayWorld;
let gateway: Gateway;
beforeAll(async () => {
  setLogLevel('silent');
  world = await givenGateway();
  gateway = nodeGateway(world.door);
});
beforeEach(() => sql("update apis set token_claims = '{}' where id = 'orders'"));
afterAll(() => world.door.close());

const good = () => ({ headers: bearer(world.token) });

/** Sets the user's name, and returns the claims that the API receives. */
async function claimsOfName(name: string) {
  await sql('update people set name = $1 where id = $2', [name, world.alice.personId]);
  const { status, headers } = await gateway('', good());
  expect(status).toBe(200);
  const told = headers['x-auth-claims'];
  return { headers, claims: told && JSON.parse(Buffer.from(told, 'base64url').toString('utf8')) };
}

test('the user’s names appear only in x-auth-claims, in which no character can break a header', async () => {
  expect((await gateway('', good())).headers).not.toHaveProperty('x-auth-claims');
  await sql("update apis set token_claims = '{name,email,unknown}' where id = 'orders'");
  for (const name of ['Żółć 日本 🐦', 'A\r\nx-auth-sub: admin', '"\\\u0007\u2028', 'x-auth-sub: admin']) {
    const { headers, claims } = await claimsOfName(name);
    expect(claims).toEqual({ name, email: 'alice@example.com' });
    const told = Object.entries(headers).filter(([header]) => header.startsWith('x-auth-'));
    expect(told).toHaveLength(6);
    for (const [, value] of told) expect(value).toMatch(/^[\x20-\x7e]*$/);
    expect(headers['x-auth-sub']).toBe(world.alice.personId);
  }
});

test('if the claims exceed 2,048 bytes, they are omitted, and another header reports this', async () => {
  await sql("update apis set token_claims = '{name}' where id = 'orders'");
  const { length } = JSON.stringify({ name: '' });
  // base64url encodes three bytes as four characters
  const most = (2_048 / 4) * 3 - length;
  expect((await claimsOfName('x'.repeat(most))).headers['x-auth-claims']).toHaveLength(2_048);
  const { headers } = await claimsOfName('x'.repeat(most + 1));
  expect(headers).not.toHaveProperty('x-auth-claims');
  expect(headers['x-auth-claims-omitted']).toBe('true');
  await claimsOfName('Alice');
});

test('long or unusual headers of a gateway cause no access, no broken response and no server error', async () => {
  const tokens = ['x'.repeat(12_000), 'a.b.c', `${world.token}.x`, '__proto__', `e30.e30.${'_'.repeat(86)}`];
  for (const token of tokens) expect((await gateway('', { headers: bearer(token) })).status).toBe(401);
  expect((await gateway('', { headers: bearer('x'.repeat(100_000)) })).status).toBe(431);
  for (const header of ['Bearer \xe9', 'Bearer\t\t', 'bearer ,', ', ,, ,', `Bearer ${' '.repeat(5_000)}`]) {
    const answer = await ask('/verify/orders', { headers: { authorization: header } });
    expect(answer.status, header.slice(0, 20)).toBe(401);
    expect(String(answer.headers['www-authenticate'])).toMatch(/^[\x20-\x7e]*$/);
  }
});

test('a preflight is permitted only if the gateway allows it, and the header with the method is used only from a trusted proxy', async () => {
  const origin = { origin: 'https://app.example' };
  const told = (headers: Record<string, string>) => ({ headers: { ...origin, ...headers } });
  const statuses = async () => [
    (await gateway('', { method: 'OPTIONS', headers: origin })).status,
    (await gateway('preflight=allow', { method: 'OPTIONS', headers: origin })).status,
    (await gateway('preflight=allow', { method: 'OPTIONS' })).status,
    (await gateway('preflight=allow', told({}))).status,
    (await gateway('preflight=allow', told({ 'x-forwarded-method': 'OPTIONS' }))).status,
    (await gateway('preflight=allow', told({ 'x-original-method': 'OPTIONS' }))).status,
    // conflicting headers: one value from the proxy and one from the caller
    (await gateway('preflight=allow', told({ 'x-forwarded-method': 'OPTIONS', 'x-original-method': 'POST' })))
      .status,
  ];
  expect(await statuses()).toEqual([401, 200, 401, 401, 401, 401, 401]);
  const before = settings();
  loadSettings({ ...process.env, BASE_URL: before.baseUrl, TRUST_PROXY: '1' });
  expect(await statuses()).toEqual([401, 200, 401, 401, 200, 200, 401]);
  loadSettings({ ...process.env, BASE_URL: before.baseUrl });
});

test('the check of a valid token runs only the one database statement of introspection', async () => {
  await gateway('', good());
  const query = vi.spyOn(pg.Pool.prototype, 'query');
  await gateway('scope=read&max_age=86400', good());
  const names = query.mock.calls.map(([config]) => (config as unknown as { name?: string }).name);
  query.mockRestore();
  expect(names.filter((name) => name !== 'registry-version')).toHaveLength(1);
  expect(names.join()).toContain('token-live');
});

test('after at most 3,000 unknown tokens, an IP address receives 429, and its valid tokens still pass', async () => {
  await giveFormat('opaque');
  const { access_token: opaque = '' } = await tokensAs(world.alice.cookie, { scope: 'read' });
  await giveFormat('jwt');
  const from = (token: string, address: string) => ask('/verify/orders', { headers: bearer(token), address });
  const flooder = '192.0.2.80';
  let refused = 0;
  let last = await from('x', flooder);
  while (last.status === 401 && refused < 3_000) {
    const batch = await Promise.all(Array.from({ length: 50 }, (_, at) => from(`unknown-${at}`, flooder)));
    refused += batch.filter(({ status }) => status === 401).length;
    last = batch.at(-1) ?? last;
  }
  expect(last.status).toBe(429);
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(500);
  expect(refused).toBeGreaterThan(1_000);
  expect((await from(`gha_${'x'.repeat(43)}`, flooder)).status).toBe(429);
  for (const token of [world.token, opaque]) expect((await from(token, flooder)).status).toBe(200);
  // clients need a 401 for an ended token, so that they renew it
  await sql('update opaque_tokens set revoked_at = now()');
  expect((await from(opaque, flooder)).status).toBe(401);
  // Gatehouse does not look up an invented key id for each request
  expect((await from(`e30.e30.${'_'.repeat(86)}`, flooder)).status).toBe(429);
  expect((await from('unknown', '192.0.2.81')).status).toBe(401);
  const [rows] = await sql<{ count: number }>("select max(count) as count from attempts where key like '3%'");
  expect(rows?.count).toBeLessThanOrEqual(28);
});

test('only successful responses are cacheable, for the API’s configured time', async () => {
  const controls = async () =>
    [await gateway('', good()), await gateway('scope=write', good()), await gateway('')].map(
      ({ headers }) => headers['cache-control'],
    );
  expect(await controls()).toEqual(['no-store', 'no-store', 'no-store']);
  await changeApi(OPERATOR, { id: 'orders', verifyCache: 30 });
  expect(await controls()).toEqual(['private, max-age=30', 'no-store', 'no-store']);
  for (const verifyCache of [31, -1, 1.5])
    await expect(changeApi(OPERATOR, { id: 'orders', verifyCache })).rejects.toThrow('from 0 to 30');
  await changeApi(OPERATOR, { id: 'orders', verifyCache: 0 });
  expect(await controls()).toEqual(['no-store', 'no-store', 'no-store']);
});

test('during a database outage, even a request with a valid token returns 503 with Retry-After', async () => {
  expect((await gateway('', good())).status).toBe(200);
  const { databaseUrl } = settings();
  settings().databaseUrl = 'postgres://localhost:1/none';
  await closePool();
  const away = await gateway('', good());
  settings().databaseUrl = databaseUrl;
  await closePool();
  expect([away.status, Number(away.headers['retry-after']) > 0]).toEqual([503, true]);
  expect(away.headers).not.toHaveProperty('x-auth-sub');
  expect((await gateway('', good())).status).toBe(200);
});
