// Who may use a client at an API, and how long what a person allows lasts: the fields of both, as they stand in the form of an
// approval and in the one that changes them later, and what was typed into them.
import type { RequiredClaim, SubscriptionRow } from '#lib/registry/index.ts';
import type { Fields } from '../_forms/fields.ts';
import type { Labels } from '../_forms/labels.ts';
import { TextField } from '../_ui/fields.tsx';
import { ListField } from '../_ui/list-field.tsx';
import { Fact } from '../_ui/pieces.tsx';
import type { FormValues } from '../_visit/form-values.ts';

type Of = Pick<SubscriptionRow, 'requiredClaim' | 'maxDays'>;
const [NAME, VALUES, DAYS] = ['requiredClaim.name', 'requiredClaim.values', 'maxDays'] as const;

export const TERMS_LABELS = {
  [NAME]: { label: 'Only for people with the claim' },
  [VALUES]: { label: 'With one of these values', each: 'value' },
  [DAYS]: { label: 'Days until people are asked again' },
} as const satisfies Labels;

/** `typed` null: shown for the first time. */
export function TermsFields({ of, typed }: { of: Of; typed: FormValues | null }) {
  const { name = '', values = [] } = of.requiredClaim ?? {};
  return (
    <>
      <TextField
        name={NAME}
        label={TERMS_LABELS[NAME].label}
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
        {...TERMS_LABELS[VALUES]}
        hint={
          <>
            Letter by letter. For <code>email</code>, <code>@example.com</code> is everybody at that domain.
          </>
        }
        values={typed ? typed.list(VALUES) : values}
        meanwhile={typed?.meanwhile(VALUES, values.join('\n'))}
      />
      <TextField
        name={DAYS}
        label={TERMS_LABELS[DAYS].label}
        hint="What a person allowed ends then, with its refresh tokens. Empty: as long as for any client."
        type="number"
        min={1}
        optional
        value={typed ? typed.one(DAYS) : String(of.maxDays ?? '')}
        meanwhile={typed?.meanwhile(DAYS, String(of.maxDays ?? ''))}
      />
    </>
  );
}

/** What the form says; a form without a field says nothing of it. What makes no sense is for the operation to refuse. */
export function termsIn(fields: Fields): { requiredClaim?: RequiredClaim | null; maxDays?: number | null } {
  const [name = '', values] = [fields.given(NAME)?.trim(), fields.list(VALUES)];
  return {
    ...(fields.has(NAME) && { requiredClaim: name === '' && values.length === 0 ? null : { name, values } }),
    // what is no whole number becomes NaN
    ...(fields.has(DAYS) && { maxDays: fields.given(DAYS) === undefined ? null : fields.number(DAYS) }),
  };
}

export function TermsFacts({ of: { requiredClaim, maxDays } }: { of: Of }) {
  return (
    <>
      {requiredClaim !== null && (
        <Fact name="For">
          people whose <code>{requiredClaim.name}</code> is{' '}
          {requiredClaim.values.map((value, at) => (
            <span key={value}>
              {at > 0 && ' or '}
              <code>{value}</code>
            </span>
          ))}
        </Fact>
      )}
      {maxDays !== null && <Fact name="Lasts">{maxDays} days after a person allowed it</Fact>}
    </>
  );
}
