import type { SubscriptionView } from '#lib/management/index.ts';
import type { Decision } from '#lib/registry/index.ts';
import { TextArea } from '../_ui/fields.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { ApproveTerms } from './approve-terms.tsx';
import { NotTaken } from './not-taken.tsx';
import type { Place } from './waiting-people.tsx';

type DecideProps = {
  of: SubscriptionView;
  start: FormStart;
  typed: FormValues;
  /** the page to come back to */
  from: 'inbox' | 'subscription';
  /** of the inbox */
  place?: Place;
};

type Words = { open: string; label: string; hint: string; submit: string };
const WITH_REASON: Partial<Record<Decision, Words>> = {
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
};

/** The decisions that this actor may take. */
export function Decide({ of, start, typed, from, place }: DecideProps) {
  const { may } = of;
  // the person who came with an unregistered client has not made it, and can change nothing about it
  const isUnregistered = of.clientOrigin !== null;
  const open = typed.one('action');
  const fieldsOf = (action: Decision) => {
    const { clientId, api, version } = of;
    return { clientId, api, version, from, ...place, action };
  };
  const quiet = { ...start, message: null, faults: {} };
  const letsIn: Decision | null = may.approve ? 'approve' : may.resume ? 'resume' : null;
  // the inbox offers approve and reject; the subscription's page has suspend and revoke
  const actions =
    from === 'inbox' && may.reject ? (['reject'] as const) : (['reject', 'suspend', 'revoke'] as const);
  const reasons = actions.filter((action) => may[action] && !(isUnregistered && action === 'reject'));
  const isShown =
    open === letsIn ||
    reasons.some((action) => action === open) ||
    (isUnregistered && open === 'reject' && may.reject);
  return (
    <div className="decide">
      <NotTaken message={isShown ? null : start.message} wrote={typed.one('reason')} />
      {!letsIn && (of.state === 'pending' || of.state === 'suspended') && (
        <Callout>
          <p>This is your own request, or your own client: another approver has to decide on it.</p>
        </Callout>
      )}
      {letsIn && (
        <Form
          {...(open === letsIn ? start : quiet)}
          className={isUnregistered && letsIn === 'approve' ? 'form' : 'decide-yes'}
          fields={fieldsOf(letsIn)}
        >
          {letsIn === 'approve' && isUnregistered && (
            <ApproveTerms of={of} typed={open === letsIn ? typed : null} />
          )}
          <div className="form-actions">
            <Submit>{letsIn === 'approve' ? 'Approve' : 'Resume'}</Submit>
          </div>
        </Form>
      )}
      {isUnregistered && may.reject && (
        <Form
          {...(open === 'reject' ? start : quiet)}
          className="decide-yes"
          fields={{ ...fieldsOf('reject'), silent: 'yes' }}
        >
          <Submit tone="danger">Reject</Submit>
        </Form>
      )}
      {reasons.map((action) => {
        const words = WITH_REASON[action] as Words;
        return (
          <details key={action} open={open === action}>
            <summary className="button plain">{words.open}</summary>
            <Form
              {...(open === action ? start : quiet)}
              fields={fieldsOf(action)}
              submit={words.submit}
              tone="danger"
            >
              <TextArea
                name="reason"
                label={words.label}
                hint={words.hint}
                value={open === action ? typed.one('reason') : ''}
                optional={action !== 'reject'}
                maxLength={2000}
              />
            </Form>
          </details>
        );
      })}
    </div>
  );
}
