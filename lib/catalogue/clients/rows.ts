// Clients and their secrets: lists, finds, writes and disables them.

import { randomBytes } from 'node:crypto';
import { sha256 } from '#lib/kit/random.ts';
import { plainText } from '#lib/registry/display-text.ts';
import { endTokens } from '#lib/store/endings.ts';
import { CLIENT_KIND } from '#lib/store/function-values.ts';
import { BY_NAME, contains, type DayRange, equals, inRange, list } from '#lib/store/list.ts';
import { type Db, readRow, readRows, some } from '#lib/store/prisma.ts';
import { columnsOf, jsonOrNull, raw, selectSql, sql, textsOf } from '#lib/store/sql.ts';
import { type ColdRow, narrowTo, statement } from '#lib/store/statement.ts';
import { applicationTypeOf, type ClientRow, type ClientValues, client, clientRow } from './definition.ts';

/** The columns of all fields except the kind, for which two columns exist. */
export const CLIENT_COLUMNS = columnsOf(client, ['kind']);

/** SQL that selects a ClientRow from the client `c` and its owner `p`. */
export const CLIENT_ROW = sql`${selectSql(CLIENT_COLUMNS, 'c')}, ${raw(CLIENT_KIND)} as kind,
  c.disabled_at is not null as disabled, c.origin, c.identity_changed_at as "identityChangedAt", c.managed, c.owner_id as "ownerId", p.email as "ownerEmail",
  (select count(*)::int from subscriptions s where s.client_id = c.client_id) as subscriptions,
  (select count(*)::int from subscriptions s where s.client_id = c.client_id and s.state = 'pending') as pending,
  c.created_at as "createdAt", c.updated_at as "updatedAt", c.version`;
export const CLIENT_TABLES = raw('from clients c left join people p on p.id = c.owner_id');

type ClientFilter = {
  ownerId: string | null;
  search: string | null;
  kind: string | null;
  disabled: boolean | null;
  created?: DayRange | undefined;
};

/** The list of clients. Its default order is by client id. */
export const CLIENTS = list({
  returns: clientRow.shape,
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
  where: ({ ownerId, search, kind, disabled, created }: ClientFilter) => [
    equals('c.owner_id', ownerId),
    contains(search, 'lower(c.client_id)', 'lower(c.name)'),
    equals(CLIENT_KIND, kind),
    equals('(c.disabled_at is not null)', disabled),
    inRange('c.created_at', created),
  ],
});

/** `lock`: locks the row until the transaction ends. */
export function findClient(
  db: Db,
  clientId: string,
  lock: 'lock' | 'look' = 'look',
): Promise<ClientRow | null> {
  return readRow(db, clientRow.shape)`
    select ${CLIENT_ROW} ${CLIENT_TABLES} where c.client_id = ${clientId}
    ${raw(lock === 'lock' ? 'for update of c' : '')}`;
}

/** Returns true if a client or API has this id, because APIs also authenticate with their id. */
export const isClientIdTaken = async (db: Db, id: string): Promise<boolean> =>
  (await db.client.count({ where: { clientId: id } })) + (await db.api.count({ where: { id } })) > 0;

/** Returns true if a user imported from a former service has this `sub`. */
export const isKeptSubject = async (db: Db, subject: string): Promise<boolean> =>
  (await db.person.count({ where: { subject } })) > 0;

/** Returns true if the client has a subscription to an API with pairwise subjects for every client. */
export const isPairwiseSomewhere = async (db: Db, clientId: string): Promise<boolean> =>
  (await db.subscription.count({ where: { clientId, api: { pairwiseSubjects: true } } })) > 0;

const dataOf = ({ kind, name, brand, texts, jwks, ...plain }: ClientValues, ownerId: string | null) => ({
  ...plain,
  ...{ name: plainText(name), nameTexts: textsOf(name), brand: jsonOrNull(brand), jwks: jsonOrNull(jwks) },
  texts: jsonOrNull(texts),
  ...{ confidential: kind === 'confidential', applicationType: applicationTypeOf(kind), ownerId },
});

/** `origin` is null for clients from people and the configuration file. */
export async function insertClient(
  db: Db,
  values: ClientValues,
  ownerId: string | null,
  origin: 'registration' | null = null,
): Promise<void> {
  await db.client.create({ data: { ...dataOf(values, ownerId), origin }, select: { clientId: true } });
}

/** Returns false on a version conflict. `otherIdentity`: invalidates earlier consents and delegations. */
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

/**
 * A change that marks a new identity. The value is ignored: a trigger sets the database's time
 * (`date_identity`).
 */
export const OTHER_IDENTITY = { identityChangedAt: new Date(0) };

/** Invalidates the open decision forms of this client, because their approvers saw the client's former identity. */
export async function makeUndecidedStale(db: Db, clientId: string): Promise<void> {
  await db.subscription.updateMany({
    where: { clientId, state: { not: 'approved' } },
    data: { version: { increment: 1 } },
  });
}

/** Returns false if the client is unknown, or already in this state. Disabling revokes the client's tokens. */
export async function setClientDisabled(db: Db, clientId: string, disabled: boolean): Promise<boolean> {
  const changed = await some(
    db.$executeRaw(sql`update clients set disabled_at = case when ${disabled} then now() end
    where client_id = ${clientId} and (disabled_at is not null) <> ${disabled}`),
  );
  if (changed && disabled) await endTokens(db, { clientId }, 'client disabled');
  return changed;
}

// Client secrets are stored as SHA-256, at most two at a time. For an imported secret, the row contains the foreign
// hash and random bytes in place of the SHA-256, until the first use.

