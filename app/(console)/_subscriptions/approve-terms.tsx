// What an approval of an unregistered client decides as well: the scopes that it may have at most, who may use it, and
// for how long.

import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { reachOf } from '#lib/registry/objects/subscription-states.ts';
import { say } from '../_texts/say.tsx';
import { Checks } from '../_ui/choices.tsx';
import { CEILING_LABEL } from '../_ui/subscription-words.ts';
import type { FormValues } from '../_visit/form-values.ts';
import { FoldedTexts } from './shown-to-people.tsx';
import { TermsFields } from './terms-fields.tsx';

type TermsProps = {
  of: SubscriptionView;
  /** null: shown for the first time */
  typed: FormValues | null;
};

export function ApproveTerms({ of, typed }: TermsProps) {
  const asked = reachOf(of).map(({ name }) => name);
  return (
    <>
      {of.apiScopes.length > 0 && (
        <>
          <input type="hidden" name="ceiling" value="yes" />
          <Checks
            name="scopes"
            label={say(CEILING_LABEL)}
            options={of.apiScopes.map(({ name, description }) => ({
              value: name,
              label: <FoldedTexts of={description || name} />,
              note: (
                <>
                  <code>{name}</code>
                  {!asked.includes(name) && ` ${say('not asked for yet')}`}
                </>
              ),
            }))}
            values={typed ? typed.list('scopes', asked) : asked}
          />
        </>
      )}
      <TermsFields of={of} typed={typed} />
    </>
  );
}
