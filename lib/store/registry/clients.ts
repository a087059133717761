// Clients: listed, found, written, switched off.
import { applicationTypeOf, type ClientRow, type ClientValues, client } from '#lib/registry/index.ts';
import {
  assigned,
  columnsOf,
  contains,
  type Db,
  equals,
  first,
  inserted,
  list,
  raw,
  type Stored,
  selected,
  some,
  sql,
  stored,
} from '../database/index.ts';
import { endTokens } from '../endings/index.ts';

/** SQL, of the client `c`. */
export const CLIENT_KIND = `case when c.confidential then 'confidential' when c.application_type = 'native' then 'native' else 'browser' end`;

/** Every field but the kind, which is two columns. */
export const CLIENT_COLUMNS = columnsOf(client, ['kind']);

/** SQL: a ClientRow, of the client `c` and its owner `p`. */
export const CLIENT_ROW = sql`${selected(CLIENT_COLUMNS, 'c')}, ${raw(CLIENT_KIND)} as kind,
  c.disabled_at is not null as disabled, c.origin, c.identity_changed_at as "identityChangedAt", c.managed, c.owner_id as "ownerId", p.email as "ownerEmail",
  (select count(*)::int from subscriptions s where s.client_id = c.client_id) as subscriptions,
  (select count(*)::int from subscriptions s where s.client_id = c.client_id and s.state = 'pending') as pending,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.version`;
export const CLIENT_TABLES = raw('from clients c left join people p on p.id = c.owner_id');

export type ClientFilter = {
  ownerId: string | null;
  search: string | null;
  kind: string | null;
  disabled: boolean | null;
};

/** By client id. */
export const CLIENTS = list<ClientRow, ClientFilter>({
  rows: sql`${CLIENT_ROW} ${CLIENT_TABLES}`,
  key: [['c.client_id', 'text']],
  where: ({ ownerId, search, kind, disabled }) => [
    equals('c.owner_id', ownerId),
    contains(search, 'lower(c.client_id)', 'lower(c.name)'),
    equals(CLIENT_KIND, kind),
    equals('(c.disabled_at is not null)', disabled),
  ],
});

/** `lock`: until the transaction ends nobody else changes it. */
export function findClient(
  db: Db,
  clientId: string,
  lock: 'lock' | 'look' = 'look',
): Promise<ClientRow | null> {
  return first(
    db.$queryRaw(sql`select ${CLIENT_ROW} ${CLIENT_TABLES} where c.client_id = ${clientId}
    ${raw(lock === 'lock' ? 'for update of c' : '')}`),
  );
}

/** Has a client or an API this id? An API signs in with its id too. */
export function isClientIdTaken(db: Db, id: string): Promise<boolean> {
  return some(
    db.$queryRaw(
      sql`select from clients where client_id = ${id} union all select from apis where id = ${id}`,
    ),
  );
}

/** Has it a subscription to an API whose clients all get pairwise subjects? */
export function isPairwiseSomewhere(db: Db, clientId: string): Promise<boolean> {
  return some(
    db.$queryRaw(sql`select from subscriptions s join apis a on a.id = s.api_id
    where s.client_id = ${clientId} and a.pairwise_subjects`),
  );
}

const storedClient = (values: ClientValues, ownerId: string | null): Stored => ({
  ...stored(CLIENT_COLUMNS, values),
  confidential: values.kind === 'confidential',
  application_type: applicationTypeOf(values.kind),
  owner_id: ownerId,
});

/** `origin`: null for what people and the configuration file make. */
export async function insertClient(
  db: Db,
  values: ClientValues,
  ownerId: string | null,
  origin: 'registration' | null = null,
): Promise<void> {
  await db.$executeRaw(sql`insert into clients ${inserted({ ...storedClient(values, ownerId), origin })}`);
}

/** False where the version has moved on. `otherIdentity`: consents and delegations from before do not count any more. */
export async function updateClient(
  db: Db,
  version: number,
  values: ClientValues,
  { ownerId, otherIdentity }: { ownerId: string | null; otherIdentity: boolean },
): Promise<boolean> {
  const { clientId } = values;
  const row = {
    ...storedClient(values, ownerId),
    ...(otherIdentity && { identity_changed_at: IDENTITY_NOW }),
  };
  const updated = await some(
    db.$executeRaw(sql`update clients set ${assigned(row)}
    where client_id = ${clientId} and version = ${version}`),
  );
  if (updated && otherIdentity) await makeUndecidedStale(db, clientId);
  return updated;
}

/** With the row locked, and not when the transaction began: a consent given meanwhile is from before. */
export const IDENTITY_NOW = sql`clock_timestamp()`;

/** Whoever is deciding on one of the client's subscriptions saw its former identity. */
export async function makeUndecidedStale(db: Db, clientId: string): Promise<void> {
  await db.$executeRaw(sql`update subscriptions set version = version + 1
    where client_id = ${clientId} and state <> 'approved'`);
}

/** False where nothing changed: it was so already, or there is no such client. Disabling ends the client's tokens. */
export async function setClientDisabled(db: Db, clientId: string, disabled: boolean): Promise<boolean> {
  const changed = await some(
    db.$executeRaw(sql`update clients set disabled_at = case when ${disabled} then now() end
    where client_id = ${clientId} and (disabled_at is not null) <> ${disabled}`),
  );
  if (changed && disabled) await endTokens(db, { clientId }, 'client disabled');
  return changed;
}
