// An issuer on a host of its own, at the running service: both doors know it by the Host of a request (docs/decisions/0049).
import { expect, test } from '@playwright/test';
import { send } from '#testing/http.ts';
import { sql } from '../support/database.ts';
import { eachDoor } from '../support/doors.ts';

const HOST = 'login-billing.example';

eachDoor((door) => {
  test.beforeAll(() =>
    sql('update apis set issuer_hosts = $1 where id = $2', [{ ext: `https://${HOST}` }, 'billing']),
  );
  test.afterAll(() => sql("update apis set issuer_hosts = null where id = 'billing'"));

  test('the issuer answers at its host, and nothing else does', async () => {
    const at = (path: string, method = 'GET', host = HOST) =>
      send(`${door.url}${path}`, { method, headers: { host } });
    await expect.poll(async () => (await at('/.well-known/openid-configuration')).status).toBe(200);
    const metadata = JSON.parse((await at('/.well-known/oauth-authorization-server')).text) as {
      issuer: string;
    };
    expect(metadata.issuer).toBe(`https://${HOST}`);
    expect((await at('/jwks')).status).toBe(200);
    expect((await at('/token', 'POST')).status).toBe(400);
    expect((await at('/authorize?client_id=x')).headers['location']).toContain(
      '/auth/ext/api/billing/authorize?client_id=x&',
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
    ])
      expect((await at(path)).status, path).toBe(404);
    for (const path of ['/token', '/authorize', '/.well-known/openid-configuration'])
      expect((await at(path, 'GET', new URL(door.url).host)).status, path).toBe(404);
    expect((await at('/logout', 'GET', new URL(door.url).host)).status).toBe(200);
  });
});
