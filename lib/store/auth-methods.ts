// Authentication methods: read for lists and pages, written, and handed to somebody else.
import type { AuthMethodRow, AuthMethodValues } from '#lib/registry/index.ts';
import { endTokens } from './endings.ts';
import { type Db, ownConnection } from './transaction.ts';

/** SQL: an AuthMethodRow, of the method `m`. */
export const AUTH_METHOD_ROW = `m.id, m.type, m.name, m.config, m.sealed_secret is not null as "hasSecret",
  array(select c.api_id from combinations c where c.auth_method_id = m.id order by c.api_id) as apis,
  (select count(*)::int from sessions s where s.auth_method_id = m.id and s.ended_at is null and s.expires_at > now())
    as sessions,
  m.managed, m.created_at as "createdAt", m.updated_at as "updatedAt", m.version`;

/** By id. */
export async function selectAuthMethods(asked: {
  search: string | null;
  after: string | null;
  limit: number;
}): Promise<AuthMethodRow[]> {
  return ownConnection.query<AuthMethodRow>({
    text: `select ${AUTH_METHOD_ROW} from auth_methods m
      where ($1::text is null or position($1 in m.id) > 0 or position($1 in lower(m.name)) > 0)
        and ($2::text is null or m.id > $2) order by m.id limit $3`,
    values: [asked.search, asked.after, asked.limit],
  });
}

export async function findAuthMethod(
  db: Db,
  id: string,
  lock: 'lock' | 'look' = 'look',
): Promise<AuthMethodRow | null> {
  const [row] = await db.query<AuthMethodRow>({
    text: `select ${AUTH_METHOD_ROW} from auth_methods m where m.id = $1 ${lock === 'lock' ? 'for update' : ''}`,
    values: [id],
  });
  return row ?? null;
}

/** Of two who create a method of one id at once, one waits, and finds it taken. */
export async function lockAuthMethodId(db: Db, id: string): Promise<void> {
  await db.query({
    text: `select pg_advisory_xact_lock(hashtext('gatehouse.method ' || $1))`,
    values: [id],
  });
}

/** Is there a local method besides this one? Whoever takes one away waits for the other who does. */
export async function hasOtherLocalMethod(db: Db, id: string): Promise<boolean> {
  await db.query({ text: `select pg_advisory_xact_lock(hashtext('gatehouse.local'))` });
  const rows = await db.query({
    text: `select from auth_methods where type = 'local' and id <> $1`,
    values: [id],
  });
  return rows.length > 0;
}

/** \`sealedSecret\` undefined leaves what is stored. */
export async function upsertAuthMethod(
  db: Db,
  { id, type, name, config }: AuthMethodValues,
  sealedSecret: string | undefined,
): Promise<void> {
  await db.query({
    text: `insert into auth_methods as m (id, type, name, config, sealed_secret, updated_at) values ($1, $2, $3, $4, $5, now())
      on conflict (id) do update set type = $2, name = $3, config = $4, updated_at = now(),
        sealed_secret = case when m.type = $2 then coalesce($5, m.sealed_secret) else $5 end`,
    values: [id, type, name, JSON.stringify(config), type === 'local' ? null : (sealedSecret ?? null)],
  });
}

/**
 * The method has been handed to another verifier or broker: what the one before confirmed ends. The new epoch comes first: it
 * locks the row, so that a sign-in in flight either commits before the statements below, or sees the new epoch.
 */
export async function forgetIdentities(db: Db, authMethodId: string): Promise<void> {
  await db.query({
    text: 'update auth_methods set epoch = next_epoch() where id = $1',
    values: [authMethodId],
  });
  await db.query({
    text: 'delete from external_identities where auth_method_id = $1',
    values: [authMethodId],
  });
  await db.query({
    text: 'update sessions set ended_at = now() where auth_method_id = $1 and ended_at is null',
    values: [authMethodId],
  });
  await db.query({
    text: 'update combinations set epoch = next_epoch() where auth_method_id = $1',
    values: [authMethodId],
  });
  await endTokens(db, { authMethodId }, 'authentication method changed');
}

/** Those of the ids that no method has. */
export async function selectUnknownMethods(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ id: string }>({
    text: `select id from unnest($1::text[]) with ordinality as asked (id, n)
      where id not in (select id from auth_methods) order by n`,
    values: [ids],
  });
  return rows.map(({ id }) => id);
}
