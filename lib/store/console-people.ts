// People as the console's lists and pages show them.
import { type Db, ownConnection } from './registry-db.ts';

export type PersonRow = {
  id: string;
  email: string | null;
  emailVerified: boolean;
  name: string;
  roles: string[];
  disabled: boolean;
  hasPassword: boolean;
  managed: boolean;
  createdAt: Date;
  version: number;
};

const COLUMNS = `id, email, email_verified_at is not null as "emailVerified", name, roles,
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
    text: `select ${COLUMNS}, created_at::text as key from people
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
    text: `select ${COLUMNS},
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

/** False where the version has moved on. A new address is not verified. */
export async function updatePerson(
  db: Db,
  id: string,
  version: number,
  values: { name: string; email: string | null },
): Promise<boolean> {
  const rows = await db.query({
    text: `update people set name = $3, email = $4, updated_at = now(),
        email_verified_at = case when email is distinct from $4 then null else email_verified_at end
      where id = $1 and version = $2 returning id`,
    values: [id, version, values.name, values.email],
  });
  return rows.length === 1;
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
