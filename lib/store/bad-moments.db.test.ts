// Migrations under bad conditions: the migrator is killed, the disk is full, the database is read-only, or the role
// lacks rights. Each case prints one line, leaves no partial change, and the next run completes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { givenScratchMigrations } from '#testing/data/scratch-migrations.ts';
import { withClient } from '#testing/data/sql.ts';
import { until } from '#testing/net/until.ts';
import { MigrationError } from './database.ts';
import { migrate } from './migrate.ts';

const scratch = givenScratchMigrations();
const { ask, file } = scratch;
const migrated = () => migrate(scratch.url, scratch.folder);
const made = async () =>
  (await ask("select tablename as name from pg_tables where schemaname = 'public' order by 1")).map(
    ({ name }) => name,
  );

test('if a migration is killed halfway, nothing partial remains, and the next run waits for the killed connection and completes', async () => {
  file('1_good', 'create table good (id int);');
  file(
    '2_long',
    'create table half (id int); select pg_advisory_xact_lock(4711); create table whole (id int);',
  );
  const program = `const { migrate } = await import('#lib/store/migrate.ts'); await migrate(${JSON.stringify(scratch.url)}, ${JSON.stringify(scratch.folder)});`;
  await withClient(scratch.url, async (holder) => {
    await holder.query('select pg_advisory_lock(4711)');
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' });
    const waits =
      "select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'";
    expect(await until(async () => (await ask(waits)).length > 0)).toBe(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    // the killed migrator's connection remains open until PostgreSQL writes to it
    const next = migrated();
    await holder.query('select pg_advisory_unlock(4711)');
    expect(await next).toEqual(['2_long']);
  });
  expect(await made()).toEqual(['_prisma_migrations', 'good', 'half', 'whole']);
});

test('of two concurrent migration runs one applies the migrations, and the second waits and finds them applied', async () => {
  file('1_slow', 'create table slow (id int); select pg_sleep(0.5);');
  const both = await Promise.all([migrated(), migrated()]);
  expect(both.toSorted((a, b) => b.length - a.length)).toEqual([['1_slow'], []]);
});

test('if the disk is full, migrate prints one line and leaves nothing half done, and the next run completes', async () => {
  const full = `do $$ begin raise exception using errcode = '53100', message = 'could not extend file "base/1": No space left on device'; end $$;`;
  file('1_full', `create table half (id int); ${full}`);
  const failing = migrated();
  await expect(failing).rejects.toThrow(MigrationError);
  await expect(failing).rejects.toThrow(
    'the migration 1_full failed and changed nothing: the server has no space left (could not extend file',
  );
  expect(await made()).toEqual(['_prisma_migrations']);
  file('1_full', 'create table half (id int);');
  expect(await migrated()).toEqual(['1_full']);
});

test('migrate rejects a read-only database, empty or migrated, with one line', async () => {
  const name = new URL(scratch.url).pathname.slice(1);
  file('1_good', 'create table good (id int);');
  await ask(`alter database ${name} set default_transaction_read_only = on`);
  const refused = /the database is read-only: migrate on the server that leads \(cannot execute CREATE TABLE/;
  await expect(migrated()).rejects.toThrow(refused);
  await withClient(process.env['DATABASE_URL'] as string, (client) =>
    client.query(`alter database ${name} reset default_transaction_read_only`),
  );
  await migrated();
  file('2_more', 'create table more (id int);');
  await ask(`alter database ${name} set default_transaction_read_only = on`);
  await expect(migrated()).rejects.toThrow(refused);
  expect(await made()).toEqual(['_prisma_migrations', 'good']);
});
