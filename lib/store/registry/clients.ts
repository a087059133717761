// Clients: listed, found, written, switched off.
import {
  applicationTypeOf,
  type ClientRow,
  type ClientValues,
  client,
} from '#lib/registry/clients/client.ts';
import { plainText } from '#lib/registry/fields/display-text.ts';
import { BY_NAME, contains, type DayRange, equals, inRange, list } from '../database/list.ts';
import { type Db, first, some } from '../database/prisma.ts';
import { columnsOf, jsonOrNull, raw, selected, sql, textsOf } from '../database/sql.ts';
import { endTokens } from '../endings/endings.ts';

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
  created?: DayRange | undefined;
};

/** By client id. */
export const CLIENTS = list<ClientRow, ClientFilter>({
  rows: sql`${CLIENT_ROW} ${CLIENT_TABLES}`,
  orders: {
    id: { key: [['c.client_id', 'text']] },
    name: {
      key: [
        [`c.name ${BY_NAME}`, 'text'],
        ['c.client_id', 'text'],
      ],
    },
    created: {
      key: [
        ['c.created_at', 'time'],
        ['c.client_id', 'text'],
      ],
      begins: 'desc',
    },
  },
  where: ({ ownerId, search, kind, disabled, created }) => [
    equals('c.owner_id', ownerId),
    contains(search, 'lower(c.client_id)', 'lower(c.name)'),
    equals(CLIENT_KIND, kind),
    equals('(c.disabled_at is not null)', disabled),
    inRange('c.created_at', created),
  ],
});

/** `lock`: until the transaction ends no other one changes it. */
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
export const isClientIdTaken = async (db: Db, id: string): Promise<boolean> =>
  (await db.client.count({ where: { clientId: id } })) + (await db.api.count({ where: { id } })) > 0;

/** Is it what tokens name a person by, who had it at another service? */
export const isKeptSubject = async (db: Db, subject: string): Promise<boolean> =>
  (await db.person.count({ where: { subject } })) > 0;

/** Has it a subscription to an API whose clients all get pairwise subjects? */
export const isPairwiseSomewhere = async (db: Db, clientId: string): Promise<boolean> =>
  (await db.subscription.count({ where: { clientId, api: { pairwiseSubjects: true } } })) > 0;

const dataOf = ({ kind, name, brand, texts, jwks, ...plain }: ClientValues, ownerId: string | null) => ({
  ...plain,
  ...{ name: plainText(name), nameTexts: textsOf(name), brand: jsonOrNull(brand), jwks: jsonOrNull(jwks) },
  texts: jsonOrNull(texts),
  ...{ confidential: kind === 'confidential', applicationType: applicationTypeOf(kind), ownerId },
});

/** `origin`: null for what people and the configuration file make. */
export async function insertClient(
  db: Db,
  values: ClientValues,
  ownerId: string | null,
  origin: 'registration' | null = null,
): Promise<void> {
  await db.client.create({ data: { ...dataOf(values, ownerId), origin }, select: { clientId: true } });
}

/**
 * False where the version has moved on. `otherIdentity`: consents and delegations from before do not count any more.
 */
export async function updateClient(
  db: Db,
  version: number,
  values: ClientValues,
  { ownerId, otherIdentity }: { ownerId: string | null; otherIdentity: boolean },
): Promise<boolean> {
  const { clientId } = values;
  const data = { ...dataOf(values, ownerId), ...(otherIdentity && OTHER_IDENTITY) };
  const { count } = await db.client.updateMany({ where: { clientId, version }, data });
  if (count > 0 && otherIdentity) await makeUndecidedStale(db, clientId);
  return count > 0;
}

/** Any time: a trigger sets the database's (`date_identity`). */
export const OTHER_IDENTITY = { identityChangedAt: new Date(0) };

/** Who decides on one of the client's subscriptions saw its former identity. */
export async function makeUndecidedStale(db: Db, clientId: string): Promise<void> {
  await db.subscription.updateMany({
    where: { clientId, state: { not: 'approved' } },
    data: { version: { increment: 1 } },
  });
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
