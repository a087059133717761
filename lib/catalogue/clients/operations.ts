// Operations on clients: list, create with an owner, change, disable and delete. A secret is returned once and stored
// as a hash.
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { requireFreeId } from '#lib/catalogue/apis/operations.ts';
import { findPersonByEmail } from '#lib/catalogue/people/rows.ts';
import {
  endsTrust,
  powersOf,
  type SubscriptionRow,
  sameSet,
  stateWhenTrustEnds,
} from '#lib/catalogue/subscriptions/definition.ts';
import { selectSubscriptionsOf } from '#lib/catalogue/subscriptions/rows.ts';
import { takeStep } from '#lib/catalogue/subscriptions/steps.ts';
import { utcMinute } from '#lib/kit/clock.ts';
import { type FaultText, fault } from '#lib/kit/fault.ts';
import { parseAs } from '#lib/kit/seal.ts';
import { english } from '#lib/language/message.ts';
import { tellApprovers } from '#lib/mail/request-mails.ts';
import {
  type BrandPart,
  logoField,
  releaseLogo,
  withBrandPart,
  withKeptLogo,
} from '#lib/management/brand.ts';
import {
  approvedPairs,
  type Consequences,
  consequencesOf,
  consequencesOutput,
  countEnding,
  type Foreseen,
  type Pair,
} from '#lib/management/consequences.ts';
import {
  activity,
  dayRanges,
  flag,
  type ListInput,
  type Page,
  pageQuery,
  rangesOf,
  readPage,
  searchOf,
  searchQuery,
} from '#lib/management/lists.ts';
import {
  type Context,
  countEdit,
  countNewClient,
  editOwn,
  one,
  operation,
  page,
} from '#lib/management/operations.ts';
import {
  type Actor,
  idOf,
  isHost,
  mayDo,
  requesterOf,
  requireAction,
  requireRecent,
} from '#lib/management/policy.ts';
import { changesIdentity, changesOf, record, withChange } from '#lib/management/record.ts';
import {
  faultAt,
  faulty,
  parseInput,
  Refused,
  refuseStale,
  stale,
  wrongAt,
} from '#lib/management/refused.ts';
import { OutboundFailed } from '#lib/outbound/failed.ts';
import { outboundFetch } from '#lib/outbound/fetch.ts';
import { type Change, changeOf, describedList, faultsOf } from '#lib/registry/definition.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { withFlatTexts } from '#lib/registry/own-texts.ts';
import { settings } from '#lib/settings/settings.ts';
import { isRelied } from '#lib/store/consents.ts';
import {
  type ClientRevocation,
  countAllOfClient,
  endAllOfClient,
  endTokens,
  endTokensOfSubjects,
  removeFromRegistry,
} from '#lib/store/endings.ts';
import { isUuid } from '#lib/store/list.ts';
import type { Db } from '#lib/store/prisma.ts';
import { mint } from '#lib/tokens/formats.ts';
import { MANAGE_CLIENT, reachClient, requireRecentWhereRelied, SEE_CLIENT } from './access.ts';
import {
  authenticationFields,
  CLIENT_KINDS,
  type ClientRow,
  type ClientValues,
  checkedClient,
  checkedNewClient,
  client,
  clientRevocation,
  clientRow,
  client as definition,
  newClient,
  newSecret,
  sectorOf,
  takesSecret,
} from './definition.ts';
import {
  addClientSecret,
  CLIENTS,
  type ClientAssertion,
  type ConfiguredSecret,
  deleteSecret,
  dropClientSecrets,
  expireClientSecrets,
  findClient,
  insertClient,
  isPairwiseSomewhere,
  type SecretRow,
  selectClientAssertion,
  selectSecrets,
  setClientDisabled,
  setConfigSecret,
  updateClient,
} from './rows.ts';

