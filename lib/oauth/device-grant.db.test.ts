// The device authorization grant (RFC 8628), tested by requests to the protocol core: responses to a device, and their
// dependence on the user's decision.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sha256 } from '#lib/kit/random.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { selectConsents } from '#lib/store/consents.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import {
  askForDevice,
  connect,
  DEVICES_AT,
  givenDevices,
  newDevice,
  poll,
  pollForm,
  typeCode,
  upToDecision,
} from '#testing/in-process/devices.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { sendAll, startInstance } from '#testing/in-process/instance.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
let other: Awaited<ReturnType<typeof startInstance>>;

beforeAll(async () => {
  await givenDevices();
  other = await startInstance();
});
afterAll(() => other.stop());
beforeEach(() => sql('truncate attempts, device_requests, consents'));

const hashOf = ({ device_code }: { device_code: string }) => sha256(device_code);
const metadata = async (path: string) => jsonOf(await ask(`${path}/.well-known/oauth-authorization-server`));

test('RFC 8414 §2: the metadata contain the device endpoint and the grant only if the API permits devices', async () => {
  const { device_authorization_endpoint, grant_types_supported } = await metadata(DEVICES_AT);
  expect(device_authorization_endpoint).toMatch(/\/auth\/pw\/api\/orders\/device_authorization$/);
  expect(grant_types_supported).toContain('urn:ietf:params:oauth:grant-type:device_code');
  const elsewhere = await metadata('/auth/pw/api/billing');
  expect(elsewhere['device_authorization_endpoint']).toBeUndefined();
  expect(elsewhere['grant_types_supported']).not.toContain('urn:ietf:params:oauth:grant-type:device_code');
  const off = await askForDevice({}, { path: '/auth/pw/api/billing' });
  expect([off.status, jsonOf(off)]).toEqual([
    400,
    expect.objectContaining({
      error: 'unauthorized_client',
      error_description: expect.stringContaining('device_grant'),
    }),
  ]);
  await sql("update apis set device_grant = 'off'");
  expect((await poll({ device_code: 'x' }))['error']).toBe('unsupported_grant_type');
  await sql("update apis set device_grant = 'on' where id = 'orders'");
});

test('RFC 8628 §3.2: the device receives both codes, and the database contains neither in clear text', async () => {
  const answer = await askForDevice();
  expect(answer.headers['cache-control']).toBe('no-store');
  const told = jsonOf(answer);
  expect(told).toEqual({
    device_code: expect.stringMatching(/^ghd_[\w-]{43}$/),
    user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
    verification_uri: 'http://localhost:3000/device',
    verification_uri_complete: `http://localhost:3000/device?user_code=${told['user_code']}`,
    expires_in: 600,
    interval: 5,
  });
  const [row] = await sql<{ whole: string; hmac: Buffer }>(
    'select d::text as whole, user_code_hmac as hmac from device_requests d',
  );
  expect(row?.whole).not.toContain(String(told['device_code']).slice(4));
  expect(row?.hmac).not.toEqual(sha256(String(told['user_code']).replace('-', '')));
});

