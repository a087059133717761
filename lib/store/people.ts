// People: read for lists and pages, written.
import type { PersonRow, Role } from '#lib/registry/index.ts';
import { endSignIns } from './endings.ts';
import { type Db, ownConnection } from './transaction.ts';

/** SQL: a PersonRow. */
export const PERSON_ROW = `id, email, email_verified_at is not null as "emailVerified", name, roles,
  disabled_at is not null as disabled, password_hash is not null as "hasPassword", managed, created_at as "createdAt",
  version`;

/** The newest first; each part that is null is not asked about. */
export async function selectPeople(asked: {
  search: string | null;
  role: string | null;
  disabled: boolean | null;
  after: [time: string, id: string] | null;
  limit: number;
}): Promise<(PersonRow & { key: string })[]> {
  return ownConnection.query({
    text: `select ${PERSON_ROW}, created_at::text as key from people
      where ($1::text is null or position($1 in coalesce(email, '')) > 0 or position($1 in lower(name)) > 0)
        and ($2::text is null or $2 = any(roles)) and ($3::boolean is null or (disabled_at is not null) = $3)
        and ($4::timestamptz is null or (created_at, id) < ($4::timestamptz, $5::uuid))
      order by created_at desc, id desc limit $6`,
    values: [
      asked.search,
      asked.role,
      asked.disabled,
      asked.after?.[0] ?? null,
      asked.after?.[1] ?? null,
      asked.limit,
    ],
  });
}

export type PersonView = PersonRow & {
  identities: { authMethodId: string; subject: string; email: string | null; lastSeenAt: string }[];
  sessions: number;
  consents: number;
  clients: number;
};

export async function findPersonView(db: Db, id: string): Promise<PersonView | null> {
  const [row] = await db.query<PersonView>({
    text: `select ${PERSON_ROW},
        coalesce((select json_agg(json_build_object('authMethodId', auth_method_id, 'subject', subject, 'email', email,
          'lastSeenAt', last_seen_at) order by created_at) from external_identities where person_id = people.id), '[]')
          as identities,
        (select count(*)::int from sessions where person_id = people.id and ended_at is null and expires_at > now())
          as sessions,
        (select count(*)::int from consents where person_id = people.id) as consents,
        (select count(*)::int from clients where owner_id = people.id) as clients
      from people where id = $1`,
    values: [id],
  });
  return row ?? null;
}

export function findPersonByEmail(db: Db, email: string): Promise<PersonRow | null> {
  return findPerson(db, 'email = $1', email.toLowerCase());
}

export function findPersonById(db: Db, id: string): Promise<PersonRow | null> {
  return findPerson(db, 'id = $1::uuid', id);
}

async function findPerson(db: Db, where: string, value: string): Promise<PersonRow | null> {
  const [row] = await db.query<PersonRow>({
    text: `select ${PERSON_ROW} from people where ${where}`,
    values: [value],
  });
  return row ?? null;
}

/** The new person's id, or null where the address is taken. */
export async function insertPerson(
  db: Db,
  person: {
    email: string;
    name: string;
    roles: readonly Role[];
    passwordHash: string | null;
    configPassword: string | null;
  },
): Promise<string | null> {
  const rows = await db.query<{ id: string }>({
    text: `insert into people (email, name, roles, password_hash, config_password, password_changed_at)
      values ($1, $2, $3, $4, $5, case when $4::text is not null then now() end)
      on conflict (email) do nothing returning id`,
    values: [
      person.email.toLowerCase(),
      person.name,
      person.roles,
      person.passwordHash,
      person.configPassword,
    ],
  });
  return rows[0]?.id ?? null;
}

/** False where the version has moved on. A new address is not verified unless `proved`. */
export async function updatePerson(
  db: Db,
  id: string,
  version: number,
  values: { name: string; email: string | null; proved?: boolean },
): Promise<boolean> {
  const rows = await db.query({
    text: `update people set name = $3, email = $4, updated_at = now(),
        email_verified_at = case when $5 then now() when email is distinct from $4 then null else email_verified_at end
      where id = $1 and version = $2 returning id`,
    values: [id, version, values.name, values.email, values.proved ?? false],
  });
  return rows.length === 1;
}

/** In one statement, so that two grants at once both count. False: nothing to do. */
export async function changeRole(db: Db, id: string, role: string, granted: boolean): Promise<boolean> {
  const rows = await db.query({
    text: `update people set roles = case when $3 then array_append(roles, $2) else array_remove(roles, $2) end,
        updated_at = now() where id = $1 and ($2 = any(roles)) <> $3 returning id`,
    values: [id, role, granted],
  });
  return rows.length === 1;
}

/** False where it was so already. Disabling signs the person out everywhere. */
export async function setPersonDisabled(db: Db, id: string, disabled: boolean): Promise<boolean> {
  const rows = await db.query({
    text: `update people set disabled_at = case when $2 then now() end, updated_at = now()
      where id = $1 and (disabled_at is not null) <> $2 returning id`,
    values: [id, disabled],
  });
  if (rows.length === 1 && disabled) await endSignIns(db, id, 'person disabled');
  return rows.length === 1;
}

/** Signs the person out everywhere; gives their new epoch. `configPassword` only where the file gave it. */
export async function setPasswordHash(
  db: Db,
  id: string,
  passwordHash: string,
  configPassword: string | null = null,
): Promise<string> {
  await db.query({
    text: `update people set password_hash = $2, password_changed_at = now(), updated_at = now(),
        config_password = coalesce($3, config_password) where id = $1`,
    values: [id, passwordHash, configPassword],
  });
  return endSignIns(db, id, 'password changed');
}

/** Of two who take the last two administrators' role at once, one waits for the other. */
export async function lockAdministrators(db: Db): Promise<void> {
  await db.query({ text: `select pg_advisory_xact_lock(hashtext('gatehouse.administrators'))` });
}

/** The addresses of active people with one of these roles. */
export async function selectEmailsOfRoles(db: Db, roles: readonly string[]): Promise<string[]> {
  const rows = await db.query<{ email: string }>({
    text: `select email from people where roles && $1::text[] and disabled_at is null and email is not null order by email`,
    values: [roles],
  });
  return rows.map((row) => row.email);
}

export async function countActiveAdministrators(db: Db, exceptId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>({
    text: `select count(*)::int as count from people
      where 'administrator' = any(roles) and disabled_at is null and id <> $1::uuid`,
    values: [exceptId],
  });
  return row?.count ?? 0;
}

export async function removePerson(db: Db, id: string): Promise<void> {
  await db.query({ text: 'delete from people where id = $1', values: [id] });
}
