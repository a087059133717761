import { readFileSync } from 'node:fs';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { parse } from 'yaml';
import { listEvents } from '#lib/audit/audit-log.ts';
import { setPassword } from '#lib/catalogue/people/operations.ts';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadRegistry } from '#lib/store/configuration.ts';
import { closePool, query } from '#lib/store/pool.ts';
import { database, inTransaction } from '#lib/store/prisma.ts';
import { sql } from '#lib/store/sql.ts';
import { givenFamilyRow } from '#testing/data/families.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

const demo = readFileSync(new URL('../../demo/gatehouse.yaml', import.meta.url), 'utf8');
/** number of methods, APIs, clients, subscriptions and users in the demo */
const OBJECTS = demo.match(/^ {2}- /gm)?.length ?? 0;
const apply = (source: string, prune = false) => applyConfiguration(source, { env: {}, prune });
const rows = (text: string, values: unknown[] = []) => query({ text, values });

beforeEach(async () => {
  await rows('truncate auth_methods, apis, clients, people, audit_events, token_families, codes cascade');
});
afterAll(() => closePool());

it('apply twice: the second run has nothing to change, and writes no audit event', async () => {
  expect((await apply(demo)).length).toBe(OBJECTS);
  const events = (await listEvents({ limit: 1000 })).length;
  expect(await apply(demo)).toEqual([]);
  expect(await apply(demo, true)).toEqual([]);
  expect((await listEvents({ limit: 1000 })).length).toBe(events);
});

it('applying an export changes nothing, and exports contain no secret', async () => {
  await apply(demo);
  const exported = await exportConfiguration();
  expect(exported).not.toMatch(/secret:|password:|not-for-production/);
  expect(await apply(exported, true)).toEqual([]);
});

it('apply is atomic: a faulty file, a dry run or a failure leaves the database unchanged', async () => {
  await expect(apply(demo.replace('type: local', 'type: saml'))).rejects.toThrow('auth_methods[0].type');
  await applyConfiguration(demo, { env: {}, dryRun: true });
  await expect(
    inTransaction(async (db) => {
      await db.$executeRaw(sql`insert into auth_methods (id, type, name) values ('x', 'local', 'X')`);
      throw new Error('on the way');
    }),
  ).rejects.toThrow('on the way');
  expect(await loadRegistry(database())).toEqual({
    groups: [],
    authMethods: [],
    apis: [],
    clients: [],
    subscriptions: [],
    people: [],
  });
});

it('eight parallel runs of apply: one creates the objects, and the others find no changes', async () => {
  const counts = (await Promise.all(Array.from({ length: 8 }, () => apply(demo)))).map(
    (changes) => changes.length,
  );
  expect(counts.sort((a, b) => b - a)).toEqual([OBJECTS, 0, 0, 0, 0, 0, 0, 0]);
});

it('a password that a person changed stays until the file contains another password', async () => {
  await apply(demo);
  await setPassword(OPERATOR, { email: 'alice@example.com', password: 'a-password-of-her-own' });
  const hash = () => rows(`select password_hash from people where email = 'alice@example.com'`);
  const own = await hash();
  expect(await apply(demo)).toEqual([]);
  expect(await hash()).toEqual(own);
  const changed = await apply(demo.replace('demo-alice-password', 'another-alice-password'));
  expect(changed.map((one) => [one.id, one.lines])).toEqual([
    ['alice@example.com', ['~ password: (changed)']],
  ]);
  expect(await hash()).not.toEqual(own);
});

it('a suspended subscription stays suspended, and with approved_by a changed redirect URI keeps the approval', async () => {
  await apply(demo);
  const states = () => rows(`select state from subscriptions where client_id = 'shop-app'`);
  await decideSubscription(OPERATOR, { clientId: 'shop-app', api: 'orders', action: 'suspend' });
  expect(await apply(demo)).toEqual([]);
  expect(await states()).toEqual([{ state: 'suspended' }]);
  await decideSubscription(OPERATOR, { clientId: 'shop-app', api: 'orders', action: 'resume' });
  const moved = demo.replace('com.example.shop:/callback', 'com.example.shop:/elsewhere');
  await apply(moved);
  expect(await states()).toEqual([{ state: 'approved' }]);
  expect(await apply(moved)).toEqual([]);
});

it('CA-17: a client that becomes confidential loses the codes and token families that it had as a public client', async () => {
  await apply(demo);
  const [alice] = await rows("select id from people where email = 'alice@example.com'");
  await givenFamilyRow(rows, {
    personId: alice?.['id'] as string,
    clientId: 'shop-spa',
    apiId: 'orders',
  });
  await apply(demo.replace('application_type: browser', 'confidential: true'));
  const families = await rows('select revoked_at is not null as revoked from token_families');
  expect(families).toEqual([{ revoked: true }]);
});

it('a new client secret in the file replaces the previous file secret and keeps other secrets', async () => {
  await apply(demo);
  await rows(`insert into client_secrets (client_id, secret_hash) values ('shop-web', '\\x01')`);
  const count = () => rows(`select count(*)::int as n from client_secrets where client_id = 'shop-web'`);
  const changes = await apply(demo.replace('demo-shop-web-secret', 'another-shop-web-secret'));
  expect(changes.map((one) => one.lines)).toEqual([['~ client_secret: (changed)']]);
  expect(await count()).toEqual([{ n: 2 }]);
});

it('two APIs may swap their URLs', async () => {
  await apply(demo);
  const [a, b] = ['http://localhost:4603/orders', 'https://api.example/billing'] as const;
  const swapped = demo.replace(a, 'URL_OF_ORDERS').replace(b, a).replace('URL_OF_ORDERS', b);
  expect((await apply(swapped)).map((one) => one.changed)).toEqual([['url'], ['url']]);
});

it('docs/how-to/brokers.md: export names the redirect address of each broker method, and of no other method', async () => {
  await apply(demo);
  const { auth_methods } = parse(await exportConfiguration()) as { auth_methods: Record<string, unknown>[] };
  expect(auth_methods.map(({ id, callback }) => [id, callback])).toEqual([
    ['local', undefined],
    ['campus', undefined],
    ['partner', 'http://localhost:3000/auth/callback/partner'],
  ]);
});

it('apply keeps a broker’s shared callback address until the file changes shared_callback', async () => {
  const shared = () =>
    rows(`select id from auth_methods where config @> '{"shared_callback": true}' order by id`);
  await apply(demo);
  expect(await shared()).toEqual([]);
  await rows(`update auth_methods set config = config || '{"shared_callback": true}' where type = 'broker'`);
  expect(await shared()).toEqual([{ id: 'partner' }]);
  expect(await apply(demo)).toEqual([]);
  await apply(demo.replace('Partner login', 'Partner'));
  expect(await shared()).toEqual([{ id: 'partner' }]);
  const exported = await exportConfiguration();
  expect(exported).toContain('shared_callback: true');
  const [change] = await apply(exported.replace('shared_callback: true', 'shared_callback: false'));
  expect(change?.changed).toEqual(['shared_callback']);
  expect(await shared()).toEqual([]);
  expect(await apply(exported.replace('shared_callback: true', 'shared_callback: false'))).toEqual([]);
});
