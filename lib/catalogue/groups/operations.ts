// Operations on groups: administrators list, create, change and delete them. A group cannot be deleted while an API
// refers to it. Membership grants scopes and access, and therefore requires a recent sign-in.
import { z } from 'zod';
import { type ApiValues, namedGroups } from '#lib/catalogue/apis/definition.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { findAuthMethod } from '#lib/catalogue/methods/rows.ts';
import { type PersonRow, personLabel } from '#lib/catalogue/people/definition.ts';
import { findByRef } from '#lib/catalogue/people/operations.ts';
import { searchPeople } from '#lib/catalogue/people/rows.ts';
import { english } from '#lib/language/message.ts';
import {
  type Consequences,
  consequencesOf,
  type Foreseen,
  ruleFaults,
} from '#lib/management/consequences.ts';
import {
  type Asked,
  type Page,
  paging,
  readPage,
  searchedPage,
  searchOf,
  searchQuery,
  typedSearchOf,
} from '#lib/management/lists.ts';
import { one, operation, page, wholeList } from '#lib/management/operations.ts';
import { changesOf, record, withChange } from '#lib/management/record.ts';
import {
  faultAt,
  parseInput,
  Refused,
  refuseFaults,
  refuseStale,
  valueTaken,
} from '#lib/management/refused.ts';
import { changeOf, type Fault, faultsOf } from '#lib/registry/definition.ts';
import { MOST_COUNTED } from '#lib/registry/values.ts';
import { type Db, lockName } from '#lib/store/prisma.ts';
import {
  group as definition,
  type GroupInput,
  type GroupMemberRow,
  type GroupRow,
  type GroupUse,
  type GroupValues,
  groupMemberRow,
  groupRow,
  MOST_GROUPS,
  MOST_GROUPS_OF_PERSON,
  type PersonGroupRow,
  personGroupRow,
} from './definition.ts';
import {
  addMembers,
  countGroups,
  countOnlyBy,
  findGroup,
  GROUP_MEMBERS,
  GROUPS,
  lockRuleMethods,
  removeGroup,
  removeMembers,
  selectGroupNames,
  selectGroupUses,
  selectMemberships,
  selectUnknownGroups,
  setGroupsByHand,
  upsertGroup,
} from './rows.ts';

export const pageGroups = operation(
  {
    name: 'pageGroups',
    right: 'groups.read',
    shape: searchedPage('groups'),
    output: page('Group', groupRow),
  },
  (_, input: Asked = {}): Promise<Page<GroupRow>> => readPage(GROUPS, input, { search: searchOf(input) }),
);

/** Names of groups for forms, at most 1,000. */
export const listGroupNames = operation({ name: 'listGroupNames', right: 'groups.read' }, ({ db }) =>
  selectGroupNames(db),
);

export const readGroup = operation(
  { name: 'readGroup', right: 'groups.read', output: one('Group', groupRow) },
  ({ db }, input: { id: string }) => groupOf(db, input.id),
);

export const createGroup = operation(
  {
    name: 'createGroup',
    right: 'groups.manage',
    fresh: 'always',
    runsOn: 'transaction',
    input: definition,
    output: one('Group', groupRow),
  },
  async ({ actor, db }, group): Promise<GroupRow> => {
    // the lock makes a second, concurrent request see the taken id or the limit
    await lockName(db, 'groups');
    if (await findGroup(db, group.id)) throw valueTaken('id', 'group.id_taken', group.id);
    if ((await countGroups(db)) >= MOST_GROUPS) throw new Refused('group.most', { most: MOST_GROUPS });
    await holdMethods(db, group.from);
    await refuseRules(db, group);
    await upsertGroup(db, group);
    const { id, ...after } = group;
    await record(actor, { event: 'group.created', details: { group: id, after } }, db);
    return groupOf(db, id);
  },
);

const groupChange = changeOf(definition.omit({ id: true }));
type GroupChange = { id: string } & z.input<typeof groupChange>;

/**
 * Members by rule leave immediately if no rule uses their method any more, or if the rules of their method lost a
 * value.
 */
