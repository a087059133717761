// Clients as the console's lists and pages show them, and the edits made there.
import { type Db, ownConnection } from './registry-db.ts';

export type ClientRow = {
  clientId: string;
  name: string;
  kind: 'confidential' | 'browser' | 'native';
  redirectUris: string[];
  allowedOrigins: string[];
  logoUri: string | null;
  disabled: boolean;
  managed: boolean;
  ownerId: string | null;
  ownerEmail: string | null;
  /** how many subscriptions it has, and how many of them wait */
  subscriptions: number;
  pending: number;
  createdAt: Date;
  updatedAt: Date;
  version: number;
};

const COLUMNS = `c.client_id as "clientId", c.name,
  case when c.confidential then 'confidential' when c.application_type = 'native' then 'native' else 'browser' end as kind,
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
    text: `select ${COLUMNS} from clients c left join people p on p.id = c.owner_id
      where ($1::uuid is null or c.owner_id = $1)
        and ($2::text is null or position($2 in lower(c.client_id)) > 0 or position($2 in lower(c.name)) > 0)
        and ($3::text is null or $3 = case when c.confidential then 'confidential' when c.application_type = 'native'
          then 'native' else 'browser' end)
        and ($4::boolean is null or (c.disabled_at is not null) = $4) and ($5::text is null or c.client_id > $5)
      order by c.client_id limit $6`,
    values: [asked.ownerId, asked.search, asked.kind, asked.disabled, asked.after, asked.limit],
  });
}

/** In a transaction the row is locked: whoever changes it next waits. */
export async function findClient(
  db: Db,
  clientId: string,
  lock: 'lock' | 'look' = 'look',
): Promise<ClientRow | null> {
  const [row] = await db.query<ClientRow>({
    text: `select ${COLUMNS} from clients c left join people p on p.id = c.owner_id where c.client_id = $1
      ${lock === 'lock' ? 'for update of c' : ''}`,
    values: [clientId],
  });
  return row ?? null;
}

export type SecretRow = {
  id: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
};

/** The living ones; `hashes` never leave the store. */
export async function selectSecrets(db: Db, clientId: string): Promise<SecretRow[]> {
  return db.query<SecretRow>({
    text: `select id, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"
      from client_secrets where client_id = $1 and (expires_at is null or expires_at > now()) order by created_at, id`,
    values: [clientId],
  });
}

/** A configured secret that is dropped here is not brought back by the next apply, unless the file's value changes. */
export async function deleteSecret(db: Db, clientId: string, secretId: string): Promise<boolean> {
  const rows = await db.query({
    text: 'delete from client_secrets where client_id = $1 and id = $2 returning id',
    values: [clientId, secretId],
  });
  return rows.length === 1;
}

/** False where the version has moved on. */
export async function updateClient(
  db: Db,
  clientId: string,
  version: number,
  values: Pick<ClientRow, 'name' | 'kind' | 'redirectUris' | 'allowedOrigins' | 'logoUri' | 'ownerId'>,
): Promise<boolean> {
  const rows = await db.query({
    text: `update clients set name = $3, confidential = $4, application_type = $5, redirect_uris = $6,
        allowed_origins = $7, logo_uri = $8, owner_id = $9, updated_at = now()
      where client_id = $1 and version = $2 returning client_id`,
    values: [
      clientId,
      version,
      values.name,
      values.kind === 'confidential',
      values.kind === 'confidential' ? 'web' : values.kind,
      values.redirectUris,
      values.allowedOrigins,
      values.logoUri,
      values.ownerId,
    ],
  });
  return rows.length === 1;
}

/** What rests on a client, an API, a method or a combination right now: living chains of tokens, and their people. */
export async function countTokens(
  db: Db,
  asked: { clientId?: string; api?: string; authMethodId?: string },
): Promise<{ tokens: number; people: number }> {
  const [row] = await db.query<{ tokens: number; people: number }>({
    text: `select count(*)::int as tokens, count(distinct person_id)::int as people from token_families
      where revoked_at is null and expires_at > now() and ($1::text is null or client_id = $1)
        and ($2::text is null or api_id = $2) and ($3::text is null or auth_method_id = $3)`,
    values: [asked.clientId ?? null, asked.api ?? null, asked.authMethodId ?? null],
  });
  return row ?? { tokens: 0, people: 0 };
}
