// The terms of a subscription: their fields in the form of an approval and in the one that changes them later, and what
// was typed into them.

import { formFields } from '#lib/registry/fields/form-fields.ts';
import {
  type SubscriptionRow,
  type SubscriptionTerms,
  subscriptionTerms,
  type TermsChange,
} from '#lib/registry/objects/subscription.ts';
import type { Fields } from '../_forms/fields.ts';
import { type Labels, labelsOf } from '../_forms/labels.ts';
import { readForm } from '../_forms/read-form.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import { Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import { Fact } from '../_ui/pieces.tsx';
import { FormValues } from '../_visit/form-values.ts';

type Of = Pick<SubscriptionRow, keyof SubscriptionTerms>;
const [NAME, VALUES] = ['requiredClaim.name', 'requiredClaim.values'] as const;

/** The terms whose fields follow from their definition. */
const defined = subscriptionTerms.omit({ requiredClaim: true });
const DEFINED = formFields(defined);

const CLAIM_LABELS = {
  [NAME]: { label: toSay('Only for people with the claim') },
  [VALUES]: { label: toSay('With one of these values'), each: toSay('value') },
};
export const TERMS_LABELS: Labels = { ...CLAIM_LABELS, ...labelsOf(DEFINED) };

/** `typed` null: shown for the first time. */
export function TermsFields({ of, typed }: { of: Of; typed: FormValues | null }) {
  const { name = '', values = [] } = of.requiredClaim ?? {};
  return (
    <>
      <TextField
        name={NAME}
        label={say(CLAIM_LABELS[NAME].label)}
        hint={
          <Say
            text="Such as {first}, or {second}. Empty: everybody who can sign in."
            values={{ first: <code>groups</code>, second: <code>email</code> }}
          />
        }
        code
        optional
        maxLength={100}
        value={typed ? typed.one(NAME) : name}
        meanwhile={typed?.meanwhile(NAME, name)}
      />
      <ListField
        name={VALUES}
        label={say(CLAIM_LABELS[VALUES].label)}
        each={say(CLAIM_LABELS[VALUES].each)}
        hint={
          <Say
            text="Letter by letter. For {claim}, {value} is everybody at that domain."
            values={{ claim: <code>email</code>, value: <code>@example.com</code> }}
          />
        }
        values={typed ? typed.list(VALUES) : values}
        meanwhile={typed?.meanwhile(VALUES, values.join('\n'))}
      />
      <DefinedFields fields={DEFINED} typed={typed ?? new FormValues(null)} stored={of} />
    </>
  );
}

/**
 * What the form says; a form without a field says nothing of it. What makes no sense is for the operation to refuse.
 */
export function termsIn(fields: Fields): TermsChange {
  const [name = '', values] = [fields.given(NAME)?.trim(), fields.list(VALUES)];
  return {
    ...readForm(defined, fields),
    ...(fields.has(NAME) && { requiredClaim: name === '' && values.length === 0 ? null : { name, values } }),
  };
}

export function TermsFacts({ of: { requiredClaim, maxDays, note } }: { of: Of }) {
  return (
    <>
      {requiredClaim !== null && (
        <Fact name={say('For')}>
          <Say
            text="people whose {claim} is {values}"
            values={{
              claim: <code>{requiredClaim.name}</code>,
              values: requiredClaim.values.map((value, at) => (
                <span key={value}>
                  {at > 0 && ` ${say('or')} `}
                  <code>{value}</code>
                </span>
              )),
            }}
          />
        </Fact>
      )}
      {maxDays !== null && (
        <Fact name={say('Lasts')}>
          {say('{days, plural, one {# day} other {# days}} after a person allowed it', { days: maxDays })}
        </Fact>
      )}
      {note !== null && (
        <Fact name={say('Note')}>
          <blockquote>{note}</blockquote>
        </Fact>
      )}
    </>
  );
}
