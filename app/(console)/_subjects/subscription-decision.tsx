// Subscription request and decision. The bar of buttons is at the top, so that buttons keep their position from one
// request to the next.
import type { ReactNode } from 'react';
import { CLIENT_KIND_WORDS, type ClientKind } from '#lib/catalogue/clients/definition.ts';
import { type Decision, isPowerful, reachOf } from '#lib/catalogue/subscriptions/definition.ts';
import type { SubscriptionView } from '#lib/catalogue/subscriptions/operations.ts';
import { inEnglish } from '#lib/language/words.ts';
import { OPENID_SCOPES } from '#lib/registry/claims.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { ASKED_ID } from '../_kit/console-form.ts';
import type { FormValues } from '../_kit/draft.ts';
import { TextArea } from '../_kit/fields.tsx';
import { Form, Submit } from '../_kit/form.tsx';
import type { FormStart } from '../_kit/page-start.tsx';
import { Callout, Fact, Facts, When } from '../_kit/pieces.tsx';
import {
  approvalOf,
  askedSince,
  deviceMeans,
  machineMeans,
  powersInWords,
  trustedMeans,
} from '../_kit/subscription-words.ts';
import { currentWords, Say, say } from '../_texts/say.tsx';
import { toSay } from '../_texts/to-say.ts';
import { BrandPreview } from './brand-panel.tsx';
import { type Place, requestPath } from './inbox-place.ts';
import {
  FoldedTexts,
  OtherNames,
  requesterIn,
  ShownFacts,
  type ShownToPeople,
  UnregisteredClientFacts,
  UnregisteredClientWarnings,
} from './subscription-facts.tsx';
import { ApproveTerms, TermsFacts } from './subscription-terms.tsx';

// Button for a decision that needs a reason. It opens the field for the reason.

type Words = { open: string; label: string; hint: string; submit: string };
const WORDS = toSay({
  reject: {
    open: 'Reject with a reason…',
    label: 'Reason for rejection',
    hint: 'The requester sees this and can change the request.',
    submit: 'Reject with reason',
  },
  suspend: {
    open: 'Suspend…',
    label: 'Why?',
    hint: 'The client gets no new tokens and cannot renew any until the subscription is resumed. Tokens that have not expired then work again.',
    submit: 'Suspend',
  },
  revoke: {
    open: 'Revoke…',
    label: 'Why?',
    hint: 'The subscription’s tokens are revoked. The developer can request a new subscription, which needs approval.',
    submit: 'Revoke',
  },
}) satisfies Partial<Record<Decision, Words>>;

type Ends = { endsTokens: number; people: number };

function endsInWords(action: 'suspend' | 'revoke', { endsTokens: tokens, people }: Ends): string {
  if (tokens === 0) return say('There are no active sign-ins or tokens.');
  if (action === 'suspend')
    return say(
      'This suspends {tokens, plural, one {# sign-in or token} other {# sign-ins and tokens}} of {people, plural, one {# person} other {# people}} until the subscription is resumed.',
      { tokens, people },
    );
  return say(
    'This revokes {tokens, plural, one {# sign-in or token} other {# sign-ins and tokens}} of {people, plural, one {# person} other {# people}}.',
    { tokens, people },
  );
}

type WithReasonProps = {
  action: keyof typeof WORDS;
  start: FormStart;
  fields: Record<string, string | number>;
  /** the typed reason; null: the field is closed */
  typed: FormValues | null;
  /** valid tokens that the decision revokes; null: it revokes none */
  ends: Ends | null;
};

