// The service's database role can change rows but no tables, and can only add to the audit log (case AR-06).
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { withClient } from '#testing/data/sql.ts';
import { prepareWorld } from '../../scripts/fuzz/world.ts';
import { deleteExpired } from './cleanup.ts';
import { grantServiceRole, migrate } from './migrate.ts';
import { closePool, query } from './pool.ts';

const ROLES = path.resolve(import.meta.dirname, '../../prisma/roles.sql');
const role = `service_${randomBytes(4).toString('hex')}`;
const owner = settings().databaseUrl;
let asService: pg.Client;

beforeAll(async () => {
  await query({ text: `create role ${role} login password 'of-the-test'`, values: [] });
  await grantServiceRole(role, ROLES, owner);
  await grantServiceRole(role, ROLES, owner);
  const url = new URL(owner);
  url.username = role;
  url.password = 'of-the-test';
  await closePool();
  settings().databaseUrl = url.href;
  asService = new pg.Client({ connectionString: url.href });
  await asService.connect();
});
afterAll(async () => {
  await asService.end();
  await closePool();
  settings().databaseUrl = owner;
});

const leaves = async () => {
  const { rows } = await asService.query(`select inhrelid::regclass::text as leaf from pg_inherits
    where inhparent in ('audit_events'::regclass, 'refused_requests'::regclass)`);
  return rows.map((row) => row.leaf as string);
};

const refused = (text: string) =>
  expect(asService.query(text), text).rejects.toThrow(/permission denied|must be owner/);

test('AR-06: the service role is no superuser and cannot change tables, types or functions', async () => {
  const { rows } = await asService.query(
    'select rolsuper or rolcreatedb or rolcreaterole or rolbypassrls as mighty from pg_roles where rolname = current_user',
  );
  expect(rows).toEqual([{ mighty: false }]);
  for (const text of [
    'create table t (a int)',
    'create temporary table t (a int)',
    'create schema s',
    'drop table codes',
    'alter table codes add column x int',
    'alter table audit_events disable trigger all',
    'truncate codes',
    'create function f() returns int language sql as $$ select 1 $$',
    'create index on codes (client_id)',
    "insert into _prisma_migrations (id, checksum, migration_name) values ('x', 'x', 'x')",
  ])
    await refused(text);
});

test('AR-06: audit events can be read and inserted, never updated or deleted', async () => {
  await asService.query("insert into audit_events (event) values ('key.created')");
  for (const text of [
    "update audit_events set event = 'x'",
    'delete from audit_events',
    'truncate audit_events',
    'select id from audit_events for update',
    "update audit_events_default set event = 'x'",
    'delete from audit_events_default',
    'drop table audit_events_default',
    'alter table audit_events detach partition audit_events_default',
    "select extend_partitions('audit_events', interval '1 day', now())",
    "select drop_ended_partition('audit_events', interval '0')",
    "select expire_rows('audit_events', interval '0', 1)",
    'drop function expire_audit_events(integer, integer)',
    `create or replace function expire_audit_events(days integer, batch integer) returns integer language sql as $$ select 1 $$`,
  ])
    await refused(text);
});

test('AR-06: only the retention deletes old audit events, never events of the last seven days', async () => {
  const insert = (age: string) =>
    asService.query(`insert into audit_events (event, at) values ('key.retired', now() - interval '${age}')`);
  for (const age of ['1 hour', '6 days', '8 days', '364 days', '366 days']) await insert(age);
  const ages = async () =>
    (
      await asService.query(
        "select round(extract(epoch from now() - at) / 86400)::int as days from audit_events where event = 'key.retired' order by 1",
      )
    ).rows.map((row) => row.days);
  expect((await deleteExpired()).deleted['audit_events']).toBe(1);
  expect(await ages()).toEqual([0, 6, 8, 364]);
  await asService.query('select expire_audit_events(0, 1000)');
  expect(await ages()).toEqual([0, 6]);
});

test('AR-06: the service can access the partitions that it creates only through their parent table', async () => {
  // drops the last partitions, so that the service must create them again
  await withClient(owner, (client) =>
    client.query("select drop_ended_partition('audit_events', interval '-9 weeks')"),
  );
  const before = await leaves();
  await asService.query('select keep_partitions(365)');
  expect((await leaves()).length).toBeGreaterThan(before.length);
  for (const leaf of await leaves()) await refused(`select 1 from ${leaf}`);
});

test('AR-06: with the service role, the service starts, applies a configuration and issues tokens', async () => {
  expect(await migrate()).toEqual([]);
  const world = await prepareWorld();
  expect(world.known['refresh_token']?.[0]).toMatch(/^ghr_/);
});
