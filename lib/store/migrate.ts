// Migrates the database to this version's schema. It runs prisma/migrations/*/migration.sql in order, one transaction
// for each file, and then prisma/functions. An advisory lock allows several instances to start at once. The table
// `_prisma_migrations` has Prisma's format, except for `logs`. A file that builds an index CONCURRENTLY contains only
// that statement, and runs outside of a transaction.
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { log } from '#lib/kit/log.ts';
import { minorOf, VERSION } from '#lib/kit/version.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { settings } from '#lib/settings/settings.ts';
import { MigrationError } from './database.ts';
import { FUNCTION_VALUES } from './function-values.ts';
import { connectTo, query } from './pool.ts';

/** A file with a migration or a function. `checksum`: hexadecimal SHA-256 of `sql`. */
type SqlFile = { name: string; sql: string; checksum: string };

// The functions and triggers of the database. The file prisma/functions/NAME.sql is the only definition of the
// function NAME and of the triggers that call it. Changed files are applied after the migrations, in one transaction.
// A function's comment contains the checksum of its text, which shows whether the text has changed. Triggers on each
// table of a list, and rules that TypeScript also applies, come from function-values.ts.
//
// A function that no longer has a file is dropped, together with its triggers, and so are variants of a function with
// other arguments. The previous version may still call it, so a file stays for one release after its last caller, and
// new arguments require a new name. Functions that a newer version applied remain: a restarted process of the previous
// version drops none of them.

/** Changes to the database functions: files to apply, and names of functions to drop. */
type Pending = { apply: SqlFile[]; drop: string[] };
type Ask = (text: string) => Promise<{ name: string; comment: string }[]>;

const COMMENT = /^prisma\/functions\/\w+\.sql of (\S+), SHA-256 ([0-9a-f]{64})$/;
const commentOf = ({ name, checksum }: SqlFile) =>
  `prisma/functions/${name}.sql of ${VERSION}, SHA-256 ${checksum}`;
const OURS = `select proname as name, obj_description(oid, 'pg_proc') as comment from pg_proc
  where pronamespace = current_schema()::regnamespace and obj_description(oid, 'pg_proc') like 'prisma/functions/%'`;

/**
 * SQL: statements that drop the triggers and functions with this name that earlier transactions created, triggers
 * first.
 */
const OBSOLETE = `with ours as (
    select oid, xmin = pg_current_xact_id()::xid as written from pg_proc
    where proname = $1 and pronamespace = current_schema()::regnamespace)
  select format('drop trigger %I on %s', t.tgname, t.tgrelid::regclass) as statement from pg_trigger t join ours on ours.oid = t.tgfoid
    where t.tgparentid = 0 and not t.xmin = pg_current_xact_id()::xid
  union all select format('drop function %s', oid::regprocedure) from ours where not written order by 1 desc`;

export async function readFunctions(folder: string): Promise<SqlFile[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(path.join(folder, file), 'utf8');
      const sql = text.replaceAll(/\{\{(.+?)\}\}/g, (place, name) => FUNCTION_VALUES[name] ?? place);
      return {
        name: path.basename(file, '.sql'),
        sql,
        checksum: createHash('sha256').update(sql).digest('hex'),
      };
    }),
  );
}

/** Returns what `applyFunctions` would change, and writes nothing. */
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
      const appliedMigration = applied.get(name);
      return (
        appliedMigration === undefined ||
        (appliedMigration.checksum !== checksum && !appliedMigration.isNewer)
      );
    }),
    drop: [...applied].filter(([name, { isNewer }]) => !names.has(name) && !isNewer).map(([name]) => name),
  };
}

/** Returns the database functions that are missing or differ from the folder. */
export async function otherFunctions(folder: string): Promise<string[]> {
  const { apply, drop } = await pendingFunctions((text) => query({ text }), folder);
  return [...apply.map(({ name }) => name), ...drop];
}

/** Strips prerelease suffixes, because a release replaces its candidates. */
const release = (version: string) => version.replace(/[-+].*$/, '');

