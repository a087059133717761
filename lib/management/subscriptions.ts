// Subscriptions: asked for, decided, changed. One compare-and-set a step, so of two deciders at once only one decides.
import { type EventName, record } from '#lib/audit/index.ts';
import {
  type Db,
  findSubscriptionTarget,
  insertSubscription,
  inTransaction,
  listSubscriptionEvents,
  listSubscriptionRows,
  moveSubscription,
  ownConnection,
  type SubscriptionListing,
} from '#lib/store/index.ts';
import {
  type Actor,
  auditName,
  idOf,
  mayDo,
  nameOf,
  Refused,
  requireAction,
  requireDecider,
} from './policy.ts';
import {
  decide,
  mayRequest,
  type SubscriptionState,
  stateWhenChanged,
  stateWhenRequested,
} from './subscription-states.ts';

type Pair = { clientId: string; api: string };
type Decision = 'approve' | 'reject' | 'suspend' | 'resume' | 'revoke';
const PAST = {
  approve: 'approved',
  reject: 'rejected',
  suspend: 'suspended',
  resume: 'resumed',
  revoke: 'revoked',
} as const;

/** Those who decide see all of them, developers those of their own clients. */
export async function listSubscriptions(
  actor: Actor,
  input: Partial<Pair> & { state?: SubscriptionState } = {},
): Promise<SubscriptionListing[]> {
  const all = mayDo(actor, 'subscriptions.see-all');
  if (!all) requireAction(actor, 'subscriptions.request');
  const { clientId = null, api = null, state = null } = input;
  return listSubscriptionRows(ownConnection, { clientId, api, state, ownerId: all ? null : idOf(actor) });
}

export async function subscriptionHistory(actor: Actor, input: Pair) {
  const rows = await listSubscriptions(actor, input);
  return rows.length === 0 ? [] : listSubscriptionEvents(ownConnection, input.clientId, input.api);
}

export async function requestSubscription(
  actor: Actor,
  input: Pair & { trusted?: boolean; scopes?: string[]; message?: string },
): Promise<SubscriptionState> {
  requireAction(actor, 'subscriptions.request');
  const { clientId, api, trusted = false, scopes = [], message = null } = input;
  return inTransaction(async (db: Db) => {
    const target = await targetOf(db, actor, input);
    refuseUnknownScopes(api, scopes, target.api_scopes);
    const [row] = await listSubscriptionRows(db, { clientId, api, ownerId: null, state: null });
    const from = (row?.state ?? null) as SubscriptionState | null;
    if (!mayRequest(from)) throw new Refused(`${clientId} to ${api} is ${from} already`);
    const to = stateWhenRequested({ trusted, requireApproval: target.require_approval });
    // What a person said no to does not come back by asking for it without trust.
    const state = row && to === 'approved' ? 'pending' : to;
    const facts = { clientId, api, to: state, trusted, scopes, reason: null };
    const who = { actor: nameOf(actor), actorId: idOf(actor) };
    const done = row
      ? await moveSubscription(db, {
          ...facts,
          ...who,
          version: row.version,
          decided: false,
          decidedBy: null,
          requestedBy: idOf(actor),
        })
      : await insertSubscription(db, {
          ...facts,
          ...who,
          decidedBy: null,
          requestedBy: idOf(actor),
          message,
        });
    if (!done) throw new Refused(`somebody else changed ${clientId} to ${api} meanwhile`);
    await audit(db, actor, 'subscription.requested', input, { from, to: state, trusted, scopes });
    return state;
  });
}

