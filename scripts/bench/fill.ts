// Fills tables faster than by single statements, and gives people groups.
import type pg from 'pg';
import { withClient } from '#testing/data/sql.ts';
import * as values from './values.ts';

/** Fills big tables without updating indexes and foreign keys, which are created again afterwards. */
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

const GROUPS = Array.from({ length: 5 }, (_, at) => `team-${at}`);

/**
 * Adds each person to five groups, for the scenario `refresh-groups`. `named`: the API's last scope requires
 * one of these groups; otherwise the API names no group.
 */
export function nameGroups(databaseUrl: string, named: boolean): Promise<void> {
  return withClient(databaseUrl, async (db) => {
    await db.query(
      'insert into groups (id, name) select id, id from unnest($1::text[]) id on conflict do nothing',
      [GROUPS],
    );
    await db.query(
      `insert into group_members (person_id, group_id) select ${values.personSql('i')}, k
       from generate_series(0, $1::int - 1) as i, unnest($2::text[]) as k on conflict do nothing`,
      [values.PEOPLE, GROUPS],
    );
    const groups = named ? GROUPS.slice(0, 1) : [];
    await db.query(
      'update api_scopes set groups = $1 where api_id = $2 and name = $3 and groups is distinct from $1',
      [groups, values.API, values.SCOPES.at(-1)],
    );
  });
}