/** Applies and drops changed functions atomically, and returns their file names. */
async function applyFunctions(client: pg.Client, folder: string): Promise<string[]> {
  const { apply, drop } = await pendingFunctions(async (text) => (await client.query(text)).rows, folder);
  if (apply.length + drop.length === 0) return [];
  await client.query('begin');
  try {
    // FROM CURRENT in a file then refers to this schema, whichever role calls the function. The lock timeout prevents
    // requests from waiting behind a trigger's lock.
    await client.query(`select set_config('search_path', quote_ident(current_schema()) || ', pg_temp', true),
      set_config('lock_timeout', '200ms', true)`);
    for (const sqlFile of apply) {
      await client.query(sqlFile.sql);
      await dropObsolete(client, sqlFile.name);
      await client.query(
        `comment on function ${client.escapeIdentifier(sqlFile.name)} is ${client.escapeLiteral(commentOf(sqlFile))}`,
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

// Compatibility with a database migrated by a newer version. Each recorded migration names its oldest compatible
// version (`logs` of `_prisma_migrations`, which Prisma leaves empty). The previous version can therefore continue,
// restart, and serve as a rollback. An older version is rejected.

type Release = { version: string; migrations: Record<string, string> };
export type AppliedMigration = { name: string; checksum: string; logs: string | null };

/** SQL that selects an AppliedMigration. */
const APPLIED = `select migration_name as name, checksum, logs from _prisma_migrations
  where finished_at is not null and rolled_back_at is null`;

const WORKS_WITH = /^works with (\d+\.\d+) and later$/;
const isAtMost = (version: string, other: string) =>
  version.localeCompare(other, 'en', { numeric: true }) <= 0;

/** Returns the compatibility note of a migration: the version before the one that first released it. */
async function migrationRecorder(folder: string): Promise<(name: string) => string | null> {
  const file = path.join(folder, 'releases.json');
  const releases = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Release[]) : [];
  return (name) => {
    const first = releases.findIndex(({ migrations }) => Object.hasOwn(migrations, name));
    if (first === 0) return null;
    const before = releases.at(first === -1 ? -1 : first - 1)?.version ?? VERSION;
    return `works with ${minorOf(before)} and later`;
  };
}

/** Returns the applied migrations that this version does not know, and whether this version is compatible with them. */
export function newerMigrations(
  migrationNames: readonly string[],
  applied: readonly AppliedMigration[],
): { names: string[]; fits: boolean } {
  const names = new Set(migrationNames);
  const newer = applied.filter(({ name }) => !names.has(name));
  const done = new Set(applied.map(({ name }) => name));
  const fits =
    migrationNames.every((name) => done.has(name)) &&
    newer.every(({ name, logs }) => {
      const oldest = WORKS_WITH.exec(logs ?? '')?.[1];
      return (
        name > (migrationNames.at(-1) ?? '') && oldest !== undefined && isAtMost(oldest, minorOf(VERSION))
      );
    });
  return { names: newer.map(({ name }) => name).toSorted(), fits };
}

/** `newerMigrations` for the database of the service. */
export const newerSchema = async (
  migrationNames: readonly string[],
): Promise<ReturnType<typeof newerMigrations>> =>
  newerMigrations(migrationNames, await query<AppliedMigration>({ text: APPLIED }));

/** Names of migrations changed after application. */
function changedMigrations(
  migrations: readonly Pick<AppliedMigration, 'name' | 'checksum'>[],
  applied: readonly AppliedMigration[],
): string[] {
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]));
  return migrations
    .filter(({ name, checksum }) => (checksums.get(name) ?? checksum) !== checksum)
    .map(({ name }) => name);
}

type Recorded = SqlFile & { logs: string | null };

