// Clients: created with an owner, disabled and enabled, listed. A secret is answered once and kept as a hash.
import { randomBytes } from 'node:crypto';
import { sha256 } from '#lib/kit/index.ts';
import { type ClientKind, type ClientRow, checkedNewClient, type NewClient } from '#lib/registry/index.ts';
import {
  addClientSecret,
  type Db,
  findPersonByEmail,
  insertClient,
  isClientIdTaken,
  ownConnection,
  type SecretRow,
  selectClients,
  selectSecrets,
  setClientDisabled,
  setConfigSecret,
} from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { reachClient } from './client-access.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, searchOf, TEXT_PART } from './page.ts';
import { type Actor, idOf, mayDo, requireAction } from './policy.ts';
import { editOwn } from './quotas.ts';
import { record } from './record.ts';
import { faulty, parseInput, taken } from './refused.ts';

/** A confidential client gets a secret, unless the configuration file gives one. */
export const createClient = operation(
  'createClient',
  async (
    actor: Actor,
    input: NewClient,
    configSecret?: string,
  ): Promise<{ clientId: string; secret: string | null }> => {
    requireAction(actor, 'clients.create');
    const { ownerEmail, ...given } = parseInput(checkedNewClient, input);
    const client = { ...given, clientId: given.clientId ?? suggestClientId(given.name) };
    const { clientId, kind } = client;
    return editOwn(actor, async (db: Db) => {
      const ownerId = await ownerOf(db, actor, ownerEmail);
      if (await isClientIdTaken(db, clientId)) {
        throw taken('clientId', `${clientId} is taken by a client or an API`);
      }
      await insertClient(db, client, ownerId);
      const secret = kind === 'confidential' && actor.kind !== 'configuration' ? mint('clientSecret') : null;
      if (secret) await addClientSecret(db, clientId, secret.hash);
      if (configSecret !== undefined) await setConfigSecret(db, clientId, sha256(configSecret));
      const { clientId: _, kind: __, ...after } = client;
      const details = { kind, after };
      await record(actor, { event: 'client.created', clientId, details }, db);
      return { clientId, secret: secret?.value ?? null };
    });
  },
);

export const pageClients = operation(
  'pageClients',
  async (
    actor: Actor,
    input: Asked & {
      own?: boolean | undefined;
      kind?: ClientKind | undefined;
      state?: 'active' | 'disabled' | undefined;
    } = {},
  ): Promise<Page<ClientRow>> => {
    const ownerId = ownerFilter(actor, input.own);
    return readPage(input, {
      parts: [TEXT_PART],
      select: ({ after, limit }) =>
        selectClients({
          ownerId,
          search: searchOf(input),
          kind: input.kind ?? null,
          disabled: input.state === undefined ? null : input.state === 'disabled',
          after: after?.[0] ?? null,
          limit,
        }),
      key: (row) => [row.clientId],
    });
  },
);

export type ClientDetail = ClientRow & { secrets: SecretRow[] };

export const readClient = operation(
  'readClient',
  async (actor: Actor, input: { clientId: string }): Promise<ClientDetail> =>
    viewClient(ownConnection, await reachClient(ownConnection, actor, input.clientId, 'see')),
);

export async function viewClient(db: Db, client: ClientRow): Promise<ClientDetail> {
  return { ...client, secrets: await selectSecrets(db, client.clientId) };
}

export const disableClient = operation('disableClient', (actor: Actor, input: { clientId: string }) =>
  setDisabled(actor, input.clientId, true),
);
export const enableClient = operation('enableClient', (actor: Actor, input: { clientId: string }) =>
  setDisabled(actor, input.clientId, false),
);

/** Only administrators let in again what an administrator may have shut out. */
async function setDisabled(actor: Actor, clientId: string, disabled: boolean): Promise<void> {
  await editOwn(actor, async (db: Db) => {
    await reachClient(db, actor, clientId, 'manage');
    if (!disabled) requireAction(actor, 'clients.manage-all');
    if (!(await setClientDisabled(db, clientId, disabled))) return;
    const event = disabled ? 'client.disabled' : 'client.enabled';
    await record(actor, { event, clientId }, db);
  });
}

/** Whose clients this actor may list: null for everybody's. */
function ownerFilter(actor: Actor, own = false): string | null {
  const all = mayDo(actor, 'clients.see-all') && !own;
  if (!all) requireAction(actor, 'clients.see-own');
  return all ? null : (idOf(actor) ?? '00000000-0000-0000-0000-000000000000');
}

/** A developer owns what they create; an administrator and the operator may name somebody, or nobody. */
export async function ownerOf(
  db: Db,
  actor: Actor,
  email: string | null | undefined,
): Promise<string | null> {
  if (!mayDo(actor, 'clients.manage-all') || email === undefined) return idOf(actor);
  if (email === null || email.trim() === '') return null;
  const owner = await findPersonByEmail(db, email.trim());
  if (!owner) throw faulty([{ field: 'ownerEmail', message: `there is no ${email}` }]);
  return owner.id;
}

function suggestClientId(name: string): string {
  const words = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .toLowerCase()
    .slice(0, 40);
  return `${words || 'client'}-${randomBytes(4).toString('hex')}`;
}
