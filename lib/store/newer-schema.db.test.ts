import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '#lib/kit/version.ts';
import { givenScratchMigrations } from '#testing/data/scratch-migrations.ts';
import { MigrationError } from './database.ts';
import { migrate } from './migrate.ts';

const scratch = givenScratchMigrations();
const { ask, file } = scratch;
const migrated = () => migrate(scratch.url, scratch.folder);
const applied = async () =>
  (await ask('select migration_name as name from _prisma_migrations order by 1')).map(({ name }) => name);

function routine(name: string, sql: string): void {
  const text = `create or replace function ${name}() returns int language sql as '${sql}';`;
  writeFileSync(path.join(scratch.folder, 'functions', `${name}.sql`), text);
}

test('a database that is newer than this version is rejected and not changed', async () => {
  file('1_first', 'create table first (id int);');
  file('2_future', 'create table future (id int);');
  await migrated();
  // simulates a database that a version two minor releases ahead has migrated
  await ask(
    `update _prisma_migrations set logs = 'works with 999.0 and later' where migration_name = '2_future'`,
  );
  rmSync(path.join(scratch.folder, 'migrations', '2_future'), { recursive: true });
  const refused = migrated();
  await expect(refused).rejects.toThrow(MigrationError);
  await expect(refused).rejects.toThrow(
    'the database is newer than this version: it has the migration 2_future',
  );
  expect(await applied()).toEqual(['1_first', '2_future']);
});

test('this version can serve the next version’s database and leaves it unchanged', async () => {
  file('1_first', 'create table first (id int);');
  routine('noted', 'select 1');
  const released = { version: VERSION, migrations: { '1_first': 'its digest' } };
  writeFileSync(path.join(scratch.folder, 'releases.json'), JSON.stringify([released]));
  expect(await migrated()).toEqual(['1_first', 'functions/noted.sql']);
  file('2_next', 'create table next (id int);');
  routine('noted', 'select 2');
  expect(await migrated()).toEqual(['2_next', 'functions/noted.sql']);

  // the database returns to this version
  rmSync(path.join(scratch.folder, 'migrations', '2_next'), { recursive: true });
  routine('noted', 'select 1');
  expect(await migrated()).toEqual([]);
  expect(await applied()).toEqual(['1_first', '2_next']);
  expect(await ask('select noted() as answer')).toEqual([{ answer: 2 }]);
});

test('a database with an unknown migration that is older than the newest known migration is rejected', async () => {
  file('1_first', 'create table first (id int);');
  file('1_other', 'create table other (id int);');
  file('2_second', 'create table second (id int);');
  await migrated();
  rmSync(path.join(scratch.folder, 'migrations', '1_other'), { recursive: true });
  await expect(migrated()).rejects.toThrow('it has the migration 1_other');
});
