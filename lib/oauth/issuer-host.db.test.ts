// Endpoints at an issuer's own host, in addition to its address under `AUTH_URL`, and host matching
// (docs/project/decisions/0009). Tested by requests to the protocol core.
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import {
  askHost,
  askPath,
  giveHost,
  givenPersonAtBoth,
  HOST,
  ORIGIN,
  pathIssuer,
} from '#testing/in-process/issuer-host.ts';
import { handleHttp } from './endpoints.ts';

const PATH = '/auth/pw/api/orders';

beforeAll(givenPersonAtBoth);
beforeEach(async () => {
  await giveHost(null, 'billing');
  await giveHost({ pw: ORIGIN });
});
afterEach(() => {
  loadSettings();
});

describe('addresses at the issuer host', () => {
  test('RFC 8414 §3.3: the metadata at an issuer host name it as issuer, and every address is at this host', async () => {
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      const answer = await askHost(`/.well-known/${name}`);
      expect(answer.status).toBe(200);
      const metadata = jsonOf(answer);
      expect(metadata['issuer']).toBe(ORIGIN);
      expect(metadata).toMatchObject({
        authorization_endpoint: `${ORIGIN}/authorize`,
        token_endpoint: `${ORIGIN}/token`,
        revocation_endpoint: `${ORIGIN}/revoke`,
        introspection_endpoint: `${ORIGIN}/introspect`,
        userinfo_endpoint: `${ORIGIN}/userinfo`,
        end_session_endpoint: `${ORIGIN}/logout`,
        jwks_uri: `${ORIGIN}/jwks`,
      });
      const path = jsonOf(await askPath(`/.well-known/${name}`));
      expect(path['issuer']).toBe(pathIssuer());
      expect(Object.keys(path)).toEqual(Object.keys(metadata));
    }
    expect((await askHost('/jwks')).body).toEqual((await askPath('/jwks')).body);
  });

  test('an issuer host does not serve pages, console, management API and path addresses: they return 404', async () => {
    const others = [
      '/',
      '/admin',
      '/account',
      '/login',
      '/logout/',
      '/documentation',
      '/openapi.json',
      '/metrics',
    ];
    const rest = [
      '/api/v1/apis',
      '/health',
      '/ready',
      '/auth/token',
      '/auth/callback/broker',
      '/continue',
      '/gatehouse.css',
    ];
    for (const path of [
      ...others,
      ...rest,
      `${PATH}/token`,
      `/.well-known/oauth-authorization-server${PATH}`,
    ])
      expect((await askHost(path)).status, path).toBe(404);
  });

  test('the main hosts do not serve the paths of an issuer host, except the sign-out page', async () => {
    for (const headers of [{}, { host: new URL(settings().authUrl).host }, { host: 'elsewhere.example' }]) {
      for (const path of ['/authorize', '/token', '/jwks', '/.well-known/openid-configuration'])
        expect((await ask(path, { headers })).status, path).toBe(404);
      const page = {
        method: 'GET',
        path: '/logout',
        query: '',
        headers,
        requestId: 'x',
        peerAddress: undefined,
      };
      expect(await handleHttp({ ...page, body: async () => Buffer.from('') })).toBeNull();
    }
  });

  test.each([
    ['LOGIN-Orders.example', 200],
    ['login-orders.example.', 200],
    ['login-orders.example:443', 200],
    ['login-orders.example.:443', 200],
    ['login-orders.example:80', 404],
    ['login-orders.example:8443', 404],
    ['login-orders.example.evil.example', 404],
    ['evil.example/login-orders.example', 404],
    ['login-orders.example@evil.example', 404],
    ['login-orders.example,evil.example', 404],
    ['login-orders.example..', 404],
    ['lögin-orders.example', 404],
    ['', 404],
  ])('RFC 9110 §7.2: the Host header %s selects the issuer or no page (%i)', async (host, status) => {
    expect((await askHost('/.well-known/openid-configuration', { host })).status).toBe(status);
  });

  test('an IDN issuer host is compared as the xn-- name that clients send', async () => {
    await giveHost({ pw: 'https://xn--bcher-kva.example' });
    const answer = await askHost('/.well-known/openid-configuration', { host: 'XN--bcher-kva.example' });
    expect(jsonOf(answer)['issuer']).toBe('https://xn--bcher-kva.example');
  });

  test('X-Forwarded-Host requires a trusted proxy, and only the value of the proxy is used', async () => {
    const at = async (host: string, forwarded: string) =>
      (await askHost('/jwks', { host, headers: { 'x-forwarded-host': forwarded } })).status;
    expect(await at('inner.local', HOST)).toBe(404);
    expect(await at(HOST, 'inner.local')).toBe(200);
    loadSettings({ ...process.env, TRUST_PROXY: '1' });
    expect(await at('inner.local', HOST)).toBe(200);
    expect(await at('inner.local', `${HOST}, gate.example`)).toBe(404);
    expect(await at('inner.local', `evil.example, ${HOST}`)).toBe(200);
    expect((await askHost('/jwks')).status).toBe(200);
  });

  test('405, CORS and HEAD work at the issuer host as at the path address', async () => {
    expect((await askHost('/token')).headers['allow']).toBe('POST, OPTIONS');
    const origin = { origin: 'https://spa.example' };
    const seen = await ask('/jwks', { method: 'HEAD', headers: { host: HOST, ...origin } });
    expect([seen.status, seen.headers['access-control-allow-origin']]).toEqual([200, '*']);
    const preflight = await ask('/token', { method: 'OPTIONS', headers: { host: HOST, ...origin } });
    expect([preflight.status, preflight.headers['access-control-allow-origin']]).toEqual([
      204,
      origin.origin,
    ]);
  });
});
