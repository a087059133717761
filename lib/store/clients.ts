// Clients: read for lists and pages, written, switched off.
import { applicationTypeOf, type ClientRow, type ClientValues } from '#lib/registry/index.ts';
import { endTokens } from './endings.ts';
import { type Db, ownConnection } from './transaction.ts';

/** SQL, of the client `c`. */
export const CLIENT_KIND = `case when c.confidential then 'confidential' when c.application_type = 'native' then 'native' else 'browser' end`;
/** SQL: a ClientRow, of the client `c` and its owner `p`. */
export const CLIENT_ROW = `c.client_id as "clientId", c.name, ${CLIENT_KIND} as kind,
  c.redirect_uris as "redirectUris", c.allowed_origins as "allowedOrigins", c.logo_uri as "logoUri",
  c.disabled_at is not null as disabled, c.managed, c.owner_id as "ownerId", p.email as "ownerEmail",
  (select count(*)::int from subscriptions s where s.client_id = c.client_id) as subscriptions,
  (select count(*)::int from subscriptions s where s.client_id = c.client_id and s.state = 'pending') as pending,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.version`;

/** By client id; each part that is null is not asked about. */
export async function selectClients(asked: {
  ownerId: string | null;
  search: string | null;
  kind: string | null;
  disabled: boolean | null;
  after: string | null;
  limit: number;
}): Promise<ClientRow[]> {
  return ownConnection.query<ClientRow>({
    text: `select ${CLIENT_ROW} from clients c left join people p on p.id = c.owner_id
      where ($1::uuid is null or c.owner_id = $1)
        and ($2::text is null or position($2 in lower(c.client_id)) > 0 or position($2 in lower(c.name)) > 0)
        and ($3::text is null or $3 = ${CLIENT_KIND})
        and ($4::boolean is null or (c.disabled_at is not null) = $4) and ($5::text is null or c.client_id > $5)
      order by c.client_id limit $6`,
    values: [asked.ownerId, asked.search, asked.kind, asked.disabled, asked.after, asked.limit],
  });
}

/** `lock`: until the transaction ends nobody else changes it. */
export async function findClient(
  db: Db,
  clientId: string,
  lock: 'lock' | 'look' = 'look',
): Promise<ClientRow | null> {
  const [row] = await db.query<ClientRow>({
    text: `select ${CLIENT_ROW} from clients c left join people p on p.id = c.owner_id where c.client_id = $1
      ${lock === 'lock' ? 'for update of c' : ''}`,
    values: [clientId],
  });
  return row ?? null;
}

/** True where the id is taken, by a client or by an API (an API signs in with its id too). */
export async function isClientIdTaken(db: Db, clientId: string): Promise<boolean> {
  const rows = await db.query({
    text: 'select client_id from clients where client_id = $1 union all select id from apis where id = $1',
    values: [clientId],
  });
  return rows.length > 0;
}

const columnsOf = ({ name, kind, redirectUris, allowedOrigins, logoUri }: Omit<ClientValues, 'clientId'>) => [
  name,
  kind === 'confidential',
  applicationTypeOf(kind),
  redirectUris,
  allowedOrigins,
  logoUri,
];

export async function insertClient(
  db: Db,
  { clientId, ...values }: ClientValues,
  ownerId: string | null,
): Promise<void> {
  await db.query({
    text: `insert into clients
        (client_id, owner_id, name, confidential, application_type, redirect_uris, allowed_origins, logo_uri)
      values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    values: [clientId, ownerId, ...columnsOf(values)],
  });
}

/** False where the version has moved on. */
export async function updateClient(
  db: Db,
  version: number,
  { clientId, ...values }: ClientValues,
  ownerId: string | null,
): Promise<boolean> {
  const rows = await db.query({
    text: `update clients set owner_id = $3, name = $4, confidential = $5, application_type = $6, redirect_uris = $7,
        allowed_origins = $8, logo_uri = $9, updated_at = now()
      where client_id = $1 and version = $2 returning client_id`,
    values: [clientId, version, ownerId, ...columnsOf(values)],
  });
  return rows.length === 1;
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