// Fetches the list at a client’s `sector_identifier_uri` (OpenID Connect Core §8.1, Registration §5), which proves
// the client’s sector. Runs when a person saves a client, never inside a transaction. For the configuration file and
// the operator it does not run, because they are trusted and may have no network access
// (docs/project/decisions/0022).

type InSector = Pick<ClientValues, 'sectorIdentifierUri' | 'redirectUris'>;

/** Rejects a new client if the list at `sector_identifier_uri` does not contain each of its redirect URIs. */
async function proveSector(actor: Actor, after: InSector): Promise<void> {
  if (!isHost(actor) && after.sectorIdentifierUri !== null)
    await askList(actor, after.sectorIdentifierUri, after.redirectUris);
}

/**
 * Checks a change of a client as `proveSector` checks a new client. Returns a function for the transaction
 * that saves; it throws `stale` if the saved values differ from the values that were checked.
 */
async function proveChangedSector(
  context: Context,
  change: Change<InSector> & { clientId: string },
): Promise<(before: InSector, after: InSector) => void> {
  const { actor } = context;
  const { clientId, sectorIdentifierUri, redirectUris } = change;
  if (isHost(actor) || (sectorIdentifierUri ?? redirectUris) === undefined) return () => {};
  const clientDetail = await reachClient(context, clientId, 'manage');
  const input = parseInput(checkedClient, withChange(client, clientDetail, change));
  const address = newlyNamed(clientDetail, input);
  if (address !== null) await askList(actor, address, input.redirectUris);
  return (before, after) => {
    const needed = newlyNamed(before, after);
    const proved = needed === address && after.redirectUris.every((uri) => input.redirectUris.includes(uri));
    if (needed !== null && !proved) throw stale(clientId);
  };
}

/** Returns the address of the list that must contain the new redirect URIs. `null`: no redirect URI is new. */
function newlyNamed(before: InSector, { sectorIdentifierUri, redirectUris }: InSector): string | null {
  const formerUris = before.sectorIdentifierUri === sectorIdentifierUri ? before.redirectUris : null;
  return formerUris !== null && redirectUris.every((uri) => formerUris.includes(uri))
    ? null
    : sectorIdentifierUri;
}

const list = z.array(z.string());

async function askList(actor: Actor, address: string, redirectUris: readonly string[]): Promise<void> {
  // developers choose this address, so each call is counted as an edit
  await countEdit(actor);
  const wrong = await listFault(address, redirectUris);
  if (wrong === null) return;
  throw faulty([wrongAt('sectorIdentifierUri', 'client.wrong_sector', wrong)]);
}

/**
 * Describes the fault of the list, without quoting its content. The text follows the name of the field. `null`: the
 * list is valid.
 */
async function listFault(address: string, redirectUris: readonly string[]): Promise<FaultText | null> {
  try {
    const call = outboundFetch({ allowPrivateNetwork: settings().clientDocumentsPrivateNetwork });
    const answer = await call(address, { headers: { accept: 'application/json' } });
    if (answer.status !== 200)
      return { message: `answers ${answer.status}: a list of redirect addresses must stand there` };
    const listed = parseAs(list, await answer.text());
    if (listed === null) return { message: 'must give a JSON list of redirect addresses, and nothing else' };
    const missing = redirectUris.find((uri) => !listed.includes(uri));
    return missing === undefined
      ? null
      : fault('must list every redirect address: {value} is missing', { value: missing });
  } catch (error) {
    if (error instanceof OutboundFailed) return { message: `could not be read: ${error.message}` };
    throw error;
  }
}

const createdClient = z.strictObject({ clientId: z.string(), secret: z.string().nullable() });

