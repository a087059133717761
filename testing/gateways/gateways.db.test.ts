// Runs the examples of docs/how-to/gateways.md: each gateway with its documented configuration, in front of a PHP API.
import http from 'node:http';
import https from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { closePool } from '#lib/store/pool.ts';
import { blockIn, replaceIn } from '../code/doc-snippets.ts';
import { sql } from '../data/registry.ts';
import { bearer, type GatewayWorld, givenGateway } from '../in-process/forward-auth.ts';
import { ask, jsonOf } from '../in-process/in-process.ts';
import { OPENID_PATH } from '../in-process/openid.ts';
import { authorizeAs, TRU, tokensAs } from '../in-process/step-up.ts';
import { certificateFor } from '../net/certificate.ts';
import { type ProofKey, proofKey, proofOf } from '../net/dpop.ts';
import { freePort } from '../net/free-port.ts';
import { send } from '../net/http.ts';
import { type Listening, listen } from '../net/listen.ts';
import { passOn } from '../net/onward.ts';
import { hasPhpApi, startPhpApi } from '../net/php-api.ts';
import { isInstalled as isProxyInstalled, newFolder, startCaddy, startNginx } from '../net/proxies.ts';
import { GATEWAY_NAMES, type GatewayName, isInstalled, startGateway } from './programs.ts';

let world: GatewayWorld;
let api: { port: number; close: () => Promise<void> };
let secure: Listening;
let key: ProofKey;
const running: { stop: () => Promise<void> }[] = [];
const urls = new Map<GatewayName, string>();
const NAMES = GATEWAY_NAMES.filter(isInstalled);
const ASKING = NAMES.filter((name) => name !== 'apache');
/** Public URL of the API; gateways behave identically with TLS. */
const CALLED = 'http://api.example';

/** Returns the values of this run that replace example values. */
const wordsAt = (gatehouse: string): Record<string, string> => ({
  'https://auth.example/auth/local/': `${secure.url.replace('http:', 'https:')}/auth/pw/`,
  'https://auth.example': gatehouse,
  'https://api.example': CALLED,
  'orders:read': 'read',
  '127.0.0.1:8080': `127.0.0.1:${api.port}`,
  INTROSPECTION_SECRET: 'fixture-orders-introspection-secret',
  AUTH_PORT: new URL(gatehouse).port,
  API_PORT: String(api.port),
});

beforeAll(async () => {
  setLogLevel('silent');
  key = await proofKey();
  world = await givenGateway();
  loadSettings({ ...process.env, BASE_URL: settings().baseUrl, TRUST_PROXY: '1' });
  await sql('update apis set url = $1 where id = $2', [`${CALLED}/orders`, 'orders']);
  world.token = await scoped('read');
  // each API returns the headers that it received
  api = hasPhpApi()
    ? await startPhpApi()
    : await listen(
        http.createServer((request, response) => {
          const status = request.url?.includes('forbids') ? 403 : 200;
          response.writeHead(status).end(JSON.stringify(request.headers));
        }),
      );
  // the introspection URL is https, because mod_auth_openidc accepts no other
  secure = await listen(
    https.createServer(
      certificateFor('localhost'),
      passOn(() => world.door.url),
    ),
  );
  for (const [name, gateway] of await Promise.all(
    NAMES.map(async (name) => [name, await startGateway(name, wordsAt(world.door.url))] as const),
  )) {
    urls.set(name, gateway.url);
    running.push(gateway);
  }
});
afterAll(async () => {
  await Promise.all(running.map((one) => one.stop()));
  await Promise.all([api?.close(), secure?.close(), world?.door.close()]);
});

type Headers = Record<string, string | string[]>;
const call = (name: GatewayName, headers: Headers = {}, path = '/orders/1', method = 'GET') =>
  send(`${urls.get(name)}${path}`, { method, headers: { host: 'api.example', ...headers } });
const told = (text: string) => JSON.parse(text) as Record<string, string>;
const TOLD = ['Sub', 'Client-Id', 'Scope', 'Issuer', 'Kind', 'Act', 'Claims', 'Claims-Omitted'].map(
  (name) => `X-Auth-${name}`,
);
const FORGED = Object.fromEntries(TOLD.map((name) => [name, 'forged']));
/**
 * Returns spellings of a header name that PHP, CGI and WSGI treat as equal: one or all hyphens become underscores.
 */
const spellings = (name: string): string[] =>
  ['_', '.'].flatMap((other) => [
    name.replaceAll('-', other),
    ...[...name.matchAll(/-/g)].map(({ index }) => name.slice(0, index) + other + name.slice(index + 1)),
  ]);
