// Fields of a group for creation and editing, and texts about its members.

import { type GroupRow, group } from '#lib/catalogue/groups/definition.ts';
import { pageAuthMethods } from '#lib/catalogue/methods/operations.ts';
import { methodCan } from '#lib/catalogue/methods/questions.ts';
import { formFields } from '#lib/registry/definition.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { MOST_COUNTED } from '#lib/registry/values.ts';
import type { ConsoleActor } from '#lib/sessions/console.ts';
import type { FormValues } from '../_kit/draft.ts';
import { RULES_LABEL, rulesMeanwhile, rulesOfForm, typedRule, typedRules } from '../_kit/group-rules.ts';
import { Kind } from '../_kit/pieces.tsx';
import { RulesField } from '../_kit/rules-field.tsx';
import { say } from '../_texts/say.tsx';
import { DefinedFields } from './object-fields.tsx';

type GroupFieldsProps = {
  actor: ConsoleActor;
  typed: FormValues;
  stored: Pick<GroupRow, 'name' | 'from'>;
  isNew: boolean;
};

export async function GroupFields({ actor, typed, stored, isNew }: GroupFieldsProps) {
  const { rows } = await pageAuthMethods(actor, { limit: 200 });
  const methods = rows
    .filter((method) => !methodCan(method, 'hasAccounts'))
    .map(({ id, name }) => ({ id, name: plainText(name) }));
  const rules = stored.from.map(typedRule);
  return (
    <>
      <DefinedFields fields={formFields(group)} {...{ typed, stored, isNew }} />
      {methods.length === 0 && rules.length === 0 ? (
        <p className="soft">
          {say(
            'A rule uses claims from another sign-in method. There is no such method yet: add people manually.',
          )}
        </p>
      ) : (
        <RulesField
          label={say(RULES_LABEL)}
          hint={say(
            'Evaluated at each sign-in with the method: people with one of the values are added, and people without any of them are removed, unless they were added manually.',
          )}
          each={say('rule')}
          values={rulesOfForm(typed.typed) ? typedRules(typed.typed) : rules}
          meanwhile={rulesMeanwhile(typed, stored.from)}
          methods={methods}
        />
      )}
    </>
  );
}

export const memberCount = ({ members: count }: GroupRow): string =>
  count > MOST_COUNTED
    ? say('more than {count, number} people', { count: MOST_COUNTED })
    : say('{count, plural, =0 {no one} one {# person} other {# people}}', { count });

/** Texts that show whether the user was added manually or by a rule, and the method that the rule names. */
export function OriginKinds({ origins }: { origins: readonly string[] }) {
  return origins.map((origin) => (
    <Kind key={origin}>{origin === '' ? say('manually') : say('by {method}', { method: origin })}</Kind>
  ));
}
