// What the doctor asks of the database itself.
import { ownConnection } from './transaction.ts';

/** What the doctor asks: which PostgreSQL, its clock, and the newest migration (null: none was run). */
export async function inspectDatabase(): Promise<{ version: string; now: Date; schema: string | null }> {
  const [row] = await ownConnection.query<{ version: string; now: Date; migrated: boolean }>({
    text: `select current_setting('server_version') as version, clock_timestamp() as now,
      to_regclass('directory_version') is not null as migrated`,
  });
  if (!row) throw new Error('the database answers nothing');
  const { version, now, migrated } = row;
  if (!migrated) return { version, now, schema: null };
  const [recorded] = await ownConnection.query<{ there: boolean }>({
    text: `select to_regclass('_prisma_migrations') is not null as there`,
  });
  if (!recorded?.there) return { version, now, schema: 'present' };
  const [newest] = await ownConnection.query<{ name: string }>({
    text: `select migration_name as name from _prisma_migrations where finished_at is not null
      order by migration_name desc limit 1`,
  });
  return { version, now, schema: newest?.name ?? 'present' };
}
