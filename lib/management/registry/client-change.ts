// Changing a client. Preview and change use the same functions, so the preview shows what will happen.
import { isDeepStrictEqual } from 'node:util';
import { english } from '#lib/language/message.ts';
import { tellApprovers } from '#lib/mail/tell-subscription.ts';
import {
  type ClientRow,
  type ClientValues,
  checkedClient,
  client as definition,
  type NewClient,
} from '#lib/registry/clients/client.ts';
import { authenticationFields, takesSecret } from '#lib/registry/clients/client-keys.ts';
import { sectorOf } from '#lib/registry/clients/sector.ts';
import { type Change, faultsOf } from '#lib/registry/fields/definition.ts';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import {
  endsTrust,
  powersOf,
  sameSet,
  stateWhenTrustEnds,
} from '#lib/registry/objects/subscription-states.ts';
import { endTokens, endTokensOfSubjects } from '#lib/store/endings/endings.ts';
import { isRelied } from '#lib/store/people/consents.ts';
import {
  type ConfiguredSecret,
  dropClientSecrets,
  setConfigSecret,
} from '#lib/store/registry/client-secrets.ts';
import { findClient, isPairwiseSomewhere, updateClient } from '#lib/store/registry/clients.ts';
import { selectSubscriptionsOf } from '#lib/store/registry/subscriptions.ts';
import { changesIdentity, changesOf, withChange } from '../core/changes.ts';
import { type Consequences, consequencesOf, countEnding, type Pair } from '../core/consequences.ts';
import { type Context, operation } from '../core/operation.ts';
import { isHost, requesterOf, requireAction } from '../core/policy.ts';
import { editOwn } from '../core/quotas.ts';
import { record } from '../core/record.ts';
import { parseInput, Refused, refuseStale, stale } from '../core/refused.ts';
import { takeStep } from '../subscriptions/subscription-steps.ts';
import { type BrandPart, logoField, releaseLogo, withBrandPart, withKeptLogo } from './brand.ts';
import { reachClient, requireRecentWhereRelied } from './client-access.ts';
import { type ClientDetail, ownerOf, requireNotOwners, viewClient } from './clients.ts';
import { proveChangedSector } from './sector-list.ts';

const OTHER_SUBJECTS = english(
  'The client knows people by other identifiers (sub) from now on, and everybody signs in again.',
);

/** How a client authenticates, beside its secrets, and how people recognise it. */
const CREDENTIALS: ReadonlySet<string> = new Set([...Object.keys(authenticationFields), 'name']);

/** `ownerEmail`: for administrators; null: no owner. */
export type ClientChange = { clientId: string } & BrandPart &
  Change<Omit<NewClient, 'clientId' | 'ownerEmail'>> & {
    ownerEmail?: string | null | undefined;
  };

/** `returnedToPending`: approved subscriptions that wait for a decision after the change. */
export type ChangedClient = ClientDetail & { returnedToPending: Pair[] };

export const previewClientChange = operation(
  'previewClientChange',
  async (
    context,
    { version: _, ownerEmail: __, ...change }: ClientChange & { version?: number },
  ): Promise<Consequences> => {
    const client = await reachClient(context, change.clientId, 'see');
    refuseIdentity(client, change);
    const after = checkedClient.safeParse(withChange(definition, client, change), { reportInput: true });
    if (!after.success) return { ...consequencesOf(false), faults: faultsOf(after.error) };
    return consequences(context, client, after.data);
  },
);

export const changeClient = operation(
  'changeClient',
  async (
    outside,
    { version, ownerEmail, ...change }: ClientChange & { version?: number },
    configSecret?: ConfiguredSecret,
  ): Promise<ChangedClient> => {
    const { actor } = outside;
    const checkSector = await proveChangedSector(outside, change);
    const { view, returned } = await editOwn(actor, async (db) => {
      const context = { actor, db };
      const client = await reachClient(context, change.clientId, 'manage');
      const { clientId } = client;
      refuseIdentity(client, change);
      const given = parseInput(checkedClient, withChange(definition, client, withBrandPart(client, change)));
      checkSector(client, given);
      const ownerId = await newOwner(context, client, ownerEmail);
      requireNotOwners(actor, client, given);
      const after = await withKeptLogo(db, given, client, logoField(change));
      const handedOver = ownerId !== client.ownerId;
      const details = changesOf(client, { ...after, ownerId });
      const rekeyed = details.changed.some((name) => CREDENTIALS.has(name));
      if (handedOver || rekeyed || endsTrust(client, after)) await requireRecentWhereRelied(context, client);
      refuseStale(clientId, version, client.version);
      const differs = details.changed.length > 0;
      const otherIdentity = changesIdentity(client, after);
      if (differs && !(await updateClient(db, client.version, after, { ownerId, otherIdentity })))
        throw stale(clientId);
      await releaseLogo(db, client, after);
      if (configSecret !== undefined) details.changed.push('secret');
      if (details.changed.length === 0) return { view: await viewClient(db, client), returned: [] };
      await record(actor, { event: 'client.changed', clientId, details }, db);
      const waiting = await followThrough(context, client, after);
      if (actor.kind !== 'configuration') for (const pair of waiting) await tellApprovers(db, pair);
      if (configSecret !== undefined) await setConfigSecret(db, clientId, configSecret);
      const saved = await findClient(db, clientId);
      if (!saved) throw new Error('a client that was just changed is not there');
      return { view: await viewClient(db, saved), returned: waiting };
    });
    return { ...view, returnedToPending: returned.map(({ clientId, api }) => ({ clientId, api })) };
  },
);