const TABLE = `create table if not exists _prisma_migrations (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz,
  migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
  started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;
const LOCK_KEY = 72_707_369;
const ASK_AGAIN_MS = 200;

/**
 * PostgreSQL's error codes for a deadlock, and for lock_timeout, which migrations set so that requests are not blocked
 */
const BUSY_CODES = new Set(['55P03', '40P01']);
const BUSY_TRIES = 150;
const CONCURRENTLY = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY/m;

export async function readMigrations(folder: string): Promise<SqlFile[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Applies missing migrations and changed functions of the `prisma` folder, and returns their names. Does nothing if the
 * database is newer and compatible.
 */
export async function migrate(
  databaseUrl = settings().directUrl,
  folder = path.resolve(/*turbopackIgnore: true*/ process.cwd(), 'prisma'),
): Promise<string[]> {
  const migrations = await readMigrations(path.join(folder, 'migrations'));
  const client = new pg.Client({ ...connectTo(databaseUrl), connectionTimeoutMillis: 10_000 });
  // without a listener, a lost connection would end the process; with it, the next statement reports the loss
  client.on('error', () => {});
  await client.connect();
  try {
    await lockMigrations(client);
    // the service role may lack permission to create tables, so it skips an existing table
    const queryResult = await client.query("select to_regclass('_prisma_migrations') is not null as there");
    if (!queryResult.rows[0]?.there) await client.query(TABLE);
    const { rows: applied } = await client.query<AppliedMigration>(APPLIED);
    if (isNewer(migrations, applied)) return [];
    const done = new Set(applied.map(({ name }) => name));
    const missing = migrations.filter(({ name }) => !done.has(name));
    const logsOf = await migrationRecorder(folder);
    for (const migration of missing)
      await whenFree(() => applyMigration(client, { ...migration, logs: logsOf(migration.name) }));
    const functions = await whenFree(() => applyAll(client, path.join(folder, 'functions')));
    return [...missing.map((migration) => migration.name), ...functions];
  } catch (error) {
    throw error instanceof MigrationError ? error : (inWords(error) ?? error);
  } finally {
    await client.end();
  }
}

/** Grants the service's database role its rights (prisma/roles.sql); must run as the owner of the database. */
export async function grantServiceRole(
  role: string,
  file: string,
  databaseUrl = settings().databaseUrl,
): Promise<void> {
  const client = new pg.Client({ ...connectTo(databaseUrl), connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { rowCount } = await client.query('select 1 from pg_roles where rolname = $1', [role]);
    if (rowCount === 0)
      throw new MigrationError(`there is no role ${role}: create it first, with LOGIN and a password`);
    await client.query('begin');
    await client.query("select set_config('gatehouse.service_role', $1, true)", [role]);
    await client.query(await readFile(file, 'utf8'));
    await client.query('commit');
  } finally {
    await client.end();
  }
}

/** Throws if the database is incompatible with this version. Returns true if the database is newer. */
function isNewer(migrations: SqlFile[], applied: AppliedMigration[]): boolean {
  const [changed] = changedMigrations(migrations, applied);
  if (changed !== undefined)
    throw new MigrationError(`the migration ${changed} was changed after it had been applied`);
  const migrationNames = migrations.map(({ name }) => name);
  const { names, fits } = newerMigrations(migrationNames, applied);
  if (names[0] === undefined) return false;
  if (!fits) throw new MigrationError(unknownMigration(names[0], migrationNames));
  log().warn(
    { migrations: names },
    'the database is of a newer version, which this one works with: nothing is migrated',
  );
  return true;
}

/** Returns the message for operators about a migration that is missing from `known`. */
export function unknownMigration(name: string, [first = '']: string[]): string {
  if (name < first)
    return `the database was made before the first release (it has the migration ${name}): make a new database, or use the version that made this one`;
  return `the database is newer than this version: it has the migration ${name}`;
}

/** Polls for the lock, because CREATE INDEX CONCURRENTLY would wait for each process that waits within a statement. */
async function lockMigrations(client: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [LOCK_KEY]);
    if ((rows[0] as { mine: boolean }).mine) return;
    await sleep(ASK_AGAIN_MS);
  }
}

async function whenFree<T>(apply: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await apply();
    } catch (error) {
      const { code } = ((error as Error).cause ?? {}) as { code?: string };
      if (!BUSY_CODES.has(code ?? '') || tries >= BUSY_TRIES) throw error;
      await sleep(ASK_AGAIN_MS);
    }
  }
}

const applyMigration = (client: pg.Client, migration: Recorded): Promise<void> =>
  (CONCURRENTLY.test(migration.sql) ? applyConcurrently : applyOne)(client, migration);

async function applyAll(client: pg.Client, folder: string): Promise<string[]> {
  try {
    return await applyFunctions(client, folder);
  } catch (error) {
    const message = inWords(error)?.message ?? (error as Error).message;
    throw new MigrationError(`the functions failed and changed nothing: ${message}`, { cause: error });
  }
}

const RECORD =
  'insert into _prisma_migrations (id, checksum, migration_name, logs, finished_at, applied_steps_count) values ($1, $2, $3, $4, now(), 1)';

async function applyOne(client: pg.Client, { name, sql, checksum, logs }: Recorded): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(RECORD, [randomUUID(), checksum, name, logs]);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw migrationFailed(`${name} failed and changed nothing`, error);
  }
}

/**
 * Builds an index and records the migration. It can be repeated: `if not exists` finds an index that was built but
 * not recorded, and invalid indexes are dropped first.
 */
async function applyConcurrently(client: pg.Client, { name, sql, checksum, logs }: Recorded): Promise<void> {
  try {
    const { rows } = await client.query(
      `select indexrelid::regclass::text as index, relname as name from pg_index join pg_class on oid = indexrelid
       where not indisvalid and relnamespace = current_schema()::regnamespace`,
    );
    for (const half of rows as { index: string; name: string }[])
      if (new RegExp(`(?<![\\w$])${half.name}(?![\\w$])`).test(sql))
        await client.query(`drop index concurrently ${half.index}`);
    await client.query(sql);
    await client.query(RECORD, [randomUUID(), checksum, name, logs]);
  } catch (error) {
    throw migrationFailed(`${name} failed and is to be run again`, error);
  }
}

/** Advice for operators, by PostgreSQL error code. */
const ADVICE: Record<string, string> = {
  '53100': 'the server has no space left',
  '25006': 'the database is read-only: migrate on the server that leads',
  '42501': 'migrate with the owner’s DATABASE_URL',
};

function migrationFailed(what: string, cause: unknown): MigrationError {
  const message = inWords(cause)?.message ?? (cause as Error).message;
  return new MigrationError(`the migration ${what}: ${message}`, { cause });
}

/** Returns null if the error's own message suffices. */
function inWords(error: unknown): MigrationError | null {
  const { code, message } = error as { code?: string; message: string };
  const advice = ownValue(ADVICE, code ?? '');
  return advice === undefined ? null : new MigrationError(`${advice} (${message})`, { cause: error });
}

// Preview of an upgrade, which the new version reads before the migration. Writes nothing, and reads no column that the
// old schema may lack.

// A migration expands if the previous version works with the new schema. It contracts if it removes objects that the
// previous version uses, or rejects writes of that version.

const NAME = '"?(\\w+)"?';
const RULES: readonly [pattern: RegExp, what: string][] = [
  [/\bDROP TABLE (?:IF EXISTS )?"?(\w+)"?/gi, 'drops the table'],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bDROP COLUMN`, 'gi'), 'drops a column of'],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bRENAME\\b`, 'gi'), 'renames in'],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bSET NOT NULL`, 'gi'), 'requires a column of'],
  [
    new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bALTER COLUMN "?\\w+"? (?:SET DATA )?TYPE`, 'gi'),
    'changes a type in',
  ],
  [
    new RegExp(
      `\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bADD COLUMN (?:(?!\\bDEFAULT\\b)[^,;])*\\bNOT NULL(?![^,;]*\\bDEFAULT\\b)`,
      'gi',
    ),
    'adds a required column to',
  ],
  [new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}[^;]*?\\bADD CONSTRAINT`, 'gi'), 'constrains'],
  [new RegExp(`\\bDROP TYPE (?:IF EXISTS )?${NAME}`, 'gi'), 'drops the type'],
  [new RegExp(`\\b(?:DELETE FROM|TRUNCATE(?: TABLE)?) ${NAME}`, 'gi'), 'deletes rows of'],
];

