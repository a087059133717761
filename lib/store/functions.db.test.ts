// Applies prisma/functions to temporary databases: applied files, dropped functions, and completeness.
import { randomBytes } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { kindOf } from '#lib/catalogue/clients/definition.ts';
import { withClient } from '#testing/data/sql.ts';
import { MigrationError } from './database.ts';
import { CLIENT_KIND } from './function-values.ts';
import { migrate, readFunctions } from './migrate.ts';

const server = process.env['DATABASE_URL'] as string;
const ours = path.resolve('prisma');
const temporary = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-functions-'));
let folder: string;
let databaseUrl: string;

beforeEach(async () => {
  folder = mkdtempSync(path.join(temporary, 'of-'));
  mkdirSync(path.join(folder, 'functions'));
  mkdirSync(path.join(folder, 'migrations', '1_tables'), { recursive: true });
  writeFileSync(path.join(folder, 'migrations', '1_tables', 'migration.sql'), 'create table t (n int);');
  databaseUrl = await emptyDatabase();
});
afterAll(() => rmSync(temporary, { recursive: true }));

async function emptyDatabase(): Promise<string> {
  const name = `functions_${randomBytes(6).toString('hex')}`;
  await withClient(server, (client) => client.query(`create database ${name} template template0`));
  return server.replace(/\/[^/]+$/, `/${name}`);
}

const ask = async <Row = Record<string, unknown>>(text: string) =>
  withClient(databaseUrl, async (client) => (await client.query(text)).rows as Row[]);
const file = (name: string, sql: string) => writeFileSync(path.join(folder, 'functions', `${name}.sql`), sql);
const remove = (name: string) => rmSync(path.join(folder, 'functions', `${name}.sql`));
const setter = (name: string, value: number, args = '') =>
  `create or replace function ${name}(${args}) returns trigger language plpgsql as $$ begin new.n := ${value}; return new; end $$;`;
const trigger = (name: string, of: string) =>
  `create or replace trigger ${name} before insert on t for each row execute function ${of}();`;
const inserted = async () => (await ask<{ n: number }>('insert into t values (0) returning n'))[0]?.n;

const NOT_OF_EXTENSIONS = `not exists (select from pg_depend d where d.objid = o.oid and d.deptype = 'e')`;
/** Names and definitions of every function and trigger. */
async function catalog(run: (text: string) => Promise<pg.QueryResult>): Promise<Record<string, unknown>[]> {
  const functions =
    await run(`select proname as function, pg_get_functiondef(o.oid) as text, proacl::text as rights from pg_proc o
    where pronamespace = current_schema()::regnamespace and ${NOT_OF_EXTENSIONS} order by 1, 2`);
  const triggers =
    await run(`select p.proname as function, pg_get_triggerdef(o.oid) as text from pg_trigger o join pg_proc p on p.oid = tgfoid
    where not tgisinternal and tgparentid = 0 order by 1, 2`);
  return [...functions.rows, ...triggers.rows];
}
const catalogOf = (url = databaseUrl) => withClient(url, (client) => catalog((text) => client.query(text)));

test('a migrated database has exactly the functions and triggers of prisma/functions, in their current text', async () => {
  await migrate(databaseUrl, ours);
  const files = await readFunctions(path.join(ours, 'functions'));
  const all = await catalogOf();
  expect([...new Set(all.map((one) => one['function']))].sort()).toEqual(files.map(({ name }) => name));
  // drops the functions and recreates them in reverse order
  await withClient(databaseUrl, async (client) => {
    await client.query('begin');
    await client.query(
      "select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true)",
    );
    const { rows } =
      await client.query(`select format('drop trigger %I on %s', tgname, tgrelid::regclass) as drop from pg_trigger
      where not tgisinternal and tgparentid = 0`);
    for (const one of rows) await client.query(one.drop);
    // functions that column and index definitions use, and that therefore cannot be dropped
    const kept = ['next_epoch', 'uri_hosts'];
    for (const { name } of files) if (!kept.includes(name)) await client.query(`drop function "${name}"`);
    for (const { sql } of files.toReversed()) await client.query(sql);
    expect(await catalog((text) => client.query(text))).toEqual(all);
  });
});

test('database functions use the migrated schema, never temporary tables of the caller', async () => {
  await migrate(databaseUrl, ours);
  const rows = await ask(`select proname from pg_proc where pronamespace = 'public'::regnamespace
    and array_to_string(proconfig, ' ') like '%search_path=%' and not 'search_path=public, pg_temp' = any (proconfig)`);
  expect(rows).toEqual([]);
  expect(
    await ask(`select proname from pg_proc where pronamespace = 'public'::regnamespace
    and prosecdef and not coalesce('search_path=public, pg_temp' = any (proconfig), false)`),
  ).toEqual([]);
});

test('a changed function file is applied once, and unchanged files are skipped', async () => {
  file('one', setter('one', 1) + trigger('sets', 'one'));
  file('two', setter('two', 2));
  expect(await migrate(databaseUrl, folder)).toEqual(['1_tables', 'functions/one.sql', 'functions/two.sql']);
  file('one', setter('one', 3) + trigger('sets', 'one'));
  const runs = await Promise.all(Array.from({ length: 5 }, () => migrate(databaseUrl, folder)));
  expect(runs.flat()).toEqual(['functions/one.sql']);
  expect(await inserted()).toBe(3);
});

