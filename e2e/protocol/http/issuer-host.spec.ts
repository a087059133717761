// An issuer with its own host in the running service: both servers recognize it by the Host header
// (docs/project/decisions/0009).
import { expect, test } from '@playwright/test';
import { send } from '#testing/net/http.ts';
import { makeApi, sql } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

eachDoor((door) => {
  let id: string;
  let own: string;
  test.beforeAll(async () => {
    ({ id } = await makeApi());
    own = `login-${id}.example`;
    const former = {
      issuer: `https://sso-${own}/realms/a`,
      auth_method: 'pw',
      layout: 'keycloak',
      until: '2999-12-31',
    };
    await sql('update apis set issuer_hosts = $1, former_issuers = $2 where id = $3', [
      { pw: `https://${own}` },
      JSON.stringify([former]),
      id,
    ]);
  });
  test.afterAll(() => sql('update apis set issuer_hosts = null, former_issuers = null where id = $1', [id]));

  test('a former issuer responds at Keycloak’s endpoint paths, and other paths return 404', async () => {
    const at = (path: string, method = 'GET') =>
      send(`${door.url}${path}`, { method, headers: { host: `sso-${own}` } });
    const document = '/realms/a/.well-known/openid-configuration';
    await expect.poll(async () => (await at(document)).status).toBe(200);
    const metadata = JSON.parse((await at(document)).text) as Record<string, string>;
    expect(metadata['issuer']).toBe(`https://sso-${own}/realms/a`);
    const endpoint = '/realms/a/protocol/openid-connect';
    expect(metadata['token_endpoint']).toBe(`https://sso-${own}${endpoint}/token`);
    expect((await at(`${endpoint}/token`, 'POST')).status).toBe(400);
    expect((await at(`${endpoint}/certs`)).status).toBe(200);
    expect((await at(`${endpoint}/auth?client_id=x`)).headers['location']).toContain(
      `/auth/pw/api/${id}/authorize?client_id=x&issuer_host=`,
    );
    for (const path of [
      '/',
      '/admin',
      '/token',
      '/realms/b/protocol/openid-connect/certs',
      '/realms/a/account',
    ])
      expect((await at(path)).status, path).toBe(404);
  });

  test('an issuer responds on its own host, and other paths return 404', async () => {
    const at = (path: string, method = 'GET', host = own) =>
      send(`${door.url}${path}`, { method, headers: { host } });
    await expect.poll(async () => (await at('/.well-known/openid-configuration')).status).toBe(200);
    const metadata = JSON.parse((await at('/.well-known/oauth-authorization-server')).text) as {
      issuer: string;
    };
    expect(metadata.issuer).toBe(`https://${own}`);
    expect((await at('/jwks')).status).toBe(200);
    expect((await at('/token', 'POST')).status).toBe(400);
    expect((await at('/authorize?client_id=x')).headers['location']).toContain(
      `/auth/pw/api/${id}/authorize?client_id=x&`,
    );
    expect((await at('/logout')).status).toBe(303);
    for (const path of [
      '/',
      '/admin',
      '/developer/playground',
      '/login',
      '/apis',
      '/documentation',
      '/api/v1/apis',
      '/openapi.json',
      '/nowhere',
      '/health',
      '/robots.txt',
      '/continue',
      '/verify/orders',
      '/.well-known/webauthn',
      `/auth/pw/api/${id}/jwks`,
    ])
      expect((await at(path)).status, path).toBe(404);
    for (const path of ['/auth/token', '/login/submit', `/auth/pw/api/${id}/token`])
      expect((await at(path, 'POST')).status, path).toBe(404);
    for (const path of ['/token', '/authorize', '/.well-known/openid-configuration'])
      expect((await at(path, 'GET', new URL(door.url).host)).status, path).toBe(404);
    expect((await at('/logout', 'GET', new URL(door.url).host)).status).toBe(200);
  });
});
