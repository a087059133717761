// A database that a newer version has migrated, each time one of its own with migrations of the test's own.
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VERSION } from '#lib/kit/index.ts';
import { withClient } from '#testing/data/sql.ts';
import { MigrationError, migrate } from '../index.ts';

const server = process.env['DATABASE_URL'] as string;
let folder: string;
let url: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-newer-'));
  for (const name of ['migrations', 'functions']) mkdirSync(path.join(folder, name));
  const name = `newer_${randomBytes(6).toString('hex')}`;
  url = server.replace(/\/[^/]+$/, `/${name}`);
  await withClient(server, (client) => client.query(`create database ${name} template template0`));
});
afterEach(() => rmSync(folder, { recursive: true }));

const ask = (text: string) => withClient(url, async (client) => (await client.query(text)).rows);
const applied = async () =>
  (await ask('select migration_name as name from _prisma_migrations order by 1')).map(({ name }) => name);

function file(name: string, sql: string): void {
  const place = path.join(folder, 'migrations', name);
  mkdirSync(place);
  writeFileSync(path.join(place, 'migration.sql'), sql);
}

function routine(name: string, sql: string): void {
  const text = `create or replace function ${name}() returns int language sql as '${sql}';`;
  writeFileSync(path.join(folder, 'functions', `${name}.sql`), text);
}

test('a database that is newer than this version is refused, and left as it is', async () => {
  file('1_first', 'create table first (id int);');
  file('2_future', 'create table future (id int);');
  await migrate(url, folder);
  // by a version that this one is two minors behind
  await ask(
    `update _prisma_migrations set logs = 'works with 999.0 and later' where migration_name = '2_future'`,
  );
  rmSync(path.join(folder, 'migrations', '2_future'), { recursive: true });
  const refused = migrate(url, folder);
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow(
    'the database is newer than this version: it has the migration 2_future',
  );
  expect(await applied()).toEqual(['1_first', '2_future']);
});

test('the database of the next version is served by this one, which leaves it as it is', async () => {
  file('1_first', 'create table first (id int);');
  routine('noted', 'select 1');
  const released = { version: VERSION, migrations: { '1_first': 'its digest' } };
  writeFileSync(path.join(folder, 'releases.json'), JSON.stringify([released]));
  expect(await migrate(url, folder)).toEqual(['1_first', 'functions/noted.sql']);
  file('2_next', 'create table next (id int);');
  routine('noted', 'select 2');
  expect(await migrate(url, folder)).toEqual(['2_next', 'functions/noted.sql']);

  // and back
  rmSync(path.join(folder, 'migrations', '2_next'), { recursive: true });
  routine('noted', 'select 1');
  expect(await migrate(url, folder)).toEqual([]);
  expect(await applied()).toEqual(['1_first', '2_next']);
  expect(await ask('select noted() as answer')).toEqual([{ answer: 2 }]);
});

test('a database of another kind with a migration that is not newer than ours is refused', async () => {
  file('1_first', 'create table first (id int);');
  file('1_other', 'create table other (id int);');
  file('2_second', 'create table second (id int);');
  await migrate(url, folder);
  rmSync(path.join(folder, 'migrations', '1_other'), { recursive: true });
  await expect(migrate(url, folder)).rejects.toThrow('it has the migration 1_other');
});