const UNIQUE = new RegExp(`\\bCREATE UNIQUE INDEX[^;]*? ON ${NAME}(?: USING \\w+)? ?\\(([^;]*)\\)`, 'gi');
const withoutComments = (sql: string) => sql.replaceAll(/--[^\n]*/g, '');

/** Returns the columns that these migrations add, as `table.column`. */
export function addedColumns(migrations: readonly string[]): Set<string> {
  const tables = migrations.flatMap((sql) => [
    ...withoutComments(sql).matchAll(new RegExp(`\\bALTER TABLE (?:ONLY )?${NAME}([^;]*)`, 'gi')),
  ]);
  return new Set(
    tables.flatMap(([, table, changes = '']) =>
      [...changes.matchAll(/\bADD COLUMN\s+(?:IF NOT EXISTS )?"?(\w+)"?/gi)].map(
        ([, column]) => `${table}.${column}`,
      ),
    ),
  );
}

/**
 * Returns short descriptions of contractions, or none if the migration only expands. `added`: columns unknown to the
 * previous version. That version leaves them null, and PostgreSQL treats nulls as distinct, so a unique index over
 * them rejects nothing.
 */
export function contractsIn(sql: string, added = addedColumns([sql])): string[] {
  const text = withoutComments(sql);
  const createdTables = new Set(
    [...text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/gi)].map(([, table]) => table),
  );
  const contractions = RULES.flatMap(([pattern, what]) =>
    [...text.matchAll(pattern)]
      .filter(([, table]) => !createdTables.has(table))
      .map(([, table]) => `${what} ${table}`),
  );
  const unique = [...text.matchAll(UNIQUE)].flatMap(([, table = '', columns = '']) => {
    const isNew = [...columns.matchAll(/"?(\w+)"?/g)].some(([, column]) => added.has(`${table}.${column}`));
    return createdTables.has(table) || isNew ? [] : [`makes unique in ${table}`];
  });
  return [...new Set([...contractions, ...unique])];
}

