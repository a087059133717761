// Clients: created with an owner, given new secrets, disabled and enabled. A secret is answered once and kept as a hash.
import { record } from '#lib/audit/index.ts';
import { randomToken, sha256 } from '#lib/kit/index.ts';
import {
  addClientSecret,
  type ClientListing,
  type Db,
  expireClientSecrets,
  findPersonByEmail,
  inTransaction,
  isClientIdTaken,
  listClientRows,
  ownConnection,
  setClientDisabled,
  upsertClient,
} from '#lib/store/index.ts';
import { type Actor, auditName, idOf, mayDo, Refused, requireAction } from './policy.ts';
import { originFault, redirectUriFault } from './redirect-rules.ts';

export const SECRET_PREFIX = 'gh_cs_';
const MAX_OVERLAP_SECONDS = 30 * 24 * 3600;

export type NewClient = {
  clientId: string;
  name: string;
  kind: 'confidential' | 'browser' | 'native';
  redirectUris: string[];
  allowedOrigins?: string[];
  ownerEmail?: string | undefined;
};

export async function createClient(
  actor: Actor,
  input: NewClient,
): Promise<{ clientId: string; secret: string | null }> {
  requireAction(actor, 'clients.create');
  refuseFaults(input);
  const confidential = input.kind === 'confidential';
  return inTransaction(async (db: Db) => {
    const ownerId = await ownerOf(db, actor, input.ownerEmail);
    if (await isClientIdTaken(db, input.clientId))
      throw new Refused(`${input.clientId} is taken by a client or an API`);
    const values = {
      client_id: input.clientId,
      client_name: input.name.trim(),
      confidential,
      application_type: input.kind === 'confidential' ? 'web' : input.kind,
      redirect_uris: input.redirectUris,
      allowed_origins: input.allowedOrigins ?? [],
      logo_uri: null,
    };
    await upsertClient(db, values, ownerId);
    const secret = confidential ? randomToken(SECRET_PREFIX) : null;
    if (secret) await addClientSecret(db, input.clientId, sha256(secret));
    const event = { actor: auditName(actor), clientId: input.clientId, details: { kind: input.kind } };
    await record({ event: 'client.created', ...event }, db);
    return { clientId: input.clientId, secret };
  });
}

/** Administrators see all of them, developers their own. */
export async function listClients(actor: Actor, input: { clientId?: string } = {}): Promise<ClientListing[]> {
  const all = mayDo(actor, 'clients.manage-all');
  if (!all) requireAction(actor, 'clients.manage-own');
  return listClientRows(ownConnection, {
    ownerId: all ? null : idOf(actor),
    clientId: input.clientId ?? null,
  });
}

/** The new secret, once. Old ones end now, or live on for `overlapSeconds`. */
export async function rotateClientSecret(
  actor: Actor,
  input: { clientId: string; overlapSeconds?: number },
): Promise<{ secret: string }> {
  const overlapSeconds = input.overlapSeconds ?? 0;
  if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > MAX_OVERLAP_SECONDS) {
    throw new Refused(`the overlap is a whole number of seconds up to ${MAX_OVERLAP_SECONDS}`);
  }
  return changing(actor, input.clientId, async (db, client) => {
    if (!client.confidential) throw new Refused(`${client.client_id} is a public client and has no secret`);
    await expireClientSecrets(db, client.client_id, overlapSeconds);
    const secret = randomToken(SECRET_PREFIX);
    await addClientSecret(db, client.client_id, sha256(secret));
    const event = { actor: auditName(actor), clientId: client.client_id, details: { overlapSeconds } };
    await record({ event: 'client.secret_rotated', ...event }, db);
    return { secret };
  });
}

export const disableClient = (actor: Actor, input: { clientId: string }) =>
  setDisabled(actor, input.clientId, true);
export const enableClient = (actor: Actor, input: { clientId: string }) =>
  setDisabled(actor, input.clientId, false);

function setDisabled(actor: Actor, clientId: string, disabled: boolean): Promise<void> {
  return changing(actor, clientId, async (db) => {
    if (!(await setClientDisabled(db, clientId, disabled))) return;
    await record(
      { event: disabled ? 'client.disabled' : 'client.enabled', actor: auditName(actor), clientId },
      db,
    );
  });
}

async function changing<T>(
  actor: Actor,
  clientId: string,
  change: (db: Db, client: ClientListing) => Promise<T>,
): Promise<T> {
  const all = mayDo(actor, 'clients.manage-all');
  if (!all) requireAction(actor, 'clients.manage-own');
  return inTransaction(async (db: Db) => {
    const [client] = await listClientRows(db, { ownerId: all ? null : idOf(actor), clientId });
    if (!client) throw new Refused(`there is no client ${clientId}${all ? '' : ' of yours'}`);
    return change(db, client);
  });
}

/** A developer owns what they create; an administrator and the operator may name somebody, or nobody. */
async function ownerOf(db: Db, actor: Actor, email: string | undefined): Promise<string | null> {
  if (!mayDo(actor, 'clients.manage-all')) return idOf(actor);
  if (email === undefined) return idOf(actor);
  const owner = await findPersonByEmail(db, email);
  if (!owner) throw new Refused(`there is no ${email}`);
  return owner.id;
}

function refuseFaults(input: NewClient): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._~-]{0,199}$/.test(input.clientId)) {
    throw new Refused('a client id has 1 to 200 letters, digits, dots, hyphens, underscores and tildes');
  }
  if (input.name.trim() === '' || input.name.length > 200)
    throw new Refused('a client name has 1 to 200 characters');
  if (!['confidential', 'browser', 'native'].includes(input.kind)) {
    throw new Refused('the type is confidential, browser or native');
  }
  const type = input.kind === 'confidential' ? 'web' : input.kind;
  for (const uri of input.redirectUris) {
    const fault = redirectUriFault(uri, type);
    if (fault) throw new Refused(`redirect URI ${uri}: ${fault}`);
  }
  for (const origin of input.allowedOrigins ?? []) {
    const fault = originFault(origin);
    if (fault) throw new Refused(`origin ${origin}: ${fault}`);
  }
}
