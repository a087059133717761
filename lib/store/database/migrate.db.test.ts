// The migrator on databases of its own, with Prisma's schema engine as the judge of what it leaves behind.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { withClient } from '#testing/data/sql.ts';
import { migrationList, withSchemaEngine } from '../../../scripts/schema-engine.ts';
import { MigrationError, migrate } from '../index.ts';
import { readMigrations } from './migrate.ts';

const server = process.env['DATABASE_URL'] as string;
const ours = path.resolve('prisma/migrations');
const temporary = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-migrations-'));
let folder: string;
let databaseUrl: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(temporary, 'of-'));
  databaseUrl = await emptyDatabase();
});
afterAll(() => rmSync(temporary, { recursive: true }));

async function ask<Row = Record<string, unknown>>(text: string, url = databaseUrl): Promise<Row[]> {
  return withClient(url, async (client) => (await client.query(text)).rows as Row[]);
}

async function emptyDatabase(): Promise<string> {
  const name = `migrate_${randomBytes(6).toString('hex')}`;
  await ask(`create database ${name} template template0`, server);
  return server.replace(/\/[^/]+$/, `/${name}`);
}

function file(name: string, sql: string): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, name, 'migration.sql'), sql);
}

const names = async () => (await readMigrations(ours)).map((migration) => migration.name);
const applied = async () =>
  (await ask<{ name: string }>('select migration_name as name from _prisma_migrations order by 1')).map(
    ({ name }) => name,
  );
const tables = async () =>
  (
    await ask<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' order by 1`,
    )
  )
    .map(({ name }) => name)
    .filter((name) => name !== '_prisma_migrations');

test('ten migrators at once on an empty database: each migration runs once, and every one of them comes through', async () => {
  const runs = await Promise.all(Array.from({ length: 10 }, () => migrate(databaseUrl, ours)));
  expect(runs.flat().sort()).toEqual(await names());
  expect(await applied()).toEqual(await names());
});

test('on a database that is up to date nothing runs', async () => {
  await migrate(databaseUrl, ours);
  expect(await migrate(databaseUrl, ours)).toEqual([]);
});

test('a migration that fails leaves nothing of itself, says its name, and runs once it is mended', async () => {
  file('1_good', 'create table good (id int);');
  file('2_bad', 'create table half (id int); select 1 / 0; create table other (id int);');
  const failing = migrate(databaseUrl, folder);
  await expect(failing).rejects.toThrow(MigrationError);
  await expect(failing).rejects.toThrow('the migration 2_bad failed and changed nothing: division by zero');
  expect(await tables()).toEqual(['good']);
  expect(await applied()).toEqual(['1_good']);

  file('2_bad', 'create table whole (id int);');
  expect(await migrate(databaseUrl, folder)).toEqual(['2_bad']);
  expect(await tables()).toEqual(['good', 'whole']);
});

test('a migration that can not be recorded leaves nothing of itself', async () => {
  file('1_lost', 'create table half (id int); alter table _prisma_migrations rename to elsewhere;');
  await expect(migrate(databaseUrl, folder)).rejects.toThrow(
    'the migration 1_lost failed and changed nothing',
  );
  expect(await tables()).toEqual([]);
  expect(await applied()).toEqual([]);
});

test('a database that goes away in the middle of a migration keeps nothing of it', async () => {
  file('1_cut', 'create table half (id int); select pg_terminate_backend(pg_backend_pid());');
  await expect(migrate(databaseUrl, folder)).rejects.toThrow(
    'the migration 1_cut failed and changed nothing',
  );
  expect(await tables()).toEqual([]);
  expect(await applied()).toEqual([]);
});

test('a migration that was changed after it had been applied is refused, and nothing new runs', async () => {
  file('1_first', 'create table first (id int);');
  await migrate(databaseUrl, folder);
  file('1_first', 'create table first (id bigint);');
  file('2_second', 'create table second (id int);');
  const refused = migrate(databaseUrl, folder);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow('the migration 1_first was changed after it had been applied');
  expect(await tables()).toEqual(['first']);
});

test('a database that is newer than this version is refused, and left as it is', async () => {
  file('1_first', 'create table first (id int);');
  file('2_future', 'create table future (id int);');
  await migrate(databaseUrl, folder);
  rmSync(path.join(folder, '2_future'), { recursive: true });
  const refused = migrate(databaseUrl, folder);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow(
    'the database is newer than this version: it has the migration 2_future',
  );
  expect(await applied()).toEqual(['1_first', '2_future']);
});