/**
 * A contracting migration names the minor version since which no code uses the removed objects: `-- Contracts: 0.3`.
 */
export const contractsSince = (sql: string): string | null =>
  /^-- Contracts: (\d+\.\d+)$/m.exec(sql)?.[1] ?? null;

type PendingMigration = { name: string; contracts: string[] };
export type UpgradeFacts = {
  /** `server_version_num`: PostgreSQL's version as a number */
  number: number;
  /** true: read-only, because of a replica server or a read-only database */
  readOnly: boolean;
  /** name of the service role if it lacks permission to alter tables; otherwise null */
  powerless: string | null;
  /** true: no migration has run in this database */
  empty: boolean;
  known: string[];
  newer: { names: string[]; fits: boolean };
  /** applied migrations that differ from this version's files */
  changed: string[];
  pending: PendingMigration[];
  functions: string[];
  /** true: a `migrate` is running */
  migrating: boolean;
  /** transactions that a migration would wait for, oldest first */
  transactions: { pid: number; program: string; seconds: number }[];
  invalidIndexes: string[];
  /** sequences near their last value */
  sequences: string[];
  bytes: number;
  /** data directory of the server, if readable */
  folder: string | null;
  sealed: { table: 'signing_keys' | 'subject_salt'; id: string; sealed: string }[];
};

const LONG_SECONDS = 10;
const OTHERS = 'datname = current_database() and pid <> pg_backend_pid()';

