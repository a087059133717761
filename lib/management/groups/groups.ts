// Groups: listed, created, changed and deleted by administrators. One that an API names cannot be deleted.
import { english } from '#lib/language/message.ts';
import { type Change, type Fault, faultsOf } from '#lib/registry/fields/definition.ts';
import { methodCan } from '#lib/registry/methods/questions.ts';
import type { ApiValues } from '#lib/registry/objects/api.ts';
import { namedGroups } from '#lib/registry/objects/api-groups.ts';
import { MOST_COUNTED } from '#lib/registry/objects/counts.ts';
import {
  group as definition,
  type GroupInput,
  type GroupRow,
  type GroupUse,
  type GroupValues,
  MOST_GROUPS,
} from '#lib/registry/objects/group.ts';
import { type Db, lockName } from '#lib/store/database/prisma.ts';
import {
  countGroups,
  findGroup,
  GROUPS,
  lockRuleMethods,
  removeGroup,
  selectGroupNames,
  selectGroupUses,
  selectUnknownGroups,
  upsertGroup,
} from '#lib/store/groups/groups.ts';
import { countOnlyBy } from '#lib/store/groups/members.ts';
import { findAuthMethod } from '#lib/store/registry/auth-methods.ts';
import { changesOf, withChange } from '../core/changes.ts';
import { ruleFaults } from '../core/claim-faults.ts';
import { type Consequences, consequencesOf, type Foreseen } from '../core/consequences.ts';
import { operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, searchOf } from '../core/page.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { parseInput, Refused, refuseFaults, refuseStale, taken } from '../core/refused.ts';

export const pageGroups = operation(
  'pageGroups',
  (_, input: Asked = {}): Promise<Page<GroupRow>> => readPage(GROUPS, input, { search: searchOf(input) }),
);

/** For a form that offers them: there are at most 1,000. */
export const listGroupNames = operation('listGroupNames', ({ db }) => selectGroupNames(db));

export const readGroup = operation('readGroup', ({ db }, input: { id: string }) => groupOf(db, input.id));

export const createGroup = operation(
  'createGroup',
  async ({ actor, db }, input: GroupInput): Promise<GroupRow> => {
    const group = parseInput(definition, input);
    // of two at the same time the second waits, and finds the id taken or the last place gone
    await lockName(db, 'groups');
    if (await findGroup(db, group.id)) throw taken('id', 'group.id_taken', group.id);
    if ((await countGroups(db)) >= MOST_GROUPS) throw new Refused('group.most', { most: MOST_GROUPS });
    await holdMethods(db, group.from);
    await refuseRules(db, group);
    await upsertGroup(db, group);
    const { id, ...after } = group;
    await record(actor, { event: 'group.created', details: { group: id, after } }, db);
    return groupOf(db, id);
  },
);

export type GroupChange = { id: string } & Change<Omit<GroupInput, 'id'>>;

/** Members by a rule leave at once if no rule asks their method any more, or if its rules lost a value. */
export const changeGroup = operation(
  'changeGroup',
  async ({ actor, db }, { version, ...change }: GroupChange & { version?: number }): Promise<GroupRow> => {
    await holdMethods(db, change.from);
    const before = await groupOf(db, change.id, 'lock');
    const after: GroupValues = parseInput(definition, withChange(definition, before, change));
    await refuseRules(db, after);
    refuseStale(`the group ${before.id}`, version, before.version);
    const details = changesOf(before, after);
    if (details.changed.length === 0) return before;
    await upsertGroup(db, after, narrowedMethods(before, after));
    await record(actor, { event: 'group.changed', details: { group: before.id, ...details } }, db);
    return groupOf(db, before.id);
  },
);

/** Who leaves at once, with the last rule on their method. */
export const previewGroupChange = operation(
  'previewGroupChange',
  async ({ db }, change: GroupChange): Promise<Consequences> => {
    const before = await groupOf(db, change.id);
    const after = definition.safeParse(withChange(definition, before, change), { reportInput: true });
    if (!after.success) return { ...consequencesOf(false), faults: faultsOf(after.error) };
    const kept = methodsOf(after.data);
    const gone = methodsOf(before).filter((method) => !kept.includes(method));
    const count = await countOnlyBy(db, before.id, gone);
    const narrowed = narrowedMethods(before, after.data);
    return consequencesOf(before.managed, [
      [
        english(
          '{count, plural, one {One person leaves} other {# people leave}} it at once: no rule asks {methods} any more.',
          { count, methods: gone.join(', ') },
        ),
        count > 0,
      ],
      [
        english(
          'Users whom {methods} brought in leave at once, unless a stored claim of theirs still fits. They come back at their next sign-in if a rule means them.',
          { methods: narrowed.join(', ') },
        ),
        (await countOnlyBy(db, before.id, narrowed)) > 0,
      ],
    ]);
  },
);

/** Methods that a rule still asks, and whose rules lost a value. */
function narrowedMethods(before: Pick<GroupValues, 'from'>, after: Pick<GroupValues, 'from'>): string[] {
  const entries = ({ from }: Pick<GroupValues, 'from'>) =>
    from.flatMap(({ auth_method: method, claim, values }) =>
      values.map((value) => ({ method, key: JSON.stringify([method, claim, value]) })),
    );
  const kept = new Set(entries(after).map(({ key }) => key));
  const asked = methodsOf(after);
  const lost = entries(before).filter(({ method, key }) => asked.includes(method) && !kept.has(key));
  return [...new Set(lost.map(({ method }) => method))];
}

const methodsOf = ({ from }: Pick<GroupValues, 'from'>) => [...new Set(from.map((rule) => rule.auth_method))];

export const previewGroupDeletion = operation(
  'previewGroupDeletion',
  async ({ db }, input: { id: string }): Promise<Foreseen> => {
    const { members, managed } = await groupOf(db, input.id);
    const counted =
      members > MOST_COUNTED
        ? english('More than {count, number} people are in it.', { count: MOST_COUNTED })
        : english('{count, plural, =0 {No one is} one {One person is} other {# people are}} in it.', {
            count: members,
          });
    return { ...consequencesOf(managed), counted: [counted] };
  },
);

/** More APIs than these are not listed. */
const MOST_USES = 100;

/** The APIs that name it, and where. */
export const listGroupUses = operation(
  'listGroupUses',
  async ({ db }, input: { id: string }): Promise<GroupUse[]> => {
    const { id } = await groupOf(db, input.id);
    return selectGroupUses(db, id, MOST_USES);
  },
);

/** With its members' membership. */
export const deleteGroup = operation(
  'deleteGroup',
  async ({ actor, db }, input: { id: string; version?: number | undefined }): Promise<void> => {
    await groupOf(db, input.id, 'lock');
    // what names it may have come while the lock was waited for
    const { id, version, apis } = await groupOf(db, input.id);
    refuseStale(`the group ${id}`, input.version, version);
    if (apis.length > 0) throw new Refused('group.named', { names: apis.join(', ') });
    await removeGroup(db, id);
    await record(actor, { event: 'group.removed', details: { group: id } }, db);
  },
);

/** Groups that the API names and that are not there. Until the commit none of the others goes. */
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

/** Until the commit none of them goes. Before the group is locked: who deletes a method locks it before its groups. */
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

export async function groupOf(db: Db, id: string, lock: 'lock' | 'look' = 'look'): Promise<GroupRow> {
  const group = await findGroup(db, id, lock);
  if (!group) throw new Refused('group.unknown', { group: id });
  return group;
}
