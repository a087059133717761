// `doctor --before-upgrade` with separate databases: of an old version, of a newer version, and with a problem that
// prevents the upgrade.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { minorOf, VERSION } from '#lib/kit/version.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { migrate } from '#lib/store/migrate.ts';
import { closePool } from '#lib/store/pool.ts';
import { withClient } from '#testing/data/sql.ts';
import { examineBeforeUpgrade } from './doctor.ts';

const server = process.env['DATABASE_URL'] as string;
const ours = path.resolve('prisma');
let next: string;
let url: string;

/** Creates a migrated database, and a newer version that has further migrations. */
beforeEach(async () => {
  next = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-next-'));
  cpSync(ours, next, { recursive: true });
  const name = `upgrade_${randomBytes(6).toString('hex')}`;
  url = server.replace(/\/[^/]+$/, `/${name}`);
  await withClient(server, (client) => client.query(`create database ${name} template template0`));
  await migrate(url, ours);
  await closePool();
  loadSettings({ ...process.env, DATABASE_URL: url });
});
afterEach(() => rmSync(next, { recursive: true }));
afterAll(async () => {
  await closePool();
  loadSettings();
});

function file(name: string, sql: string): void {
  const place = path.join(next, 'migrations', name);
  mkdirSync(place);
  writeFileSync(path.join(place, 'migration.sql'), sql);
}
const ask = (text: string) => withClient(url, async (client) => (await client.query(text)).rows);
const found = async (check: string) => {
  const all = await examineBeforeUpgrade(next);
  return all.filter((one) => one.check === check).map(({ state, detail }) => `${state}: ${detail}`);
};

test('for an old database, the check lists pending migrations and the objects that they drop, and writes nothing', async () => {
  file('99_adds', 'ALTER TABLE "apis" ADD COLUMN "more" TEXT;');
  file('99_takes', 'ALTER TABLE "apis" DROP COLUMN "name";');
  writeFileSync(path.join(next, 'functions', 'count_version.sql'), '-- another');
  const before = await ask('select count(*) from _prisma_migrations');
  expect(await found('migration')).toEqual([
    'ok: 99_adds would run, and is compatible with the old version, which can keep serving',
    'warning: 99_takes would run, and drops a column of apis: stop the processes of the old version first',
  ]);
  expect(await found('functions')).toEqual(['ok: 1 function would change']);
  const all = await examineBeforeUpgrade(next);
  expect(all.filter(({ state }) => state === 'broken')).toEqual([]);
  expect(await ask('select count(*) from _prisma_migrations')).toEqual(before);
});

test('for an empty database, the check reports creation of the complete schema', async () => {
  await ask('drop schema public cascade');
  await ask('create schema public');
  expect(await found('schema')).toEqual(['ok: none yet: everything will be created']);
});

test('a newer database is rejected, unless it supports this version', async () => {
  const insert = (name: string, logs: string) =>
    ask(`insert into _prisma_migrations (id, checksum, migration_name, logs, finished_at)
      values ('${name}', '', '${name}', '${logs}', now())`);
  await insert('99_next', `works with ${minorOf(VERSION)} and later`);
  expect(await found('schema')).toEqual([
    expect.stringMatching(/^warning: of a newer, compatible version \(99_next\)/),
  ]);
  await insert('99_other', 'works with 999.0 and later');
  expect(await found('schema')).toEqual([
    expect.stringMatching(/^broken: the database is newer than this version/),
  ]);
});

test('the check before an upgrade reports obstacles: a running migrate, an invalid index, a read-only server', async () => {
  expect(await found('transactions')).toEqual(['ok: no long transactions']);
  await withClient(url, async (migrating) => {
    await migrating.query('select pg_advisory_lock(72707369)');
    expect(await found('locks')).toEqual([
      'warning: another migration is running: this one would wait for it',
    ]);
  });
  await ask('create table good (a int)');
  await ask('create index good_idx on good (a)');
  await ask(`update pg_index set indisvalid = false where indexrelid = 'good_idx'::regclass`);
  expect(await found('indexes')).toEqual([expect.stringContaining('not valid: good_idx')]);
  await ask(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`);
  expect(await found('database')).toEqual([expect.stringMatching(/^broken: PostgreSQL \d+, read-only/)]);
});

test('the check before an upgrade reports keys sealed with a different secret', async () => {
  await ask(
    `insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from) values ('k', 'ES256', '{}', 'v1.x.y.z', now())`,
  );
  expect(await found('secrets')).toEqual(['broken: 1 of 1 value sealed with another GATEHOUSE_SECRET']);
});