export const changeGroup = operation(
  {
    name: 'changeGroup',
    right: 'groups.manage',
    fresh: 'always',
    runsOn: 'transaction',
    shape: groupChange,
    output: one('Group', groupRow),
  },
  async ({ actor, db }, { version, ...change }: GroupChange & { version?: number }): Promise<GroupRow> => {
    await holdMethods(db, change.from);
    const before = await groupOf(db, change.id, 'lock');
    const after: GroupValues = parseInput(definition, withChange(definition, before, change));
    await refuseRules(db, after);
    refuseStale(before.id, version, before.version);
    const details = changesOf(before, after);
    if (details.changed.length === 0) return before;
    await upsertGroup(db, after, narrowedMethods(before, after));
    await record(actor, { event: 'group.changed', details: { group: before.id, ...details } }, db);
    return groupOf(db, before.id);
  },
);

/** Previews which members would leave immediately because the last rule of their method is removed. */
export const previewGroupChange = operation(
  { name: 'previewGroupChange', right: 'groups.read' },
  async ({ db }, change: GroupChange): Promise<Consequences> => {
    const before = await groupOf(db, change.id);
    const after = definition.safeParse(withChange(definition, before, change), { reportInput: true });
    if (!after.success) return { ...consequencesOf(false), faults: faultsOf(after.error) };
    const remainingMethods = methodsOf(after.data);
    const gone = methodsOf(before).filter((method) => !remainingMethods.includes(method));
    const count = await countOnlyBy(db, before.id, gone);
    const narrowed = narrowedMethods(before, after.data);
    return consequencesOf(before.managed, [
      [
        english(
          '{count, plural, one {One person leaves} other {# people leave}} the group immediately: no rule uses {methods} any more.',
          { count, methods: gone.join(', ') },
        ),
        count > 0,
      ],
      [
        english(
          'People who were added by {methods} leave the group immediately, unless one of their stored claims still matches. They return at their next sign-in if a rule matches.',
          { methods: narrowed.join(', ') },
        ),
        (await countOnlyBy(db, before.id, narrowed)) > 0,
      ],
    ]);
  },
);

/** Returns the methods that still have a rule, but whose rules no longer contain some earlier value. */
function narrowedMethods(before: Pick<GroupValues, 'from'>, after: Pick<GroupValues, 'from'>): string[] {
  const entries = ({ from }: Pick<GroupValues, 'from'>) =>
    from.flatMap(({ auth_method: method, claim, values }) =>
      values.map((value) => ({ method, key: JSON.stringify([method, claim, value]) })),
    );
  const remainingKeys = new Set(entries(after).map(({ key }) => key));
  const remainingMethods = methodsOf(after);
  const lost = entries(before).filter(
    ({ method, key }) => remainingMethods.includes(method) && !remainingKeys.has(key),
  );
  return [...new Set(lost.map(({ method }) => method))];
}

const methodsOf = ({ from }: Pick<GroupValues, 'from'>) => [...new Set(from.map((rule) => rule.auth_method))];

export const previewGroupDeletion = operation(
  { name: 'previewGroupDeletion', right: 'groups.read' },
  async ({ db }, input: { id: string }): Promise<Foreseen> => {
    const { members, managed } = await groupOf(db, input.id);
    const memberSentence =
      members > MOST_COUNTED
        ? english('More than {count, number} people are in the group.', { count: MOST_COUNTED })
        : english('{count, plural, =0 {No one is} one {One person is} other {# people are}} in the group.', {
            count: members,
          });
    return { ...consequencesOf(managed), counted: [memberSentence] };
  },
);

/** Maximum number of APIs in the list. */
const MOST_USES = 100;

/** The APIs that use the group, each with the places (whole API, scopes) that name the group. */
export const listGroupUses = operation(
  { name: 'listGroupUses', right: 'groups.read' },
  async ({ db }, input: { id: string }): Promise<GroupUse[]> => {
    const { id } = await groupOf(db, input.id);
    return selectGroupUses(db, id, MOST_USES);
  },
);

/** Deletes a group with its memberships. */
export const deleteGroup = operation(
  { name: 'deleteGroup', right: 'groups.manage', runsOn: 'transaction' },
  async ({ actor, db }, input: { id: string; version?: number | undefined }): Promise<void> => {
    await groupOf(db, input.id, 'lock');
    // the group is read again, because a new reference to it may appear while this request waits for the lock
    const { id, version, apis } = await groupOf(db, input.id);
    refuseStale(id, input.version, version);
    if (apis.length > 0) throw new Refused('group.named', { names: apis.join(', ') });
    await removeGroup(db, id);
    await record(actor, { event: 'group.removed', details: { group: id } }, db);
  },
);