/** `prisma`: the folder of this version's migrations and functions. */
export async function inspectBeforeUpgrade(prisma: string): Promise<UpgradeFacts> {
  const client = new pg.Client({ ...connectTo(settings().directUrl), connectionTimeoutMillis: 10_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query("set statement_timeout = '30s'; begin read only");
    const ask = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) =>
      (await client.query<Row>(text, values)).rows;
    return { ...(await serverFacts(ask)), ...(await schemaFacts(ask, prisma)), ...(await obstacles(ask)) };
  } finally {
    await client.end().catch(() => {});
  }
}

type Query = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

async function serverFacts(ask: Query) {
  type Server = Pick<UpgradeFacts, 'number' | 'readOnly' | 'powerless' | 'bytes'>;
  const [server] = await ask<Server>(`select current_setting('server_version_num')::int as number,
    pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "readOnly",
    case when not has_schema_privilege(current_schema(), 'create') or exists (select from pg_tables
      where schemaname = current_schema() and not pg_has_role(tableowner, 'usage')) then current_user end as powerless,
    pg_database_size(current_database())::float8 as bytes`);
  const [place] = await ask<{
    folder: string | null;
  }>(`select case when pg_has_role(current_user, 'pg_read_all_settings', 'usage')
    then current_setting('data_directory') end as folder`);
  return { ...(server as Server), folder: place?.folder ?? null };
}

async function schemaFacts(ask: Query, prisma: string) {
  const migrations = await readMigrations(path.join(prisma, 'migrations'));
  const migrationNames = migrations.map(({ name }) => name);
  const [found] = await ask<{ there: boolean }>(
    "select to_regclass('_prisma_migrations') is not null as there",
  );
  const applied = found?.there ? await ask<AppliedMigration>(APPLIED) : [];
  const done = new Set(applied.map(({ name }) => name));
  const empty = applied.length === 0;
  const pending = migrations.filter(({ name }) => !done.has(name));
  const added = addedColumns(pending.map(({ sql }) => sql));
  return {
    empty,
    known: migrationNames,
    newer: newerMigrations(migrationNames, applied),
    changed: changedMigrations(migrations, applied),
    pending: pending.map(({ name, sql }) => ({ name, contracts: empty ? [] : contractsIn(sql, added) })),
    functions: empty ? [] : await otherFunctions(path.join(prisma, 'functions')),
    sealed: empty ? [] : await sealedFacts(ask),
  };
}

/** Reads only tables and columns that every version has. */
const sealedFacts = (ask: Query) =>
  ask<UpgradeFacts['sealed'][number]>(`select 'signing_keys' as table, kid as id, sealed_private as sealed
      from signing_keys where retired_at is null
    union all select 'subject_salt', id::text, sealed_salt from subject_salt`);

async function obstacles(ask: Query) {
  const migrating = await ask(
    `select from pg_locks where locktype = 'advisory' and granted and objid = $1 and pid <> pg_backend_pid()`,
    [LOCK_KEY],
  );
  const transactions = await ask<UpgradeFacts['transactions'][number]>(
    `select pid, coalesce(nullif(application_name, ''), usename, 'unknown') as program,
      floor(extract(epoch from clock_timestamp() - xact_start))::int as seconds from pg_stat_activity
    where ${OTHERS} and xact_start < clock_timestamp() - make_interval(secs => $1) order by xact_start limit 5`,
    [LONG_SECONDS],
  );
  const invalid = await ask<{
    name: string;
  }>(`select relname as name from pg_index join pg_class on oid = indexrelid
    where not indisvalid and relnamespace = current_schema()::regnamespace order by 1`);
  const sequences = await ask<{ name: string }>(`select sequencename as name from pg_sequences
    where schemaname = current_schema() and last_value > max_value * 0.8 order by 1`);
  const names = (rows: { name: string }[]) => rows.map(({ name }) => name);
  return {
    migrating: migrating.length > 0,
    transactions,
    invalidIndexes: names(invalid),
    sequences: names(sequences),
  };
}
