// The decisions on a subscription: a bar of buttons that is the first thing of the panel, so that each button is in the
// same place for every request, then the request itself, then what an approval decides as well.

import type { ReactNode } from 'react';
import type { SubscriptionView } from '#lib/management/subscriptions/subscription-view.ts';
import { type Decision, isPowerful } from '#lib/registry/objects/subscription-states.ts';
import { say } from '../_texts/say.tsx';
import { Form } from '../_ui/form.tsx';
import { Callout } from '../_ui/pieces.tsx';
import { Submit } from '../_ui/submit.tsx';
import type { FormValues } from '../_visit/form-values.ts';
import type { FormStart } from '../_visit/start-form.ts';
import { ApproveTerms } from './approve-terms.tsx';
import { ConfirmPower } from './confirm-power.tsx';
import { DecideWithReason, type Ends } from './decide-with-reason.tsx';
import { NotTaken } from './not-taken.tsx';
import type { Place } from './place.ts';

type DecideProps = {
  of: SubscriptionView;
  start: FormStart;
  typed: FormValues;
  /** the page to come back to */
  from: 'inbox' | 'subscription';
  /** of the inbox */
  place?: Place;
  /** what a suspension or revocation would end; left out: it is not asked for here */
  ends?: Ends;
  /** what is decided on */
  children?: ReactNode;
};

const TERMS_FORM = 'approve-with-terms';

/** The decisions that this actor may take. */
export function Decide({ of, start, typed, from, place, ends, children }: DecideProps) {
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
  const hasTerms = letsIn === 'approve' && isUnregistered;
  const asksForPower =
    letsIn !== null && open === letsIn && isPowerful(of) && (typed.confirming || typed.checked('confirmed'));
  // the inbox offers approve and reject; the subscription's page has suspend and revoke
  const actions =
    from === 'inbox' && may.reject ? (['reject'] as const) : (['reject', 'suspend', 'revoke'] as const);
  const reasons = actions.filter((action) => may[action] && !(isUnregistered && action === 'reject'));
  const isShown = asksForPower || hasTerms ? open === letsIn : reasons.some((action) => action === open);
  const word = letsIn === 'approve' ? say('Approve') : say('Resume');
  return (
    <>
      {(letsIn || reasons.length > 0 || may.reject) && (
        <div className="decide">
          {letsIn && hasTerms && <Submit form={TERMS_FORM}>{word}</Submit>}
          {letsIn && !hasTerms && (
            <Form {...quiet} className="decide-yes" fields={fieldsOf(letsIn)}>
              <Submit>{word}</Submit>
            </Form>
          )}
          {isUnregistered && may.reject && (
            <Form {...quiet} className="decide-yes" fields={{ ...fieldsOf('reject'), silent: 'yes' }}>
              <Submit tone="danger">{say('Reject')}</Submit>
            </Form>
          )}
          {reasons.map((action) => (
            <DecideWithReason
              key={action}
              action={action}
              start={open === action ? start : quiet}
              fields={fieldsOf(action)}
              typed={open === action ? typed : null}
              ends={ends ?? null}
            />
          ))}
        </div>
      )}
      <NotTaken message={isShown ? null : start.message} wrote={typed.one('reason')} />
      {letsIn && asksForPower && (
        <ConfirmPower
          of={of}
          start={start}
          fields={fieldsOf(letsIn)}
          {...{ from, place }}
          formId={hasTerms ? TERMS_FORM : null}
        />
      )}
      {!letsIn && (of.state === 'pending' || of.state === 'suspended') && (
        <Callout>
          <p>{say('This is your own request, or your own client: another approver has to decide on it.')}</p>
        </Callout>
      )}
      {children}
      {hasTerms && (
        <Form
          {...(open === letsIn ? start : quiet)}
          id={TERMS_FORM}
          className="form decide-terms"
          fields={fieldsOf(letsIn)}
        >
          <ApproveTerms of={of} typed={open === letsIn ? typed : null} />
        </Form>
      )}
    </>
  );
}
