// Groups: lists, finds and writes them, and finds their uses.
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { MOST_COUNTED } from '#lib/registry/values.ts';
import { anyOf, BY_NAME, contains, containsEmail, list } from '#lib/store/list.ts';
import { type Db, readRow, readRows } from '#lib/store/prisma.ts';
import { assignSql, displayTextSql, insertSql, raw, sql, textsOf } from '#lib/store/sql.ts';
import { narrowTo } from '#lib/store/statement.ts';
import {
  type GroupRow,
  type GroupUse,
  type GroupValues,
  groupMemberRow,
  groupRow,
  type PersonGroupRow,
  personGroupRow,
} from './definition.ts';

/** SQL: selects a GroupRow from the group `g`. */
export const GROUP_ROW = raw(`g.id, ${displayTextSql('g.name')} as name, g.rules as "from",
  (select count(*)::int from (select distinct k.person_id from group_members k where k.group_id = g.id
    order by k.person_id limit ${MOST_COUNTED + 1}) counted) as members,
  array(select a.id from apis a where g.id = any (a.groups) or exists (select from jsonb_each(a.roles) r where r.value ? g.id)
    or exists (select from api_scopes x where x.api_id = a.id and g.id = any (x.groups)) order by a.id) as apis,
  g.managed, g.created_at as "createdAt", g.updated_at as "updatedAt", g.version`);

/** Returns the uses of the group, at most `limit`. */
export const selectGroupUses = (db: Db, id: string, limit: number): Promise<GroupUse[]> =>
  readRows(db, {
    api: 'text',
    apiName: narrowTo<DisplayText>('json'),
    whole: 'boolean',
    scopes: 'text[]',
    roles: 'text[]',
  })`
    select * from (
    select a.id as api, ${raw(displayTextSql('a.name'))} as "apiName", ${id} = any (a.groups) as whole,
      array(select x.name from api_scopes x where x.api_id = a.id and ${id} = any (x.groups) order by 1) as scopes,
      array(select r.key from jsonb_each(a.roles) r where r.value ? ${id} order by 1) as roles
    from apis a) u where whole or scopes <> '{}' or roles <> '{}' order by api limit ${limit}`;

/** The list of groups. Its default order is by id. */
export const GROUPS = list({
  returns: groupRow.shape,
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
  where: ({ search }: { search: string | null }) => [contains(search, 'g.id', 'lower(g.name)')],
});

