// Clients: read for lists and pages, written, switched off.
import {
  applicationTypeOf,
  type ClientRow,
  type ClientValues,
  client,
  plainName,
} from '#lib/registry/index.ts';
import { endTokens } from './endings.ts';
import { type Db, ownConnection } from './transaction.ts';

/** SQL, of the client `c`. */
export const CLIENT_KIND = `case when c.confidential then 'confidential' when c.application_type = 'native' then 'native' else 'browser' end`;

/** Every field of the definition that is a column; a kind is two. */
const CLIENT_COLUMNS = Object.keys(client.shape)
  .filter((name) => name !== 'kind')
  .map((name) => ({ name, column: plainName(name) })) as {
  name: Exclude<keyof ClientValues, 'kind'>;
  column: string;
}[];

/** SQL: a ClientRow, of the client `c` and its owner `p`. */
export const CLIENT_ROW = `${CLIENT_COLUMNS.map(({ name, column }) => `c.${column} as "${name}"`).join(', ')}, ${CLIENT_KIND} as kind,
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

/**
 * True where the id is taken, by a client or by an API (an API signs in with its id too). Of two who ask for one id at once,
 * one waits for the other.
 */
export async function isClientIdTaken(db: Db, clientId: string): Promise<boolean> {
  await db.query({
    text: `select pg_advisory_xact_lock(hashtext('gatehouse.id ' || $1))`,
    values: [clientId],
  });
  const rows = await db.query({
    text: 'select client_id from clients where client_id = $1 union all select id from apis where id = $1',
    values: [clientId],
  });
  return rows.length > 0;
}

const WRITTEN = [
  ...CLIENT_COLUMNS.map(({ column }) => column),
  'confidential',
  'application_type',
  'owner_id',
];
const valuesOf = (values: ClientValues, ownerId: string | null) => [
  ...CLIENT_COLUMNS.map(({ name }) => values[name]),
  values.kind === 'confidential',
  applicationTypeOf(values.kind),
  ownerId,
];

export async function insertClient(db: Db, values: ClientValues, ownerId: string | null): Promise<void> {
  await db.query({
    text: `insert into clients (${WRITTEN.join(', ')}) values (${WRITTEN.map((_, at) => `$${at + 1}`).join(', ')})`,
    values: valuesOf(values, ownerId),
  });
}

/** False where the version has moved on. */
export async function updateClient(
  db: Db,
  version: number,
  values: ClientValues,
  ownerId: string | null,
): Promise<boolean> {
  const rows = await db.query({
    text: `update clients set ${WRITTEN.map((column, at) => `${column} = $${at + 1}`).join(', ')}, updated_at = now()
      where client_id = $1 and version = $${WRITTEN.length + 1} returning client_id`,
    values: [...valuesOf(values, ownerId), version],
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
