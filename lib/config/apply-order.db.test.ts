// The order of the changes in `apply`, and side effects that must not occur.
import { beforeEach, expect, it } from 'vitest';
import { listEvents } from '#lib/audit/audit-log.ts';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { CONFIGURATION, OPERATOR } from '#lib/management/policy.ts';
import { query } from '#lib/store/pool.ts';
import { givenPerson, type Person } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';

const apply = (source: string, { prune = false, dryRun = false, env = {} } = {}) =>
  applyConfiguration(source, { env, prune, dryRun });
const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  query<Row>({ text, values });
const LOCAL = '{ id: local, type: local }';
const one = (section: string, ...rows: string[]) =>
  `${section}:\n${rows.map((row) => `  - ${row}\n`).join('')}`;

beforeEach(async () => {
  await sql('truncate auth_methods, apis, clients, people, audit_events, token_families, codes cascade');
});

it('apply moves an address from an existing API to a new API in any order', async () => {
  await apply(one('apis', '{ id: old, url: "https://one.example" }'));
  await apply(
    one('apis', '{ id: fresh, url: "https://one.example" }', '{ id: old, url: "https://two.example" }'),
  );
  expect(await sql('select id, url from apis where id <> $1 order by id', ['management'])).toEqual([
    { id: 'fresh', url: 'https://one.example' },
    { id: 'old', url: 'https://two.example' },
  ]);
});

it('a new API can use the address of an API listed earlier in the file', async () => {
  await apply(one('apis', '{ id: a, url: "https://one.example" }'));
  await apply(one('apis', '{ id: a, url: "https://two.example" }', '{ id: b, url: "https://one.example" }'));
});

it('two APIs swap addresses: audit events contain the previous address of each', async () => {
  await apply(one('apis', '{ id: a, url: "https://one.example" }', '{ id: b, url: "https://two.example" }'));
  await apply(one('apis', '{ id: a, url: "https://two.example" }', '{ id: b, url: "https://one.example" }'));
  const events = await listEvents({ events: ['api.changed'] });
  expect(events.map(({ details }) => (details as { before: unknown }).before)).toEqual([
    { url: 'https://one.example' },
    { url: 'https://two.example' },
  ]);
});

it('a broker with the shared callback may become an external method', async () => {
  const broker =
    '{ id: partner, type: broker, issuer: "https://login.example", client_id: x, client_secret: s, shared_callback: true }';
  await apply(one('auth_methods', LOCAL, broker));
  const external = '{ id: partner, type: external, verify_url: "https://verify.example", verify_token: t }';
  await apply(one('auth_methods', LOCAL, external));
  expect(await sql(`select type from auth_methods where id = 'partner'`)).toEqual([{ type: 'external' }]);
});

it('the last local method may change its type if the file adds a second one', async () => {
  const external = '{ id: local, type: external, verify_url: "https://verify.example", verify_token: t }';
  await apply(one('auth_methods', LOCAL));
  await apply(one('auth_methods', external, '{ id: people, type: local }'));
});

it('apply creates a disabled administrator', async () => {
  await apply(one('users', '{ email: ada@example.com, roles: [administrator], disabled: true }'));
});

it('duplicate people are rejected, even if spaces differ', async () => {
  const file = one(
    'users',
    '{ email: ada@example.com, name: Ada }',
    '{ email: " ada@example.com", name: Eve }',
  );
  await sql(`insert into people (email, name) values ('ada@example.com', 'Old')`);
  await expect(apply(file)).rejects.toThrow('the same as in users[0]');
});

it('spaces around an email address are ignored everywhere in the file', async () => {
  await apply(
    one('auth_methods', LOCAL) +
      one('apis', '{ id: orders, url: "https://orders.example", approvers: [" ada@example.com"] }') +
      one('clients', '{ client_id: shop, confidential: true }') +
      one('users', '{ email: "ada@example.com ", roles: [approver] }') +
      one('subscriptions', '{ client_id: shop, api: orders, approved_by: ada@example.com }'),
  );
});

it('four eyes: the requester of a subscription cannot approve it, even after the file changed the client', async () => {
  const file = (uri: string) =>
    one('auth_methods', LOCAL) +
    one('apis', '{ id: orders, url: "https://orders.example" }') +
    one('clients', `{ client_id: shop, confidential: true, redirect_uris: ["${uri}"] }`);
  await apply(file('https://shop.example/a'));
  const admin: Person = await givenPerson('admin', 'administrator');
  await requestSubscription(admin, { clientId: 'shop', api: 'orders', trusted: true });
  const decision = { clientId: 'shop', api: 'orders', action: 'approve' } as const;
  await expect(decideSubscription(admin, decision)).rejects.toThrow('asked for this subscription');
  await apply(file('https://shop.example/b'));
  await expect(decideSubscription(admin, decision)).rejects.toThrow('asked for this subscription');
});

it('a database error whose message contains the word timeout is not reported as an outage', async () => {
  await apply(one('users', '{ email: timeout@example.com, roles: [administrator] }'));
  await expect(apply(one('users', '{ email: timeout@example.com, roles: [] }'))).rejects.toThrow(
    'is the only administrator',
  );
});

it('a second apply of an unchanged user with name and roles changes nothing', async () => {
  const file = one('users', '{ email: ada@example.com, roles: [administrator, developer], name: " Ada " }');
  await apply(file);
  expect(await apply(file)).toEqual([]);
});

it('apply accepts an export of objects created in the console', async () => {
  await createClient(OPERATOR, { clientId: 'x', name: 'X', kind: 'native', redirectUris: ['com.x.y:/cb'] });
  const { exportConfiguration } = await import('./export.ts');
  expect(await apply(await exportConfiguration())).toEqual([]);
  void CONFIGURATION;
});

it('apply deletes a method’s secret when its type changes', async () => {
  const external =
    '{ id: partner, type: external, verify_url: "https://verify.example", verify_token: theirs }';
  await apply(one('auth_methods', LOCAL, external));
  const broker = '{ id: partner, type: broker, issuer: "https://login.example", client_id: x }';
  await apply(one('auth_methods', LOCAL, broker));
  expect(await sql(`select sealed_secret from auth_methods where id = 'partner'`)).toEqual([
    { sealed_secret: null },
  ]);
});
