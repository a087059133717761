// Subscriptions: asked for, changed, given up. One compare-and-set a step, so of two at once only one happens.
import {
  mayCancel,
  mayRequest,
  type SubscriptionRow,
  type SubscriptionState,
  sameSet,
  stateWhenChanged,
  stateWhenRequested,
  trustFault,
} from '#lib/registry/index.ts';
import {
  type Db,
  findSubscription,
  findSubscriptionTarget,
  insertSubscription,
  moveSubscription,
  ownConnection,
  setSubscriptionMessage,
} from '#lib/store/index.ts';
import { tellApprovers } from './notices.ts';
import { operation } from './operation.ts';
import { type Actor, idOf, mayDo, nameOf, requireAction } from './policy.ts';
import { editOwn } from './quotas.ts';
import { Refused, refuseFaults, stale } from './refused.ts';
import { type Pair, recordStep } from './subscription-steps.ts';

export const requestSubscription = operation(
  'requestSubscription',
  async (
    actor: Actor,
    input: Pair & { trusted?: boolean; scopes?: string[]; message?: string | undefined },
  ): Promise<SubscriptionState> => {
    requireAction(actor, 'subscriptions.request');
    const { clientId, api, trusted = false } = input;
    const scopes = [...new Set(input.scopes)];
    const message = messageOf(input.message);
    const state = await editOwn(actor, async (db: Db) => {
      const target = await targetOf(db, actor, input);
      refuseTrust(api, trusted);
      refuseUnknownScopes(api, scopes, target.apiScopes);
      const row = await findSubscription(db, clientId, api);
      const from = row?.state ?? null;
      if (!mayRequest(from)) throw new Refused(`${clientId} to ${api} is ${from} already`, 'conflict');
      const asked = stateWhenRequested({ trusted, requireApproval: target.requireApproval });
      // What a person said no to does not come back by asking for it without trust.
      const to = row && asked === 'approved' ? 'pending' : asked;
      const step = { clientId, api, to, trusted, scopes, reason: null, ...whoOf(actor) };
      const request = { decidedBy: null, requestedBy: idOf(actor) };
      const done = row
        ? await moveSubscription(db, { ...step, ...request, version: row.version, decided: false })
        : await insertSubscription(db, { ...step, ...request, message });
      if (!done) throw stale(`${clientId} to ${api}`);
      if (row) await setSubscriptionMessage(db, clientId, api, message);
      await recordStep(db, actor, 'subscription.requested', input, { from, to, trusted, scopes });
      return to;
    });
    if (state === 'pending') tellApprovers(input);
    return state;
  },
);

type Change = Pair & { trusted?: boolean | undefined; scopes?: string[] | undefined };

/** Where a change would lead: what was trusted waits for approval again. */
export const previewSubscriptionChange = operation(
  'previewSubscriptionChange',
  async (actor: Actor, input: Change): Promise<{ from: SubscriptionState; to: SubscriptionState }> => {
    requireAction(actor, 'subscriptions.see-own');
    const { from, to } = await plannedChange(ownConnection, actor, input);
    return { from, to };
  },
);

export const changeSubscription = operation(
  'changeSubscription',
  async (
    actor: Actor,
    input: Change & { message?: string | undefined; version?: number | undefined },
  ): Promise<SubscriptionState> => {
    requireAction(actor, 'subscriptions.request');
    const { clientId, api } = input;
    const { from, to } = await editOwn(actor, async (db: Db) => {
      const planned = await plannedChange(db, actor, input);
      const { row, trusted, scopes } = planned;
      if (input.version !== undefined && input.version !== row.version) throw stale(`${clientId} to ${api}`);
      if (input.message !== undefined) {
        await setSubscriptionMessage(db, clientId, api, messageOf(input.message));
      }
      if (!planned.differs) return planned;
      const step = { clientId, api, to: planned.to, trusted, scopes, reason: row.reason, ...whoOf(actor) };
      const asked = { version: row.version, decided: false, decidedBy: null, requestedBy: idOf(actor) };
      if (!(await moveSubscription(db, { ...step, ...asked }))) throw stale(`${clientId} to ${api}`);
      const back = planned.from === 'approved' && planned.to === 'pending';
      const event = back ? 'subscription.returned_to_pending' : 'subscription.changed';
      await recordStep(db, actor, event, input, { from: planned.from, to: planned.to, trusted, scopes });
      return planned;
    });
    if (to === 'pending' && from !== 'pending') tellApprovers(input);
    return to;
  },
);

