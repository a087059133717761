// One decision on many requests: each is a step, an event and a transaction of its own, so that one that cannot be
// taken loses no other. Each is read once, and a change since is told. What became of each is told. Ten count as one
// change (quotas.ts).
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import type { SubscriptionState } from '#lib/registry/objects/subscription-states.ts';
import { findSubscription } from '#lib/store/registry/subscriptions.ts';
import type { Pair } from '../core/consequences.ts';
import { operation } from '../core/operation.ts';
import { requireDecider, requireRecent } from '../core/policy.ts';
import { countEdit } from '../core/quotas.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused } from '../core/refused.ts';
import { decideOne } from './decisions.ts';

/** As many are decided at once. */
export const MOST_AT_ONCE = 100;

type One = Pair & { version?: number | undefined; scopes?: string[] | undefined };
export type DecidedOne = Pair & {
  /** null: it was not decided */
  state: SubscriptionState | null;
  /** why not; null: it was decided */
  error: string | null;
};

export const decideSubscriptions = operation(
  'decideSubscriptions',
  async (
    { actor, db },
    input: { action: 'approve' | 'reject'; reason?: string | undefined; requests: readonly One[] },
  ): Promise<DecidedOne[]> => {
    const { action, reason, requests } = input;
    if (action === 'approve') requireRecent(actor);
    const names = new Set(requests.map(({ clientId, api }) => `${api} ${clientId}`));
    if (requests.length === 0 || requests.length > MOST_AT_ONCE || names.size < requests.length)
      throw faulty([faultAt('requests', 'subscription.many', { most: MOST_AT_ONCE })]);
    const seen: [One, SubscriptionRow | null][] = [];
    for (const one of requests) {
      const row = await findSubscription(db, one.clientId, one.api);
      if (row) requireDecider(actor, row);
      seen.push([one, row]);
    }
    for (let at = 0; at < requests.length; at += 10) await countEdit(actor);
    const decided: DecidedOne[] = [];
    for (const [{ clientId, api, version, scopes }, row] of seen) {
      try {
        const state = await decideOne(actor, { clientId, api, action, reason, version, scopes }, row);
        decided.push({ clientId, api, state, error: null });
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        decided.push({ clientId, api, state: null, error: error.message });
      }
    }
    return decided;
  },
);
