// Decisions on subscriptions: one, many, and undo.
import { sendHeldMails, tellApprovers, tellRequester } from '#lib/mail/request-mails.ts';
import type { Decidable } from '#lib/registry/api.ts';
import {
  DECISIONS,
  type Decision,
  decide,
  isAsApproved,
  powersOf,
  type SubscriptionRow,
  type SubscriptionState,
  TERM_NAMES,
} from '#lib/registry/subscription.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import {
  findLastStep,
  findSubscription,
  isUsedSince,
  type SubscriptionStep,
  selectSubscriptionSteps,
  undoStep,
} from '#lib/store/subscriptions.ts';
import type { Pair } from './consequences.ts';
import { countEdit, operation } from './operations.ts';
import {
  type Actor,
  idOf,
  isDeciderOf,
  nameOf,
  refuseSelf,
  requireDecider,
  requireRecent,
  whoOf,
} from './policy.ts';
import { record } from './record.ts';
import { faultAt, faulty, Refused, refuseStale, stale, writtenText } from './refused.ts';
import { type ApprovalTerms, changedTerms, takeStep, termsOf } from './subscription-steps.ts';

// One decision of an administrator, or of an approver of the API, never on their own client or request. Of two
// concurrent decisions one is refused.

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

/** Bulk decision. `read`: row at the start, later changes are refused; `held`: mail ids. */
type OfMany = { read: SubscriptionRow | null; held: string[] };

/** Skips `requireRecent` and `countEdit`: callers run both. */
async function decideOne(actor: Actor, input: Deciding, ofMany?: OfMany): Promise<SubscriptionState> {
  const { clientId, api, action } = input;
  const reason = writtenText('reason', input.reason);
  return inTransaction(async (db) => {
    const row = ofMany ? ofMany.read : await findSubscription(db, clientId, api);
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
    else await tellRequester(db, input, { decision: PAST[action], reason }, ofMany?.held);
    return next;
  });
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

// One decision on many requests: each is a step, an event and a transaction of its own, so that one that cannot be
// taken loses no other. Each is read once, and a change since is told. What became of each is told. Ten count as one
// change (operations.ts).

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
    const held: string[] = [];
    try {
      for (const [{ clientId, api, version, scopes }, read] of seen) {
        try {
          const one = { clientId, api, action, reason, version, scopes };
          const state = await decideOne(actor, one, { read, held });
          decided.push({ clientId, api, state, error: null });
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          decided.push({ clientId, api, state: null, error: error.message });
        }
      }
    } finally {
      await sendHeldMails(held);
    }
    return decided;
  },
);

// An approval or a rejection is taken back by who decided, within ten seconds and before it was used. A token request
// that was in flight meanwhile may still be answered: what it gave rests on an approval that is not there, so it is
// inactive until the next one.

/** For so long a decision may be taken back. */
export const UNDO_SECONDS = 10;

export const undoDecision = operation(
  'undoDecision',
  // not counted as a change: each takes back one that was
  ({ actor }, input: Undoing): Promise<SubscriptionState> => undoOne(actor, input),
);

/** Separate transactions. Returns the refusal per request; null: undone. */
export const undoDecisions = operation(
  'undoDecisions',
  async ({ actor }, { requests }: { requests: readonly Undoing[] }): Promise<(Refused | null)[]> => {
    if (requests.length > MOST_AT_ONCE)
      throw faulty([faultAt('requests', 'subscription.many', { most: MOST_AT_ONCE })]);
    const refused: (Refused | null)[] = [];
    const held: string[] = [];
    try {
      for (const request of requests) {
        try {
          await undoOne(actor, request, held);
          refused.push(null);
        } catch (error) {
          if (!(error instanceof Refused)) throw error;
          refused.push(error);
        }
      }
    } finally {
      await sendHeldMails(held);
    }
    return refused;
  },
);

type Undoing = Pair & { version?: number | undefined };

function undoOne(actor: Actor, input: Undoing, held?: string[]): Promise<SubscriptionState> {
  const { clientId, api } = input;
  const pair = { client: clientId, api };
  return inTransaction(async (db) => {
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
    // after the change of the row: earlier uses are visible, later uses need no lock
    if (row.state === 'approved' && (await isUsedSince(db, input, last.id)))
      throw new Refused('subscription.undo_used', pair);
    const after = await findSubscription(db, clientId, api);
    if (!after) throw stale(`${clientId} to ${api}`);
    const { state: to, scopes } = after;
    const details = { from: row.state, to, ...powersOf(after), scopes };
    await record(actor, { event: 'subscription.decision_undone', clientId, apiId: api, details }, db);
    await tellRequester(db, input, { decision: 'undone', reason: null }, held);
    return to;
  });
}