test('after one approval page, the device receives tokens that are valid for at most 30 days', async () => {
  const device = await newDevice({ scope: 'read' });
  expect(await poll(device)).toMatchObject({ status: 400, error: 'authorization_pending' });
  const visitor = new Visitor();
  const { place } = await upToDecision(device, visitor);
  expect(await visitor.view('device', place)).toMatchObject({
    kind: 'ready',
    client: { name: 'Nat' },
    scopes: [{ name: 'read' }],
    person: { label: 'alice@example.com' },
  });
  expect((await poll(device))['error']).toMatch(/authorization_pending|slow_down/);
  const end = await visitor.submit(place, { decision: 'allow' });
  expect([end.page, end.client.get('done')]).toEqual(['device', 'allowed']);
  const [mail] = await mailTo('alice@example.com');
  expect(mail?.text).toContain('Nat');
  expect(mail?.subject).toContain('a device is connected');
  expect(mail?.text).toMatch(/\/account$/m);
  const tokens = await poll(device);
  expect(tokens).toMatchObject({ status: 200, token_type: 'bearer', scope: 'read' });
  expect(decodeJwt(String(tokens['access_token']))).toMatchObject({ client_id: 'nat', scope: 'read' });
  const [family] = await sql<{ basis: string; days: number }>(
    `select basis, round(extract(epoch from expires_at - created_at) / 86400)::int as days from token_families
      order by created_at desc limit 1`,
  );
  expect(family).toEqual({ basis: 'device', days: 30 });
  const [given] = await sql<{ id: string; person_id: string }>('select id, person_id from consents');
  const listed = await inTransaction((db) => selectConsents(db, given?.person_id ?? ''));
  expect(listed).toMatchObject([{ clientId: 'nat', devices: [''] }]);
  const refreshed = await ask(`${DEVICES_AT}/token`, {
    form: {
      grant_type: 'refresh_token',
      client_id: 'nat',
      refresh_token: String(tokens['refresh_token']),
    },
  });
  expect(refreshed.status).toBe(200);
  expect(await poll(device)).toMatchObject({ status: 400, error: 'invalid_grant' });
});

test('the approval page also appears for trusted clients and replaces consent, and withdrawal revokes the tokens', async () => {
  const device = await newDevice(TRU);
  const visitor = new Visitor();
  const { place } = await upToDecision(device, visitor);
  const end = await visitor.submit(place, { decision: 'allow' });
  expect(end.client.get('done')).toBe('allowed');
  const tokens = await poll(device, TRU);
  expect(tokens['status']).toBe(200);
  const refresh = (token: unknown) =>
    ask(`${DEVICES_AT}/token`, {
      form: { ...TRU, grant_type: 'refresh_token', refresh_token: String(token) },
    });
  const next = await refresh(tokens['refresh_token']);
  expect(next.status).toBe(200);
  await sql('delete from consents');
  expect((await refresh(jsonOf(next)['refresh_token'])).status).toBe(400);
});

test('removing the device permission revokes device tokens, even after the permission is restored', async () => {
  const device = await newDevice(TRU);
  expect(await connect(device)).toBe('allowed');
  const { refresh_token } = await poll(device, TRU);
  await sql("update subscriptions set device = false where client_id = 'tru'");
  await sql("update subscriptions set device = true where client_id = 'tru'");
  const form = { ...TRU, grant_type: 'refresh_token', refresh_token: String(refresh_token) };
  expect(jsonOf(await ask(`${DEVICES_AT}/token`, { form }))['error']).toBe('invalid_grant');
});

test('RFC 8628 §3.5: a denial returns access_denied, an expired code expired_token, and another client’s code invalid_grant', async () => {
  const device = await newDevice();
  const { visitor, place } = await upToDecision(device);
  expect(await poll(device, TRU)).toMatchObject({ error: 'invalid_grant' });
  expect(await poll({ device_code: `ghd_${'x'.repeat(43)}` })).toMatchObject({ error: 'invalid_grant' });
  expect(await poll(device, {}, '/auth/ext/api/orders')).toMatchObject({ error: 'invalid_grant' });
  expect((await visitor.submit(place, { decision: 'deny' })).client.get('done')).toBe('denied');
  expect(await poll(device)).toMatchObject({ status: 400, error: 'access_denied' });
  // the user approves the device after a denial
  expect((await visitor.submit(place, { decision: 'allow' }).catch(() => null))?.client.get('done')).not.toBe(
    'allowed',
  );
  expect(await poll(device)).toMatchObject({ error: 'access_denied' });
  const late = await newDevice();
  await sql('update device_requests set expires_at = now() where device_code_hash = $1', [hashOf(late)]);
  expect(await poll(late)).toMatchObject({ status: 400, error: 'expired_token' });
  const gone = await typeCode(new Visitor(), late.user_code);
  expect(gone.client.get('alert')).toBe('unknown');
});