test('connected processes with prepared statements use the new text of a database function', async () => {
  const text = (value: number) =>
    `create or replace function one() returns int language plpgsql as $$ begin return ${value}; end $$`;
  file('one', text(1));
  await migrate(databaseUrl, folder);
  await withClient(databaseUrl, async (client) => {
    const call = async () => (await client.query({ name: 'call', text: 'select one() as n' })).rows;
    for (let calls = 0; calls < 6; calls += 1) expect(await call()).toEqual([{ n: 1 }]);
    file('one', text(2));
    await migrate(databaseUrl, folder);
    expect(await call()).toEqual([{ n: 2 }]);
  });
});

test('triggers, overloads and functions that no file defines are dropped', async () => {
  file('one', setter('one', 1) + trigger('sets', 'one'));
  file('two', 'create or replace function two(a int) returns int language sql as $$ select 1 $$');
  file('three', setter('three', 3) + trigger('sets_again', 'three'));
  await migrate(databaseUrl, folder);
  file('one', setter('one', 1));
  file('two', 'create or replace function two(a text) returns int language sql as $$ select 1 $$');
  remove('three');
  expect(await migrate(databaseUrl, folder)).toEqual([
    'functions/one.sql',
    'functions/two.sql',
    'functions/three.sql',
  ]);
  expect((await catalogOf()).map((one) => one['function'])).toEqual(['one', 'two']);
  expect(
    await ask('select pg_get_function_arguments(oid) as of from pg_proc where proname = $$two$$'),
  ).toEqual([{ of: 'a text' }]);
  expect(await inserted()).toBe(0);
});

test('a trigger moved to a different file exists throughout the migration', async () => {
  file('one', setter('one', 1) + trigger('sets', 'one'));
  await migrate(databaseUrl, folder);
  remove('one');
  file('two', setter('two', 2) + trigger('sets', 'two'));
  await migrate(databaseUrl, folder);
  expect((await catalogOf()).map((one) => one['function'])).toEqual(['two', 'two']);
  expect(await inserted()).toBe(2);
});

test('database functions that the operator created remain', async () => {
  await ask('create function theirs() returns int language sql as $$ select 1 $$');
  await migrate(databaseUrl, folder);
  expect((await catalogOf()).map((one) => one['function'])).toEqual(['theirs']);
});

test('a failing function file rolls back every function with a clear error, and corrected files are applied', async () => {
  file('one', setter('one', 1) + trigger('sets', 'one'));
  await migrate(databaseUrl, folder);
  const before = await catalogOf();
  file('one', setter('one', 2));
  file('two', 'create or replace function two() returns int language plpgsql as $$ begin return 1; $$');
  const failing = migrate(databaseUrl, folder);
  await expect(failing).rejects.toThrow(MigrationError);
  await expect(failing).rejects.toThrow('the functions failed and changed nothing: ');
  file('two', 'create or replace function another() returns int language sql as $$ select 1 $$');
  await expect(migrate(databaseUrl, folder)).rejects.toThrow('could not find a function named "two"');
  expect(await catalogOf()).toEqual(before);
  file('two', setter('two', 2));
  expect(await migrate(databaseUrl, folder)).toEqual(['functions/one.sql', 'functions/two.sql']);
});

test('starting a previous version keeps functions applied by a newer version', async () => {
  const before = mkdtempSync(path.join(temporary, 'before-'));
  file('one', setter('one', 1) + trigger('sets', 'one'));
  cpSync(folder, before, { recursive: true });
  await migrate(databaseUrl, before);
  file('one', setter('one', 2) + trigger('sets', 'one'));
  file('two', setter('two', 2));
  await migrate(databaseUrl, folder);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const stamp = async (as: string) => {
    for (const name of ['one', 'two'])
      await ask(`do $do$ begin execute format('comment on function ${name} is %L',
        regexp_replace(obj_description('${name}'::regproc, 'pg_proc'), ' of [^ ]+, ', ' of ${as}, ')); end $do$`);
  };
  await stamp('1000.10.0');
  expect(await migrate(databaseUrl, before)).toEqual([]);
  expect(await inserted()).toBe(2);
  // files replace functions stamped by this or an earlier version
  await stamp(`${version}-rc.1`);
  expect(await migrate(databaseUrl, before)).toEqual(['functions/one.sql', 'functions/two.sql']);
  expect(await inserted()).toBe(1);
});

test('a migration waits for a busy trigger table in short steps, so that writers proceed in between', async () => {
  file('one', setter('one', 1));
  await migrate(databaseUrl, folder);
  file('one', setter('one', 1) + trigger('sets', 'one'));
  await withClient(databaseUrl, async (holder) => {
    await holder.query('begin');
    await holder.query('insert into t values (0)');
    let done = false;
    const migrating = migrate(databaseUrl, folder).finally(() => {
      done = true;
    });
    await withClient(databaseUrl, async (writer) => {
      await writer.query("set lock_timeout = '3s'");
      for (let written = 0; written < 50; written += 1) await writer.query('insert into t values (0)');
    });
    expect(done).toBe(false);
    await holder.query('commit');
    await migrating;
  });
  expect(await inserted()).toBe(1);
});

test('the database and TypeScript derive the same kind of a client', async () => {
  const clients = [true, false].flatMap((confidential) =>
    ['web', 'native'].map((applicationType) => ({ confidential, applicationType })),
  );
  const values = clients.map(
    ({ confidential, applicationType }) => `(${confidential}, '${applicationType}')`,
  );
  const rows = await ask<{ kind: string }>(
    `select ${CLIENT_KIND} as kind from (values ${values.join(', ')}) as c (confidential, application_type)`,
  );
  expect(rows.map(({ kind }) => kind)).toEqual(clients.map(kindOf));
});