/** A confidential client gets a secret, unless it uses keys or the configuration file sets a secret. */
export const createClient = operation(
  // requires a recent sign-in for `idJagAudiences`, which are authorization servers to which the service
  // vouches for people
  {
    name: 'createClient',
    right: 'clients.create',
    fresh: 'sometimes',
    input: checkedNewClient,
    output: one('CreatedClient', createdClient),
  },
  async (
    { actor },
    { ownerEmail, ...given },
    configSecret?: ConfiguredSecret,
  ): Promise<{ clientId: string; secret: string | null }> => {
    const sent = { ...given, clientId: given.clientId ?? suggestClientId(plainText(given.name)) };
    const { clientId, kind } = sent;
    requireNotOwners(actor, { idJagAudiences: [], texts: null }, sent);
    await proveSector(actor, sent);
    await countNewClient(actor);
    return editOwn(actor, async (db) => {
      const ownerId = await ownerOf({ actor, db }, ownerEmail);
      await requireFreeId(db, clientId, 'clientId');
      const client = await withKeptLogo(db, sent, null);
      await insertClient(db, client, ownerId);
      const secret = takesSecret(client) && actor.kind !== 'configuration' ? mint('clientSecret') : null;
      if (secret) await addClientSecret(db, clientId, secret.hash);
      if (configSecret !== undefined) await setConfigSecret(db, clientId, configSecret);
      const { clientId: _, kind: __, ...after } = client;
      const details = { kind, after: withFlatTexts(after) };
      await record(actor, { event: 'client.created', clientId, details }, db);
      return { clientId, secret: secret?.value ?? null };
    });
  },
);

const clientFilter = z.strictObject({
  ...pageQuery('clients'),
  ...searchQuery,
  own: flag.optional(),
  kind: z.enum(CLIENT_KINDS).optional(),
  state: activity,
  ...dayRanges('created'),
});

export const pageClients = operation(
  { name: 'pageClients', right: SEE_CLIENT, shape: clientFilter, output: page('Client', clientRow) },
  async ({ actor }, input: ListInput<typeof clientFilter> = {}): Promise<Page<ClientRow>> => {
    const { own, kind = null, state } = input;
    const disabled = state === undefined ? null : state === 'disabled';
    const { created } = await rangesOf(actor, ['created'], input);
    const filter = { ownerId: ownerFilter(actor, own), search: searchOf(input), kind, disabled, created };
    return readPage(CLIENTS, input, filter);
  },
);

/** a time in the format of PostgreSQL */
const moment = z.string().describe('ISO 8601');
export const clientDetail = clientRow.extend({
  secrets: z.array(
    z.strictObject({
      id: z.string(),
      createdAt: moment,
      expiresAt: moment.nullable(),
      lastUsedAt: moment.nullable(),
    }),
  ),
  assertion: z
    .strictObject({ audience: z.enum(['issuer', 'token_endpoint']), since: moment })
    .nullable()
    .describe('the `aud` of the assertions of a client with private_key_jwt; null: none was accepted'),
});
export type ClientDetail = ClientRow & { secrets: SecretRow[]; assertion: ClientAssertion | null };

export const readClient = operation(
  { name: 'readClient', right: SEE_CLIENT, output: one('ClientDetail', clientDetail) },
  async (context, input: { clientId: string }): Promise<ClientDetail> =>
    viewClient(context.db, await reachClient(context, input.clientId, 'see')),
);

async function viewClient(db: Db, client: ClientRow): Promise<ClientDetail> {
  const { clientId, tokenEndpointAuthMethod } = client;
  const hasKeys = tokenEndpointAuthMethod === 'private_key_jwt';
  return {
    ...client,
    secrets: await selectSecrets(db, clientId),
    assertion: hasKeys ? await selectClientAssertion(db, clientId) : null,
  };
}

export const disableClient = operation(
  { name: 'disableClient', right: MANAGE_CLIENT, runsOn: 'edit' },
  (context, input: { clientId: string }) => setDisabled(context, input.clientId, true),
);
export const enableClient = operation(
  // if an administrator disabled the client, only administrators can enable it
  { name: 'enableClient', right: 'clients.manage-all', fresh: 'always', runsOn: 'edit' },
  (context, input: { clientId: string }) => setDisabled(context, input.clientId, false),
);

