// Clients: created with an owner, disabled and enabled, listed. A secret is answered once and kept as a hash.
import { randomBytes } from 'node:crypto';
import {
  addClientSecret,
  type ClientListing,
  type ClientRow,
  type Db,
  findPersonByEmail,
  isClientIdTaken,
  listClientRows,
  ownConnection,
  type SecretRow,
  selectClients,
  selectSecrets,
  setClientDisabled,
  upsertClient,
} from '#lib/store/index.ts';
import { mint } from '#lib/tokens/index.ts';
import { type ClientKind, clientFaults, reachClient } from './client-access.ts';
import { operation } from './operation.ts';
import { type Asked, type Page, readPage, searchOf, TEXT_PART } from './page.ts';
import { type Actor, idOf, mayDo, requireAction } from './policy.ts';
import { editOwn } from './quotas.ts';
import { record } from './record.ts';
import { Refused, refuseFaults, taken } from './refused.ts';

export type { ClientRow } from '#lib/store/index.ts';

export type NewClient = {
  /** left out: made from the name */
  clientId?: string | undefined;
  name: string;
  kind: ClientKind;
  redirectUris: string[];
  allowedOrigins?: string[] | undefined;
  logoUri?: string | null | undefined;
  ownerEmail?: string | undefined;
};

export const createClient = operation(
  'createClient',
  async (actor: Actor, input: NewClient): Promise<{ clientId: string; secret: string | null }> => {
    requireAction(actor, 'clients.create');
    const { kind, redirectUris } = input;
    const clientId = input.clientId?.trim() || suggestClientId(input.name);
    const name = input.name.trim();
    const allowedOrigins = input.allowedOrigins ?? [];
    const logoUri = input.logoUri?.trim() || null;
    refuseFaults(clientFaults({ clientId, name, kind, redirectUris, allowedOrigins, logoUri }));
    return editOwn(actor, async (db: Db) => {
      const ownerId = await ownerOf(db, actor, input.ownerEmail);
      if (await isClientIdTaken(db, clientId)) {
        throw taken('clientId', `${clientId} is taken by a client or an API`);
      }
      const values = {
        client_id: clientId,
        client_name: name,
        confidential: kind === 'confidential',
        application_type: kind === 'confidential' ? 'web' : kind,
        redirect_uris: redirectUris,
        allowed_origins: allowedOrigins,
        logo_uri: logoUri,
      };
      await upsertClient(db, values, ownerId);
      const secret = kind === 'confidential' ? mint('clientSecret') : null;
      if (secret) await addClientSecret(db, clientId, secret.hash);
      const details = { kind, after: { name, redirectUris, allowedOrigins } };
      await record(actor, { event: 'client.created', clientId, details }, db);
      return { clientId, secret: secret?.value ?? null };
    });
  },
);

/** Administrators see all of them, developers their own. */
export const listClients = operation(
  'listClients',
  async (actor: Actor, input: { clientId?: string } = {}): Promise<ClientListing[]> => {
    const ownerId = ownerFilter(actor);
    return listClientRows(ownConnection, { ownerId, clientId: input.clientId ?? null });
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

export type ClientView = ClientRow & { secrets: SecretRow[] };

export const readClient = operation(
  'readClient',
  async (actor: Actor, input: { clientId: string }): Promise<ClientView> =>
    viewClient(ownConnection, await reachClient(ownConnection, actor, input.clientId, 'see')),
);

export async function viewClient(db: Db, client: ClientRow): Promise<ClientView> {
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
  const message = `there is no ${email}`;
  if (!owner) throw new Refused(message, 'invalid', { faults: [{ field: 'ownerEmail', message }] });
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
