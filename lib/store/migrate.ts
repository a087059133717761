// Migrates the database to this version's schema: runs prisma/migrations/*/migration.sql in order, one transaction for each file,
// under an advisory lock, so several instances may start at once. Keeps the table `_prisma_migrations` as Prisma does.
import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { settings } from '#lib/settings/index.ts';

/** The database does not fit this version's migrations; `message` is one line for the operator. */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

type Migration = { name: string; sql: string; checksum: string };

const TABLE = `create table if not exists _prisma_migrations (
  id varchar(36) primary key, checksum varchar(64) not null, finished_at timestamptz,
  migration_name varchar(255) not null, logs text, rolled_back_at timestamptz,
  started_at timestamptz not null default now(), applied_steps_count integer not null default 0)`;
const LOCK_KEY = 72_707_369;

export async function readMigrations(folder: string): Promise<Migration[]> {
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

/** Applies the missing migrations and returns their names. */
export async function migrate(
  databaseUrl = settings().directUrl,
  folder = path.resolve(/*turbopackIgnore: true*/ process.cwd(), 'prisma/migrations'),
): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  // without a listener a lost connection would end the process; the next statement reports it
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK_KEY]);
    // the service's own role may not create tables, and needs not if this one exists
    const found = await client.query("select to_regclass('_prisma_migrations') is not null as there");
    if (!found.rows[0]?.there) await client.query(TABLE);
    const { rows } = await client.query(
      'select migration_name as name, checksum from _prisma_migrations where finished_at is not null and rolled_back_at is null',
    );
    const applied = new Map(rows.map((row: { name: string; checksum: string }) => [row.name, row.checksum]));
    refuseUnknown(migrations, applied);
    const missing = migrations.filter((migration) => !applied.has(migration.name));
    for (const migration of missing) await applyOne(client, migration);
    return missing.map((migration) => migration.name);
  } finally {
    await client.end();
  }
}

/** Grants the service's database role its rights (prisma/roles.sql); run as the owner of the database. */
export async function grantServiceRole(
  role: string,
  file: string,
  databaseUrl = settings().databaseUrl,
): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
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

function refuseUnknown(migrations: Migration[], applied: Map<string, string>): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const [name, checksum] of applied) {
    if (!known.has(name))
      throw new MigrationError(`the database is newer than this version: it has the migration ${name}`);
    if (known.get(name) !== checksum)
      throw new MigrationError(`the migration ${name} was changed after it had been applied`);
  }
}

async function applyOne(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(
      'insert into _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count) values ($1, $2, $3, now(), 1)',
      [randomUUID(), checksum, name],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw new MigrationError(
      `the migration ${name} failed and changed nothing: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