async function setDisabled(context: Context, clientId: string, disabled: boolean): Promise<void> {
  const { actor, db } = context;
  await reachClient(context, clientId, 'manage');
  if (!(await setClientDisabled(db, clientId, disabled))) return;
  await record(actor, { event: disabled ? 'client.disabled' : 'client.enabled', clientId }, db);
}

/** Returns the owner whose clients the actor may list; null: all clients. */
function ownerFilter(actor: Actor, isOwnOnly = false): string | null {
  const all = mayDo(actor, 'clients.see-all') && !isOwnOnly;
  if (!all) requireAction(actor, 'clients.see-own');
  return all ? null : (idOf(actor) ?? '00000000-0000-0000-0000-000000000000');
}

type NotOwners = Pick<ClientRow, 'idJagAudiences' | 'texts'>;

/**
 * Settings that owners of a client cannot change: `idJagAudiences`, because they vouch for users without showing a
 * page, and texts of sign-in pages, because these appear in the name of the service. Programs cannot add audiences,
 * either.
 */
function requireNotOwners(actor: Actor, before: NotOwners, after: NotOwners): void {
  if (!isDeepStrictEqual(before.texts, after.texts)) requireAction(actor, 'clients.manage-all');
  if (sameSet(before.idJagAudiences, after.idJagAudiences)) return;
  requireAction(actor, 'clients.manage-all');
  if (after.idJagAudiences.some((idJagAudience) => !before.idJagAudiences.includes(idJagAudience)))
    requireRecent(actor);
}

/**
 * A new client belongs to the developer who creates it. Administrators and the operator can set any owner, or none.
 */
async function ownerOf({ actor, db }: Context, email: string | null | undefined): Promise<string | null> {
  if (!mayDo(actor, 'clients.manage-all') || email === undefined) return idOf(actor);
  if (email === null || email.trim() === '') return null;
  const owner = await findPersonByEmail(db, email.trim());
  if (!owner) throw faulty([faultAt('ownerEmail', 'person.unknown', { person: email })]);
  return owner.id;
}

function suggestClientId(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 30);
  // this client id is always shorter than a pairwise subject, so the two can never be equal
  return `${words || 'client'}-${randomBytes(4).toString('hex')}`;
}

// Preview and change of a client use the same functions, so the preview shows what will happen.

const OTHER_SUBJECTS = english(
  'From now on the client knows people by other identifiers (sub), and everyone must sign in again.',
);

/** Fields that authenticate a client, except its secrets, and the name by which users recognize it. */
const CREDENTIALS: ReadonlySet<string> = new Set([...Object.keys(authenticationFields), 'name']);

/** `ownerEmail`: only for administrators; null: no owner. */
const clientChange = changeOf(newClient.omit({ clientId: true, ownerEmail: true })).extend({
  ownerEmail: z.string().max(254).nullish(),
});
export type ClientChange = { clientId: string } & BrandPart & z.input<typeof clientChange>;

const changedClient = clientDetail.extend({
  returnedToPending: describedList(
    z.strictObject({ clientId: z.string(), api: z.string() }),
    'approved subscriptions that get no tokens until they are approved again',
  ),
});
/** `returnedToPending`: approved subscriptions that wait for a decision after the change. */
export type ChangedClient = ClientDetail & { returnedToPending: Pair[] };

