import type pg from 'pg';

/** Fills big tables at the speed of their heap: indexes and foreign keys are made again afterwards. */
export async function withoutIndexes(
  db: pg.Client,
  tables: string[],
  fill: () => Promise<void>,
): Promise<void> {
  const { rows: keys } = await db.query(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where (conrelid = any ($1::regclass[]) and contype in ('f', 'p'))
       or (confrelid = any ($1::regclass[]) and contype = 'f') order by contype = 'p'`,
    [tables],
  );
  for (const key of keys) await db.query(`alter table ${key.table} drop constraint "${key.name}"`);
  const { rows: indexes } = await db.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
     from pg_index where indrelid = any ($1::regclass[])`,
    [tables],
  );
  for (const index of indexes) await db.query(`drop index ${index.name}`);
  try {
    await fill();
  } finally {
    await db.query("set maintenance_work_mem = '512MB'");
    for (const index of indexes) await db.query(index.definition);
    for (const key of keys.reverse())
      await db.query(`alter table ${key.table} add constraint "${key.name}" ${key.definition}`);
  }
}
