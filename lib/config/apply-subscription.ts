// One subscription of the plan: created, moved to where plan.ts says, or removed.
import { type EventName, record } from '#lib/audit/index.ts';
import type { SubscriptionState } from '#lib/management/index.ts';
import {
  type Db,
  findPersonByEmail,
  findSubscription,
  insertSubscription,
  moveSubscription,
  removeSubscription,
} from '#lib/store/index.ts';
import type { Change, Item } from './plan.ts';

/** plan.ts gives every subscription its state. */
type Settled = { trusted: boolean; scopes: string[]; state: SubscriptionState };

export async function applySubscription(db: Db, change: Change): Promise<void> {
  const item = (change.after ?? change.before) as Item;
  const { client_id: clientId, api } = item.fields as { client_id: string; api: string };
  if (change.kind === 'remove') {
    await removeSubscription(db, clientId, api);
    return record({ event: 'subscription.removed', actor: 'config', clientId, apiId: api }, db);
  }
  const { trusted, scopes, state } = item.fields as Settled;
  const from = (change.before?.fields.state as SubscriptionState | undefined) ?? null;
  const approver =
    item.approvedBy && state === 'approved' ? await findPersonByEmail(db, item.approvedBy) : null;
  const step = { clientId, api, to: state, trusted, scopes, actor: 'config', actorId: approver?.id ?? null };
  if (change.kind === 'create') {
    const facts = { reason: null, decidedBy: approver?.id ?? null, requestedBy: null, message: null };
    await insertSubscription(db, { ...step, ...facts });
  } else {
    const row = await findSubscription(db, clientId, api);
    if (!row) throw new Error(`the subscription of ${clientId} to ${api} was removed meanwhile`);
    const reason = state === from ? row.reason : null;
    const decided = approver !== null;
    const moved = { ...step, reason, version: row.version, decided, decidedBy: approver?.id ?? null };
    if (!(await moveSubscription(db, moved)))
      throw new Error(`somebody changed ${clientId} → ${api} meanwhile: apply again`);
  }
  const details = {
    from,
    to: state,
    trusted,
    scopes,
    ...(item.approvedBy ? { reason: `approved_by ${item.approvedBy}` } : {}),
  };
  await record({ event: eventOf(change, from, state), actor: 'config', clientId, apiId: api, details }, db);
}

function eventOf(change: Change, from: string | null, to: string): EventName & `subscription.${string}` {
  if (from === to) return 'subscription.changed';
  if (to === 'approved') return 'subscription.approved';
  return change.kind === 'create' ? 'subscription.requested' : 'subscription.returned_to_pending';
}
