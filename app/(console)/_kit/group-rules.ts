// Group rules as form fields: each row has a method, a claim, and one value per line.
import type { GroupRule } from '#lib/catalogue/groups/definition.ts';
import { toSay } from '../_texts/to-say.ts';
import type { FormValues } from './draft.ts';
import type { Fields } from './posted.ts';

export const RULES = 'from';
export const RULES_LABEL = toSay('Rules');

/** A rule as typed, with one value per line. */
export type TypedRule = Omit<GroupRule, 'values'> & { values: string };
export const NO_RULE: TypedRule = { auth_method: '', claim: '', values: '' };

export const typedRule = ({ values, ...rule }: GroupRule): TypedRule => ({
  ...rule,
  values: values.join('\n'),
});

/** Rows with at least one filled field. */
export function typedRules(fields: Fields): TypedRule[] {
  const [claims, values] = [fields.all(`${RULES}.claim`), fields.all(`${RULES}.values`)];
  return fields
    .all(`${RULES}.auth_method`)
    .map((method, at) => ({
      auth_method: method.trim(),
      claim: (claims[at] ?? '').trim(),
      values: (values[at] ?? '').trim(),
    }))
    .filter((rule) => Object.values(rule).some((part) => part !== ''));
}

/** Undefined: the form contains no field of a rule. */
export const rulesOfForm = (fields: Fields): GroupRule[] | undefined =>
  fields.has(`${RULES}.auth_method`)
    ? typedRules(fields).map(({ values, ...rule }) => ({
        ...rule,
        values: values
          .split('\n')
          .map((value) => value.trim())
          .filter((value) => value !== ''),
      }))
    : undefined;

const linesOf = (rules: readonly GroupRule[]) =>
  rules.map(({ auth_method, claim, values }) => `${auth_method} ${claim}: ${values.join(' | ')}`).join('\n');

/**
 * Returns the stored rules if another user has changed them since. A change of a rule's method or claim is a change,
 * too.
 */
export function rulesMeanwhile(formValues: FormValues, stored: readonly GroupRule[]): string | undefined {
  const sent = rulesOfForm(formValues.typed);
  return sent && formValues.meanwhileOf(linesOf(sent), linesOf(stored));
}
