// What the rules of groups say of a person after a sign-in.
import { statement } from '../database/statement.ts';

/** `unknown`: groups of whose rules the method said nothing; the person stays in them if they are. */
export type RuledGroups = { in: string[]; unknown: string[] };

const groupRulesApply = statement({
  name: 'group-rules-apply',
  takes: {
    personId: 'uuid',
    authMethodId: 'text',
    inGroups: 'text[]',
    unknown: 'text[]',
    saidAt: 'timestamptz?',
  },
  text: (value) =>
    `select apply_group_rules(${value.personId}, ${value.authMethodId}, ${value.inGroups}, ${value.unknown}, ${value.saidAt}) as changed`,
});

/** Takes out only members by a rule on this method. `saidAt`: null: now; an older word changes nothing. */
export async function applyRuledGroups(input: {
  personId: string;
  authMethodId: string;
  groups: RuledGroups;
  saidAt: Date | null;
}): Promise<number> {
  const { groups, ...whose } = input;
  const values = { ...whose, inGroups: groups.in, unknown: groups.unknown };
  for (;;) {
    const [row] = await groupRulesApply<{ changed: number }>(values);
    const changed = row?.changed ?? 0;
    if (changed >= 0) return changed;
  }
}
