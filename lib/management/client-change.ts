// Changing and deleting a client. What a change would break is worked out by the same function that the change itself
// uses, so the preview cannot promise something else.
import { sha256 } from '#lib/kit/index.ts';
import {
  type Change,
  type ClientRow,
  type ClientValues,
  checkedClient,
  client as definition,
  endsTrust,
  faultsOf,
  type NewClient,
  type SubscriptionRow,
  sameSet,
  stateWhenTrustEnds,
} from '#lib/registry/index.ts';
import {
  countTokens,
  type Db,
  dropClientSecrets,
  endTokens,
  findClient,
  moveSubscription,
  ownConnection,
  removeFromRegistry,
  selectSubscriptionsOf,
  setConfigSecret,
  updateClient,
} from '#lib/store/index.ts';
import { changesOf } from './changes.ts';
import { reachClient, requireRecentForPower } from './client-access.ts';
import { type ClientDetail, ownerOf, viewClient } from './clients.ts';
import { type Consequences, MANAGED_WARNING, noConsequences } from './consequences.ts';
import { tellApprovers } from './notices.ts';
import { operation } from './operation.ts';
import { type Actor, idOf, nameOf, requireAction } from './policy.ts';
import { editOwn } from './quotas.ts';
import { record } from './record.ts';
import { parseInput, Refused, stale } from './refused.ts';
import type { Pair } from './subscription-steps.ts';

/** `ownerEmail`: administrators only; null: nobody's. */
export type ClientChange = { clientId: string } & Change<Omit<NewClient, 'clientId' | 'ownerEmail'>> & {
    ownerEmail?: string | null | undefined;
  };

export const previewClientChange = operation(
  'previewClientChange',
  async (actor: Actor, input: ClientChange): Promise<Consequences> => {
    const client = await reachClient(ownConnection, actor, input.clientId, 'see');
    const after = checkedClient.safeParse(changed(client, input), { reportInput: true });
    if (!after.success) return { ...noConsequences(), faults: faultsOf(after.error) };
    return consequences(ownConnection, client, after.data);
  },
);

export const changeClient = operation(
  'changeClient',
  async (
    actor: Actor,
    input: ClientChange & { version?: number },
    configSecret?: string,
  ): Promise<ClientDetail> => {
    const { view, returned } = await editOwn(actor, async (db: Db) => {
      const client = await reachClient(db, actor, input.clientId, 'manage');
      const after = parseInput(checkedClient, changed(client, input));
      const ownerId = await newOwner(db, actor, client, input.ownerEmail);
      const handedOver = ownerId !== client.ownerId;
      if (handedOver || endsTrust(client, after)) await requireRecentForPower(db, actor, client.clientId);
      const { version = client.version } = input;
      if (client.version !== version) throw stale(client.clientId);
      const details = changesOf(client, { ...after, ownerId });
      if (details.changed.length > 0 && !(await updateClient(db, version, after, ownerId))) {
        throw stale(client.clientId);
      }
      if (configSecret !== undefined) details.changed.push('secret');
      if (details.changed.length === 0) return { view: await viewClient(db, client), returned: [] };
      const event = { clientId: client.clientId, details };
      await record(actor, { event: 'client.changed', ...event }, db);
      const waiting = await followThrough(db, actor, client, after);
      if (configSecret !== undefined) await setConfigSecret(db, client.clientId, sha256(configSecret));
      const saved = await findClient(db, client.clientId);
      if (!saved) throw new Error('a client that was just changed is not there');
      return { view: await viewClient(db, saved), returned: waiting };
    });
    if (actor.kind !== 'configuration') for (const pair of returned) tellApprovers(pair);
    return view;
  },
);

export const previewClientDeletion = operation(
  'previewClientDeletion',
  async (actor: Actor, input: { clientId: string }): Promise<Consequences> => {
    const client = await reachClient(ownConnection, actor, input.clientId, 'see');
    const subscriptions = await selectSubscriptionsOf(ownConnection, client);
    const { tokens, people } = await countTokens(ownConnection, { clientId: client.clientId });
    return {
      ...noConsequences(),
      warnings: client.managed ? [MANAGED_WARNING] : [],
      losesAccess: subscriptions.filter((one) => one.state === 'approved').map(pairOf),
      endsTokens: tokens,
      people,
    };
  },
);

