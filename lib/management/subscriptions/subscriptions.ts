// Subscriptions: asked for, changed, given up. One compare-and-set a step, so of two at once only one happens.

import { english } from '#lib/language/message.ts';
import { tellApprovers } from '#lib/mail/tell-subscription.ts';
import type { ClientOrigin } from '#lib/registry/clients/unregistered.ts';
import type { ApiRow } from '#lib/registry/objects/api.ts';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import {
  apiScopesOf,
  deviceFault,
  isPowerful,
  machineFault,
  mayCancel,
  mayRequest,
  type Powers,
  powersOf,
  type SubscriptionState,
  samePowers,
  sameSet,
  stateWhenChanged,
  stateWhenRequested,
  trustFault,
} from '#lib/registry/objects/subscription-states.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { findApi } from '#lib/store/registry/apis.ts';
import { findClient } from '#lib/store/registry/clients.ts';
import { findSubscription, setSubscriptionMessage } from '#lib/store/registry/subscriptions.ts';
import { type Consequences, consequencesOf, countEnding, type Pair } from '../core/consequences.ts';
import { type Context, operation } from '../core/operation.ts';
import { idOf, mayDo, refuseSelf, requesterOf } from '../core/policy.ts';
import { editOwn } from '../core/quotas.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, Refused, refuseStale, writtenText } from '../core/refused.ts';
import { takeStep } from './subscription-steps.ts';
import { refuseUnkeyed } from './subscription-terms.ts';

export const requestSubscription = operation(
  'requestSubscription',
  async (
    { actor },
    input: Pair & Partial<Powers> & { scopes?: string[]; message?: string | undefined },
  ): Promise<SubscriptionState> => {
    const { clientId, api, trusted = false, machine = false, device = false } = input;
    const powers = { trusted, machine, device };
    const scopes = [...new Set(input.scopes)];
    const message = writtenText('message', input.message);
    return editOwn(actor, async (db) => {
      const { requireApproval } = await apiFor({ actor, db }, input, { ...powers, scopes });
      const row = await findSubscription(db, clientId, api);
      const from = row?.state ?? null;
      if (!mayRequest(from))
        throw new Refused('subscription.exists', { client: clientId, api, state: from ?? '' });
      const asked = stateWhenRequested({ ...powers, requireApproval });
      // what a person said no to does not come back by asking for it without power
      const to = row && asked === 'approved' ? 'pending' : asked;
      const step = { to, ...powers, scopes, requestedBy: requesterOf(actor), message };
      await takeStep({ actor, db }, input, row, step, 'subscription.requested');
      if (to === 'pending') await tellApprovers(db, input);
      return to;
    });
  },
);

type Change = Pair & { [Power in keyof Powers]?: boolean | undefined } & { scopes?: string[] | undefined };

/** Where a change would lead: what is powerful waits for approval again. */
export const previewSubscriptionChange = operation(
  'previewSubscriptionChange',
  async (context, input: Change): Promise<{ from: SubscriptionState; to: SubscriptionState }> => {
    const { from, to } = await plannedChange(context, input);
    return { from, to };
  },
);

export const changeSubscription = operation(
  'changeSubscription',
  async (
    { actor },
    input: Change & { message?: string | undefined; version?: number | undefined },
  ): Promise<SubscriptionState> => {
    return editOwn(actor, async (db) => {
      const planned = await plannedChange({ actor, db }, input);
      const { row, differs, from, ...step } = planned;
      refuseStale(`${input.clientId} to ${input.api}`, input.version, row.version);
      if (input.message !== undefined)
        await setSubscriptionMessage(db, input, writtenText('message', input.message));
      if (!differs) return from;
      const back = from === 'approved' && step.to === 'pending';
      const event = back ? 'subscription.returned_to_pending' : 'subscription.changed';
      const asked = { ...step, reason: row.reason, requestedBy: requesterOf(actor) };
      await takeStep({ actor, db }, input, row, asked, event);
      if (step.to === 'pending' && from !== 'pending') await tellApprovers(db, input);
      return step.to;
    });
  },
);

