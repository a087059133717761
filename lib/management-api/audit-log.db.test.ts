// Every change and every rejection by the management API is audited, with request id and IP address. Every change
// needs only the scope of its operation.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { accessOf, OPERATOR } from '#lib/management/policy.ts';
import { png } from '#testing/data/pictures.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  givenToken,
  PASSWORD,
  type Person,
  sql,
} from '#testing/data/registry.ts';
import { type Call, callManagement, givenManagementApi } from '#testing/in-process/management.ts';
import { onlyReads } from '#testing/in-process/management-access.ts';
import { routes } from './routes.ts';

const ADDRESS = '198.51.100.7';
const sent = new Set<string>();
const done = new Set<string>();

/**
 * Calls a route of the table, with a token that has only the scope of its operation. `named`: values for the
 * parameters of its path.
 */
async function call(name: string, person: Person, named: Record<string, string> = {}, json?: unknown) {
  const route = routes.find((one) => `${one.method} ${one.path}` === name);
  if (!route) throw new Error(`there is no route ${name}`);
  const path = route.path.replaceAll(/:(\w+)/g, (_, part: string) =>
    encodeURIComponent(named[part] ?? 'nothing'),
  );
  const send = (method: string, at: string, token: string, more: Call = {}) => {
    const requestId = randomUUID();
    sent.add(requestId);
    return callManagement(at, { method, token, address: ADDRESS, requestId, ...more });
  };
  const { scopes } = accessOf(route.actions);
  const token = await givenToken(person, { scopes });
  // a nested resource, such as /terms, has the version of its object
  const read = async () => send('GET', path.replace(/\/terms$/, ''), await givenToken(person));
  const etag = route.version === 'required' ? (await read()).headers['etag'] : undefined;
  const headers: Record<string, string> = etag === undefined ? {} : { 'if-match': String(etag) };
  const body = Buffer.isBuffer(json) ? { bytes: json } : { json };
  const answer = await send(route.method, path, token, { headers, ...body });
  expect(answer.status, `${name} with ${scopes.join(' ')}: ${String(answer.body)}`).toBeLessThan(300);
  done.add(name);
  return answer.json;
}

