// Clients: listed, created with an owner, disabled and enabled. A secret is returned once and stored as a hash.
import { randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type ClientKind,
  type ClientRow,
  checkedNewClient,
  type NewClient,
} from '#lib/registry/clients/client.ts';
import { takesSecret } from '#lib/registry/clients/client-keys.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { sameSet } from '#lib/registry/objects/subscription-states.ts';
import { withFlatTexts } from '#lib/registry/texts/own-texts.ts';
import type { Db } from '#lib/store/database/prisma.ts';
import { findPersonByEmail } from '#lib/store/people/people.ts';
import { type ClientAssertion, selectClientAssertion } from '#lib/store/registry/client-assertions.ts';
import {
  addClientSecret,
  type ConfiguredSecret,
  type SecretRow,
  selectSecrets,
  setConfigSecret,
} from '#lib/store/registry/client-secrets.ts';
import { CLIENTS, insertClient, setClientDisabled } from '#lib/store/registry/clients.ts';
import { mint } from '#lib/tokens/formats.ts';
import { type Days, rangesOf } from '../core/days.ts';
import { type Context, operation } from '../core/operation.ts';
import { type Asked, type Page, readPage, searchOf } from '../core/page.ts';
import { type Actor, idOf, mayDo, requireAction, requireRecent } from '../core/policy.ts';
import { countNewClient, editOwn } from '../core/quotas.ts';
import { record } from '../core/record.ts';
import { faultAt } from '../core/refusals/codes.ts';
import { faulty, parseInput } from '../core/refused.ts';
import { requireFreeId } from './apis.ts';
import { withKeptLogo } from './brand.ts';
import { reachClient } from './client-access.ts';
import { proveSector } from './sector-list.ts';

/** A confidential client gets a secret, unless it has keys of its own or the configuration file gives one. */
export const createClient = operation(
  'createClient',
  async (
    { actor },
    input: NewClient,
    configSecret?: ConfiguredSecret,
  ): Promise<{ clientId: string; secret: string | null }> => {
    const { ownerEmail, ...given } = parseInput(checkedNewClient, input);
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

export const pageClients = operation(
  'pageClients',
  async (
    { actor },
    input: Asked &
      Days<'created'> & {
        own?: boolean | undefined;
        kind?: ClientKind | undefined;
        state?: 'active' | 'disabled' | undefined;
      } = {},
  ): Promise<Page<ClientRow>> => {
    const { own, kind = null, state } = input;
    const disabled = state === undefined ? null : state === 'disabled';
    const { created } = await rangesOf(actor, ['created'], input);
    const filter = { ownerId: ownerFilter(actor, own), search: searchOf(input), kind, disabled, created };
    return readPage(CLIENTS, input, filter);
  },
);

export type ClientDetail = ClientRow & { secrets: SecretRow[]; assertion: ClientAssertion | null };

export const readClient = operation(
  'readClient',
  async (context, input: { clientId: string }): Promise<ClientDetail> =>
    viewClient(context.db, await reachClient(context, input.clientId, 'see')),
);

export async function viewClient(db: Db, client: ClientRow): Promise<ClientDetail> {
  const { clientId, tokenEndpointAuthMethod } = client;
  const hasKeys = tokenEndpointAuthMethod === 'private_key_jwt';
  return {
    ...client,
    secrets: await selectSecrets(db, clientId),
    assertion: hasKeys ? await selectClientAssertion(db, clientId) : null,
  };
}

export const disableClient = operation('disableClient', (context, input: { clientId: string }) =>
  setDisabled(context, input.clientId, true),
);
export const enableClient = operation('enableClient', (context, input: { clientId: string }) =>
  setDisabled(context, input.clientId, false),
);

async function setDisabled(context: Context, clientId: string, disabled: boolean): Promise<void> {
  const { actor, db } = context;
  await reachClient(context, clientId, 'manage');
  if (!(await setClientDisabled(db, clientId, disabled))) return;
  await record(actor, { event: disabled ? 'client.disabled' : 'client.enabled', clientId }, db);
}

/** The owner whose clients the actor may list; null: all clients. */
function ownerFilter(actor: Actor, own = false): string | null {
  const all = mayDo(actor, 'clients.see-all') && !own;
  if (!all) requireAction(actor, 'clients.see-own');
  return all ? null : (idOf(actor) ?? '00000000-0000-0000-0000-000000000000');
}

type NotOwners = Pick<ClientRow, 'idJagAudiences' | 'texts'>;

/**
 * What a client's owner does not decide: to which servers people are vouched for without a page, which no program
 * decides either, and what people read at sign-in, which is said in the service's name.
 */
export function requireNotOwners(actor: Actor, before: NotOwners, after: NotOwners): void {
  if (!isDeepStrictEqual(before.texts, after.texts)) requireAction(actor, 'clients.manage-all');
  if (sameSet(before.idJagAudiences, after.idJagAudiences)) return;
  requireAction(actor, 'clients.manage-all');
  if (after.idJagAudiences.some((one) => !before.idJagAudiences.includes(one))) requireRecent(actor);
}

/** A developer owns what they create; an administrator and the operator may name an owner, or none. */
export async function ownerOf(
  { actor, db }: Context,
  email: string | null | undefined,
): Promise<string | null> {
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
  // shorter than a pairwise subject
  return `${words || 'client'}-${randomBytes(4).toString('hex')}`;
}
