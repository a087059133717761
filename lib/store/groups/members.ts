// Who is in a group, and in which groups a person is.
import type { GroupMemberRow, PersonGroupRow } from '#lib/registry/objects/group.ts';
import { anyOf, contains, containsEmail, list } from '../database/list.ts';
import type { Db } from '../database/prisma.ts';
import { raw, sql } from '../database/sql.ts';

/** SQL: the ids of the groups of the person `p`. */
export const GROUPS_OF_PERSON = `array(select distinct k.group_id from group_members k where k.person_id = p.id order by 1)`;

/** SQL: those that they are in by hand. */
export const GROUPS_BY_HAND = `array(select k.group_id from group_members k where k.person_id = p.id and k.origin = '' order by 1)`;

/** `people`: those that the text names; null: they are too many for a list. */
type MemberSearch = { text: string; people: string[] | null };

const isNamed = ({ text, people }: MemberSearch) =>
  people === null
    ? anyOf(
        contains(text, 'lower(p.name)', `coalesce(p.username, '')`),
        containsEmail(text, `coalesce(p.email, '')`),
      )
    : sql`m.person_id = any(${people}::uuid[])`;

/** Of a group, by person. */
export const GROUP_MEMBERS = list<GroupMemberRow, { group: string; search: MemberSearch | null }>({
  rows: sql`p.id as "personId", p.email, p.username, p.name,
    array(select k.origin from group_members k where k.person_id = p.id and k.group_id = m.group_id order by 1) as origins
    from group_members m join people p on p.id = m.person_id`,
  orders: { id: { key: [['m.person_id', 'uuid']] } },
  where: ({ group, search }) => [
    sql`m.group_id = ${group}`,
    // each person once, in the order of the index
    sql`not exists (select from group_members k
      where k.person_id = m.person_id and k.group_id = m.group_id and k.origin < m.origin)`,
    search && isNamed(search),
  ],
});

/** By hand. The number of people who were not in it by hand before. */
export function addMembers(db: Db, group: string, personIds: readonly string[]): Promise<number> {
  return db.$executeRaw(sql`insert into group_members (person_id, group_id)
    select distinct p.id, ${group} from people p where p.id = any (${[...personIds]}::uuid[]) on conflict do nothing`);
}

/** Of those who came by hand, or by a method that no rule of the group asks; other members by a rule stay. */
export function removeMembers(db: Db, group: string, personIds: readonly string[]): Promise<number> {
  return db.$executeRaw(sql`delete from group_members
    where group_id = ${group} and person_id = any (${[...personIds]}::uuid[]) and (origin = '' or not exists (
      select from groups g where g.id = group_id
        and g.rules @> jsonb_build_array(jsonb_build_object('auth_method', origin))))`);
}

/** The groups that a person is in by hand are these from here on. */
export async function setGroupsByHand(db: Db, personId: string, groups: readonly string[]): Promise<void> {
  await db.$executeRaw(sql`select from people where id = ${personId}::uuid for key share`);
  await db.$executeRaw(sql`delete from group_members
    where person_id = ${personId}::uuid and origin = '' and group_id <> all (${[...groups]}::text[])`);
  await db.$executeRaw(sql`insert into group_members (person_id, group_id)
    select ${personId}::uuid, id from groups where id = any (${[...groups]}) on conflict do nothing`);
}

/** The number of people who are in the group by nothing but these methods. */
export async function countOnlyBy(db: Db, group: string, methods: readonly string[]): Promise<number> {
  if (methods.length === 0) return 0;
  const [row] = await db.$queryRaw<{ count: number }[]>(sql`select count(*)::int as count from (
    select from group_members where group_id = ${group} group by person_id
    having bool_and(origin = any (${[...methods]}::text[]))) gone`);
  return row?.count ?? 0;
}

export function selectMemberships(db: Db, personId: string): Promise<PersonGroupRow[]> {
  return db.$queryRaw(sql`select g.id as "group", g.name, array_agg(k.origin order by k.origin) as origins
    from group_members k join groups g on g.id = k.group_id where k.person_id = ${personId}::uuid
    group by g.id ${raw('order by g.id')}`);
}