const SPELLED = Object.fromEntries(TOLD.flatMap(spellings).map((name) => [name, 'forged']));
/** Gets a DPoP-bound token of alice. */
async function boundToken(): Promise<string> {
  const { code } = await authorizeAs(world.alice.cookie, { scope: 'read' });
  const dpop = await proofOf(key, { address: `${settings().authUrl}${OPENID_PATH}/token` });
  const form = { ...TRU, grant_type: 'authorization_code', code };
  return String(jsonOf(await ask(`${OPENID_PATH}/token`, { form, headers: { dpop } }))['access_token']);
}
type Proven = Omit<Parameters<typeof proofOf>[1], 'address'> & { address?: string };
const bound = async (token: string, over: Proven = {}) => ({
  authorization: `DPoP ${token}`,
  dpop: await proofOf(key, { method: 'GET', address: `${CALLED}/orders/1`, token, ...over }),
});
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

describe.each(ASKING)('the gateway %s', (name) => {
  test('the gateway accepts a valid token and replaces forged identity headers', async () => {
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

  test('the gateway drops every header spelling that PHP treats as an identity header', async () => {
    for (let count = 0; count < 20; count += 1) {
      const { status, text } = await call(name, { ...bearer(world.token), ...SPELLED });
      expect(status, text).toBe(200);
      expect(Object.entries(told(text)).filter(([, value]) => value.includes('forged'))).toEqual([]);
    }
  });

  test('the gateway sends its identity headers, even if the caller lists them in Connection', async () => {
    const machine = await world.machineToken({ scope: 'read' });
    const { status, text } = await call(name, {
      ...bearer(machine),
      connection: `keep-alive, ${TOLD.join(', ')}, authorization`,
    });
    if (status !== 200) return expect([400, 401]).toContain(status);
    return expect(told(text)).toMatchObject({ 'x-auth-kind': 'machine', 'x-auth-scope': 'read' });
  });

  test('the gateway passes a bound token, returns the nonce to the client, and rejects an old proof', async () => {
    const token = await boundToken();
    const once = await bound(token);
    const good = await call(name, once, '/orders/1?page=2');
    expect([good.status, good.text]).toEqual([200, expect.stringContaining(world.alice.personId)]);
    expect((await call(name, once)).status).toBe(401);
    const hourAgo = { claims: { iat: Math.floor(Date.now() / 1_000) - 3_600 } };
    expect((await call(name, await bound(token, hourAgo))).status).toBe(401);
    expect((await call(name, bearer(token))).status).toBe(401);
    await sql("update apis set dpop_nonce = 'required' where id = 'orders'");
    try {
      const asked = await call(name, await bound(token));
      expect(asked.status).toBe(401);
      expect(asked.headers['www-authenticate']).toMatch(/^DPoP .*error="use_dpop_nonce"/);
      const nonce = String(asked.headers['dpop-nonce']);
      expect((await call(name, await bound(token, { nonce }))).status).toBe(200);
    } finally {
      await sql("update apis set dpop_nonce = 'off' where id = 'orders'");
    }
  });

  test('the gateway rejects a proof for another request, whatever forwarded headers the caller sends', async () => {
    const token = await boundToken();
    const forwarded = {
      'x-forwarded-method': 'DELETE',
      'x-forwarded-proto': 'http',
      'x-forwarded-host': 'api.example',
      'x-forwarded-uri': '/orders/2',
    };
    const original = { 'x-original-method': 'DELETE', 'x-original-url': `${CALLED}/orders/2` };
    for (const said of [
      {},
      forwarded,
      original,
      { ...forwarded, ...original },
      { ...original, connection: 'x-original-method, x-original-url, x-forwarded-method, x-forwarded-uri' },
      { ...forwarded, connection: 'x-original-method, x-original-url' },
    ]) {
      const proof = { method: 'DELETE', address: `${CALLED}/orders/2` };
      const answer = await call(name, { ...said, ...(await bound(token, proof)) });
      expect(answer.status, JSON.stringify(said)).not.toBe(200);
    }
    const elsewhere = await bound(token, { address: 'http://evil.example/orders/1' });
    expect((await call(name, { ...elsewhere, host: 'evil.example' })).status).not.toBe(200);
  });

  test('the gateway forwards Gatehouse’s challenges, and rejects requests that Gatehouse rejects', async () => {
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

  test('the gateway rejects a revoked token at the next request', async () => {
    const token = await scoped('read');
    expect((await call(name, bearer(token))).status).toBe(200);
    await ask(`${OPENID_PATH}/revoke`, { form: { ...TRU, token } });
    expect((await call(name, bearer(token))).status).toBe(401);
  });

  test('the gateway rejects requests during a database outage', async () => {
    const answer = await withoutDatabase(() => call(name, bearer(world.token)));
    expect(answer.status).toBe(503);
    // Envoy forwards no header of an error response
    if (name !== 'envoy') expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await call(name, bearer(world.token))).status).toBe(200);
  });
});

/** Configurations of docs/operate/deploy-node.md for a proxy in front of Gatehouse, without TLS. */
const FRONTS = {
  nginx: (folder: string, port: number, service: string) =>
    startNginx(
      folder,
      port,
      replaceIn(blockIn('docs/operate/deploy-node.md', 'nginx'), {
        '127.0.0.1:3000': service,
        'listen 443 ssl http2': `listen 127.0.0.1:${port}`,
      }).replaceAll(/^ *ssl_.*$/gm, ''),
    ),
  caddy: (folder: string, port: number, service: string) => {
    const site = { '127.0.0.1:3000': service, 'login.example': `http://127.0.0.1:${port}` };
    return startCaddy(
      folder,
      port,
      replaceIn(blockIn('docs/operate/deploy-node.md', 'caddyfile'), site),
      'http',
    );
  },
};

describe.each(Object.entries(FRONTS))('behind the TLS proxy of Gatehouse: %s', (front, start) => {
  test.runIf(isProxyInstalled(front))(
    'each gateway accepts a bound token, and rejects a proof for another request',
    async () => {
      const port = await freePort();
      const proxy = await start(newFolder(), port, new URL(world.door.url).host);
      try {
        const token = await boundToken();
        // skipped: Envoy sends the caller's Host header, so Caddy would respond without forwarding the request; see
        // the guide
        for (const name of ASKING.filter((one) => !(front === 'caddy' && one === 'envoy'))) {
          const gateway = await startGateway(name, wordsAt(`http://127.0.0.1:${port}`));
          const status = async (over: Proven, said: Headers = {}) => {
            const headers = { host: 'api.example', ...said, ...(await bound(token, over)) };
            return (await send(`${gateway.url}/orders/1`, { headers })).status;
          };
          try {
            expect(await status({}), name).toBe(200);
            const address = `${CALLED}/orders/2`;
            for (const said of [
              {},
              {
                'x-forwarded-uri': '/orders/2',
                'x-forwarded-host': 'api.example',
                'x-forwarded-proto': 'http',
              },
              { 'x-original-url': address, 'x-original-method': 'GET' },
            ])
              expect(await status({ address }, said), name).toBe(401);
          } finally {
            await gateway.stop();
          }
        }
      } finally {
        await proxy.stop();
      }
    },
  );
});

test.runIf(hasPhpApi())('PHP reads these spellings of a header as the gateway’s header', async () => {
  for (const spelling of Object.keys(SPELLED)) {
    const { text } = await send(`http://127.0.0.1:${api.port}/`, { headers: { [spelling]: 'forged' } });
    expect(Object.entries(told(text)), spelling).toContainEqual([
      spelling.toLowerCase().replaceAll(/[._]/g, '-'),
      'forged',
    ]);
  }
});

test.runIf(NAMES.includes('apache'))('apache introspects the token of each request', async () => {
  const token = await scoped('read');
  const good = await call('apache', { ...bearer(token), ...FORGED });
  expect(good.status, good.text).toBe(200);
  expect(told(good.text)).toMatchObject({ 'x-auth-sub': world.alice.personId, 'x-auth-scope': 'read' });
  expect(Object.values(told(good.text))).not.toContain('forged');
  for (let count = 0; count < 20; count += 1) {
    const { status, text } = await call('apache', { ...bearer(token), ...SPELLED });
    expect([status, Object.entries(told(text)).filter(([, value]) => value === 'forged')]).toEqual([200, []]);
  }
  expect((await call('apache')).status).toBe(401);
  // a gateway that does not check proofs must reject bound tokens
  const withProof = await boundToken();
  expect((await call('apache', bearer(withProof))).status).not.toBe(200);
  expect((await call('apache', await bound(withProof))).status).not.toBe(200);
  expect((await call('apache', bearer('x'))).status).toBe(401);
  expect([401, 403]).toContain((await call('apache', bearer(await scoped('write')))).status);
  await ask(`${OPENID_PATH}/revoke`, { form: { ...TRU, token } });
  expect((await call('apache', bearer(token))).status).toBe(401);
  const away = await withoutDatabase(async () => call('apache', bearer(world.token)));
  expect(away.status).toBeGreaterThanOrEqual(400);
});

test('Gatehouse accepts the verification requests that the documentation of APISIX describes', async () => {
  const verify = (headers: Record<string, string>) =>
    send(`${world.door.url}/verify/orders?scope=read`, {
      headers: {
        'x-forwarded-proto': 'http',
        'x-forwarded-method': 'GET',
        'x-forwarded-host': 'api.example',
        'x-forwarded-uri': '/orders/1',
        'x-forwarded-for': '192.0.2.9',
        ...headers,
      },
    });
  expect((await verify(bearer(world.token))).status).toBe(200);
  expect((await verify(await bound(await boundToken()))).status).toBe(200);
  expect((await verify({})).status).toBe(401);
});

test('a verification request from Envoy with its caller’s path and query appended returns 404', async () => {
  const answer = await send(`${world.door.url}/verify/orders/orders/1?scope=read`, {
    method: 'PATCH',
    headers: { ...bearer(world.token), 'content-length': '0' },
  });
  expect(answer.status).toBe(404);
});
