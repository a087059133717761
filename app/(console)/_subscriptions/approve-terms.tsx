// What an approval of an agent decides besides: the scopes that it may have at most, and how long what a person allows lasts.
import type { SubscriptionView } from '#lib/management/index.ts';
import { Checks } from '../_ui/choices.tsx';
import { TextField } from '../_ui/fields.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import { reachOf } from './words.ts';

type TermsProps = {
  of: SubscriptionView;
  /** null: shown for the first time */
  typed: FormValues | null;
};

export function Terms({ of, typed }: TermsProps) {
  const asked = reachOf(of).map(({ name }) => name);
  return (
    <>
      {of.apiScopes.length > 0 && (
        <>
          <input type="hidden" name="ceiling" value="yes" />
          <Checks
            name="scopes"
            label="What it may do at most"
            options={of.apiScopes.map(({ name, description }) => ({
              value: name,
              label: description || name,
              note: (
                <>
                  <code>{name}</code>
                  {!asked.includes(name) && ' not asked for yet'}
                </>
              ),
            }))}
            values={typed ? typed.list('scopes', asked) : asked}
          />
        </>
      )}
      <TextField
        name="maxDays"
        label="Days until people are asked again"
        hint="What a person allowed ends then, with its refresh tokens. Empty: as long as for any client."
        type="number"
        min={1}
        optional
        value={typed ? typed.one('maxDays') : String(of.maxDays ?? '')}
      />
    </>
  );
}
