// A subscription of the configuration file: created, moved to where the plan says, or removed. The plan follows the same
// rules of states as a person's request does (lib/registry/subscription-states.ts).
import type { EventName } from '#lib/audit/index.ts';
import { type SubscriptionState, sameSet, stateWhenTrustEnds } from '#lib/registry/index.ts';
import {
  type Db,
  findPersonByEmail,
  findSubscription,
  insertSubscription,
  inTransaction,
  moveSubscription,
  removeSubscription,
} from '#lib/store/index.ts';
import { operation } from './operation.ts';
import { type Actor, nameOf } from './policy.ts';
import { record } from './record.ts';
import { Refused, stale } from './refused.ts';
import type { Pair } from './subscription-steps.ts';

export type SettledSubscription = {
  state: SubscriptionState;
  trusted: boolean;
  scopes: string[];
  /** the address of whoever approved it, by the file's word */
  approvedBy: string | null;
};

/** `settled` null: it is removed. */
export const settleSubscription = operation(
  'settleSubscription',
  async (
    actor: Actor,
    { clientId, api }: Pair,
    settled: SettledSubscription | null,
    planned: SubscriptionState | null,
  ): Promise<void> => {
    if (actor.kind !== 'configuration')
      throw new Refused('only the configuration file does this', 'forbidden');
    await inTransaction(async (db: Db) => {
      const pair = { clientId, apiId: api };
      if (settled === null) {
        await removeSubscription(db, clientId, api);
        return record(actor, { event: 'subscription.removed', ...pair }, db);
      }
      const { state: to, trusted, scopes, approvedBy } = settled;
      const row = await findSubscription(db, clientId, api);
      const from = row?.state ?? null;
      const expected =
        planned !== null && row !== null ? [planned, stateWhenTrustEnds(planned, row.trusted)] : [planned];
      if (!expected.includes(from)) throw stale(`${clientId} to ${api}`);
      const differs = from !== to || row?.trusted !== trusted || !sameSet(row.scopes, scopes);
      if (!differs) return;
      const approver =
        approvedBy !== null && to === 'approved' ? await findPersonByEmail(db, approvedBy) : null;
      const decidedBy = approver?.id ?? null;
      const step = {
        clientId,
        api,
        to,
        trusted,
        scopes,
        actor: nameOf(actor),
        actorId: decidedBy,
        decidedBy,
      };
      const done = row
        ? await moveSubscription(db, {
            ...step,
            version: row.version,
            decided: approver !== null,
            reason: from === to ? row.reason : null,
          })
        : await insertSubscription(db, { ...step, reason: null, requestedBy: null, message: null });
      if (!done) throw stale(`${clientId} to ${api}`);
      const reason = approvedBy === null ? {} : { reason: `approved_by ${approvedBy}` };
      const details = { from, to, trusted, scopes, ...reason };
      await record(actor, { event: eventOf(from, to), ...pair, details }, db);
    });
  },
);

function eventOf(
  from: SubscriptionState | null,
  to: SubscriptionState,
): EventName & `subscription.${string}` {
  if (from === to) return 'subscription.changed';
  if (to === 'approved') return 'subscription.approved';
  return from === null ? 'subscription.requested' : 'subscription.returned_to_pending';
}
