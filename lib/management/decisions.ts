// Decisions on subscriptions: by an administrator or an approver of that API, never for one's own client or request, and
// of two deciders at once only one decides.
import {
  DECISIONS,
  type Decision,
  decide,
  isAsApproved,
  type SubscriptionRow,
  type SubscriptionState,
} from '#lib/registry/index.ts';
import {
  type Db,
  findSubscription,
  inTransaction,
  moveSubscription,
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
  requireAction,
  requireDecider,
  requireRecent,
} from './policy.ts';
import { countEdit } from './quotas.ts';
import { Refused, stale } from './refused.ts';
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
      requireDecider(actor, row);
      if (letsIn(action)) refuseOwn(actor, row, action);
      const from = row.state;
      const next = leadsTo(action, row, await selectSubscriptionSteps(db, clientId, api));
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
      const back = action === 'resume' && next === 'pending';
      const event = back ? 'returned_to_pending' : PAST[action];
      await recordStep(db, actor, `subscription.${event}`, input, details);
      return next;
    });
    if (to === 'pending') tellApprovers(input);
    else tellRequester(input, { decision: PAST[action], reason });
    return to;
  },
);

/** What was changed while it was suspended has been approved by nobody: it is resumed to wait for that. */
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

/** What this actor may decide here and now; the decision itself asks again. */
export function mayDecide(actor: Actor, row: Asked): MayDecide {
  const decider = isDeciderOf(actor, row);
  const may = (action: Decision) =>
    decider && decide(row.state, action) !== null && !(letsIn(action) && ownPart(actor, row) !== null);
  return Object.fromEntries(DECISIONS.map((action) => [action, may(action)])) as MayDecide;
}

const letsIn = (action: Decision) => action === 'approve' || action === 'resume';

/** Four eyes (case AD-03): neither who asked nor whose client it is lets it in, whoever asked last. */
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
