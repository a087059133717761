// Terms of a subscription: fields for approval and editing, and the parser for their input.

import {
  reachOf,
  type SubscriptionRow,
  type SubscriptionTerms,
  subscriptionTerms,
  type TermsChange,
} from '#lib/catalogue/subscriptions/definition.ts';
import type { SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import { formFields } from '#lib/registry/definition.ts';
import { Checks } from '../_kit/choices.tsx';
import { FormValues } from '../_kit/draft.ts';
import { TextField } from '../_kit/fields.tsx';
import { Form } from '../_kit/form.tsx';
import { type Labels, labelsOf } from '../_kit/in-words.ts';
import { ListField } from '../_kit/list-field.tsx';
import type { FormStart } from '../_kit/page-start.tsx';
import { Fact, Panel } from '../_kit/pieces.tsx';
import { type Fields, readForm } from '../_kit/posted.ts';
import { CEILING_LABEL } from '../_kit/subscription-words.ts';
import { Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { DefinedFields } from './object-fields.tsx';
import { FoldedTexts } from './subscription-facts.tsx';

type Of = Pick<SubscriptionRow, keyof SubscriptionTerms>;
const [NAME, VALUES] = ['requiredClaim.name', 'requiredClaim.values'] as const;

/** The terms whose fields are generated from the definition. */
const defined = subscriptionTerms.omit({ requiredClaim: true });
const DEFINED = formFields(defined);

const CLAIM_LABELS = {
  [NAME]: { label: toSay('Only for people with the claim') },
  [VALUES]: { label: toSay('With one of these values'), each: toSay('value') },
};
export const TERMS_LABELS: Labels = { ...CLAIM_LABELS, ...labelsOf(DEFINED) };

/** Fields for the terms. `typed` null: the form has no input yet. */
export function TermsFields({ of, typed }: { of: Of; typed: FormValues | null }) {
  const { name = '', values = [] } = of.requiredClaim ?? {};
  return (
    <>
      <TextField
        name={NAME}
        label={say(CLAIM_LABELS[NAME].label)}
        hint={
          <Say
            text="For example {first} or {second}. If empty, everyone who can sign in."
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
            text="The value must match exactly. For {claim}, {value} means everyone at that domain."
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

/** Parses the input of the form. A missing field changes nothing. The operation rejects invalid values. */
export function termsIn(fields: Fields): TermsChange {
  const [name = '', values] = [fields.text(NAME)?.trim(), fields.list(VALUES)];
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
        <Fact name={say('Duration')}>
          {say('{days, plural, one {# day} other {# days}} after a person’s consent', { days: maxDays })}
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

type TermsProps = { of: SubscriptionView; start: FormStart; typed: FormValues };

/** Terms of an approved subscription, for users who can change them. */
export function Terms({ of, start, typed }: TermsProps) {
  if (!of.may.terms) return null;
  const { clientId, api, version } = of;
  return (
    <Panel
      id="terms"
      heading={say('Terms')}
      lead={say(
        'The people who can use the application at this API, and for how long. From the next request on, anyone not listed has no access, except with a JWT that the API verifies itself.',
      )}
    >
      <Form {...start} className="form" fields={{ clientId, api, version }} submit={say('Change terms')}>
        <TermsFields of={of} typed={typed.kept ? typed : null} />
      </Form>
    </Panel>
  );
}

// Additional terms for approving an unregistered client: maximum scopes, allowed users, and duration.

type ApproveTermsProps = {
  of: SubscriptionView;
  /** null: the form has no input yet */
  typed: FormValues | null;
};

export function ApproveTerms({ of, typed }: ApproveTermsProps) {
  const requestedScopes = reachOf(of).map(({ name }) => name);
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
                  {!requestedScopes.includes(name) && ` ${say('not requested yet')}`}
                </>
              ),
            }))}
            values={typed ? typed.list('scopes', requestedScopes) : requestedScopes}
          />
        </>
      )}
      <TermsFields of={of} typed={typed} />
    </>
  );
}
