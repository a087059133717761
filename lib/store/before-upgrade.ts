// What an upgrade will meet in this database, read by the new version before it migrates. Nothing is written, and no
// table is read in columns that the database may not have yet.
import path from 'node:path';
import pg from 'pg';
import { settings } from '#lib/settings/settings.ts';
import {
  APPLIED,
  type AppliedMigration,
  changedMigrations,
  LOCK_KEY,
  newerMigrations,
  otherFunctions,
  readMigrations,
} from './migrate.ts';
import { connectTo } from './pool.ts';

// Whether a migration only expands: the version before serves on the schema that it leaves. What takes something away
// that this version may use, or refuses what it writes, contracts.

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

/** The columns that these migrations add, as `table.column`. */
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
 * What it takes from the version before, in a few words each; empty: it only expands. `added`: columns that the version
 * before does not know. It leaves them empty, and PostgreSQL counts empty values as different, so a unique index over
 * one of them refuses nothing that it writes.
 */
export function contractsIn(sql: string, added = addedColumns([sql])): string[] {
  const text = withoutComments(sql);
  const own = new Set(
    [...text.matchAll(/CREATE TABLE (?:IF NOT EXISTS )?"?(\w+)"?/gi)].map(([, table]) => table),
  );
  const found = RULES.flatMap(([pattern, what]) =>
    [...text.matchAll(pattern)].filter(([, table]) => !own.has(table)).map(([, table]) => `${what} ${table}`),
  );
  const unique = [...text.matchAll(UNIQUE)].flatMap(([, table = '', columns = '']) => {
    const isNew = [...columns.matchAll(/"?(\w+)"?/g)].some(([, column]) => added.has(`${table}.${column}`));
    return own.has(table) || isNew ? [] : [`makes unique in ${table}`];
  });
  return [...new Set([...found, ...unique])];
}

/** A migration that contracts says since which minor version no code needs what it takes: `-- Contracts: 0.3`. */
export const contractsSince = (sql: string): string | null =>
  /^-- Contracts: (\d+\.\d+)$/m.exec(sql)?.[1] ?? null;

type PendingMigration = { name: string; contracts: string[] };
export type UpgradeFacts = {
  /** `server_version_num` */
  number: number;
  /** nothing can be written: a replica, or a read-only database */
  readOnly: boolean;
  /** our role, where it may not change the tables */
  powerless: string | null;
  /** no migration has run here yet */
  empty: boolean;
  known: string[];
  newer: { names: string[]; fits: boolean };
  /** applied ones that are not what this version has under that name */
  changed: string[];
  pending: PendingMigration[];
  functions: string[];
  /** a `migrate` is at work */
  migrating: boolean;
  /** transactions that a migration would wait for, oldest first */
  transactions: { pid: number; program: string; seconds: number }[];
  invalidIndexes: string[];
  /** near their last value */
  sequences: string[];
  bytes: number;
  /** where the server keeps its files, if it tells us */
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

type Ask = <Row extends pg.QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>;

async function serverFacts(ask: Ask) {
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

async function schemaFacts(ask: Ask, prisma: string) {
  const migrations = await readMigrations(path.join(prisma, 'migrations'));
  const known = migrations.map(({ name }) => name);
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
    known,
    newer: newerMigrations(known, applied),
    changed: changedMigrations(migrations, applied),
    pending: pending.map(({ name, sql }) => ({ name, contracts: empty ? [] : contractsIn(sql, added) })),
    functions: empty ? [] : await otherFunctions(path.join(prisma, 'functions')),
    sealed: empty ? [] : await sealedFacts(ask),
  };
}

/** Of tables and columns that every version has. */
const sealedFacts = (ask: Ask) =>
  ask<UpgradeFacts['sealed'][number]>(`select 'signing_keys' as table, kid as id, sealed_private as sealed
      from signing_keys where retired_at is null
    union all select 'subject_salt', id::text, sealed_salt from subject_salt`);

async function obstacles(ask: Ask) {
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