it('every change by the management API needs only the scope of its operation, and is audited with request id and address', async () => {
  await givenManagementApi();
  const admin = await givenPerson('root', 'administrator');
  const dev = await givenPerson('dev', 'developer');
  const givenSession = async (person: Person) => {
    const [row] = await sql<{ id: string }>(
      `insert into sessions (id_hash, kind, auth_method_id, person_id, auth_time, last_seen_at, expires_at)
        values (decode(md5(random()::text) || md5(random()::text), 'hex'), 'sign-in', 'local', $1, now(), now(), now() + interval '1 day')
        returning encode(id_hash, 'hex') as id`,
      [person.id],
    );
    return row?.id ?? '';
  };
  // the first token creates the signing key
  await givenToken(dev);
  const before = await sql<{ id: string }>('select coalesce(max(id), 0) as id from audit_events');

  const shop = {
    client_id: 'shop',
    name: 'Shop',
    kind: 'confidential',
    redirect_uris: ['https://shop.example/cb'],
  };
  const client = { client_id: 'shop' };
  await call('POST /clients', dev, {}, shop);
  await call('PATCH /clients/:client_id', dev, client, { name: 'Shop at the counter' });
  await call('PUT /clients/:client_id/logo', dev, client, png());
  await call('DELETE /clients/:client_id/logo', dev, client);
  const second = await call('POST /clients/:client_id/secrets', dev, client);
  await call('DELETE /clients/:client_id/secrets/:secret_id', dev, { ...client, secret_id: second.id });
  await call('POST /clients/:client_id/secret-rotation', dev, client, {});
  await call('POST /clients/:client_id/disable', dev, client);
  await call('POST /clients/:client_id/enable', admin, client);
  await call('POST /clients/:client_id/revocation', admin, client);

  const pair = { ...client, api: 'orders' };
  await call('POST /subscriptions', dev, {}, { ...pair, trusted: true, scopes: ['read'] });
  await call('POST /subscriptions/:client_id/:api/decision', admin, pair, { action: 'approve' });
  await call('DELETE /subscriptions/:client_id/:api/decision', admin, pair);
  await call('POST /inbox/decisions', admin, {}, { action: 'approve', requests: [pair] });
  await call('PATCH /subscriptions/:client_id/:api/terms', admin, pair, { max_days: 30 });
  await call('PATCH /subscriptions/:client_id/:api', dev, pair, { scopes: ['read', 'write'] });
  await call('DELETE /subscriptions/:client_id/:api', dev, pair);
  await call('DELETE /clients/:client_id', dev, client);

  const api = { id: 'billing', name: 'Billing', url: 'https://billing.example', auth_methods: ['local'] };
  await call('POST /apis', admin, {}, api);
  await call('PATCH /apis/:id', admin, { id: api.id }, { name: 'Invoices' });
  await call('POST /apis/:id/introspection-secret', admin, { id: api.id });
  await call('PUT /apis/:id/logo', admin, { id: api.id }, png());
  await call('DELETE /apis/:id/logo', admin, { id: api.id });
  await call('DELETE /apis/:id', admin, { id: api.id });
  const method = { id: 'staff', name: 'Staff', type: 'local' };
  await call('POST /auth-methods', admin, {}, method);
  await call('PATCH /auth-methods/:id', admin, method, { name: 'The staff' });
  await call('DELETE /auth-methods/:id', admin, method);
  const group = { id: 'editors', name: 'Editors' };
  await call('POST /groups', admin, {}, group);
  await call('PATCH /groups/:id', admin, group, { name: 'All editors' });
  await call('PUT /groups/:id/members/:person', admin, { ...group, person: dev.id });
  await call('DELETE /groups/:id/members/:person', admin, { ...group, person: dev.id });
  await call('PUT /people/:id/groups', admin, { id: dev.id }, { groups: ['editors'] });
  await call('DELETE /groups/:id', admin, group);

  await call('PUT /first-day/:step', admin, { step: 'backup' });
  await call('DELETE /first-day/:step', admin, { step: 'backup' });

  await sql(`update auth_methods set config = '{"registration":"invite"}' where id = 'local'`);
  await call('POST /invitations', admin, {}, { emails: ['ivy@example.com'] });
  const [ivy] = await sql<{ id: string }>('select id from person_registrations');
  await call('DELETE /invitations/:id', admin, { id: ivy?.id ?? '' });
  await sql(
    `insert into person_registrations (auth_method_id, email, kind, state, handle_hash, password_hash, expires_at)
     select 'local', who || '@example.com', 'waiting', 'proved', sha256(who::bytea), 'x', now() + interval '1 day'
     from unnest('{una,uwe}'::text[]) who`,
  );
  await sql(`update auth_methods set config = '{"registration":"approval"}' where id = 'local'`);
  await call('POST /registrations/:id/approval', admin, { id: 'una@example.com' });
  await call(
    'POST /registrations/:id/rejection',
    admin,
    { id: 'uwe@example.com' },
    { reason: 'Who are you?' },
  );
  const made = await call('POST /people', admin, {}, { email: 'zoe@example.com', password: 'long-enough-2' });
  const zoe = { id: made.id as string };
  await call('PATCH /people/:id', admin, zoe, { name: 'Zoe' });
  await call('PUT /people/:id/password', admin, zoe, { password: 'long-enough-3' });
  await call('POST /people/:id/password-reset', admin, zoe);
  await sql("insert into totp_secrets (person_id, sealed_secret, last_step) values ($1, 'sealed', 1)", [
    zoe.id,
  ]);
  await call('POST /people/:id/reset-factors', admin, zoe);
  await call('PUT /people/:id/roles/:role', admin, { ...zoe, role: 'developer' });
  await call('DELETE /people/:id/roles/:role', admin, { ...zoe, role: 'developer' });
  await call('DELETE /sessions/:id', admin, { id: await givenSession({ ...admin, ...zoe }) });
  await call('DELETE /people/:id/sessions', admin, zoe);
  await call('POST /people/:id/disable', admin, zoe);
  await call('POST /people/:id/enable', admin, zoe);
  await call('DELETE /people/:id', admin, zoe);

  await call('POST /keys/rotation', admin);
  const keys = (await sql<{ kid: string }>('select kid from signing_keys order by created_at desc')).map(
    (key) => key.kid,
  );
  await call('DELETE /keys/:kid', admin, { kid: keys[0] ?? '' });
  await call('POST /service/mail/test', admin);
  await call('POST /service/audit-webhook/test', admin);
  await call('POST /auth-methods/:id/test', admin, { id: 'local' });

  await call('PATCH /me', dev, {}, { name: 'Dev' });
  await call('DELETE /me/sessions/:id', dev, { id: await givenSession(dev) });
  const [consent] = await sql<{ id: string }>(
    `insert into consents (person_id, client_id, api_id, scopes) values ($1, 'ops', 'orders', '{read}') returning id`,
    [dev.id],
  );
  await call('DELETE /me/consents/:id', dev, { id: consent?.id ?? '' });
  const [delegation] = await sql<{ id: string }>(
    `insert into delegations (person_id, client_id, api_id, scopes, until)
     values ($1, 'ops', 'orders', '{read}', now() + interval '1 day') returning id`,
    [dev.id],
  );
  await call('DELETE /me/delegations/:id', dev, { id: delegation?.id ?? '' });
  await call('DELETE /me/sessions', dev);
  await call('PUT /me/password', dev, {}, { old_password: PASSWORD, password: 'another-long-one' });
  const asked = { token: await givenToken(dev), address: ADDRESS, requestId: 'the-refused-one' };
  expect((await callManagement('/people', asked)).status).toBe(403);
  sent.add('the-refused-one');

  const changing = routes.filter((one) => !onlyReads(one));
  expect(changing.map((one) => `${one.method} ${one.path}`).filter((name) => !done.has(name))).toEqual([]);
  const events = await sql<{ event: string; actor: string; request_id: string; ip: string }>(
    'select event, actor, request_id, ip from audit_events where id > $1',
    [before[0]?.id],
  );
  expect(events.length).toBeGreaterThan(changing.length);
  expect(events.filter((one) => one.ip !== ADDRESS || !sent.has(one.request_id))).toEqual([]);
  expect(events.filter((one) => one.event === 'access.denied')).toEqual([
    { event: 'access.denied', actor: dev.id, request_id: 'the-refused-one', ip: ADDRESS },
  ]);
});

it('command line events have no request id or IP address, and name the operator', async () => {
  await givenEmptyRegistry();
  await givenClient(OPERATOR, 'ops');
  const [event] = await sql('select actor, request_id, ip from audit_events where event = $1', [
    'client.created',
  ]);
  expect(event).toEqual({ actor: 'operator', request_id: null, ip: null });
});