function DecideWithReason({ action, start, fields, typed, ends }: WithReasonProps) {
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

// Approving extra permissions requires confirmation. The confirmation is below the buttons, so that a double click
// does not confirm.

type ConfirmPowerProps = {
  of: SubscriptionView;
  start: FormStart;
  fields: Record<string, string | number>;
  from: 'inbox' | 'subscription';
  place?: Place | undefined;
  /** the form that contains the terms of the approval; null: none */
  formId: string | null;
};

function ConfirmPower({ of, start, fields, from, place, formId }: ConfirmPowerProps) {
  const { told } = currentWords();
  const confirmed = inEnglish(powersInWords(of));
  const powers = told(powersInWords(of));
  const resumes = fields['action'] === 'resume';
  const client = plainText(of.clientName);
  const page = `/admin/subscriptions/${encodeURIComponent(of.clientId)}/${encodeURIComponent(of.api)}`;
  const words = resumes ? say('Resume as {powers}', { powers }) : say('Approve as {powers}', { powers });
  const leave = { href: from === 'inbox' && place ? requestPath(of, place) : page, label: say('Not now') };
  return (
    <section className="confirm-power" id={ASKED_ID} tabIndex={-1} aria-labelledby="confirm-power">
      <Callout>
        <h2 id="confirm-power">
          {resumes
            ? say('Resume {client} as {powers}?', { client, powers })
            : say('Approve {client} as {powers}?', { client, powers })}
        </h2>
        {of.trusted && (
          <p>
            <strong>{say('Trusted:')}</strong> {told(trustedMeans(of.apiName))}
          </p>
        )}
        {of.machine && (
          <p>
            <strong>{say('Machine:')}</strong> {told(machineMeans(of))}
          </p>
        )}
        {of.device && (
          <p>
            <strong>{say('Device:')}</strong> {told(deviceMeans(of.apiName))}
          </p>
        )}
        {formId === null ? (
          <Form {...start} fields={{ ...fields, confirmed }} submit={words} leave={leave} />
        ) : (
          <p className="form-actions">
            <Submit form={formId} name="confirmed" value={confirmed}>
              {words}
            </Submit>
            <a className="button quiet" href={leave.href}>
              {leave.label}
            </a>
          </p>
        )}
      </Callout>
    </section>
  );
}

/** Shown if another user has decided the request: the message and the typed text, without a form. */
export function NotTaken({ message, wrote }: { message: string | null; wrote: string }) {
  if (message === null) return null;
  return (
    <div role="alert">
      <Callout tone="refused">
        <p>{message}</p>
        {wrote !== '' && <blockquote>{wrote}</blockquote>}
      </Callout>
    </div>
  );
}

type DecideProps = {
  of: SubscriptionView;
  start: FormStart;
  typed: FormValues;
  /** the page that is shown after the decision */
  from: 'inbox' | 'subscription';
  /** state of the inbox, if the page is the inbox */
  place?: Place;
  /** tokens that a suspension or revocation revokes; missing: the page offers neither decision */
  ends?: Ends;
  /** the facts about the request */
  children?: ReactNode;
};

const TERMS_FORM = 'approve-with-terms';

/** One button for each permitted decision of the actor. */
export function Decide({ of, start, typed, from, place, ends, children }: DecideProps) {
  const { may } = of;
  // an unregistered client was not built by the user who requests its approval, so this user cannot change it
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
    letsIn !== null && open === letsIn && isPowerful(of) && (typed.confirming || typed.isTicked('confirmed'));
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
          <p>{say('This is your own request or your own client: another approver must decide.')}</p>
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

/** Text that says where a client of each kind runs. */
const RUNS: Readonly<Record<ClientKind, string>> = toSay({
  confidential: 'on a server.',
  browser: 'in the browser.',
  native: 'on a phone or desktop.',
});

/**
 * Facts for the decision: who requests, which scopes, redirect addresses, changes, and the meaning of each
 * permission.
 */
export function RequestFacts({ of }: { of: SubscriptionView }) {
  const { told } = currentWords();
  const shownToPeople = shownOf(of);
  const askedAt = askedSince(of);
  return (
    <>
      <SinceApproval of={of} />
      {of.clientOrigin !== null && <UnregisteredClientWarnings of={of} />}
      <OtherNames of={shownToPeople} />
      <Facts>
        <ShownFacts of={shownToPeople} />
        <Fact name={say('Requested by')}>
          <bdi>{requesterIn(of)}</bdi>, <When at={askedAt} />
          {of.updatedAt > askedAt && (
            <span className="soft">
              {' '}
              <Say text="(last changed {time})" values={{ time: <When at={of.updatedAt} /> }} />
            </span>
          )}
          {of.ownerEmail && of.requestedByEmail && of.ownerEmail !== of.requestedByEmail && (
            <span className="soft"> {say('(the client belongs to {owner})', { owner: of.ownerEmail })}</span>
          )}
        </Fact>
        {of.clientOrigin !== null && <UnregisteredClientFacts of={of} />}
        <Fact name={say('Client')}>
          <code>{of.clientId}</code> {say(RUNS[of.clientKind])}{' '}
          <span className="soft">{say(CLIENT_KIND_WORDS[of.clientKind].note)}</span>
          {of.clientDisabled && ` ${say('Currently disabled.')}`}
        </Fact>
        {of.clientBrand && (
          <Fact name={say('Shown to people')}>
            <BrandPreview name={of.clientName} brand={of.clientBrand} />
            {of.sinceApproval?.brand && (
              <span className="soft">{say('Changed since the last approval.')}</span>
            )}
          </Fact>
        )}
        <Fact name={say('Redirects to')}>
          {of.redirectUris.length === 0 ? (
            say('none: no redirect address is registered')
          ) : (
            <ul>
              {of.redirectUris.map((uri) => (
                <li key={uri}>
                  <code>{uri}</code>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        <Fact name={say('Scopes')}>
          <ul>
            {reachOf(of).map(({ name, description }) => (
              <li key={name}>
                <FoldedTexts of={description || name} /> <code>{name}</code>
              </li>
            ))}
          </ul>
          <p className="soft">{say('Like every client, the application can also ask a person for:')}</p>
          <ul className="soft">
            {OPENID_SCOPES.map(({ name, description }) => (
              <li key={name}>
                <FoldedTexts of={description} /> <code>{name}</code>
              </li>
            ))}
          </ul>
        </Fact>
        <TermsFacts of={of} />
        <Fact name={say('Message')}>
          {of.message ? <blockquote>{of.message}</blockquote> : <span className="soft">{say('None')}</span>}
        </Fact>
        {of.reason && of.state !== 'approved' && (
          <Fact name={say('Last reason')}>
            <blockquote>{of.reason}</blockquote>
          </Fact>
        )}
      </Facts>
      {of.machine && (
        <Callout>
          <p>
            <strong>{say('In its own name means:')}</strong> {told(machineMeans(of))}
          </p>
        </Callout>
      )}
      {of.device && (
        <Callout>
          <p>
            <strong>{say('Device means:')}</strong> {told(deviceMeans(of.apiName))}
          </p>
        </Callout>
      )}
      {of.trusted && (
        <Callout>
          <p>
            <strong>{say('Trusted means:')}</strong> {told(trustedMeans(of.apiName))}
          </p>
        </Callout>
      )}
    </>
  );
}

const shownOf = (of: SubscriptionView): ShownToPeople => ({
  ...{ clientId: of.clientId, name: of.clientNames, logoUri: of.clientLogoUri, tosUri: of.clientTosUri },
  ...{ policyUri: of.clientPolicyUri, redirectUris: of.redirectUris },
});

function SinceApproval({ of }: { of: SubscriptionView }) {
  const { sinceApproval, state } = of;
  if (!sinceApproval || state === 'approved') return null;
  const approvedAt = approvalOf(of);
  const isAnother =
    approvedAt !== undefined && of.clientChangedAt !== null && of.clientChangedAt > approvedAt;
  const { trusted, machine, device, kind } = sinceApproval;
  const { scopesAdded, scopesRemoved, redirectUrisAdded, redirectUrisRemoved } = sinceApproval;
  const lines = [
    ...(trusted ? [trusted.now ? say('Now requests trust.') : say('No longer requests trust.')] : []),
    ...(machine
      ? [
          machine.now
            ? say('Requests tokens in its own name.')
            : say('No longer requests tokens in its own name.'),
        ]
      : []),
    ...(device
      ? [device.now ? say('Requests to connect devices.') : say('No longer requests to connect devices.')]
      : []),
    ...(kind
      ? [say('The client changed from {before} to {now}.', { before: kind.before, now: kind.now })]
      : []),
    ...(sinceApproval.brand ? [say('The logo or the colours have changed.')] : []),
    ...(isAnother
      ? [say('The name or the redirect addresses have changed: people are asked for consent again.')]
      : []),
    ...scopesAdded.map((name) => say('New scope: {name}', { name })),
    ...scopesRemoved.map((name) => say('Removed scope: {name}', { name })),
    ...redirectUrisAdded.map((uri) => say('New redirect address: {uri}', { uri })),
    ...redirectUrisRemoved.map((uri) => say('Removed redirect address: {uri}', { uri })),
  ];
  return (
    <Callout tone={lines.length > 0 ? 'waiting' : 'good'}>
      <p>
        <strong>
          {lines.length > 0
            ? say('Changes since the last approval')
            : say('No changes since the last approval')}
        </strong>
      </p>
      {lines.length > 0 && (
        <ul>
          {lines.map((line) => (
            <li key={line}>{line}</li>
          ))}
        </ul>
      )}
    </Callout>
  );
}
