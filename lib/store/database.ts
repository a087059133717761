// What the doctor asks of the database itself.
import { sql } from './sql.ts';
import { ownConnection } from './transaction.ts';

/** Which PostgreSQL, its clock, and the newest migration (null: none was run). */
export async function inspectDatabase(): Promise<{ version: string; now: Date; schema: string | null }> {
  const row = await ownConnection.one<{ version: string; now: Date; migrated: boolean; recorded: boolean }>(
    sql`select current_setting('server_version') as version, clock_timestamp() as now,
      to_regclass('directory_version') is not null as migrated,
      to_regclass('_prisma_migrations') is not null as recorded`,
  );
  if (!row) throw new Error('the database answers nothing');
  const { version, now, migrated, recorded } = row;
  if (!migrated) return { version, now, schema: null };
  const newest = recorded
    ? await ownConnection.one<{ name: string }>(sql`select migration_name as name from _prisma_migrations
        where finished_at is not null order by migration_name desc limit 1`)
    : null;
  return { version, now, schema: newest?.name ?? 'present' };
}