/** The developer gives it up; asking again is a new request. */
export const cancelSubscription = operation(
  'cancelSubscription',
  async (actor: Actor, input: Pair): Promise<SubscriptionState> => {
    requireAction(actor, 'subscriptions.request');
    const { clientId, api } = input;
    return editOwn(actor, async (db: Db) => {
      await targetOf(db, actor, input);
      const row = await rowOf(db, input);
      const from = row.state;
      if (!mayCancel(from)) throw new Refused(`${clientId} to ${api} is ${from} already`, 'conflict');
      const { trusted, scopes, version } = row;
      const step = { clientId, api, to: 'revoked' as const, trusted, scopes, reason: null, ...whoOf(actor) };
      const moved = await moveSubscription(db, { ...step, version, decided: false, decidedBy: null });
      if (!moved) throw stale(`${clientId} to ${api}`);
      const details = { from, to: 'revoked', trusted, scopes };
      await recordStep(db, actor, 'subscription.cancelled', input, details);
      return 'revoked' as const;
    });
  },
);

async function plannedChange(db: Db, actor: Actor, input: Change) {
  const target = await targetOf(db, actor, input);
  const row = await rowOf(db, input);
  const trusted = input.trusted ?? row.trusted;
  const scopes = input.scopes ? [...new Set(input.scopes)] : row.scopes;
  refuseTrust(input.api, trusted);
  refuseUnknownScopes(input.api, scopes, target.apiScopes);
  const from = row.state;
  const differs = trusted !== row.trusted || !sameSet(scopes, row.scopes);
  const rules = { wasTrusted: row.trusted, trusted, requireApproval: target.requireApproval };
  return { row, trusted, scopes, from, to: differs ? stateWhenChanged(from, rules) : from, differs };
}

async function rowOf(db: Db, { clientId, api }: Pair): Promise<SubscriptionRow> {
  const row = await findSubscription(db, clientId, api);
  if (!row) throw new Refused(`there is no subscription of ${clientId} to ${api}`, 'not-found');
  return row;
}

async function targetOf(db: Db, actor: Actor, { clientId, api }: Pair) {
  const target = await findSubscriptionTarget(db, clientId, api);
  if (!target) throw new Refused(`there is no client ${clientId} or no API ${api}`, 'not-found');
  if (!mayDo(actor, 'clients.manage-all') && target.ownerId !== idOf(actor)) {
    throw new Refused(`${clientId} is not a client of yours`, 'not-found', { foreign: true });
  }
  return target;
}

const whoOf = (actor: Actor) => ({ actor: nameOf(actor), actorId: idOf(actor) });

function messageOf(message: string | undefined): string | null {
  const text = message?.trim() || null;
  if ((text ?? '').length > 2000) throw new Refused('a message has at most 2000 characters');
  return text;
}

function refuseTrust(api: string, trusted: boolean): void {
  const message = trustFault(api, trusted);
  if (message !== null) refuseFaults([{ field: 'trusted', message }]);
}

function refuseUnknownScopes(api: string, scopes: string[], known: string[]): void {
  const unknown = scopes.find((scope) => !known.includes(scope));
  if (unknown === undefined) return;
  const message = `the API ${api} has no scope ${unknown}`;
  throw new Refused(message, 'invalid', { faults: [{ field: 'scopes', message }] });
}
