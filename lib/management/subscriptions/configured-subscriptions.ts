// A subscription of the configuration file: created, moved to where the plan says, or removed. The plan follows the same
// rules of states as a person's request does (lib/registry/objects/subscription-states.ts).
import { isDeepStrictEqual } from 'node:util';
import {
  type Powers,
  powersOf,
  type RequiredClaim,
  type SubscriptionState,
  samePowers,
  sameSet,
  stateWhenTrustEnds,
} from '#lib/registry/index.ts';
import { findPersonByEmail, findSubscription, removeSubscription } from '#lib/store/index.ts';
import { operation, Refused, record, stale } from '../core/index.ts';
import { type Pair, takeStep } from './subscription-steps.ts';

export type SettledSubscription = Powers & {
  state: SubscriptionState;
  scopes: string[];
  /** who may use it; null: everybody; left out: what it is */
  requiredClaim?: RequiredClaim | null | undefined;
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
    const { state: to, scopes, requiredClaim, approvedBy } = settled;
    const powers = powersOf(settled);
    const row = await findSubscription(db, clientId, api);
    const from = row?.state ?? null;
    // a change of its client may have ended its trust meanwhile
    const expected = planned && row ? [planned, stateWhenTrustEnds(planned, row)] : [planned];
    if (!expected.includes(from)) throw stale(`${clientId} to ${api}`);
    const same = requiredClaim === undefined || isDeepStrictEqual(requiredClaim, row?.requiredClaim ?? null);
    if (row && from === to && samePowers(row, powers) && sameSet(row.scopes, scopes) && same) return;
    const approver =
      approvedBy !== null && to === 'approved' ? await findPersonByEmail(db, approvedBy) : null;
    const reason = row && from === to ? row.reason : null;
    const decider = { actorId: approver?.id ?? null, decidedBy: approver?.id };
    const step = { to, ...powers, scopes, reason, ...decider, ...(!same && { requiredClaim }) };
    await takeStep(context, pair, row, step, eventOf(from, to), approvedBy && `approved_by ${approvedBy}`);
  },
);

function eventOf(from: SubscriptionState | null, to: SubscriptionState) {
  if (from === to) return 'subscription.changed';
  if (to === 'approved') return 'subscription.approved';
  return from === null ? 'subscription.requested' : 'subscription.returned_to_pending';
}
