// The functions and triggers of the database: prisma/functions/NAME.sql is the one text of the function NAME and of the
// triggers that call it. Applied after the migrations, in one transaction, where the text has changed: a function's
// comment holds its checksum.
//
// What no file names is dropped: a function that had a file, its triggers, and forms of it with other arguments. The
// version before may still call it, so a file stays for one release after its last caller, and other arguments need
// another name. What a newer version has applied stays: a process of the version before that starts again takes nothing
// away from it.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { VERSION } from '#lib/kit/version.ts';
import { query } from '../database/pool.ts';

type DatabaseFunction = { name: string; sql: string; checksum: string };
/** Names of functions. */
type Pending = { apply: DatabaseFunction[]; drop: string[] };
type Ask = (text: string) => Promise<{ name: string; comment: string }[]>;

const COMMENT = /^prisma\/functions\/\w+\.sql of (\S+), SHA-256 ([0-9a-f]{64})$/;
const commentOf = ({ name, checksum }: DatabaseFunction) =>
  `prisma/functions/${name}.sql of ${VERSION}, SHA-256 ${checksum}`;
const OURS = `select proname as name, obj_description(oid, 'pg_proc') as comment from pg_proc
  where pronamespace = current_schema()::regnamespace and obj_description(oid, 'pg_proc') like 'prisma/functions/%'`;

/** Of a name: what this transaction has not written. Triggers come first. */
const OBSOLETE = `with ours as (
    select oid, xmin = pg_current_xact_id()::xid as written from pg_proc
    where proname = $1 and pronamespace = current_schema()::regnamespace)
  select format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass) as statement from pg_trigger t join ours on ours.oid = t.tgfoid
    where t.tgparentid = 0 and not t.xmin = pg_current_xact_id()::xid
  union all select format('drop function %s', oid::regprocedure) from ours where not written order by 1 desc`;

export async function readFunctions(folder: string): Promise<DatabaseFunction[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(path.join(folder, file), 'utf8');
      return {
        name: path.basename(file, '.sql'),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    }),
  );
}

/** What `applyFunctions` would do; reads only. */
async function pendingFunctions(ask: Ask, folder: string): Promise<Pending> {
  const files = await readFunctions(folder);
  const applied = new Map(
    (await ask(OURS)).map(({ name, comment }) => {
      const [, version = '', checksum = ''] = COMMENT.exec(comment) ?? [];
      return [
        name,
        { checksum, isNewer: release(version).localeCompare(release(VERSION), 'en', { numeric: true }) > 0 },
      ];
    }),
  );
  const names = new Set(files.map(({ name }) => name));
  return {
    apply: files.filter(({ name, checksum }) => {
      const known = applied.get(name);
      return known === undefined || (known.checksum !== checksum && !known.isNewer);
    }),
    drop: [...applied].filter(([name, { isNewer }]) => !names.has(name) && !isNewer).map(([name]) => name),
  };
}

/** The functions of this database that are not those of the folder. */
export async function otherFunctions(folder: string): Promise<string[]> {
  const { apply, drop } = await pendingFunctions((text) => query({ text }), folder);
  return [...apply.map(({ name }) => name), ...drop];
}

/** A candidate for a release is replaced by it. */
const release = (version: string) => version.replace(/[-+].*$/, '');

/** Applies and drops what has changed, all of it or nothing, and returns the files' names. */
export async function applyFunctions(client: pg.Client, folder: string): Promise<string[]> {
  const { apply, drop } = await pendingFunctions(async (text) => (await client.query(text)).rows, folder);
  if (apply.length + drop.length === 0) return [];
  await client.query('begin');
  try {
    // FROM CURRENT in a file is then this schema, whichever role calls; requests do not wait behind a trigger's lock
    await client.query(`select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true),
      set_config('lock_timeout', '200ms', true)`);
    for (const one of apply) {
      await client.query(one.sql);
      await dropObsolete(client, one.name);
      await client.query(
        `comment on function ${client.escapeIdentifier(one.name)} is ${client.escapeLiteral(commentOf(one))}`,
      );
    }
    for (const name of drop) await dropObsolete(client, name);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
  return [...apply.map(({ name }) => name), ...drop].map((name) => `functions/${name}.sql`);
}

async function dropObsolete(client: pg.Client, name: string): Promise<void> {
  const { rows } = await client.query<{ statement: string }>(OBSOLETE, [name]);
  for (const { statement } of rows) await client.query(statement);
}
