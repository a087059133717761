// A decision with a reason: a button of the bar that opens a field.
import type { Decision } from '#lib/registry/objects/subscription-states.ts';
import { say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { TextArea } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout } from '../_ui/pieces.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';

type Words = { open: string; label: string; hint: string; submit: string };
const WORDS = toSay({
  reject: {
    open: 'Reject with a reason…',
    label: 'Why not?',
    hint: 'The requester reads this, and can change the request.',
    submit: 'Reject it',
  },
  suspend: {
    open: 'Suspend…',
    label: 'Why?',
    hint: 'It gets no tokens and renews none until it is resumed; then those that have not expired work again.',
    submit: 'Suspend it',
  },
  revoke: {
    open: 'Revoke…',
    label: 'Why?',
    hint: 'Its tokens end. The developer may ask again, and that request waits for approval.',
    submit: 'Revoke it',
  },
}) satisfies Partial<Record<Decision, Words>>;

export type Ends = { endsTokens: number; people: number };

function endsInWords(action: 'suspend' | 'revoke', { endsTokens: tokens, people }: Ends): string {
  if (tokens === 0) return say('No sign-in or token of it is valid now.');
  if (action === 'suspend')
    return say(
      'It stops {tokens, plural, one {# sign-in or token} other {# sign-ins and tokens}} of {people, plural, one {# person} other {# people}} until it is resumed.',
      { tokens, people },
    );
  return say(
    'It ends {tokens, plural, one {# sign-in or token} other {# sign-ins and tokens}} of {people, plural, one {# person} other {# people}}.',
    { tokens, people },
  );
}

type WithReasonProps = {
  action: keyof typeof WORDS;
  start: FormStart;
  fields: Record<string, string | number>;
  /** null: it is not open */
  typed: FormValues | null;
  /** what is valid now; null: nothing ends with it */
  ends: Ends | null;
};

export function DecideWithReason({ action, start, fields, typed, ends }: WithReasonProps) {
  const { open, label, hint, submit } = WORDS[action];
  return (
    <details open={typed !== null}>
      <summary className="button plain">{say(open)}</summary>
      <Form {...start} fields={fields} submit={say(submit)} tone="danger">
        {ends && action !== 'reject' && (
          <Callout tone="refused">
            <p>{endsInWords(action, ends)}</p>
          </Callout>
        )}
        <TextArea
          name="reason"
          label={say(label)}
          hint={say(hint)}
          value={typed?.one('reason') ?? ''}
          optional={action !== 'reject'}
          maxLength={2000}
        />
      </Form>
    </details>
  );
}