/** With its secrets, subscriptions, consents and tokens. */
export const deleteClient = operation(
  'deleteClient',
  async (actor: Actor, input: { clientId: string; version?: number | undefined }): Promise<void> =>
    editOwn(actor, async (db: Db) => {
      const client = await reachClient(db, actor, input.clientId, 'manage');
      if (input.version !== undefined && input.version !== client.version) throw stale(client.clientId);
      await removeFromRegistry(db, 'clients', client.clientId);
      const event = { clientId: client.clientId, details: { name: client.name } };
      await record(actor, { event: 'client.removed', ...event }, db);
    }),
);

function changed(client: ClientRow, { ownerEmail: _, ...change }: ClientChange): object {
  const known = Object.keys(definition.shape) as (keyof ClientValues)[];
  const now = Object.fromEntries(known.map((key) => [key, client[key]]));
  const given = Object.entries(change).filter(([key, value]) => value !== undefined && key !== 'version');
  return { ...now, ...Object.fromEntries(given) };
}

async function newOwner(
  db: Db,
  actor: Actor,
  client: ClientRow,
  email: string | null | undefined,
): Promise<string | null> {
  if (email === undefined) return client.ownerId;
  requireAction(actor, 'clients.manage-all');
  return ownerOf(db, actor, email);
}

const pairOf = ({ clientId, api }: SubscriptionRow): Pair => ({ clientId, api });

/** The subscriptions that wait, or wait again, once the client is this: nobody has decided about what it is now. */
async function unapproved(db: Db, client: ClientRow, after: ClientValues): Promise<SubscriptionRow[]> {
  if (!endsTrust(client, after)) return [];
  const rows = await selectSubscriptionsOf(db, client);
  return rows.filter((row) => row.state === 'pending' || row.state === 'suspended' || reopens(row));
}

const reopens = ({ state, trusted }: SubscriptionRow) => stateWhenTrustEnds(state, trusted) !== state;

const changesSides = (client: ClientRow, after: ClientValues) =>
  (client.kind === 'confidential') !== (after.kind === 'confidential');

async function consequences(db: Db, client: ClientRow, after: ClientValues): Promise<Consequences> {
  const returns = (await unapproved(db, client, after)).filter(reopens);
  const sides = changesSides(client, after);
  const ends = sides ? await countTokens(db, { clientId: client.clientId }) : { tokens: 0, people: 0 };
  const warnings = client.managed ? [MANAGED_WARNING] : [];
  if (sides) {
    warnings.push(
      after.kind === 'confidential'
        ? 'The client gets no token until it has a secret: add one after saving.'
        : 'The client’s secrets are deleted: a public client has none.',
    );
  }
  if (client.kind !== 'browser' && after.kind === 'browser') {
    warnings.push('Browser clients get no refresh token: they renew silently.');
  }
  const gone = client.redirectUris.filter((uri) => !after.redirectUris.includes(uri));
  if (gone.length > 0) warnings.push(`Sign-ins that return to ${gone.join(', ')} stop working.`);
  return {
    ...noConsequences(),
    warnings,
    returnsToPending: returns.map(({ clientId, api, apiName }) => ({ clientId, api, apiName })),
    endsTokens: ends.tokens,
    people: ends.people,
  };
}

/** What the change brings with it; gives the subscriptions that wait for a decision again. */
async function followThrough(db: Db, actor: Actor, client: ClientRow, after: ClientValues): Promise<Pair[]> {
  const { clientId } = client;
  if (changesSides(client, after)) {
    await endTokens(db, { clientId }, 'client changed between public and confidential');
    if (after.kind !== 'confidential') await dropClientSecrets(db, clientId);
  }
  const rows = await unapproved(db, client, after);
  for (const row of rows) {
    const { api, trusted, scopes, version, state: from } = row;
    const to = stateWhenTrustEnds(row.state, row.trusted);
    const reason = sameSet(client.redirectUris, after.redirectUris)
      ? `the client was turned ${after.kind}`
      : 'the client’s redirect addresses changed';
    const who = { actor: nameOf(actor), actorId: idOf(actor) };
    // why it was suspended still holds
    const step = { clientId, api, to, trusted, scopes, ...who, reason: reopens(row) ? reason : row.reason };
    // whoever changed the client is whose request this is now: they do not approve it themselves
    const asked = {
      version,
      decided: false,
      decidedBy: null,
      ...(actor.kind === 'person' && { requestedBy: actor.id }),
    };
    if (!(await moveSubscription(db, { ...step, ...asked })))
      throw new Refused(`${api} was decided meanwhile`, 'stale');
    const details = { from, to, trusted, scopes, reason };
    const event = { clientId, apiId: api, details };
    const name = reopens(row) ? 'subscription.returned_to_pending' : 'subscription.changed';
    await record(actor, { event: name, ...event }, db);
  }
  return rows.filter(reopens).map(pairOf);
}