/** The developer gives it up; asking again is a new request. */
export const previewCancelling = operation(
  'previewCancelling',
  async (context, input: Pair): Promise<Consequences> => {
    await apiFor(context, input);
    const row = await rowOf(context.db, input);
    const { clientId, api, state } = row;
    return {
      ...consequencesOf(false, [
        [english('To use this API again it needs a new approval.'), state === 'approved' && isPowerful(row)],
      ]),
      losesAccess: state === 'approved' ? [{ clientId, api }] : [],
      ...(await countEnding(context.db, { clientId, api })),
    };
  },
);

export const cancelSubscription = operation(
  'cancelSubscription',
  async (context, input: Pair): Promise<SubscriptionState> => {
    await apiFor(context, input);
    const row = await rowOf(context.db, input);
    const { clientId, api, state, scopes } = row;
    if (!mayCancel(state)) throw new Refused('subscription.exists', { client: clientId, api, state });
    await takeStep(
      context,
      input,
      row,
      { to: 'revoked', ...powersOf(row), scopes },
      'subscription.cancelled',
    );
    return 'revoked';
  },
);

async function plannedChange(context: Context, input: Change) {
  const { requireApproval } = await apiFor(context, input);
  const row = await rowOf(context.db, input);
  const after = {
    trusted: input.trusted ?? row.trusted,
    machine: input.machine ?? row.machine,
    device: input.device ?? row.device,
  };
  // only a device may name offline_access
  const kept = after.device ? row.scopes : apiScopesOf(row.scopes);
  const scopes = input.scopes ? [...new Set(input.scopes)] : kept;
  refuseWish(input.api, row.apiScopes, { ...after, scopes }, row.clientOrigin);
  const from = row.state;
  const differs = !samePowers(after, row) || !sameSet(scopes, row.scopes);
  const to = differs ? stateWhenChanged(from, { before: row, after, requireApproval }) : from;
  return { row, ...after, scopes, from, to, differs };
}

async function rowOf(db: Db, { clientId, api }: Pair): Promise<SubscriptionRow> {
  const row = await findSubscription(db, clientId, api);
  if (!row) throw new Refused('subscription.unknown', { client: clientId, api });
  return row;
}

type Wish = Powers & { scopes: string[] };

/** The API, for a person who may subscribe this client; with a wish, one that can be granted. */
async function apiFor({ actor, db }: Context, { clientId, api: id }: Pair, wish?: Wish): Promise<ApiRow> {
  const [client, api] = [await findClient(db, clientId), await findApi(db, id)];
  if (!client || !api) throw new Refused('subscription.pair_unknown', { client: clientId, api: id });
  const owns = client.ownerId !== null && client.ownerId === idOf(actor);
  if (!owns && !mayDo(actor, 'clients.manage-all')) {
    throw new Refused('client.foreign', { client: clientId }, { foreign: true });
  }
  refuseSelf(actor, clientId);
  if (wish) {
    refuseUnkeyed(api, client.tokenEndpointAuthMethod);
    refuseWish(id, api.scopes, wish, client.origin);
  }
  return api;
}

function refuseWish(
  api: string,
  known: ApiRow['scopes'],
  { trusted, machine, device, scopes }: Wish,
  origin: ClientOrigin,
): void {
  const foreign = trusted && origin === 'document';
  const fault = foreign ? 'a client that its document describes is never trusted' : trustFault(api, trusted);
  if (fault !== null) throw faulty([faultAt('trusted', 'subscription.trust', { why: fault })]);
  const noDevice = deviceFault(api, device, origin);
  if (noDevice !== null) throw faulty([faultAt('device', 'subscription.device', { why: noDevice })]);
  const unbounded = machineFault(api, machine, scopes);
  if (unbounded !== null) throw faulty([faultAt('scopes', 'subscription.machine', { why: unbounded })]);
  const unknown = scopes.find(
    (scope) => !known.some(({ name }) => name === scope) && !(device && scope === 'offline_access'),
  );
  if (unknown === undefined) return;
  throw faulty([faultAt('scopes', 'api.scope_unknown', { api, scope: unknown })]);
}
