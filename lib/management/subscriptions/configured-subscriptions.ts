// A subscription of the configuration file: created, moved to where the plan says, or removed. The plan follows the
// same rules of states as a person's request does (lib/registry/objects/subscription-states.ts).
import { isDeepStrictEqual } from 'node:util';
import { type TermsChange, termsNamed } from '#lib/registry/objects/subscription.ts';
import {
  type Powers,
  powersOf,
  type SubscriptionState,
  samePowers,
  sameSet,
  stateWhenTrustEnds,
} from '#lib/registry/objects/subscription-states.ts';
import { findPersonByEmail } from '#lib/store/people/people.ts';
import { findSubscription, removeSubscription } from '#lib/store/registry/subscriptions.ts';
import type { Pair } from '../core/consequences.ts';
import { operation } from '../core/operation.ts';
import { record } from '../core/record.ts';
import { Refused, stale } from '../core/refused.ts';
import { takeStep } from './subscription-steps.ts';

/** Terms that are left out stay as they are. */
export type SettledSubscription = Powers &
  TermsChange & {
    state: SubscriptionState;
    scopes: string[];
    /** the address of the approver, as the file says */
    approvedBy: string | null;
  };

/** `settled` null: it is removed. `planned`: its state when the plan was made; null: it was not there. */
export const settleSubscription = operation(
  'settleSubscription',
  async (
    context,
    pair: Pair,
    settled: SettledSubscription | null,
    planned: SubscriptionState | null,
  ): Promise<void> => {
    const { actor, db } = context;
    const { clientId, api } = pair;
    if (actor.kind !== 'configuration') throw new Refused('subscription.configuration');
    if (settled === null) {
      await removeSubscription(db, pair);
      return record(actor, { event: 'subscription.removed', clientId, apiId: api }, db);
    }
    const { state: to, scopes, approvedBy } = settled;
    const powers = powersOf(settled);
    const row = await findSubscription(db, clientId, api);
    const from = row?.state ?? null;
    // a change of its client may have ended its trust meanwhile
    const expected = planned && row ? [planned, stateWhenTrustEnds(planned, row)] : [planned];
    if (!expected.includes(from)) throw stale(`${clientId} to ${api}`);
    const terms = termsNamed(settled).filter(
      ([name, value]) => !isDeepStrictEqual(value, row?.[name] ?? null),
    );
    const same = row !== null && samePowers(row, powers) && sameSet(row.scopes, scopes) && terms.length === 0;
    if (same && from === to) return;
    const approver =
      approvedBy !== null && to === 'approved' ? await findPersonByEmail(db, approvedBy) : null;
    const reason = row && from === to ? row.reason : null;
    const decider = { actorId: approver?.id ?? null, decidedBy: approver?.id };
    const step = { to, ...powers, scopes, reason, ...decider, ...Object.fromEntries(terms) };
    await takeStep(context, pair, row, step, eventOf(from, to), approvedBy && `approved_by ${approvedBy}`);
  },
);

function eventOf(from: SubscriptionState | null, to: SubscriptionState) {
  if (from === to) return 'subscription.changed';
  if (to === 'approved') return 'subscription.approved';
  return from === null ? 'subscription.requested' : 'subscription.returned_to_pending';
}
