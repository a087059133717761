// Decisions on subscriptions: by an administrator or an approver of that API, never on one's own client or request. Of two
// decisions at the same time one is refused.
import { z } from 'zod';
import {
  DECISIONS,
  type Decision,
  decide,
  isAsApproved,
  machineFault,
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
  refuseSelf,
  requireDecider,
  requireRecent,
} from './policy.ts';
import { countEdit } from './quotas.ts';
import { record } from './record.ts';
import { faulty, Refused, refuseStale } from './refused.ts';
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
    input: Pair & {
      action: Decision;
      reason?: string | undefined;
      version?: number | undefined;
    } & Terms,
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
      refuseSelf(actor, clientId);
      if (letsIn(action)) refuseOwn(actor, row, action);
      const { state } = row;
      const terms = termsOf(row, input);
      const next = leadsTo(action, row, await selectSubscriptionSteps(db, clientId, api));
      // before the state: another decider was faster, and that is what the caller should hear
      refuseStale(`${clientId} to ${api}`, input.version, row.version);
      if (next === null) {
        throw new Refused(`${clientId} to ${api} is ${state}: it cannot be ${PAST[action]}`, 'conflict');
      }
      const event = action === 'resume' && next === 'pending' ? 'returned_to_pending' : PAST[action];
      const step = { to: next, ...powersOf(row), ...terms, reason, decidedBy: idOf(actor) };
      await takeStep({ actor, db }, input, row, step, `subscription.${event}`, reason);
      if (next === 'approved' && row.clientOrigin !== null)
        await record(actor, { event: 'agent.approved', clientId, apiId: api, details: terms }, db);
      return next;
    });
    if (to === 'pending') tellApprovers(input);
    else tellRequester(input, { decision: PAST[action], reason });
    return to;
  },
);

/** What an approval decides besides. */
type Terms = {
  /**
   * the ceiling; left out: what was asked for. Among that, but of an agent among all of the API: its first request names what its
   * first call needs, and nobody could let it ask for more later.
   */
  scopes?: string[] | undefined;
  /** how long what a person allows lasts; null: as long as for any client; left out: what it is */
  maxDays?: number | null | undefined;
};

function termsOf(row: SubscriptionRow, { action, scopes, maxDays }: Terms & { action: Decision }) {
  if (action !== 'approve' && (scopes !== undefined || maxDays !== undefined))
    throw new Refused('only an approval sets scopes and days');
  const all = row.apiScopes.map(({ name }) => name);
  const asked = row.scopes.length === 0 || row.clientOrigin !== null ? all : row.scopes;
  const other = scopes?.find((name) => !asked.includes(name));
  if (other !== undefined) throw faulty([{ field: 'scopes', message: `${other} was not asked for` }]);
  if (scopes?.length === 0 && all.length > 0)
    throw faulty([{ field: 'scopes', message: 'approve at least one scope, or reject the request' }]);
  const days = z.int().min(1).max(3650).nullish().safeParse(maxDays);
  if (!days.success)
    throw faulty([{ field: 'maxDays', message: 'max_days must be a whole number from 1 to 3650' }]);
  const ceiling = scopes === undefined ? row.scopes : [...new Set(scopes)];
  const unbounded = action === 'approve' ? machineFault(row.api, row.machine, ceiling) : null;
  if (unbounded !== null) throw faulty([{ field: 'scopes', message: unbounded }]);
  return {
    // those that were read, also where they are all: what the API gets later is not among them
    scopes: ceiling,
    maxDays: maxDays === undefined ? row.maxDays : maxDays,
  };
}

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
  const barred = actor.kind === 'machine' || ownPart(actor, row) !== null;
  const may = (action: Decision) =>
    decider && decide(row.state, action) !== null && !(letsIn(action) && barred);
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
