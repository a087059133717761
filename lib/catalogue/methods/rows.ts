// Authentication methods: lists, finds and writes them, and switches them to another verifier or broker.

import { plainText } from '#lib/registry/display-text.ts';
import { endTokens } from '#lib/store/endings.ts';
import { BY_NAME, contains, list } from '#lib/store/list.ts';
import { type Db, readRow } from '#lib/store/prisma.ts';
import { assignSql, displayTextSql, insertSql, raw, sql, textsOf } from '#lib/store/sql.ts';
import { type AuthMethodRow, type AuthMethodValues, authMethodRow } from './definition.ts';
import { methodKind, secretRestsOn, typesThat } from './questions.ts';

/** SQL: selects an AuthMethodRow from the method `m`. */
export const AUTH_METHOD_ROW =
  raw(`m.id, m.type, ${displayTextSql('m.name')} as name, m.config, m.sealed_secret is not null as "hasSecret",
  array(select c.api_id from combinations c where c.auth_method_id = m.id order by c.api_id) as apis,
  (select count(*)::int from sessions s where s.auth_method_id = m.id and s.ended_at is null and s.expires_at > now())
    as sessions,
  m.managed, m.created_at as "createdAt", m.updated_at as "updatedAt", m.version`);

/** The list of authentication methods. Its default order is by id. */
export const AUTH_METHODS = list({
  returns: authMethodRow.shape,
  rows: sql`${AUTH_METHOD_ROW} from auth_methods m`,
  orders: {
    id: { key: [['m.id', 'text']] },
    name: {
      key: [
        [`m.name ${BY_NAME}`, 'text'],
        ['m.id', 'text'],
      ],
    },
  },
  where: ({ search }: { search: string | null }) => [contains(search, 'm.id', 'lower(m.name)')],
});

export function findAuthMethod(
  db: Db,
  id: string,
  lock: 'lock' | 'look' = 'look',
): Promise<AuthMethodRow | null> {
  return readRow(db, authMethodRow.shape)`
    select ${AUTH_METHOD_ROW} from auth_methods m where m.id = ${id}
    ${raw(lock === 'lock' ? 'for update' : '')}`;
}

/** Returns true if a second method has local accounts. */
export const hasOtherLocalMethod = async (db: Db, id: string): Promise<boolean> =>
  (await db.authMethod.count({ where: { type: { in: typesThat('hasAccounts') }, id: { not: id } } })) > 0;

/**
 * Inserts or updates a method. Without a new secret, the stored secret remains valid, unless the type, kind
 * (signing key or not) or purpose changes.
 */
export async function upsertAuthMethod(
  db: Db,
  { id, type, name, config }: AuthMethodValues,
  sealedSecret: string | undefined,
): Promise<void> {
  const secret = methodKind(type).secret === null ? null : (sealedSecret ?? null);
  const part = secretRestsOn(type) ?? '';
  const row = { type, name: plainText(name), name_texts: textsOf(name), config: JSON.stringify(config) };
  await db.$executeRaw(sql`insert into auth_methods as m ${insertSql({ id, ...row, sealed_secret: secret })}
    on conflict (id) do update set ${assignSql(row)},
      sealed_secret = coalesce(excluded.sealed_secret, case when m.type = excluded.type
        and (m.config -> ${part}::text is null) = (excluded.config -> ${part}::text is null) then m.sealed_secret end)`);
}

/**
 * Ends identities of a method that switched to a different verifier or broker. The new revocation counter
 * (epoch) is written first and locks the method's row: a concurrent sign-in commits before the next
 * statements, or sees the new counter.
 */
export async function forgetIdentities(db: Db, id: string): Promise<void> {
  await db.$executeRaw(sql`update auth_methods set epoch = next_epoch() where id = ${id}`);
  await db.externalIdentity.deleteMany({ where: { authMethodId: id } });
  await db.$executeRaw(
    sql`update sessions set ended_at = now() where auth_method_id = ${id} and ended_at is null`,
  );
  await db.$executeRaw(sql`update combinations set epoch = next_epoch() where auth_method_id = ${id}`);
  await endTokens(db, { authMethodId: id }, 'authentication method changed');
}

/** Returns the ids that belong to no method. */
export async function selectUnknownMethods(db: Db, ids: readonly string[]): Promise<string[]> {
  const rows = await db.authMethod.findMany({ where: { id: { in: [...ids] } }, select: { id: true } });
  const storedIds = new Set(rows.map(({ id }) => id));
  return ids.filter((id) => !storedIds.has(id));
}
