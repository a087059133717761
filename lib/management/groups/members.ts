// Who is in a group by hand. Members by a rule stay as long as their method says so.
import {
  type GroupMemberRow,
  MOST_GROUPS_OF_PERSON,
  type PersonGroupRow,
} from '#lib/registry/objects/group.ts';
import { type PersonRow, personLabel } from '#lib/registry/objects/person.ts';
import { type Db, lockName } from '#lib/store/database/prisma.ts';
import { selectUnknownGroups } from '#lib/store/groups/groups.ts';
import {
  addMembers,
  GROUP_MEMBERS,
  removeMembers,
  selectMemberships,
  setGroupsByHand,
} from '#lib/store/groups/members.ts';
import { searchPeople } from '#lib/store/people/people-search.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, typedSearchOf } from '../core/page.ts';
import { record } from '../core/record.ts';
import { Refused } from '../core/refused.ts';
import { findByRef } from '../people/people.ts';
import { groupOf } from './groups.ts';

export const pageGroupMembers = operation(
  'pageGroupMembers',
  async ({ db }, input: Asked & { id: string }): Promise<Page<GroupMemberRow>> => {
    const { id, ...asked } = input;
    await groupOf(db, id);
    return readPage(GROUP_MEMBERS, asked, { group: id, search: await searchPeople(typedSearchOf(asked)) });
  },
);

type Membership = { id: string; person: string };

export const addGroupMember = operation(
  'addGroupMember',
  async ({ actor, db }, { id, person: named }: Membership): Promise<void> => {
    const group = await groupOf(db, id);
    const person = await findByRef(db, { id: named });
    await lockMemberships(db, person);
    await selectUnknownGroups(db, [group.id]);
    if ((await addMembers(db, group.id, [person.id])) === 0) return;
    await keepToMost(db, person);
    await record(actor, { event: 'group.member_added', personId: person.id, details: { group: id } }, db);
  },
);

export const removeGroupMember = operation(
  'removeGroupMember',
  async ({ actor, db }, { id, person: named }: Membership): Promise<void> => {
    const group = await groupOf(db, id);
    const person = await findByRef(db, { id: named });
    const gone = await removeMembers(db, group.id, [person.id]);
    const left = (await selectMemberships(db, person.id)).find((one) => one.group === group.id);
    if (gone === 0 && left)
      throw new Refused('group.only_by_rule', {
        person: personLabel(person),
        method: left.origins.join(', '),
      });
    if (gone > 0)
      await record(actor, { event: 'group.member_removed', personId: person.id, details: { group: id } }, db);
  },
);

export const listPersonGroups = operation(
  'listPersonGroups',
  async ({ db }, input: { id: string }): Promise<PersonGroupRow[]> => {
    const person = await findByRef(db, { id: input.id });
    return selectMemberships(db, person.id);
  },
);

/** The groups that a person is in by hand are these from here on. */
export const setPersonGroups = operation(
  'setPersonGroups',
  async ({ actor, db }, input: { id: string; groups: string[] }): Promise<void> => {
    const person = await findByRef(db, { id: input.id });
    await lockMemberships(db, person);
    const [unknown] = await selectUnknownGroups(db, input.groups);
    if (unknown !== undefined) throw new Refused('group.unknown', { group: unknown });
    const before = byHand(await selectMemberships(db, person.id));
    await setGroupsByHand(db, person.id, input.groups);
    const wanted = new Set(input.groups);
    if ([...wanted].some((group) => !before.includes(group))) await keepToMost(db, person);
    for (const group of wanted)
      if (!before.includes(group))
        await record(actor, { event: 'group.member_added', personId: person.id, details: { group } }, db);
    for (const group of before)
      if (!wanted.has(group))
        await record(actor, { event: 'group.member_removed', personId: person.id, details: { group } }, db);
  },
);

const byHand = (memberships: Awaited<ReturnType<typeof selectMemberships>>): string[] =>
  memberships.filter(({ origins }) => origins.includes('')).map(({ group }) => group);

/** Of two changes for one person the second one counts what the first one made. */
const lockMemberships = (db: Db, person: PersonRow) => lockName(db, `groups of ${person.id}`);

/** By rules they may be in more: a sign-in refuses none. */
async function keepToMost(db: Db, person: PersonRow): Promise<void> {
  const { length } = byHand(await selectMemberships(db, person.id));
  if (length > MOST_GROUPS_OF_PERSON)
    throw new Refused('group.most_of_person', { most: MOST_GROUPS_OF_PERSON });
}
