// The management API at both servers: equal responses, and faults that one server alone could have (cases AD, LK-05,
// RT-15). Tests in lib/management-api check the permissions.
import { expect, test } from '@playwright/test';
import type { Client } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { send } from '#testing/net/http.ts';
import type { Sent } from '#testing/net/sent.ts';
import { signIn } from '#testing/service/browser.ts';
import { refresh, tokensFor } from '#testing/service/token.ts';
import { expectError } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';
import { managementToken } from '../../support/service/management.ts';

eachDoor((door) => {
  let ops: Client;
  test.beforeAll(async () => {
    ops = await makeClient({ apis: ['management'] });
  });

  const tokenOf = async (person: Person) => (await managementToken(door, ops, person)).accessToken;
  const call = (path: string, token: string, sent: Sent = {}) =>
    send(`${door.url}/api/v1${path}`, {
      ...sent,
      headers: { authorization: `Bearer ${token}`, ...sent.headers },
    });

  test('user token: the permissions of a role apply until an administrator removes the role', async () => {
    const person = await makePerson('developer');
    const token = await tokenOf(person);
    const me = await call('/me', token);
    expect(me.status).toBe(200);
    expect(me.json()).toMatchObject({ email: person.email, roles: ['developer'] });
    expect(me.headers['cache-control']).toBe('no-store');
    const denied = await call('/people', token);
    expect(denied.status).toBe(403);
    expect(denied.headers['content-type']).toBe('application/problem+json');
    await sql("update people set roles = '{administrator}' where id = $1", [person.id]);
    expect((await call('/people?limit=1', token)).status).toBe(200);
    await sql("update people set roles = '{}' where id = $1", [person.id]);
    expect((await call('/clients', token)).status).toBe(403);
    expect((await send(`${door.url}/api/v1/me`)).status).toBe(401);
  });

  test('a client is created, changed with ETag and deleted, and its secret is returned once and works', async () => {
    const token = await tokenOf(await makePerson('developer'));
    const json = { name: 'E2E', kind: 'confidential', redirect_uris: ['https://e2e.example/cb'] };
    const made = await call('/clients', token, { json });
    expect(made.status).toBe(201);
    const { client_id, secret } = made.json() as { client_id: string; secret: string };
    expect(made.headers.location).toBe(`/api/v1/clients/${client_id}`);
    const path = `/clients/${client_id}`;
    const read = await call(path, token);
    expect(read.text).not.toContain(secret);
    const etag = String(read.headers.etag);
    const patch = { method: 'PATCH', json: { name: 'Changed' } };
    expect((await call(path, token, patch)).status).toBe(428);
    const headers = { 'if-match': etag };
    expect((await call(path, token, { ...patch, headers })).status).toBe(200);
    expect((await call(path, token, { ...patch, headers })).status).toBe(412);
    const form = { grant_type: 'authorization_code', code: 'none', client_id, client_secret: secret };
    const use = (values: Record<string, string>) =>
      send(`${door.url}/auth/pw/api/orders/token`, { form: { ...form, ...values } });
    expectError(await use({}), 'unauthorized_client');
    expectError(await use({ client_secret: 'wrong' }), 'invalid_client');
    expect((await call(path, token, { method: 'DELETE' })).status).toBe(204);
    expect((await call(path, token)).status).toBe(404);
  });

  test('RT-15: a withdrawn consent ends the tokens based on it, and the next refresh fails', async () => {
    const person = await makePerson();
    const client = await makeClient();
    const { refreshToken } = await tokensFor(await signIn(door, person, client), client);
    const token = await tokenOf(person);
    const { rows } = (await call('/me/consents', token)).json() as {
      rows: { id: string; client_id: string }[];
    };
    expect(rows.map((row) => row.client_id).toSorted()).toEqual([client.clientId, ops.clientId].toSorted());
    const given = rows.find((row) => row.client_id === client.clientId);
    expect((await call(`/me/consents/${given?.id}`, token, { method: 'DELETE' })).status).toBe(204);
    expectError(await refresh(door, client, refreshToken ?? ''), 'invalid_grant');
    expect((await call('/me', token)).status).toBe(200);
  });

  test('SR-07: only an administrator can set the password verification URL', async () => {
    const methods = () =>
      sql("select id, config, version from auth_methods where id in ('ext', 'elsewhere')");
    const before = await methods();
    const config = { verify_url: 'http://169.254.169.254/latest', allow_private_network: true };
    const made = { id: 'elsewhere', type: 'external', name: 'Elsewhere', ...config };
    for (const role of ['developer', 'approver'] as const) {
      const token = await tokenOf(await makePerson(role));
      const answers = [
        await call('/auth-methods', token, { json: made }),
        await call('/auth-methods/ext', token, {
          method: 'PATCH',
          json: config,
          headers: { 'if-match': '"1"' },
        }),
      ];
      for (const { status } of answers) expect(status, role).toBe(403);
    }
    expect(await methods()).toEqual(before);
  });

  test('an unknown path never reaches a page, and an unsupported method returns 405', async () => {
    const token = await tokenOf(await makePerson('administrator'));
    for (const path of ['/', '/nowhere', '/clients/', '/clients/a/b/c/d/e']) {
      const answer = await call(path, token);
      expect([404, 308], path).toContain(answer.status);
      expect(answer.headers['content-type'] ?? '', path).not.toContain('text/html');
    }
    const wrong = await call('/people', token, { method: 'PUT', json: {} });
    expect(wrong.status).toBe(405);
    expect(wrong.headers.allow).toBe('GET, POST, OPTIONS');
    const large = await call('/people', token, { json: { name: 'x'.repeat(70_000) } });
    expect(large.status).toBe(413);
    const preflight = await send(`${door.url}/api/v1/people`, {
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers['access-control-allow-origin']).toBeUndefined();
    const document = await send(`${door.url}/api/v1/openapi.json`);
    expect(document.json()['openapi']).toBe('3.1.0');
  });
});