test('_prisma_migrations holds what Prisma itself would have written, and Prisma finds nothing amiss', async () => {
  const columns = `select column_name, data_type, character_maximum_length, is_nullable, column_default
    from information_schema.columns where table_name = '_prisma_migrations' order by ordinal_position`;
  const rows = `select migration_name, checksum, logs, rolled_back_at, applied_steps_count,
    finished_at >= started_at as finished, length(id) as id from _prisma_migrations order by migration_name`;
  const filters = { externalTables: [], externalEnums: [] };
  const migrationsList = await migrationList();
  const theirs = await emptyDatabase();
  await withSchemaEngine(theirs, (engine) => engine.applyMigrations({ migrationsList, filters }));

  await migrate(databaseUrl, ours);
  expect(await ask(columns)).toEqual(await ask(columns, theirs));
  expect(await ask(rows)).toEqual(await ask(rows, theirs));
  for (const { name, sql } of await readMigrations(ours)) {
    const checksum = createHash('sha256').update(sql).digest('hex');
    expect(await ask(`select checksum from _prisma_migrations where migration_name = '${name}'`)).toEqual([
      { checksum },
    ]);
  }
  const judged = await withSchemaEngine(databaseUrl, (engine) =>
    engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters }),
  );
  expect(judged).toMatchObject({
    editedMigrationNames: [],
    failedMigrationNames: [],
    hasMigrationsTable: true,
    history: null,
  });
});

test('what Prisma migrated, the migrator takes over as it is', async () => {
  const migrationsList = await migrationList();
  const filters = { externalTables: [], externalEnums: [] };
  await withSchemaEngine(databaseUrl, (engine) => engine.applyMigrations({ migrationsList, filters }));
  expect(await migrate(databaseUrl, ours)).toEqual([]);
});

test('what a database from before holds about the management API is made harmless', async () => {
  const all = await readMigrations(ours);
  const before = all.filter(({ name }) => name < '20261122000300_authority');
  for (const { name, sql } of before) file(name, sql);
  await migrate(databaseUrl, folder);
  await ask(`
    insert into auth_methods (id, type, name) values ('local', 'local', 'local');
    insert into apis (id, name, url, access_token_ttl, access_token_format, signing_alg, refresh_token_ttl,
      refresh_family_ttl, require_approval) select id, id, 'https://' || id || '.example', 60, 'jwt', 'ES256', 60, 60, true
      from unnest(array['management', 'orders']) as id;
    insert into people (email, name, roles) values ('admin@a.example', '', '{administrator}'), ('judge@a.example', '', '{approver}');
    insert into clients (client_id, name, confidential, application_type, redirect_uris)
      select id, id, true, 'web', '{}' from unnest(array['trusted', 'judged', 'fine', 'paused']) as id;
    insert into subscriptions (client_id, api_id, state, trusted, decided_by) select c, 'management', s, t,
      (select id from people where email = d || '@a.example') from (values ('trusted', 'approved', true, 'admin'),
        ('judged', 'approved', false, 'judge'), ('fine', 'approved', false, 'admin'), ('paused', 'suspended', true, 'admin')) as v(c, s, t, d);
    insert into subscriptions (client_id, api_id, state, trusted) values ('trusted', 'orders', 'approved', true);
    insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
      select gen_random_uuid(), p.id, 'trusted', a, 'local', b, '{}', now(), now() + interval '1 day'
      from people p, unnest(array['trust', 'password', 'exchange', 'consent']) as b, unnest(array['management', 'orders']) as a
      where p.email = 'admin@a.example';
    insert into codes (code_hash, client_id, api_id, auth_method_id, person_id, redirect_uri, scopes, scope_asked, basis, auth_time, expires_at)
      select '\\x01', 'trusted', 'management', 'local', id, '', '{}', false, 'trust', now(), now() + interval '1 minute'
      from people where email = 'admin@a.example'`);
  await migrate(databaseUrl, ours);
  expect(
    await ask(
      `select client_id || ' ' || api_id || ' ' || state || ' ' || trusted as row from subscriptions order by 1`,
    ),
  ).toEqual(
    [
      'fine management approved false',
      'judged management pending false',
      'paused management suspended false',
      'trusted management pending false',
      'trusted orders approved true',
    ].map((row) => ({ row })),
  );
  const living = await ask('select api_id, basis from token_families where revoked_at is null order by 1, 2');
  expect(living.filter((row) => row['api_id'] === 'management')).toEqual([
    { api_id: 'management', basis: 'consent' },
  ]);
  expect(living.filter((row) => row['api_id'] === 'orders')).toHaveLength(4);
  expect(await ask('select 1 from codes where revoked_at is null')).toEqual([]);
  const steps = await ask(
    `select client_id, to_state from subscription_events where actor = 'gatehouse' order by 1`,
  );
  expect(steps.map((row) => row['client_id'])).toEqual(['judged', 'paused', 'trusted']);
  // what was revoked may still be touched, and no trust comes back
  await ask(`update token_families set revoked_reason = 'again' where api_id = 'management'`);
  await expect(ask(`update subscriptions set trusted = true where api_id = 'management'`)).rejects.toThrow(
    'untrusted',
  );
});
