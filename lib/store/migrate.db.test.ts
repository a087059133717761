// The migrator on temporary databases; Prisma's schema engine verifies the result.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { withClient } from '#testing/data/sql.ts';
import { migrationList, withSchemaEngine } from '../../scripts/schema-engine.ts';
import { MigrationError } from './database.ts';
import { migrate, readFunctions, readMigrations } from './migrate.ts';

const server = process.env['DATABASE_URL'] as string;
const ours = path.resolve('prisma');
const temporary = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-migrations-'));
let folder: string;
let databaseUrl: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(temporary, 'of-'));
  mkdirSync(path.join(folder, 'migrations'));
  mkdirSync(path.join(folder, 'functions'));
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
  const place = path.join(folder, 'migrations', name);
  mkdirSync(place, { recursive: true });
  writeFileSync(path.join(place, 'migration.sql'), sql);
}

const migrations = () => readMigrations(path.join(ours, 'migrations'));
const names = async () => (await migrations()).map(({ name }) => name);
const functions = async () =>
  (await readFunctions(path.join(ours, 'functions'))).map(({ name }) => `functions/${name}.sql`);
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

test('ten concurrent migration runs on an empty database apply each migration and function once, and all succeed', async () => {
  const runs = await Promise.all(Array.from({ length: 10 }, () => migrate(databaseUrl, ours)));
  expect(runs.flat().sort()).toEqual([...(await names()), ...(await functions())]);
  expect(await applied()).toEqual(await names());
});

test('an up-to-date database remains unchanged, and receives no write statement', async () => {
  await migrate(databaseUrl, ours);
  await ask(
    `alter database ${new URL(databaseUrl).pathname.slice(1)} set default_transaction_read_only = on`,
  );
  await expect(ask('create table t (a int)')).rejects.toThrow('read-only');
  expect(await migrate(databaseUrl, ours)).toEqual([]);
});

