// The terms of a subscription: their fields in the form of an approval and in the one that changes them later, and what
// was typed into them.

import {
  formFields,
  type SubscriptionRow,
  type SubscriptionTerms,
  subscriptionTerms,
  type TermsChange,
} from '#lib/registry/index.ts';
import type { Fields } from '../_forms/fields.ts';
import { type Labels, labelsOf } from '../_forms/labels.ts';
import { readForm } from '../_forms/read-form.ts';
import { DefinedFields } from '../_objects/defined-fields.tsx';
import { say } from '../_texts/say.tsx';
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
  [NAME]: { label: 'Only for people with the claim' },
  [VALUES]: { label: 'With one of these values', each: 'value' },
};
export const TERMS_LABELS: Labels = { ...CLAIM_LABELS, ...labelsOf(DEFINED) };

/** `typed` null: shown for the first time. */
export function TermsFields({ of, typed }: { of: Of; typed: FormValues | null }) {
  const { name = '', values = [] } = of.requiredClaim ?? {};
  return (
    <>
      <TextField
        name={NAME}
        label={CLAIM_LABELS[NAME].label}
        hint={
          <>
            Such as <code>groups</code>, or <code>email</code>. Empty: everybody who can sign in.
          </>
        }
        code
        optional
        maxLength={100}
        value={typed ? typed.one(NAME) : name}
        meanwhile={typed?.meanwhile(NAME, name)}
      />
      <ListField
        name={VALUES}
        {...CLAIM_LABELS[VALUES]}
        hint={
          <>
            Letter by letter. For <code>email</code>, <code>@example.com</code> is everybody at that domain.
          </>
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
          people whose <code>{requiredClaim.name}</code> is{' '}
          {requiredClaim.values.map((value, at) => (
            <span key={value}>
              {at > 0 && ' or '}
              <code>{value}</code>
            </span>
          ))}
        </Fact>
      )}
      {maxDays !== null && <Fact name={say('Lasts')}>{maxDays} days after a person allowed it</Fact>}
      {note !== null && (
        <Fact name={say('Note')}>
          <blockquote>{note}</blockquote>
        </Fact>
      )}
    </>
  );
}
