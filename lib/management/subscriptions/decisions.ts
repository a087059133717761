// Decisions on subscriptions: by an administrator or an approver of that API, never on one's own client or request. Of
// two decisions at the same time one is refused.

import { tellApprovers, tellRequester } from '#lib/mail/tell-subscription.ts';
import type { Decidable } from '#lib/registry/objects/api.ts';
import { type SubscriptionRow, TERM_NAMES } from '#lib/registry/objects/subscription.ts';
import {
  DECISIONS,
  type Decision,
  decide,
  isAsApproved,
  powersOf,
  type SubscriptionState,
} from '#lib/registry/objects/subscription-states.ts';
import { inTransaction } from '#lib/store/database/prisma.ts';
import {
  findSubscription,
  type SubscriptionStep,
  selectSubscriptionSteps,
} from '#lib/store/registry/subscriptions.ts';
import type { Pair } from '../core/consequences.ts';
import { operation } from '../core/operation.ts';
import {
  type Actor,
  idOf,
  isDeciderOf,
  nameOf,
  refuseSelf,
  requireDecider,
  requireRecent,
} from '../core/policy.ts';
import { countEdit } from '../core/quotas.ts';
import { record } from '../core/record.ts';
import { Refused, refuseStale, writtenText } from '../core/refused.ts';
import { takeStep } from './subscription-steps.ts';
import { type ApprovalTerms, changedTerms, termsOf } from './subscription-terms.ts';

const PAST = {
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
  resume: 'resumed',
  revoke: 'revoked',
} as const;

type Deciding = Pair & {
  action: Decision;
  reason?: string | undefined;
  version?: number | undefined;
} & ApprovalTerms;

export const decideSubscription = operation(
  'decideSubscription',
  async ({ actor }, input: Deciding): Promise<SubscriptionState> => {
    const { action } = input;
    if (!DECISIONS.includes(action))
      throw new Refused('subscription.decisions', { decisions: DECISIONS.join(', ') });
    if (letsIn(action)) requireRecent(actor);
    await countEdit(actor);
    return decideOne(actor, input);
  },
);

/**
 * One decision, of an actor who is recent enough and whose changes were counted. `read`: the row as it was seen; a
 * change since is refused.
 */
export async function decideOne(
  actor: Actor,
  input: Deciding,
  read?: SubscriptionRow | null,
): Promise<SubscriptionState> {
  const { clientId, api, action } = input;
  const reason = writtenText('reason', input.reason);
  const to = await inTransaction(async (db) => {
    const row = read === undefined ? await findSubscription(db, clientId, api) : read;
    if (!row) throw new Refused('subscription.unknown', { client: clientId, api });
    requireDecider(actor, row);
    refuseSelf(actor, clientId);
    if (letsIn(action)) refuseOwn(actor, row, action);
    const { state } = row;
    const terms = await termsOf(db, row, input);
    const next = leadsTo(action, row, await selectSubscriptionSteps(db, clientId, api));
    // before the state: another decider was faster, and that is what the caller should hear
    refuseStale(`${clientId} to ${api}`, input.version, row.version);
    if (next === null) {
      throw new Refused('subscription.state', { client: clientId, api, state, wanted: PAST[action] });
    }
    const event = action === 'resume' && next === 'pending' ? 'returned_to_pending' : PAST[action];
    const decided = { ...terms, reason, decidedBy: idOf(actor), undoable: isUndoable(action) };
    const step = { to: next, ...powersOf(row), ...decided };
    await takeStep({ actor, db }, input, row, step, `subscription.${event}`, reason);
    if (next === 'approved' && row.clientOrigin !== null)
      await record(actor, { event: 'agent.approved', clientId, apiId: api, details: terms }, db);
    if (next === 'pending') await tellApprovers(db, input);
    return next;
  });
  if (to !== 'pending') tellRequester(input, { decision: PAST[action], reason });
  return to;
}

/**
 * Who may use it, and how long what a person allows lasts, of one that is approved already. It may let more people in.
 */
export const changeTerms = operation(
  'changeTerms',
  async (
    { actor, db },
    input: Pair & { version?: number | undefined } & Omit<ApprovalTerms, 'scopes'>,
  ): Promise<void> => {
    await countEdit(actor);
    const { clientId, api } = input;
    const row = await findSubscription(db, clientId, api);
    if (!row) throw new Refused('subscription.unknown', { client: clientId, api });
    requireDecider(actor, row);
    refuseSelf(actor, clientId);
    refuseOwn(actor, row, 'change');
    const { state: to, scopes, reason } = row;
    const terms = await changedTerms(
      db,
      row,
      Object.fromEntries(TERM_NAMES.map((name) => [name, input[name]])),
    );
    refuseStale(`${clientId} to ${api}`, input.version, row.version);
    if (!hasTerms(row))
      throw new Refused('subscription.terms_by_approval', { client: clientId, api, state: to });
    const step = { to, ...powersOf(row), scopes, reason, ...terms };
    await takeStep({ actor, db }, input, row, step, 'subscription.terms_changed');
  },
);

/** The next state. A subscription that was changed while suspended resumes as pending: the change has no approval. */
function leadsTo(
  action: Decision,
  row: SubscriptionRow,
  history: SubscriptionStep[],
): SubscriptionState | null {
  const next = decide(row.state, action);
  if (action !== 'resume' || next !== 'approved') return next;
  const approved = history.findLast((step) => step.to === 'approved' && step.undoneAt === null);
  const asApproved =
    approved !== undefined &&
    isAsApproved({ ...row, kind: row.clientKind }, { ...approved, kind: approved.clientKind });
  return asApproved ? 'approved' : 'pending';
}

type Asked = Decidable & Pick<SubscriptionRow, 'state' | 'requestedBy' | 'ownerId'>;
export type MayDecide = Record<Decision, boolean>;

/** May this actor change the terms now? For pages; the operation itself checks again. */
export const mayChangeTerms = (actor: Actor, row: Asked): boolean =>
  hasTerms(row) && isDeciderOf(actor, row) && actor.kind !== 'machine' && ownPart(actor, row) === null;

const hasTerms = ({ state }: Pick<Asked, 'state'>) => state === 'approved' || state === 'suspended';

/** The decisions that this actor may take now, for pages; the decision itself checks again. */
export function mayDecide(actor: Actor, row: Asked): MayDecide {
  const decider = isDeciderOf(actor, row);
  const barred = actor.kind === 'machine' || ownPart(actor, row) !== null;
  const may = (action: Decision) =>
    decider && decide(row.state, action) !== null && !(letsIn(action) && barred);
  return Object.fromEntries(DECISIONS.map((action) => [action, may(action)])) as MayDecide;
}

const isUndoable = (action: Decision) => action === 'approve' || action === 'reject';

const letsIn = (action: Decision) => action === 'approve' || action === 'resume';

/**
 * Four eyes (case AD-03): neither the requester nor the owner of the client approves or resumes, or says who may use
 * it.
 */
function refuseOwn(actor: Actor, row: Asked, action: Decision | 'change'): void {
  const part = ownPart(actor, row);
  if (part === null) return;
  throw new Refused('decider.own', { actor: nameOf(actor), part, action });
}

function ownPart(actor: Actor, row: Asked): string | null {
  const me = idOf(actor);
  if (me === null) return null;
  if (row.requestedBy === me) return 'asked for this subscription';
  return row.ownerId === me ? 'owns this client' : null;
}
