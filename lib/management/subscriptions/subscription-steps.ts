// A step of a subscription's life: stored, with who took it and why in the audit log.
import type { EventName } from '#lib/audit/events.ts';
import { isSubjectForm } from '#lib/registry/clients/subject-forms.ts';
import { type SubscriptionRow, type TermsChange, termsNamed } from '#lib/registry/objects/subscription.ts';
import { type Powers, powersOf, sameSet } from '#lib/registry/objects/subscription-states.ts';
import { type Step, stepSubscription } from '#lib/store/registry/subscriptions.ts';
import { changesOf } from '../core/changes.ts';
import type { Pair } from '../core/consequences.ts';
import type { Context } from '../core/operation.ts';
import { whoOf } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, stale } from '../core/refused.ts';

type StepEvent = EventName & `subscription.${string}`;

/**
 * `before`: the row that was read; null: create it. Refused if it has changed since. `why`: the reason in the audit
 * log.
 */
export async function takeStep(
  { actor, db }: Context,
  pair: Pair,
  before: SubscriptionRow | null,
  step: Pick<Step, 'to' | 'scopes'> & Powers & Partial<Step>,
  event: StepEvent,
  why: string | null = null,
): Promise<void> {
  const { clientId, api } = pair;
  if (step.machine && (step.to === 'pending' || step.to === 'approved')) refuseNameOfPerson(clientId);
  const taken = await stepSubscription(db, pair, before, { reason: null, ...whoOf(actor), ...step });
  if (!taken) throw stale(`${clientId} to ${api}`);
  const { to, scopes } = step;
  const facts = { from: before?.state ?? null, to, ...powersOf(step), scopes, ...termsTold(before, step) };
  const diff = before === null ? null : diffOf(before, step);
  // who approved it has read these
  const names = to === 'approved' &&
    before !== null &&
    typeof before.clientNames !== 'string' && { names: before.clientNames };
  const details = { ...facts, ...diff, ...names, ...(why !== null && { reason: why }) };
  await record(actor, { event, clientId, apiId: api, details }, db);
}

/** What the step changes beside the state; null: nothing. */
function diffOf(before: SubscriptionRow, step: Pick<Step, 'scopes'> & Powers & TermsChange) {
  const scopes = sameSet(before.scopes, step.scopes) ? before.scopes : step.scopes;
  const diff = changesOf(before, { ...powersOf(step), scopes, ...Object.fromEntries(termsNamed(step)) });
  return diff.changed.length === 0 ? null : diff;
}

/** The terms that the step names, but for those that there were none of before and are none of now. */
function termsTold(before: SubscriptionRow | null, step: TermsChange): TermsChange {
  return Object.fromEntries(
    termsNamed(step).filter(([name, now]) => (now ?? before?.[name] ?? null) !== null),
  );
}

/**
 * The subject of a machine's tokens is the client's id: an API would take such a one for the person (RFC 9700 §4.15.1).
 */
function refuseNameOfPerson(clientId: string): void {
  if (!isSubjectForm(clientId)) return;
  throw faulty([faultAt('machine', 'agent.name_of_person', { client: clientId })]);
}