/** A document says who its client is; people decide what it may do. */
function refuseIdentity(
  client: ClientRow,
  { clientId: _, ...change }: Omit<ClientChange, 'ownerEmail'>,
): void {
  if (client.origin !== 'document' || Object.values(change).every((value) => value === undefined)) return;
  throw new Refused('client.by_document', { client: client.clientId });
}

async function newOwner(
  context: Context,
  client: ClientRow,
  email: string | null | undefined,
): Promise<string | null> {
  if (email === undefined) return client.ownerId;
  requireAction(context.actor, 'clients.manage-all');
  return ownerOf(context, email);
}

/** The subscriptions whose approval is not of the client as it is after the change. */
async function unapproved(
  { db }: Context,
  client: ClientRow,
  after: ClientValues,
): Promise<SubscriptionRow[]> {
  if (!endsTrust(client, after)) return [];
  const rows = await selectSubscriptionsOf(db, { clientId: client.clientId });
  return rows.filter((row) => row.state === 'pending' || row.state === 'suspended' || reopens(row));
}

const reopens = (row: SubscriptionRow) => stateWhenTrustEnds(row.state, row) !== row.state;

/** Do people get other subject identifiers where the client is told pairwise ones, or is no longer? */
async function changesSubjects({ db }: Context, client: ClientRow, after: ClientValues): Promise<boolean> {
  if (client.subjectType !== after.subjectType) return true;
  if (sectorOf(client) === sectorOf(after)) return false;
  return after.subjectType === 'pairwise' || (await isPairwiseSomewhere(db, client.clientId));
}

const changesSides = (client: ClientRow, after: ClientValues) =>
  (client.kind === 'confidential') !== (after.kind === 'confidential');

const byKeys = ({ tokenEndpointAuthMethod: by }: ClientValues) => by === 'private_key_jwt';

/** Does every key of the client stay one of its keys? */
function hasKeysOf({ jwks, jwksUri }: ClientValues, after: ClientValues): boolean {
  if (jwksUri !== after.jwksUri) return false;
  const has = (key: unknown) => after.jwks?.keys.some((one) => isDeepStrictEqual(one, key)) === true;
  return jwks === null || jwks.keys.every(has);
}

async function consequences(context: Context, client: ClientRow, after: ClientValues): Promise<Consequences> {
  const { clientId, managed } = client;
  const returns = (await unapproved(context, client, after)).filter(reopens);
  const sides = changesSides(client, after);
  const subjects = await changesSubjects(context, client, after);
  const gone = client.redirectUris.filter((uri) => !after.redirectUris.includes(uri));
  return {
    ...consequencesOf(managed, [
      [
        english('The client gets no token until it has a secret: add one after saving.'),
        !takesSecret(client) && takesSecret(after),
      ],
      [
        english('The client’s secrets are deleted: a public client has none.'),
        sides && after.kind !== 'confidential',
      ],
      [
        english('The client’s secrets are deleted: from the next request on only its keys count.'),
        takesSecret(client) && byKeys(after),
      ],
      [
        english('From the next request on the keys that it had count for nothing.'),
        byKeys(client) && (!byKeys(after) || !hasKeysOf(client, after)),
      ],
      [
        english('Browser clients get no refresh token: they renew silently.'),
        client.kind !== 'browser' && after.kind === 'browser',
      ],
      [
        english(
          'People are asked again, and let it act again: what they allowed it before does not count for another name or redirect address.',
        ),
        changesIdentity(client, after) && (await isRelied(context.db, clientId)),
      ],
      [OTHER_SUBJECTS, subjects],
      [
        english('Sign-ins that return to {addresses} stop working.', { addresses: gone.join(', ') }),
        gone.length > 0,
      ],
    ]),
    returnsToPending: returns.map(({ api, apiName, trusted }) => ({ clientId, api, apiName, trusted })),
    ...((sides || subjects) && (await countEnding(context.db, { clientId }))),
  };
}

/** Ends tokens and returns subscriptions to pending as the change requires; returns the latter. */
async function followThrough(context: Context, client: ClientRow, after: ClientValues): Promise<Pair[]> {
  const { actor, db } = context;
  const { clientId } = client;
  if (changesSides(client, after)) {
    await endTokens(db, { clientId }, 'client changed between public and confidential');
  }
  if (takesSecret(client) && !takesSecret(after)) await dropClientSecrets(db, clientId);
  if (await changesSubjects(context, client, after)) await endTokensOfSubjects(db, { clientId });
  const why = sameSet(client.redirectUris, after.redirectUris)
    ? `the client was turned ${after.kind}`
    : 'the client’s redirect addresses changed';
  const rows = await unapproved(context, client, after);
  for (const row of rows) {
    const { state, scopes } = row;
    const to = stateWhenTrustEnds(state, row);
    // a suspended one keeps its reason
    const reason = reopens(row) ? why : row.reason;
    // the author of the change becomes the requester, so that they cannot approve it themselves
    const asks = !isHost(actor) && { requestedBy: requesterOf(actor) };
    const event = reopens(row) ? 'subscription.returned_to_pending' : 'subscription.changed';
    await takeStep(context, row, row, { to, ...powersOf(row), scopes, reason, ...asks }, event, why);
  }
  return rows.filter(reopens);
}
