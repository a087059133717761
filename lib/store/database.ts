// What the doctor asks of the database itself.
import { sql } from './sql.ts';
import { ownConnection } from './transaction.ts';

export type DatabaseFacts = {
  version: string;
  now: Date;
  /** `synchronous_commit` of our connections: `on`, `off`, `local`, `remote_write` or `remote_apply` */
  commit: string;
  /** `synchronous_standby_names`: the replicas that commits may wait for */
  replicas: string;
  /** the newest migration; null: none was run */
  schema: string | null;
};

/** Which PostgreSQL, its clock, when it reports a commit, and its schema. */
export async function inspectDatabase(): Promise<DatabaseFacts> {
  type Row = Omit<DatabaseFacts, 'schema'> & { migrated: boolean; recorded: boolean };
  const row = await ownConnection.one<Row>(
    sql`select current_setting('server_version') as version, clock_timestamp() as now,
      current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as replicas,
      to_regclass('directory_version') is not null as migrated,
      to_regclass('_prisma_migrations') is not null as recorded`,
  );
  if (!row) throw new Error('the database answers nothing');
  const { migrated, recorded, ...facts } = row;
  if (!migrated) return { ...facts, schema: null };
  const newest = recorded
    ? await ownConnection.one<{ name: string }>(sql`select migration_name as name from _prisma_migrations
        where finished_at is not null order by migration_name desc limit 1`)
    : null;
  return { ...facts, schema: newest?.name ?? 'present' };
}