test('cancelling the sign-in or denying consent denies the device', async () => {
  const first = await newDevice();
  const visitor = new Visitor();
  const login = await typeCode(visitor, first.user_code);
  expect(login.page).toBe('login');
  expect((await visitor.submit(login, { cancel: '1' })).client.get('done')).toBe('denied');
  expect((await poll(first))['error']).toBe('access_denied');
  const second = await newDevice();
  const asked = await upToDecision(second);
  const refused = await asked.visitor.submit(asked.place, { decision: 'deny' });
  expect(refused.client.get('done')).toBe('denied');
  expect((await poll(second))['error']).toBe('access_denied');
});

test('a signed-in user must sign in again to connect a device, and only the first browser that enters a code can use it', async () => {
  const visitor = new Visitor();
  await visitor.signIn({ username: 'alice@example.com', password: 'alice-password-1' });
  const device = await newDevice();
  const place = await typeCode(visitor, device.user_code.toLowerCase().replace('-', ' '));
  expect(place.page).toBe('login');
  const stranger = await typeCode(new Visitor(), device.user_code);
  expect(stranger.client.get('alert')).toBe('unknown');
});

test('of 100 concurrent polls of one code over two instances, one receives tokens', async () => {
  const device = await newDevice();
  expect(await connect(device)).toBe('allowed');
  const sent = { target: `${DEVICES_AT}/token`, form: pollForm(device), times: 50 };
  const answers = (await Promise.all([sendAll(sent), other.send(sent)])).flat();
  expect(answers.filter(({ access_token }) => access_token !== undefined)).toHaveLength(1);
  expect(answers.filter(({ error }) => error === 'invalid_grant')).toHaveLength(99);
  const [families] = await sql<{ count: number }>(
    `select count(*)::int as count from token_families f join codes c on c.family_id = f.id
      join device_requests d on d.given_code_hash = c.code_hash`,
  );
  expect(families?.count).toBe(1);
});

test('a client without device permission, and a request with an unknown client, scope or target, gets no device code', async () => {
  const conf2 = { client_id: 'conf2', client_secret: 'S2-conf2-secret-of-the-fixtures' };
  expect(jsonOf(await askForDevice(conf2))['error']).toBe('unauthorized_client');
  expect(jsonOf(await askForDevice({ scope: 'fly' }))['error']).toBe('invalid_scope');
  expect(jsonOf(await askForDevice({ resource: 'https://api.example/other' }))['error']).toBe(
    'invalid_target',
  );
  expect(jsonOf(await askForDevice({ client_id: 'nobody' }))['error']).toBe('invalid_client');
});

test('a device receives offline_access only if the subscription lists that scope', async () => {
  const scope = 'openid offline_access read';
  const given = async () => {
    const device = await newDevice({ ...TRU, scope });
    expect(await connect(device)).toBe('allowed');
    return (await poll(device, TRU))['scope'];
  };
  expect(await given()).toBe('openid read');
  // `offline_access` alone does not limit the scopes
  for (const scopes of ['{read,offline_access}', '{offline_access}']) {
    await sql("update subscriptions set scopes = $1 where client_id = 'tru'", [scopes]);
    expect(await given()).toBe('openid offline_access read');
  }
  await sql("update subscriptions set scopes = '{}' where client_id = 'tru'");
});

test('expired device requests are deleted, unless a device still uses their tokens', async () => {
  const [old, held] = [await newDevice(TRU), await newDevice(TRU)];
  expect(await connect(held)).toBe('allowed');
  await poll(held, TRU);
  await sql("update device_requests set expires_at = now() - interval '11 minutes'");
  await deleteExpired();
  const left = await sql<{ hash: Buffer }>('select device_code_hash as hash from device_requests');
  expect(left.map(({ hash }) => hash)).toEqual([hashOf(held)]);
  expect(await poll(old, TRU)).toMatchObject({ error: 'invalid_grant' });
});
