// Decisions on subscriptions: by an administrator or an approver of that API, never on one's own client or request. Of two
// decisions at the same time one is refused.
import {
  DECISIONS,
  type Decision,
  decide,
  isAsApproved,
  powersOf,
  type SubscriptionRow,
  type SubscriptionState,
} from '#lib/registry/index.ts';
import {
  findSubscription,
  inTransaction,
  type SubscriptionStep,
  selectSubscriptionSteps,
} from '#lib/store/index.ts';
import { tellApprovers, tellRequester } from './notices.ts';
import { operation } from './operation.ts';
import {
  type Actor,
  type Decidable,
  idOf,
  isDeciderOf,
  nameOf,
  requireDecider,
  requireRecent,
} from './policy.ts';
import { countEdit } from './quotas.ts';
import { Refused, refuseStale } from './refused.ts';
import { type Pair, takeStep } from './subscription-steps.ts';

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
    { actor },
    input: Pair & { action: Decision; reason?: string | undefined; version?: number | undefined },
  ): Promise<SubscriptionState> => {
    const { clientId, api, action } = input;
    if (!DECISIONS.includes(action)) throw new Refused(`the decisions are ${DECISIONS.join(', ')}`);
    if (letsIn(action)) requireRecent(actor);
    await countEdit(actor);
    const reason = input.reason?.trim() || null;
    if ((reason ?? '').length > 2000) throw new Refused('a reason has at most 2000 characters');
    const to = await inTransaction(async (db) => {
      const row = await findSubscription(db, clientId, api);
      if (!row) throw new Refused(`there is no subscription of ${clientId} to ${api}`, 'not-found');
      requireDecider(actor, row);
      if (letsIn(action)) refuseOwn(actor, row, action);
      const { state, scopes } = row;
      const next = leadsTo(action, row, await selectSubscriptionSteps(db, clientId, api));
      // before the state: another decider was faster, and that is what the caller should hear
      refuseStale(`${clientId} to ${api}`, input.version, row.version);
      if (next === null) {
        throw new Refused(`${clientId} to ${api} is ${state}: it cannot be ${PAST[action]}`, 'conflict');
      }
      const event = action === 'resume' && next === 'pending' ? 'returned_to_pending' : PAST[action];
      const step = { to: next, ...powersOf(row), scopes, reason, decidedBy: idOf(actor) };
      await takeStep({ actor, db }, input, row, step, `subscription.${event}`, reason);
      return next;
    });
    if (to === 'pending') tellApprovers(input);
    else tellRequester(input, { decision: PAST[action], reason });
    return to;
  },
);

/** The next state. A subscription that was changed while suspended resumes as pending: nobody approved the change. */
function leadsTo(
  action: Decision,
  row: SubscriptionRow,
  history: SubscriptionStep[],
): SubscriptionState | null {
  const next = decide(row.state, action);
  if (action !== 'resume' || next !== 'approved') return next;
  const approved = history.findLast((step) => step.to === 'approved');
  const asApproved =
    approved !== undefined &&
    isAsApproved({ ...row, kind: row.clientKind }, { ...approved, kind: approved.clientKind });
  return asApproved ? 'approved' : 'pending';
}

type Asked = Decidable & Pick<SubscriptionRow, 'state' | 'requestedBy' | 'ownerId'>;
export type MayDecide = Record<Decision, boolean>;

/** The decisions that this actor may take now, for pages; the decision itself checks again. */
export function mayDecide(actor: Actor, row: Asked): MayDecide {
  const decider = isDeciderOf(actor, row);
  const may = (action: Decision) =>
    decider && decide(row.state, action) !== null && !(letsIn(action) && ownPart(actor, row) !== null);
  return Object.fromEntries(DECISIONS.map((action) => [action, may(action)])) as MayDecide;
}

const letsIn = (action: Decision) => action === 'approve' || action === 'resume';

/** Four eyes (case AD-03): neither the requester nor the owner of the client approves or resumes. */
function refuseOwn(actor: Actor, row: Asked, action: Decision): void {
  const part = ownPart(actor, row);
  if (part === null) return;
  throw new Refused(`${nameOf(actor)} ${part}: somebody else has to ${action} it`, 'forbidden');
}

function ownPart(actor: Actor, row: Asked): string | null {
  const me = idOf(actor);
  if (me === null) return null;
  if (row.requestedBy === me) return 'asked for this subscription';
  return row.ownerId === me ? 'owns this client' : null;
}