test('a failing migration is rolled back, reported by name, and runs after correction', async () => {
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

test('a migration that cannot be recorded rolls back', async () => {
  file('1_lost', 'create table half (id int); alter table _prisma_migrations rename to elsewhere;');
  await expect(migrate(databaseUrl, folder)).rejects.toThrow(
    'the migration 1_lost failed and changed nothing',
  );
  expect(await tables()).toEqual([]);
  expect(await applied()).toEqual([]);
});

test('a lost connection during a migration rolls back', async () => {
  file('1_cut', 'create table half (id int); select pg_terminate_backend(pg_backend_pid());');
  await expect(migrate(databaseUrl, folder)).rejects.toThrow(
    'the migration 1_cut failed and changed nothing',
  );
  expect(await tables()).toEqual([]);
  expect(await applied()).toEqual([]);
});

test('an index that was half built when the process ended is built again, outside of a transaction', async () => {
  file('1_table', 'create table good (id int);');
  await migrate(databaseUrl, folder);
  await ask('create index "good_id_idx" on good (id)');
  // simulates the state after an interrupted index build
  await ask(`update pg_index set indisvalid = false where indexrelid = 'good_id_idx'::regclass`);
  file('2_index', 'CREATE INDEX CONCURRENTLY IF NOT EXISTS "good_id_idx" ON "good"("id");');
  expect(await migrate(databaseUrl, folder)).toEqual(['2_index']);
  expect(
    await ask(`select indisvalid as valid from pg_index where indexrelid = 'good_id_idx'::regclass`),
  ).toEqual([{ valid: true }]);
});

test('migrations wait for long readers in short steps, so writers proceed', async () => {
  file('1_table', 'create table good (id int);');
  await migrate(databaseUrl, folder);
  file('2_column', `SET LOCAL lock_timeout = '200ms';\nalter table good add column name text;`);
  await withClient(databaseUrl, async (reader) => {
    await reader.query('begin');
    await reader.query('select count(*) from good');
    let done = false;
    const migrating = migrate(databaseUrl, folder).finally(() => {
      done = true;
    });
    await withClient(databaseUrl, async (writer) => {
      await writer.query("set lock_timeout = '3s'");
      for (let written = 0; written < 50; written += 1) await writer.query('insert into good values (1)');
    });
    expect(done).toBe(false);
    await reader.query('commit');
    expect(await migrating).toEqual(['2_column']);
  });
});

test('if a migration that was already applied has changed, it is rejected, and no pending migration runs', async () => {
  file('1_first', 'create table first (id int);');
  await migrate(databaseUrl, folder);
  file('1_first', 'create table first (id bigint);');
  file('2_second', 'create table second (id int);');
  const refused = migrate(databaseUrl, folder);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow('the migration 1_first was changed after it had been applied');
  expect(await tables()).toEqual(['first']);
});

test('a database that is older than the first release is rejected with advice, and stays unchanged', async () => {
  file('20261121000000_init', 'create table directory_version (id int); create table audit_events (id int);');
  await migrate(databaseUrl, folder);
  const refused = migrate(databaseUrl, ours);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow(
    /^the database was made before the first release \(it has the migration 20261121000000_init\): make a new database, or use .*$/,
  );
  expect(await applied()).toEqual(['20261121000000_init']);
  expect(await tables()).toEqual(['audit_events', 'directory_version']);
});

test('_prisma_migrations contains what Prisma itself would have written, and Prisma reports no drift', async () => {
  const columns = `select column_name, data_type, character_maximum_length, is_nullable, column_default
    from information_schema.columns where table_name = '_prisma_migrations' order by ordinal_position`;
  // Gatehouse writes the compatible versions into `logs`, a column that Prisma leaves empty
  const rows = `select migration_name, checksum, rolled_back_at, applied_steps_count,
    finished_at >= started_at as finished, length(id) as id from _prisma_migrations order by migration_name`;
  const filters = { externalTables: [], externalEnums: [] };
  const migrationsList = await migrationList();
  const theirs = await emptyDatabase();
  await withSchemaEngine(theirs, (engine) => engine.applyMigrations({ migrationsList, filters }));

  await migrate(databaseUrl, ours);
  expect(await ask(columns)).toEqual(await ask(columns, theirs));
  expect(await ask(rows)).toEqual(await ask(rows, theirs));
  for (const { name, sql } of await migrations()) {
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

test('the migration runner continues a database that Prisma migrated', async () => {
  const migrationsList = await migrationList();
  const filters = { externalTables: [], externalEnums: [] };
  await withSchemaEngine(databaseUrl, (engine) => engine.applyMigrations({ migrationsList, filters }));
  expect(await migrate(databaseUrl, ours)).toEqual(await functions());
  expect(await migrate(databaseUrl, ours)).toEqual([]);
});

test('migration people_names: of users with equal user names one keeps the name, and the others get other names', async () => {
  const all = await migrations();
  const at = all.findIndex(({ name }) => name.endsWith('_people_names'));
  for (const { name, sql } of all.slice(0, at)) file(name, sql);
  await migrate(databaseUrl, folder);
  const [ada, bob] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  await ask(`insert into people (id, username, subject) values ('${ada}', 'ada', 'Auth0|A'), ('${bob}', '${ada}', null),
    (gen_random_uuid(), 'auth0|a', null), (gen_random_uuid(), 'carl', 'ADA')`);
  for (const { name, sql } of all.slice(at)) file(name, sql);
  await migrate(databaseUrl, folder);
  const holders = await ask<{ name: string; who: string | null }>(
    `select n.name, p.username as who from people_names n join people p on p.id = n.person_id
      where n.name in ('ada', 'auth0|a', 'carl', '${ada}', '${bob}') order by 1`,
  );
  expect(holders).toEqual([
    { name: ada, who: 'ada' },
    { name: bob, who: ada },
    { name: 'ada', who: 'carl' },
    { name: 'auth0|a', who: 'ada' },
    { name: 'carl', who: 'carl' },
  ]);
  // users with a duplicate name keep working and can get a new name
  await ask(`update people set username = 'bob' where id = '${bob}'`);
  await ask(`delete from people where username = 'carl'`);
  expect(
    await ask(`select name from people_names where name in ('ada', 'bob', '${ada}') order by 1`),
  ).toEqual([{ name: ada }, { name: 'ada' }, { name: 'bob' }]);
  await ask(`delete from people where id = '${ada}'`);
  expect(
    await ask(
      `select n.name, p.username as who from people_names n join people p on p.id = n.person_id
        where n.name in ('ada', 'auth0|a', '${ada}')`,
    ),
  ).toEqual([{ name: 'auth0|a', who: 'auth0|a' }]);
});