const SECRET_ROW = {
  id: 'uuid',
  createdAt: 'timestamptz',
  expiresAt: 'timestamptz?',
  lastUsedAt: 'timestamptz?',
} as const;
export type SecretRow = ColdRow<typeof SECRET_ROW>;

/** Returns the unexpired secrets of the client, the oldest first. */
export function selectSecrets(db: Db, clientId: string): Promise<SecretRow[]> {
  return readRows(db, SECRET_ROW)`
    select id, created_at as "createdAt", expires_at as "expiresAt", last_used_at as "lastUsedAt"
    from client_secrets where client_id = ${clientId} and (expires_at is null or expires_at > now())
    order by created_at, id`;
}

/**
 * Deletes a secret. The next apply does not restore a deleted secret of the configuration file, unless the file's
 * value changes.
 */
export const deleteSecret = async (db: Db, clientId: string, id: string): Promise<boolean> =>
  (await db.clientSecret.deleteMany({ where: { clientId, id } })).count > 0;

/** A secret from the configuration file: plain text, or a hash of a former service. */
export type ConfiguredSecret = { plain: string } | { kept: string };

/**
 * Fingerprint of a configured secret. A hash and a plain secret with equal text have different fingerprints, so a
 * corrected key counts as a change.
 */
export const configSecretHash = (secret: ConfiguredSecret): Buffer =>
  sha256('plain' in secret ? secret.plain : `client_secret_hash ${secret.kept}`);

/** Replaces the previous secret of the configuration file. Secrets created in the console or the API remain. */
export async function setConfigSecret(db: Db, clientId: string, secret: ConfiguredSecret): Promise<void> {
  await db.$executeRaw(sql`delete from client_secrets s using clients c
    where c.client_id = ${clientId} and s.client_id = c.client_id
      and (s.secret_hash = c.config_secret_hash or s.kept_from = c.config_secret_hash)`);
  const hash = configSecretHash(secret);
  const fingerprint = Uint8Array.from(hash);
  await db.client.updateMany({ where: { clientId }, data: { configSecretHash: fingerprint } });
  if ('plain' in secret) {
    await addClientSecret(db, clientId, hash);
    return;
  }
  const secretHash = Uint8Array.from(randomBytes(32));
  await db.clientSecret.create({
    data: { clientId, secretHash, keptHash: secret.kept, keptFrom: fingerprint },
  });
}

const keptSecretReplace = statement({
  name: 'kept-secret-replace',
  takes: { clientId: 'text', keptHash: 'text', secretHash: 'bytea' },
  returns: { id: 'uuid' },
  text: (
    value,
  ) => `update client_secrets set secret_hash = ${value.secretHash}, kept_hash = null, last_used_at = now()
  where client_id = ${value.clientId} and kept_hash = ${value.keptHash} and (expires_at is null or expires_at > now())
    and not exists (select from client_secrets o where o.client_id = ${value.clientId} and o.secret_hash = ${value.secretHash})
  returning id`,
});

const livingSecret = statement({
  name: 'living-secret',
  takes: { clientId: 'text', secretHash: 'bytea' },
  returns: { id: 'uuid' },
  text: (value) => `select id from client_secrets where client_id = ${value.clientId}
  and secret_hash = ${value.secretHash} and (expires_at is null or expires_at > now())`,
});

/** Replaces a kept hash by the SHA-256. Returns false if the secret was deleted or has expired meanwhile. */
export async function replaceKeptSecret(
  clientId: string,
  keptHash: string,
  secretHash: Buffer,
): Promise<boolean> {
  const replaced = await keptSecretReplace({ clientId, keptHash, secretHash });
  // another process may have replaced the hash first
  return replaced.length > 0 || (await livingSecret({ clientId, secretHash })).length > 0;
}

export function addClientSecret(db: Db, clientId: string, hash: Buffer): Promise<{ id: string }> {
  const secret = { clientId, secretHash: Uint8Array.from(hash) };
  return db.clientSecret.upsert({
    where: { clientId_secretHash: secret },
    create: secret,
    update: { expiresAt: null },
    select: { id: true },
  });
}

/**
 * Expires the secrets of a client. Without overlap, every secret expires now. With overlap, the newest secret remains
 * valid for the overlap, and older ones are deleted.
 */
export async function expireClientSecrets(db: Db, clientId: string, overlapSeconds: number): Promise<void> {
  await db.$executeRaw(sql`delete from client_secrets where client_id = ${clientId} and (${overlapSeconds === 0}
    or expires_at <= now()
    or id not in (select id from client_secrets where client_id = ${clientId} order by created_at desc limit 1))`);
  await db.$executeRaw(sql`update client_secrets
    set expires_at = least(expires_at, now() + make_interval(secs => ${overlapSeconds})) where client_id = ${clientId}`);
}

export async function dropClientSecrets(db: Db, clientId: string): Promise<void> {
  await db.clientSecret.deleteMany({ where: { clientId } });
  await db.client.updateMany({ where: { clientId }, data: { configSecretHash: null } });
}

// The audience in a client's assertions. hot/credentials.ts writes it.

const CLIENT_ASSERTION = {
  audience: narrowTo<'issuer' | 'token_endpoint'>('text'),
  since: 'timestamptz',
} as const;
/** The audience that the client's assertions contain. `since`: time of the last change. */
export type ClientAssertion = ColdRow<typeof CLIENT_ASSERTION>;

/** Returns null if no assertion of the client has been accepted yet. */
export const selectClientAssertion = (db: Db, clientId: string): Promise<ClientAssertion | null> =>
  readRow(db, CLIENT_ASSERTION)`
    select audience, since from client_assertions where client_id = ${clientId}`;
