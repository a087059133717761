// Facts about the database, for `doctor` and the start of the service.
import pg from 'pg';
import { settings } from '#lib/settings/settings.ts';
import { connectTo, ignoredParameter, query, STARTUP_PARAMETERS } from './pool.ts';

/**
 * Thrown if the database schema and this version's migrations do not match. `message` is one line for
 * operators.
 */
export class MigrationError extends Error {
  override name = 'MigrationError';
}

type Raw = { migrated: boolean; recorded: boolean; number: number; timeout: string };

export type DatabaseFacts = {
  version: string;
  now: Date;
  /** `synchronous_commit` of Gatehouse's connections: `on`, `off`, `local`, `remote_write` or `remote_apply` */
  commit: string;
  /** `synchronous_standby_names`: the replicas for which commits can wait */
  replicas: string;
  /** the newest migration; null: no migration was run */
  schema: string | null;
  /** reason why DATABASE_URL leads to a pooler that DIRECT_URL must bypass; null if it does not */
  pooler: string | null;
  /** fastest of a few round trips */
  roundTripMs: number;
  /** true if the role can update or delete audit events; null if there is no audit log yet */
  ownsAudit: boolean | null;
  /** collation versions that are recorded for the text indexes and that the server provides; null if they are equal */
  collation: { recorded: string; actual: string | null } | null;
};

/** Reads PostgreSQL's version, clock, commit mode and schema. */
export async function inspectDatabase(): Promise<DatabaseFacts> {
  type Row = Omit<DatabaseFacts, 'schema' | 'pooler' | 'roundTripMs' | 'collation'> & Raw;
  const [row] = await query<Row>({
    text: `select current_setting('server_version') as version, clock_timestamp() as now,
      current_setting('server_version_num')::int as number, current_setting('statement_timeout') as timeout,
      current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as replicas,
      to_regclass('directory_version') is not null as migrated,
      to_regclass('_prisma_migrations') is not null as recorded,
      has_table_privilege(to_regclass('audit_events'), 'update, delete') as "ownsAudit"`,
  });
  if (!row) throw new Error('the database answers nothing');
  const { migrated, recorded, number, timeout, ...plain } = row;
  const { databaseUrl, directUrl } = settings();
  const pooler =
    databaseUrl === directUrl
      ? ignoredParameter({ ...STARTUP_PARAMETERS, statement_timeout: timeout })
      : null;
  const roundTripMs = await fastestRoundTrip();
  const facts = { ...plain, pooler, roundTripMs, collation: await collationChange(number) };
  if (!migrated) return { ...facts, schema: null };
  const newest = recorded
    ? (
        await query<{ name: string }>({
          text: `select migration_name as name from _prisma_migrations
            where finished_at is not null order by migration_name desc limit 1`,
        })
      )[0]
    : null;
  return { ...facts, schema: newest?.name ?? 'present' };
}

async function fastestRoundTrip(): Promise<number> {
  const times: number[] = [];
  for (let time = 0; time < 5; time += 1) {
    const startedAt = performance.now();
    await query({ text: 'select 1' });
    times.push(performance.now() - startedAt);
  }
  return Math.min(...times);
}

/**
 * Returns the recorded and the actual version of the collation rules if they differ. A new version of the rules of
 * the operating system or ICU can change the order of text.
 */
async function collationChange(number: number): Promise<DatabaseFacts['collation']> {
  // PostgreSQL 14 records no version for the database
  if (number < 150_000) return null;
  const [change] = await query<NonNullable<DatabaseFacts['collation']>>({
    text: `select datcollversion as recorded, pg_database_collation_actual_version(oid) as actual
      from pg_database where datname = current_database() and datcollversion is not null
      and pg_database_collation_actual_version(oid) is distinct from datcollversion`,
  });
  return change ?? null;
}

/**
 * Throws if DATABASE_URL leads to a connection pooler and no DIRECT_URL bypasses it. Such a pooler rejects or ignores
 * the parameters of Gatehouse's connections, and keeps neither locks nor LISTEN between statements.
 */
export async function refusePooler({ databaseUrl, directUrl } = settings()): Promise<void> {
  if (databaseUrl !== directUrl) return;
  const client = new pg.Client({
    ...connectTo(databaseUrl),
    connectionTimeoutMillis: 10_000,
    statement_timeout: 5_000,
    options: `-c plan_cache_mode=${STARTUP_PARAMETERS.plan_cache_mode}`,
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const names = Object.keys(STARTUP_PARAMETERS);
    const { rows } = await client.query(
      'select name, current_setting(name) as value from unnest($1::text[]) as name',
      [names],
    );
    const fault = ignoredParameter(Object.fromEntries(rows.map(({ name, value }) => [name, value])));
    if (fault !== null) throw new MigrationError(fault);
  } finally {
    await client.end().catch(() => {});
  }
}
