// Decisions on subscriptions: by an administrator or an approver of that API, never on one's own request, and of two
// deciders at once only one decides.
import {
  type Db,
  findSubscription,
  inTransaction,
  moveSubscription,
  type SubscriptionRow,
} from '#lib/store/index.ts';
import { tellRequester } from './notices.ts';
import { operation } from './operation.ts';
import {
  type Actor,
  idOf,
  isDeciderOf,
  nameOf,
  requireAction,
  requireDecider,
  requireRecent,
} from './policy.ts';
import { countEdit } from './quotas.ts';
import { Refused, stale } from './refused.ts';
import { DECISIONS, type Decision, decide, type SubscriptionState } from './subscription-states.ts';
import { type Pair, recordStep } from './subscription-steps.ts';

const PAST = {
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
  resume: 'resumed',
  revoke: 'revoked',
} as const;

export const decideSubscription = operation(
  'decideSubscription',
  async (
    actor: Actor,
    input: Pair & { action: Decision; reason?: string | undefined; version?: number | undefined },
  ): Promise<SubscriptionState> => {
    requireAction(actor, 'subscriptions.decide');
    const { clientId, api, action } = input;
    if (!DECISIONS.includes(action)) throw new Refused(`the decisions are ${DECISIONS.join(', ')}`);
    if (letsIn(action)) requireRecent(actor);
    await countEdit(actor);
    const reason = input.reason?.trim() || null;
    if ((reason ?? '').length > 2000) throw new Refused('a reason has at most 2000 characters');
    const to = await inTransaction(async (db: Db) => {
      const row = await findSubscription(db, clientId, api);
      if (!row) throw new Refused(`there is no subscription of ${clientId} to ${api}`, 'not-found');
      requireDecider(actor, row.approvers);
      if (letsIn(action) && isOwnRequest(actor, row)) {
        const message = `${nameOf(actor)} asked for this subscription: somebody else has to ${action} it`;
        throw new Refused(message, 'forbidden');
      }
      const from = row.state;
      const next = decide(from, action);
      // told as what it is: the one who was faster has decided
      if (input.version !== undefined && input.version !== row.version) throw stale(`${clientId} to ${api}`);
      if (next === null) {
        throw new Refused(`${clientId} to ${api} is ${from}: it cannot be ${PAST[action]}`, 'conflict');
      }
      const { trusted, scopes, version } = row;
      const who = { actor: nameOf(actor), actorId: idOf(actor) };
      const step = { clientId, api, to: next, trusted, scopes, ...who, reason };
      const moved = await moveSubscription(db, { ...step, version, decided: true, decidedBy: idOf(actor) });
      if (!moved) throw stale(`${clientId} to ${api}`);
      const details = { from, to: next, trusted, scopes, ...(reason ? { reason } : {}) };
      await recordStep(db, actor, `subscription.${PAST[action]}`, input, details);
      return next;
    });
    tellRequester(input, { decision: PAST[action], reason });
    return to;
  },
);

type Decidable = Pick<SubscriptionRow, 'approvers' | 'state' | 'requestedBy' | 'ownerId'>;
export type MayDecide = Record<Decision, boolean>;

/** What this actor may decide here and now; the decision itself asks again. */
export function mayDecide(actor: Actor, row: Decidable): MayDecide {
  const decider = isDeciderOf(actor, row.approvers);
  const may = (action: Decision) =>
    decider && decide(row.state, action) !== null && !(letsIn(action) && isOwnRequest(actor, row));
  return Object.fromEntries(DECISIONS.map((action) => [action, may(action)])) as MayDecide;
}

const letsIn = (action: Decision) => action === 'approve' || action === 'resume';

/** Four eyes (case AD-03): who asked, and whose client it is, does not let it in. */
function isOwnRequest(actor: Actor, row: Decidable): boolean {
  const me = idOf(actor);
  return me !== null && (row.requestedBy === me || (row.requestedBy === null && row.ownerId === me));
}
