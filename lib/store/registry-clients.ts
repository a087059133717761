// Writing clients and their secrets, and removing clients, APIs and methods.
import { endTokens } from './endings.ts';
import type { Db } from './registry-db.ts';

export type ClientValues = {
  client_id: string;
  client_name: string;
  confidential: boolean;
  application_type: string;
  redirect_uris: string[];
  allowed_origins: string[];
  logo_uri: string | null;
};

/** SQL, with the database's time: clients are listed in the order of their creation. */
export async function upsertClient(
  db: Db,
  client: ClientValues,
  ownerId: string | null = null,
): Promise<void> {
  await db.query({
    text: `insert into clients
        (client_id, name, confidential, application_type, redirect_uris, allowed_origins, logo_uri, owner_id)
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict (client_id) do update set name = $2, confidential = $3, application_type = $4, redirect_uris = $5,
        allowed_origins = $6, logo_uri = $7, updated_at = now()`,
    values: [
      client.client_id,
      client.client_name,
      client.confidential,
      client.application_type,
      client.redirect_uris,
      client.allowed_origins,
      client.logo_uri,
      ownerId,
    ],
  });
}

/** False where nothing changed: it was so already, or there is no such client. Disabling ends the client's tokens. */
export async function setClientDisabled(db: Db, clientId: string, disabled: boolean): Promise<boolean> {
  const rows = await db.query({
    text: `update clients set disabled_at = case when $2 then now() end, updated_at = now()
      where client_id = $1 and (disabled_at is not null) <> $2 returning client_id`,
    values: [clientId, disabled],
  });
  if (rows.length === 1 && disabled) await endTokens(db, { clientId }, 'client disabled');
  return rows.length === 1;
}

/** The secret that the file gave before ends, the new one begins; secrets made elsewhere stay. */
export async function setConfigSecret(db: Db, clientId: string, hash: Buffer): Promise<void> {
  const configSecretHash = new Uint8Array(hash);
  await db.orm(async (prisma) => {
    const before = await prisma.client.findUnique({
      where: { clientId },
      select: { configSecretHash: true },
    });
    const secretHash = before?.configSecretHash;
    if (secretHash) await prisma.clientSecret.deleteMany({ where: { clientId, secretHash } });
    await prisma.client.updateMany({ where: { clientId }, data: { configSecretHash } });
  });
  await addClientSecret(db, clientId, hash);
}

/** SQL: which secret is the newest is a matter of the database's time. */
export async function addClientSecret(db: Db, clientId: string, hash: Buffer): Promise<void> {
  await db.query({
    text: `insert into client_secrets (client_id, secret_hash) values ($1, $2)
      on conflict (client_id, secret_hash) do update set expires_at = null`,
    values: [clientId, hash],
  });
}

/** Without an overlap old secrets end now; with one, the newest of them lives on for so long and the others end. */
export async function expireClientSecrets(db: Db, clientId: string, overlapSeconds: number): Promise<void> {
  await db.query({
    text: `delete from client_secrets where client_id = $1 and ($2 = 0 or expires_at <= now() or id not in (
        select id from client_secrets where client_id = $1 order by created_at desc limit 1))`,
    values: [clientId, overlapSeconds],
  });
  await db.query({
    text: `update client_secrets set expires_at = least(expires_at, now() + make_interval(secs => $2))
      where client_id = $1`,
    values: [clientId, overlapSeconds],
  });
}

export async function dropClientSecrets(db: Db, clientId: string): Promise<void> {
  await db.orm(async (prisma) => {
    await prisma.clientSecret.deleteMany({ where: { clientId } });
    await prisma.client.updateMany({ where: { clientId }, data: { configSecretHash: null } });
  });
}

/** Takes an object out, with what rests on it, so that another of the same id inherits nothing. */
export async function removeFromRegistry(
  db: Db,
  table: 'clients' | 'apis' | 'auth_methods',
  id: string,
): Promise<void> {
  const of = { clients: { clientId: id }, apis: { apiId: id }, auth_methods: { authMethodId: id } };
  await db.orm(async (prisma) => {
    if (table === 'clients') {
      await prisma.consent.deleteMany({ where: { clientId: id } });
      await prisma.client.deleteMany({ where: { clientId: id } });
    } else if (table === 'apis') {
      await prisma.consent.deleteMany({ where: { apiId: id } });
      await prisma.api.deleteMany({ where: { id } });
    } else {
      await prisma.externalIdentity.deleteMany({ where: { authMethodId: id } });
      await prisma.session.deleteMany({ where: { authMethodId: id } });
      await prisma.authMethod.deleteMany({ where: { id } });
    }
  });
  await endTokens(db, of[table], `${table} entry removed`);
}

export type ClientListing = {
  client_id: string;
  client_name: string;
  confidential: boolean;
  application_type: string;
  redirect_uris: string[];
  allowed_origins: string[];
  logo_uri: string | null;
  disabled: boolean;
  owner_id: string | null;
  owner: string | null;
  secrets: { id: string; created_at: string; expires_at: string | null; last_used_at: string | null }[];
};

/** `ownerId` null: everybody's; `clientId` null: all of them. SQL: a secret ends by the database's time. */
export function listClientRows(
  db: Db,
  asked: { ownerId: string | null; clientId: string | null },
): Promise<ClientListing[]> {
  return db.query<ClientListing>({
    text: `select c.client_id, c.name as client_name, c.confidential, c.application_type, c.redirect_uris,
        c.allowed_origins, c.logo_uri, c.disabled_at is not null as disabled, c.owner_id, p.email as owner,
        coalesce((select json_agg(json_build_object('id', s.id, 'created_at', s.created_at, 'expires_at', s.expires_at,
          'last_used_at', s.last_used_at) order by s.created_at) from client_secrets s
          where s.client_id = c.client_id and (s.expires_at is null or s.expires_at > now())), '[]') as secrets
      from clients c left join people p on p.id = c.owner_id
      where ($1::uuid is null or c.owner_id = $1) and ($2::text is null or c.client_id = $2) order by c.client_id`,
    values: [asked.ownerId, asked.clientId],
  });
}

/** True where the id is taken, by a client or by an API (an API signs in with its id too). */
export function isClientIdTaken(db: Db, clientId: string): Promise<boolean> {
  return db.orm(async (prisma) => {
    const clients = await prisma.client.count({ where: { clientId } });
    return clients > 0 || (await prisma.api.count({ where: { id: clientId } })) > 0;
  });
}