export async function decideSubscription(
  actor: Actor,
  input: Pair & { action: Decision; reason?: string | undefined; version?: number | undefined },
): Promise<SubscriptionState> {
  requireAction(actor, 'subscriptions.decide');
  const { clientId, api, action } = input;
  const reason = input.reason?.trim() || null;
  if ((reason ?? '').length > 2000) throw new Refused('a reason has at most 2000 characters');
  return inTransaction(async (db: Db) => {
    const [row] = await listSubscriptionRows(db, { clientId, api, ownerId: null, state: null });
    if (!row) throw new Refused(`there is no subscription of ${clientId} to ${api}`);
    requireDecider(actor, { approvers: row.approvers, requestedBy: row.requested_by });
    const lets = action === 'approve' || action === 'resume';
    if (lets && row.requested_by !== null && row.requested_by === idOf(actor)) {
      throw new Refused(`${nameOf(actor)} asked for this subscription: somebody else has to ${action} it`);
    }
    const from = row.state as SubscriptionState;
    const to = decide(from, action);
    if (to === null) throw new Refused(`${clientId} to ${api} is ${from}: it cannot be ${PAST[action]}`);
    const { trusted, scopes } = row;
    const step = { clientId, api, to, trusted, scopes, actor: nameOf(actor), actorId: idOf(actor), reason };
    const version = input.version ?? row.version;
    const moved = await moveSubscription(db, { ...step, version, decided: true, decidedBy: idOf(actor) });
    if (!moved) throw new Refused(`somebody else changed ${clientId} to ${api} meanwhile`);
    const details = { from, to, trusted, scopes, ...(reason ? { reason } : {}) };
    await audit(db, actor, `subscription.${PAST[action]}`, input, details);
    return to;
  });
}

/** Other scopes, or trust asked for or given back: what was trusted waits for approval again. */
export async function changeSubscription(
  actor: Actor,
  input: Pair & { trusted?: boolean; scopes?: string[] },
): Promise<SubscriptionState> {
  requireAction(actor, 'subscriptions.request');
  const { clientId, api } = input;
  return inTransaction(async (db: Db) => {
    const target = await targetOf(db, actor, input);
    const [row] = await listSubscriptionRows(db, { clientId, api, ownerId: null, state: null });
    if (!row) throw new Refused(`there is no subscription of ${clientId} to ${api}`);
    const trusted = input.trusted ?? row.trusted;
    const scopes = input.scopes ?? row.scopes;
    refuseUnknownScopes(api, scopes, target.api_scopes);
    const from = row.state as SubscriptionState;
    if (trusted === row.trusted && sameScopes(scopes, row.scopes)) return from;
    const rules = { wasTrusted: row.trusted, trusted, requireApproval: target.require_approval };
    const to = stateWhenChanged(from, rules);
    const step = {
      clientId,
      api,
      to,
      trusted,
      scopes,
      actor: nameOf(actor),
      actorId: idOf(actor),
      reason: row.reason,
    };
    const asked = { version: row.version, decided: false, decidedBy: null, requestedBy: idOf(actor) };
    if (!(await moveSubscription(db, { ...step, ...asked }))) {
      throw new Refused(`somebody else changed ${clientId} to ${api} meanwhile`);
    }
    const back = from === 'approved' && to === 'pending';
    const event = back ? 'subscription.returned_to_pending' : 'subscription.changed';
    await audit(db, actor, event, input, { from, to, trusted, scopes });
    return to;
  });
}

async function targetOf(db: Db, actor: Actor, { clientId, api }: Pair) {
  const target = await findSubscriptionTarget(db, clientId, api);
  if (!target) throw new Refused(`there is no client ${clientId} or no API ${api}`);
  if (!mayDo(actor, 'clients.manage-all') && target.owner_id !== idOf(actor)) {
    throw new Refused(`${clientId} is not a client of yours`);
  }
  return target;
}

const sameScopes = (a: string[], b: string[]) =>
  a.every((scope) => b.includes(scope)) && b.every((scope) => a.includes(scope));

function refuseUnknownScopes(api: string, scopes: string[], known: string[]): void {
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown !== undefined) throw new Refused(`the API ${api} has no scope ${unknown}`);
}

function audit(
  db: Db,
  actor: Actor,
  event: EventName & `subscription.${string}`,
  pair: Pair,
  details: { from: string | null; to: string; trusted: boolean; scopes: string[]; reason?: string },
): Promise<void> {
  return record({ event, actor: auditName(actor), clientId: pair.clientId, apiId: pair.api, details }, db);
}