export const previewClientChange = operation(
  { name: 'previewClientChange', right: SEE_CLIENT, shape: clientChange, output: consequencesOutput },
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
  // requires a recent sign-in for new `idJagAudiences`, and for name, redirect URIs, keys, kind or owner of a
  // client on which consents or approvals depend (access.ts)
  {
    name: 'changeClient',
    right: MANAGE_CLIENT,
    fresh: 'sometimes',
    shape: clientChange,
    output: one('ChangedClient', changedClient),
  },
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
      const input = parseInput(checkedClient, withChange(definition, client, withBrandPart(client, change)));
      checkSector(client, input);
      const ownerId = await newOwner(context, client, ownerEmail);
      requireNotOwners(actor, client, input);
      const after = await withKeptLogo(db, input, client, logoField(change));
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

/** A client ID metadata document defines the identity of the client, and the console defines its permissions. */
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

/** Finds the subscriptions whose approval does not cover the changed client. */
async function findUnapproved(
  { db }: Context,
  client: ClientRow,
  after: ClientValues,
): Promise<SubscriptionRow[]> {
  if (!endsTrust(client, after)) return [];
  const rows = await selectSubscriptionsOf(db, { clientId: client.clientId });
  return rows.filter((row) => row.state === 'pending' || row.state === 'suspended' || reopens(row));
}

const reopens = (row: SubscriptionRow) => stateWhenTrustEnds(row.state, row) !== row.state;

/** True if users would get different subject identifiers, and the client has or had pairwise subjects. */
async function changesSubjects({ db }: Context, client: ClientRow, after: ClientValues): Promise<boolean> {
  if (client.subjectType !== after.subjectType) return true;
  if (sectorOf(client) === sectorOf(after)) return false;
  return after.subjectType === 'pairwise' || (await isPairwiseSomewhere(db, client.clientId));
}

const changesSides = (client: ClientRow, after: ClientValues) =>
  (client.kind === 'confidential') !== (after.kind === 'confidential');

const byKeys = ({ tokenEndpointAuthMethod: by }: ClientValues) => by === 'private_key_jwt';

/** True if all present keys of the client are also among its keys after the change. */
function hasKeysOf({ jwks, jwksUri }: ClientValues, after: ClientValues): boolean {
  if (jwksUri !== after.jwksUri) return false;
  const has = (key: unknown) =>
    after.jwks?.keys.some((storedKey) => isDeepStrictEqual(storedKey, key)) === true;
  return jwks === null || jwks.keys.every(has);
}

async function consequences(context: Context, client: ClientRow, after: ClientValues): Promise<Consequences> {
  const { clientId, managed } = client;
  const returns = (await findUnapproved(context, client, after)).filter(reopens);
  const sides = changesSides(client, after);
  const subjects = await changesSubjects(context, client, after);
  const gone = client.redirectUris.filter((uri) => !after.redirectUris.includes(uri));
  return {
    ...consequencesOf(managed, [
      [
        english('The client gets no tokens until it has a secret: add one after saving.'),
        !takesSecret(client) && takesSecret(after),
      ],
      [
        english('The client’s secrets are deleted, because a public client has none.'),
        sides && after.kind !== 'confidential',
      ],
      [
        english('The client’s secrets are deleted: from the next request on, only its keys are accepted.'),
        takesSecret(client) && byKeys(after),
      ],
      [
        english('From the next request on, the previous keys are no longer accepted.'),
        byKeys(client) && (!byKeys(after) || !hasKeysOf(client, after)),
      ],
      [
        english('Browser clients without DPoP get no refresh tokens: they renew tokens silently.'),
        client.kind !== 'browser' && after.kind === 'browser',
      ],
      [
        english(
          'People must consent again, and allow the application to act for them again: earlier consents do not apply to another name or redirect address.',
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

/** Revokes tokens, and returns subscriptions to pending, as the change requires. The result lists the subscriptions. */
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
  const rows = await findUnapproved(context, client, after);
  for (const row of rows) {
    const { state, scopes } = row;
    const to = stateWhenTrustEnds(state, row);
    // a suspended subscription keeps its reason
    const reason = reopens(row) ? why : row.reason;
    // the author of the change becomes the requesting user, and therefore cannot approve the subscription
    const asks = !isHost(actor) && { requestedBy: requesterOf(actor) };
    const event = reopens(row) ? 'subscription.returned_to_pending' : 'subscription.changed';
    await takeStep(context, row, row, { to, ...powersOf(row), scopes, reason, ...asks }, event, why);
  }
  return rows.filter(reopens);
}

// Preview and deletion of a client use the same functions, so the preview shows what will happen.

export const previewClientDeletion = operation(
  { name: 'previewClientDeletion', right: SEE_CLIENT, output: consequencesOutput },
  async (context, input: { clientId: string }): Promise<Consequences> => {
    const { clientId, managed } = await reachClient(context, input.clientId, 'see');
    const subscriptions = await selectSubscriptionsOf(context.db, { clientId });
    return {
      ...consequencesOf(managed),
      losesAccess: approvedPairs(subscriptions),
      ...(await countEnding(context.db, { clientId })),
    };
  },
);

/** Previews disabling a client, which revokes the same tokens as deletion. The registration stays. */
export const previewClientDisabling = operation(
  { name: 'previewClientDisabling', right: SEE_CLIENT },
  async (context, input: { clientId: string }): Promise<Consequences> => {
    const { actor, db } = context;
    const { clientId } = await reachClient(context, input.clientId, 'see');
    return {
      ...consequencesOf(false, [
        [
          english('Only an administrator can enable the application again.'),
          !mayDo(actor, 'clients.manage-all'),
        ],
      ]),
      losesAccess: approvedPairs(await selectSubscriptionsOf(db, { clientId })),
      ...(await countEnding(db, { clientId })),
    };
  },
);

/** Deletes a client with its secrets, subscriptions, consents and tokens. */
export const deleteClient = operation(
  { name: 'deleteClient', right: MANAGE_CLIENT, runsOn: 'edit' },
  async (context, input: { clientId: string; version?: number | undefined }): Promise<void> => {
    const { actor, db } = context;
    const client = await reachClient(context, input.clientId, 'manage');
    const { clientId, name, version } = client;
    refuseStale(clientId, input.version, version);
    await removeFromRegistry(db, 'clients', clientId);
    await releaseLogo(db, client, null);
    await record(actor, { event: 'client.removed', clientId, details: { name: plainText(name) } }, db);
  },
);

// Revokes all tokens and consents of a client without changing the client, for example after tokens leaked, or to
// require new consent. Disabling a client also revokes these, and rejects new requests as well.

export const previewClientRevocation = operation(
  { name: 'previewClientRevocation', right: SEE_CLIENT, output: one('ClientRevocation', clientRevocation) },
  async (context, input: { clientId: string }): Promise<ClientRevocation> => {
    const { clientId } = await reachClient(context, input.clientId, 'see');
    return countAllOfClient(context.db, clientId);
  },
);

/** Revokes tokens of the client, and returns what was revoked. */
export const revokeClient = operation(
  {
    name: 'revokeClient',
    right: MANAGE_CLIENT,
    runsOn: 'edit',
    output: one('ClientRevocation', clientRevocation),
  },
  async (context, input: { clientId: string }): Promise<ClientRevocation> => {
    const { actor, db } = context;
    const { clientId } = await reachClient(context, input.clientId, 'manage');
    const clientRevocation = await endAllOfClient(db, clientId);
    await record(actor, { event: 'client.revoked', clientId, details: clientRevocation }, db);
    return clientRevocation;
  },
);

// Secrets of a client: at most two are valid at a time, so a secret can be replaced without an outage. Each secret is
// returned once.

const MAX_OVERLAP_SECONDS = 30 * 24 * 3600;
const MAX_SECRETS = 2;
const overlap = z.strictObject({ overlapSeconds: z.int().optional() });

/**
 * Returns the new secret once. The old secrets become invalid immediately; with `overlapSeconds`, the newest old
 * secret stays valid for that time.
 */
export const rotateClientSecret = operation(
  // requires a recent sign-in for a client on which consents or approvals depend
  {
    name: 'rotateClientSecret',
    right: MANAGE_CLIENT,
    fresh: 'sometimes',
    runsOn: 'edit',
    shape: overlap,
    output: one('Secret', newSecret),
  },
  async (context, input: { clientId: string } & z.output<typeof overlap>): Promise<{ secret: string }> => {
    const { actor, db } = context;
    const { overlapSeconds = 0 } = input;
    if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS) {
      throw new Refused('client.overlap', { most: MAX_OVERLAP_SECONDS });
    }
    const clientId = await reachSecretHolder(context, input.clientId);
    await expireClientSecrets(db, clientId, overlapSeconds);
    const secret = mint('clientSecret');
    await addClientSecret(db, clientId, secret.hash);
    await record(actor, { event: 'client.secret_rotated', clientId, details: { overlapSeconds } }, db);
    return { secret: secret.value };
  },
);

/** Adds a second secret. Both secrets are valid until one is deleted. */
export const addSecret = operation(
  // requires a recent sign-in for a client on which consents or approvals depend
  {
    name: 'addSecret',
    right: MANAGE_CLIENT,
    fresh: 'sometimes',
    runsOn: 'edit',
    output: one('Secret', newSecret),
  },
  async (context, input: { clientId: string }): Promise<{ id: string; secret: string }> => {
    const { actor, db } = context;
    const clientId = await reachSecretHolder(context, input.clientId);
    if ((await selectSecrets(db, clientId)).length >= MAX_SECRETS) {
      throw new Refused('client.too_many_secrets', { client: clientId });
    }
    const secret = mint('clientSecret');
    const { id } = await addClientSecret(db, clientId, secret.hash);
    await record(actor, { event: 'client.secret_added', clientId, details: { secretId: id } }, db);
    return { id, secret: secret.value };
  },
);

/** Previews what stops working if the secret is deleted. */
export const previewSecretEnd = operation(
  { name: 'previewSecretEnd', right: SEE_CLIENT },
  async (context, input: { clientId: string; secretId: string }): Promise<Foreseen> => {
    const { clientId } = await reachClient(context, input.clientId, 'see');
    const secrets = await selectSecrets(context.db, clientId);
    const secret = secrets.find(({ id }) => id === input.secretId);
    if (!secret) throw new Refused('client.secret_gone');
    const apis = approvedPairs(await selectSubscriptionsOf(context.db, { clientId })).length;
    return {
      ...consequencesOf(false, [
        [
          english(
            'This is the only secret: the application gets no tokens for its {apis, plural, one {# API} other {# APIs}} until you add another one.',
            { apis },
          ),
          secrets.length === 1,
        ],
        [english('Requests that use this secret fail immediately.'), true],
      ]),
      counted: [
        secret.lastUsedAt === null
          ? english('The secret was never used.')
          : english('The secret was last used at {time}.', { time: utcMinute(secret.lastUsedAt) }),
      ],
    };
  },
);

/** Deletes a secret immediately, even if it is the last. A client without a secret cannot authenticate. */
export const dropSecret = operation(
  { name: 'dropSecret', right: MANAGE_CLIENT, runsOn: 'edit' },
  async (context, input: { clientId: string; secretId: string }): Promise<void> => {
    const { actor, db } = context;
    const { secretId } = input;
    const { clientId } = await reachClient(context, input.clientId, 'manage');
    const gone = isUuid(secretId) && (await deleteSecret(db, clientId, secretId));
    if (!gone) throw new Refused('client.secret_gone');
    await record(actor, { event: 'client.secret_dropped', clientId, details: { secretId } }, db);
  },
);

/** Returns the id of the client if it uses secrets and the actor can manage it. */
async function reachSecretHolder(context: Context, id: string): Promise<string> {
  const client = await reachClient(context, id, 'manage');
  const { clientId, kind } = client;
  if (!takesSecret(client)) {
    const code = kind === 'confidential' ? 'client.keys_only' : 'client.public';
    throw new Refused(code, { client: clientId });
  }
  await requireRecentWhereRelied(context, client);
  return clientId;
}