export function findGroup(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<GroupRow | null> {
  return readRow(db, groupRow.shape)`
    select ${GROUP_ROW} from groups g where g.id = ${id} ${raw(lock === 'lock' ? 'for update' : '')}`;
}

/** Names of every group, sorted by name. */
export const selectGroupNames = (db: Db): Promise<{ id: string; name: string }[]> =>
  readRows(db, { id: 'text', name: 'text' })`
    select g.id, g.name from groups g order by ${raw(`g.name ${BY_NAME}`)}, g.id`;

export const countGroups = (db: Db): Promise<number> => db.group.count();

/**
 * Removes members whose membership came from methods that no rule names any more. `narrowed`: methods whose rules lost
 * a value. Their members are removed unless a stored claim matches a remaining rule. The next sign-in restores matching
 * members.
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
  await db.$executeRaw(sql`insert into groups ${insertSql({ id, ...row })}
    on conflict (id) do update set ${assignSql(row)}`);
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

/** Returns unknown group ids. Locks existing groups until commit, so that a referenced group cannot be deleted. */
export async function selectUnknownGroups(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await readRows(db, { id: 'text' })`
    select id from groups where id = any (${[...ids]}) order by id for key share`;
  const storedIds = new Set(rows.map(({ id }) => id));
  return [...new Set(ids)].filter((id) => !storedIds.has(id));
}

/** Locks these methods against deletion until commit, and waits for concurrent deletions. */
export async function lockRuleMethods(db: Db, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.$executeRaw(
    sql`select from auth_methods where id = any (${[...ids]}::text[]) order by id for key share`,
  );
}

/** Locks every group until commit, which blocks changes of groups, and rules that add new members. */
export async function lockGroups(db: Db): Promise<void> {
  await db.$executeRaw(sql`select from groups order by id for update`);
}

/** Deletes group rules of a deleted method. */
export async function dropRulesOf(db: Db, authMethodId: string): Promise<void> {
  await db.$executeRaw(sql`select from groups
    where rules @> ${JSON.stringify([{ auth_method: authMethodId }])}::jsonb order by id for update`);
  await db.$executeRaw(sql`update groups set rules = coalesce((select jsonb_agg(r) from jsonb_array_elements(rules) r
    where r ->> 'auth_method' <> ${authMethodId}), '[]')
    where rules @> ${JSON.stringify([{ auth_method: authMethodId }])}::jsonb`);
}

// Members of groups, and groups of a user.

/** SQL that selects the group ids of the person `p`. */
export const GROUPS_OF_PERSON = `array(select distinct k.group_id from group_members k where k.person_id = p.id order by 1)`;

/** SQL that selects the group ids that were assigned manually to the person `p`. */
export const GROUPS_BY_HAND = `array(select k.group_id from group_members k where k.person_id = p.id and k.origin = '' order by 1)`;

/** A search text, with the users that it matches. `people`: ids of these users; null: too many ids for a list. */
type MemberSearch = { text: string; people: string[] | null };

const isNamed = ({ text, people }: MemberSearch) =>
  people === null
    ? anyOf(
        contains(text, 'lower(p.name)', `coalesce(p.username, '')`),
        containsEmail(text, `coalesce(p.email, '')`),
      )
    : sql`m.person_id = any(${people}::uuid[])`;

/** Members of a group, sorted by person. */
export const GROUP_MEMBERS = list({
  returns: groupMemberRow.shape,
  rows: sql`p.id as "personId", p.email, p.username, p.name,
    array(select k.origin from group_members k where k.person_id = p.id and k.group_id = m.group_id order by 1) as origins
    from group_members m join people p on p.id = m.person_id`,
  orders: { id: { key: [['m.person_id', 'uuid']] } },
  where: ({ group, search }: { group: string; search: MemberSearch | null }) => [
    sql`m.group_id = ${group}`,
    // lists each user once, in index order
    sql`not exists (select from group_members k
      where k.person_id = m.person_id and k.group_id = m.group_id and k.origin < m.origin)`,
    search && isNamed(search),
  ],
});

/** Adds members manually. Returns the number of new manual members. */
export function addMembers(db: Db, group: string, personIds: readonly string[]): Promise<number> {
  return db.$executeRaw(sql`insert into group_members (person_id, group_id)
    select distinct p.id, ${group} from people p where p.id = any (${[...personIds]}::uuid[]) on conflict do nothing`);
}

/**
 * Removes members who were added manually, or by a method for which the group has no rule. Members by an active rule
 * remain.
 */
export function removeMembers(db: Db, group: string, personIds: readonly string[]): Promise<number> {
  return db.$executeRaw(sql`delete from group_members
    where group_id = ${group} and person_id = any (${[...personIds]}::uuid[]) and (origin = '' or not exists (
      select from groups g where g.id = group_id
        and g.rules @> jsonb_build_array(jsonb_build_object('auth_method', origin))))`);
}

/** Replaces the user’s manual group memberships. */
export async function setGroupsByHand(db: Db, personId: string, groups: readonly string[]): Promise<void> {
  await db.$executeRaw(sql`select from people where id = ${personId}::uuid for key share`);
  await db.$executeRaw(sql`delete from group_members
    where person_id = ${personId}::uuid and origin = '' and group_id <> all (${[...groups]}::text[])`);
  await db.$executeRaw(sql`insert into group_members (person_id, group_id)
    select ${personId}::uuid, id from groups where id = any (${[...groups]}) on conflict do nothing`);
}

/** Counts the members who belong to the group only because of rules on these methods. */
export async function countOnlyBy(db: Db, group: string, methods: readonly string[]): Promise<number> {
  if (methods.length === 0) return 0;
  const row = await readRow(db, { count: 'int' })`
    select count(*)::int as count from (
    select from group_members where group_id = ${group} group by person_id
    having bool_and(origin = any (${[...methods]}::text[]))) gone`;
  return row?.count ?? 0;
}

export function selectMemberships(db: Db, personId: string): Promise<PersonGroupRow[]> {
  return readRows(db, personGroupRow.shape)`
    select g.id as "group", g.name, array_agg(k.origin order by k.origin) as origins
    from group_members k join groups g on g.id = k.group_id where k.person_id = ${personId}::uuid
    group by g.id ${raw('order by g.id')}`;
}
