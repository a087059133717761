// A decision with a reason: a button of the bar that opens a field.
import type { Decision } from '#lib/registry/index.ts';
import { TextArea } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';

type Words = { open: string; label: string; hint: string; submit: string };
const WORDS = {
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
} as const satisfies Partial<Record<Decision, Words>>;

type WithReasonProps = {
  action: keyof typeof WORDS;
  start: FormStart;
  fields: Record<string, string | number>;
  /** null: it is not open */
  typed: FormValues | null;
};

export function DecideWithReason({ action, start, fields, typed }: WithReasonProps) {
  const { open, label, hint, submit } = WORDS[action];
  return (
    <details open={typed !== null}>
      <summary className="button plain">{open}</summary>
      <Form {...start} fields={fields} submit={submit} tone="danger">
        <TextArea
          name="reason"
          label={label}
          hint={hint}
          value={typed?.one('reason') ?? ''}
          optional={action !== 'reject'}
          maxLength={2000}
        />
      </Form>
    </details>
  );
}
