// An approval or a rejection is taken back by who decided, within ten seconds and before it was used. A token request
// that was in flight meanwhile may still be answered: what it gave rests on an approval that is not there, so it is
// inactive until the next one.
import { tellRequester } from '#lib/mail/tell-subscription.ts';
import { powersOf, type SubscriptionState } from '#lib/registry/objects/subscription-states.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import { findSubscription } from '#lib/store/registry/subscriptions.ts';
import { findLastStep, isUsedSince, undoStep } from '#lib/store/registry/undo-decision.ts';
import type { Pair } from '../core/consequences.ts';
import { operation } from '../core/operation.ts';
import { refuseSelf, requireDecider, whoOf } from '../core/policy.ts';
import { record } from '../core/record.ts';
import { Refused, refuseStale, stale } from '../core/refused.ts';

/** For so long a decision may be taken back. */
export const UNDO_SECONDS = 10;

export const undoDecision = operation(
  'undoDecision',
  // not counted as a change: each takes back one that was
  async ({ actor }, input: Pair & { version?: number | undefined }): Promise<SubscriptionState> => {
    const { clientId, api } = input;
    const pair = { client: clientId, api };
    const state = await inTransaction(async (db) => {
      const row = await findSubscription(db, clientId, api);
      if (!row) throw new Refused('subscription.unknown', pair);
      requireDecider(actor, row);
      refuseSelf(actor, clientId);
      refuseStale(`${clientId} to ${api}`, input.version, row.version);
      const last = await findLastStep(db, input, UNDO_SECONDS);
      const me = whoOf(actor);
      const isMine = last?.actor === me.actor && last.actorId === me.actorId;
      if (!last?.undoable || !isMine || last.version !== row.version)
        throw new Refused('subscription.undo_other', pair);
      if (!last.inTime) throw new Refused('subscription.undo_late', { ...pair, limit: UNDO_SECONDS });
      if (!(await undoStep(db, input, last))) throw stale(`${clientId} to ${api}`);
      // after the row is changed: what is given from now on waits for nothing, and what was given before is seen
      if (row.state === 'approved' && (await isUsedSince(db, input, last.id)))
        throw new Refused('subscription.undo_used', pair);
      const after = await findSubscription(db, clientId, api);
      if (!after) throw stale(`${clientId} to ${api}`);
      const { state: to, scopes } = after;
      const details = { from: row.state, to, ...powersOf(after), scopes };
      await record(actor, { event: 'subscription.decision_undone', clientId, apiId: api, details }, db);
      return to;
    });
    tellRequester(input, { decision: 'undone', reason: null });
    return state;
  },
);
