// Groups: listed, found, written, and what names them.
import { plainText } from '#lib/registry/fields/display-text.ts';
import { MOST_COUNTED } from '#lib/registry/objects/counts.ts';
import type { GroupRow, GroupUse, GroupValues } from '#lib/registry/objects/group.ts';
import { BY_NAME, contains, list } from '../database/list.ts';
import { type Db, first } from '../database/prisma.ts';
import { assigned, displayed, inserted, raw, sql, textsOf } from '../database/sql.ts';

/** SQL: a GroupRow, of the group `g`. */
export const GROUP_ROW = raw(`g.id, ${displayed('g.name')} as name, g.rules as "from",
  (select count(*)::int from (select distinct k.person_id from group_members k where k.group_id = g.id
    order by k.person_id limit ${MOST_COUNTED + 1}) counted) as members,
  array(select a.id from apis a where g.id = any (a.groups) or exists (select from jsonb_each(a.roles) r where r.value ? g.id)
    or exists (select from api_scopes x where x.api_id = a.id and g.id = any (x.groups)) order by a.id) as apis,
  g.managed, g.created_at as "createdAt", g.updated_at as "updatedAt", g.version`);

/** Where APIs name the group, at most `limit` of them. */
export const selectGroupUses = (db: Db, id: string, limit: number): Promise<GroupUse[]> =>
  db.$queryRaw(sql`select * from (
    select a.id as api, ${raw(displayed('a.name'))} as "apiName", ${id} = any (a.groups) as whole,
      array(select x.name from api_scopes x where x.api_id = a.id and ${id} = any (x.groups) order by 1) as scopes,
      array(select r.key from jsonb_each(a.roles) r where r.value ? ${id} order by 1) as roles
    from apis a) u where whole or scopes <> '{}' or roles <> '{}' order by api limit ${limit}`);

/** By id. */
export const GROUPS = list<GroupRow, { search: string | null }>({
  rows: sql`${GROUP_ROW} from groups g`,
  orders: {
    id: { key: [['g.id', 'text']] },
    name: {
      key: [
        [`g.name ${BY_NAME}`, 'text'],
        ['g.id', 'text'],
      ],
    },
  },
  where: ({ search }) => [contains(search, 'g.id', 'lower(g.name)')],
});

export function findGroup(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<GroupRow | null> {
  return first(
    db.$queryRaw(
      sql`select ${GROUP_ROW} from groups g where g.id = ${id} ${raw(lock === 'lock' ? 'for update' : '')}`,
    ),
  );
}

/** Of all groups, by name. */
export const selectGroupNames = (db: Db): Promise<{ id: string; name: string }[]> =>
  db.$queryRaw(sql`select g.id, g.name from groups g order by ${raw(`g.name ${BY_NAME}`)}, g.id`);

export const countGroups = (db: Db): Promise<number> => db.group.count();

/**
 * Members by rules leave it where no rule asks their method any more. `narrowed`: methods whose rules lost a value: their
 * members leave, unless a stored claim still has a value of a rule. A sign-in brings back whom the rules mean.
 */
export async function upsertGroup(
  db: Db,
  { id, name, from }: GroupValues,
  narrowed: readonly string[] = [],
): Promise<void> {
  const row = {
    name: plainText(name),
    name_texts: textsOf(name),
    rules: sql`${JSON.stringify(from)}::jsonb`,
  };
  await db.$executeRaw(sql`insert into groups ${inserted({ id, ...row })}
    on conflict (id) do update set ${assigned(row)}`);
  const methods = from.map((rule) => rule.auth_method);
  await db.$executeRaw(sql`delete from group_members
    where group_id = ${id} and origin <> '' and origin <> all (${methods}::text[])`);
  if (narrowed.length > 0)
    await db.$executeRaw(sql`delete from group_members g
      where g.group_id = ${id} and g.origin = any (${[...narrowed]}::text[]) and not exists (
        select from groups k, jsonb_array_elements(k.rules) r, external_identities i
        where k.id = g.group_id and r ->> 'auth_method' = g.origin
          and i.person_id = g.person_id and i.auth_method_id = g.origin
          and case when jsonb_typeof(i.claims -> (r ->> 'claim')) = 'array'
            then i.claims -> (r ->> 'claim') ?| array(select jsonb_array_elements_text(r -> 'values'))
            else i.claims ->> (r ->> 'claim') = any (array(select jsonb_array_elements_text(r -> 'values'))) end)`);
}

export const removeGroup = (db: Db, id: string) => db.group.deleteMany({ where: { id } });

/** Those of the ids that no group has. Locks the others until the commit: none goes while it is named. */
export async function selectUnknownGroups(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db.$queryRaw<{ id: string }[]>(
    sql`select id from groups where id = any (${[...ids]}) order by id for key share`,
  );
  const known = new Set(rows.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => !known.has(id));
}

/** Until the commit none of these methods goes; one that is going is waited for. */
export async function lockRuleMethods(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.$executeRaw(
    sql`select from auth_methods where id = any (${[...ids]}::text[]) order by id for key share`,
  );
}

/** Until the commit no one else changes a group, and no rule brings a person in who is not in it yet. */
export async function lockGroups(db: Db): Promise<void> {
  await db.$executeRaw(sql`select from groups order by id for update`);
}

/** A method that is gone says nothing any more: its rules go with it. */
export async function dropRulesOf(db: Db, authMethodId: string): Promise<void> {
  await db.$executeRaw(sql`select from groups
    where rules @> ${JSON.stringify([{ auth_method: authMethodId }])}::jsonb order by id for update`);
  await db.$executeRaw(sql`update groups set rules = coalesce((select jsonb_agg(r) from jsonb_array_elements(rules) r
    where r ->> 'auth_method' <> ${authMethodId}), '[]')
    where rules @> ${JSON.stringify([{ auth_method: authMethodId }])}::jsonb`);
}