/** Returns faults for unknown groups. Locks the existing groups, so that they cannot be deleted before the commit. */
export async function unknownGroupFaults(db: Db, api: ApiValues): Promise<Fault[]> {
  const named = namedGroups(api);
  const unknown = await selectUnknownGroups(
    db,
    named.map(({ id }) => id),
  );
  return named
    .filter(({ id }) => unknown.includes(id))
    .map(({ path, id }) => faultAt(path.join('.'), 'group.unknown', { group: id }));
}

/** Locks the methods until the commit, before the group is locked: deletion of a method locks in the same order. */
const holdMethods = (db: Db, rules: GroupInput['from'] = []) =>
  lockRuleMethods(
    db,
    rules.map((rule) => rule.auth_method),
  );

async function refuseRules(db: Db, { from }: GroupValues): Promise<void> {
  for (const [at, rule] of from.entries()) {
    const { auth_method: method } = rule;
    const field = `from.${at}.auth_method`;
    const row = await findAuthMethod(db, method);
    if (!row) refuseFaults([faultAt(field, 'method.unknown', { method })]);
    else if (methodCan(row, 'hasAccounts')) refuseFaults([faultAt(field, 'group.own_people', { method })]);
    else refuseFaults(ruleFaults(row, rule, `from.${at}`));
  }
}

async function groupOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<GroupRow> {
  const group = await findGroup(db, id, lock);
  if (!group) throw new Refused('group.unknown', { group: id });
  return group;
}

// Manual members of a group. Rules add other members, according to the claims of a sign-in method.

export const pageGroupMembers = operation(
  {
    name: 'pageGroupMembers',
    right: 'groups.read',
    shape: z.strictObject({ ...paging, ...searchQuery }),
    output: page('GroupMember', groupMemberRow),
  },
  async ({ db }, input: Asked & { id: string }): Promise<Page<GroupMemberRow>> => {
    const { id, ...asked } = input;
    await groupOf(db, id);
    return readPage(GROUP_MEMBERS, asked, { group: id, search: await searchPeople(typedSearchOf(asked)) });
  },
);

type Membership = { id: string; person: string };

export const addGroupMember = operation(
  { name: 'addGroupMember', right: 'groups.manage', fresh: 'always', runsOn: 'transaction' },
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
  { name: 'removeGroupMember', right: 'groups.manage', runsOn: 'transaction' },
  async ({ actor, db }, { id, person: named }: Membership): Promise<void> => {
    const group = await groupOf(db, id);
    const person = await findByRef(db, { id: named });
    const gone = await removeMembers(db, group.id, [person.id]);
    const membership = (await selectMemberships(db, person.id)).find((row) => row.group === group.id);
    if (gone === 0 && membership)
      throw new Refused('group.only_by_rule', {
        person: personLabel(person),
        method: membership.origins.join(', '),
      });
    if (gone > 0)
      await record(actor, { event: 'group.member_removed', personId: person.id, details: { group: id } }, db);
  },
);

export const listPersonGroups = operation(
  { name: 'listPersonGroups', right: 'groups.read', output: wholeList('PersonGroup', personGroupRow) },
  async ({ db }, input: { id: string }): Promise<PersonGroupRow[]> => {
    const person = await findByRef(db, { id: input.id });
    return selectMemberships(db, person.id);
  },
);

const groupIds = z.strictObject({ groups: z.array(z.string().max(100)).max(1000) });

/** Replaces the groups in which the user is a manual member. */
export const setPersonGroups = operation(
  {
    name: 'setPersonGroups',
    right: 'groups.manage',
    fresh: 'always',
    runsOn: 'transaction',
    shape: groupIds,
  },
  async ({ actor, db }, input: { id: string } & z.output<typeof groupIds>): Promise<void> => {
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

/** Serializes changes of a user's memberships, so that limits include concurrent changes. */
const lockMemberships = (db: Db, person: PersonRow) => lockName(db, `groups of ${person.id}`);

/**
 * Limits the number of manual memberships. Rules can exceed the limit, because a sign-in must never fail because of
 * it.
 */
async function keepToMost(db: Db, person: PersonRow): Promise<void> {
  const { length } = byHand(await selectMemberships(db, person.id));
  if (length > MOST_GROUPS_OF_PERSON)
    throw new Refused('group.most_of_person', { most: MOST_GROUPS_OF_PERSON });
}
