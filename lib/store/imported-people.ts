// People who come from another service, many at a time: what is taken already, the rows of a batch, and the way back.
import type { Db } from './prisma.ts';
import { raw, sql } from './sql.ts';

export type ImportedRow = {
  id: string;
  subject: string | null;
  email: string | null;
  emailVerified: boolean;
  username: string | null;
  name: string;
  locale: string | null;
  zoneinfo: string | null;
  picture: string | null;
  disabled: boolean;
  createdAt: Date | null;
  passwordHash: string | null;
  mustChangePassword: boolean;
  roles: readonly string[];
  /** of the line, in hexadecimal */
  digest: string;
};

export type NamesAsked = {
  ids: readonly string[];
  emails: readonly string[];
  /** ids, user names and kept subjects in lower case: one namespace */
  names: readonly string[];
  /** what tokens would have as `sub` */
  subjects: readonly string[];
  identities: readonly { authMethodId: string; subject: string }[];
  groups: readonly string[];
};

/** `digest`: of the line that brought the person. `machine`: a client has it as its `sub`. `group`: there is one. */
export type Taken =
  | { what: 'id'; value: string; digest: string | null }
  | { what: 'email' | 'name' | 'machine' | 'group'; value: string; digest: null }
  /** the method and its subject, with a line break between */
  | { what: 'identity'; value: string; digest: null };

export function findTakenNames(db: Db, asked: NamesAsked): Promise<Taken[]> {
  const { ids, emails, names, subjects, identities, groups } = asked;
  return db.$queryRaw(sql`
    select 'id' as what, id::text as value, encode(import_digest, 'hex') as digest from people
      where id = any (${ids}::uuid[])
    union all select 'email', email, null from people where email = any (${emails}::text[])
    union all select 'name', name, null from people_names where name = any (${names}::text[])
    union all select 'machine', client_id, null from clients where client_id = any (${subjects}::text[])
    union all select 'group', id, null from groups where id = any (${groups}::text[])
    union all select 'identity', e.auth_method_id || chr(10) || e.subject, null from external_identities e
      join unnest(${identities.map((one) => one.authMethodId)}::text[], ${identities.map((one) => one.subject)}::text[])
        as given (auth_method_id, subject) using (auth_method_id, subject)`);
}

/** The ids of those that were written: a name may have been taken meanwhile. */
export async function insertImportedPeople(
  db: Db,
  run: string,
  rows: readonly ImportedRow[],
): Promise<Set<string>> {
  const made = await db.$queryRaw<{ id: string; email: string | null }[]>(sql`
    insert into people (id, subject, email, email_verified_at, username, name, locale, zoneinfo, picture, disabled_at,
      created_at, password_hash, must_change_password, roles, import_run, import_digest)
    select id, subject, email, case when "emailVerified" then now() end, username, name, locale, zoneinfo, picture,
      case when disabled then now() end, coalesce("createdAt", now()), "passwordHash", "mustChangePassword", roles,
      ${run}, decode(digest, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, subject text, email text,
      "emailVerified" boolean, username text, name text, locale text, zoneinfo text, picture text, disabled boolean,
      "createdAt" timestamptz, "passwordHash" text, "mustChangePassword" boolean, roles text[], digest text)
    on conflict do nothing returning id, email`);
  // an invitation or a waiting registration of the same address is fulfilled
  await db.$executeRaw(sql`delete from person_registrations where kind in ('invited', 'waiting')
    and email = any (${made.flatMap(({ email }) => email ?? [])}::text[])`);
  return new Set(made.map(({ id }) => id));
}

export type ImportedIdentity = {
  personId: string;
  authMethodId: string;
  subject: string;
  email: string | null;
  name: string | null;
  claims: Readonly<Record<string, unknown>>;
};

/** The ids of people whose identity a sign-in took meanwhile: they are removed again. */
export async function insertImportedIdentities(
  db: Db,
  identities: readonly ImportedIdentity[],
): Promise<Set<string>> {
  if (identities.length === 0) return new Set();
  const made = await db.$queryRaw<{ method: string; subject: string }[]>(sql`
    insert into external_identities (auth_method_id, subject, person_id, email, name, claims)
    select "authMethodId", subject, "personId", email, name, claims
    from jsonb_to_recordset(${JSON.stringify(identities)}::jsonb)
      as given ("authMethodId" text, subject text, "personId" uuid, email text, name text, claims jsonb)
    on conflict do nothing returning auth_method_id as method, subject`);
  const names = new Set(made.map(({ method, subject }) => `${method}\n${subject}`));
  const lost = identities.filter((one) => !names.has(`${one.authMethodId}\n${one.subject}`));
  const ids = lost.map(({ personId }) => personId);
  if (ids.length > 0) await db.$executeRaw(sql`delete from people where id = any (${ids}::uuid[])`);
  return new Set(ids);
}

export type ImportedParts = {
  groups: readonly { personId: string; groupId: string }[];
  totps: readonly { personId: string; sealedSecret: string }[];
  consents: readonly {
    personId: string;
    clientId: string;
    apiId: string;
    scopes: readonly string[];
    givenAt: Date | null;
  }[];
};

/** What belongs to people who were just written. */
export async function insertImportedParts(db: Db, parts: ImportedParts): Promise<void> {
  const { groups, totps, consents } = parts;
  if (groups.length > 0)
    await db.$executeRaw(sql`
      insert into group_members (person_id, group_id) select "personId", "groupId"
      from jsonb_to_recordset(${JSON.stringify(groups)}::jsonb) as given ("personId" uuid, "groupId" text)
      on conflict do nothing`);
  if (totps.length > 0)
    await db.$executeRaw(sql`
      insert into totp_secrets (person_id, sealed_secret, last_step) select "personId", "sealedSecret", 0
      from jsonb_to_recordset(${JSON.stringify(totps)}::jsonb) as given ("personId" uuid, "sealedSecret" text)`);
  if (consents.length > 0)
    await db.$executeRaw(sql`
      insert into consents (person_id, client_id, api_id, scopes, granted_at, updated_at)
      select "personId", "clientId", "apiId", scopes, coalesce("givenAt", now()), coalesce("givenAt", now())
      from jsonb_to_recordset(${JSON.stringify(consents)}::jsonb)
        as given ("personId" uuid, "clientId" text, "apiId" text, scopes text[], "givenAt" timestamptz)
      on conflict do nothing`);
}

/** What the audit log has of people who came, in any way: each statement that begins something writes one. */
export const CAME_EVENTS = [
  ...[
    'sign_in.succeeded',
    'sign_in.confirmed',
    'code.issued',
    'token.issued',
    'token.refreshed',
    'token.exchanged',
  ],
  ...[
    'id_jag.issued',
    'device.allowed',
    'consent.granted',
    'delegation.given',
    'factor.added',
    'person.password_set',
  ],
];

/** SQL: `p` owns no client, and has not come in any way since the import. What ends by itself is asked for too. */
const NEVER_CAME = raw(`p.last_sign_in_at is null
  and not exists (select from sessions s where s.person_id = p.id)
  and not exists (select from token_families f where f.person_id = p.id)
  and not exists (select from clients c where c.owner_id = p.id)
  and not exists (select from external_identities e where e.person_id = p.id and e.last_seen_at > e.created_at)
  and not exists (select from audit_events a where a.person_id = p.id
    and a.event in (${CAME_EVENTS.map((event) => `'${event}'`).join(', ')}))`);

/** At most 500 people of the import: how many were looked at, and removed. */
export async function removeImportedPeople(db: Db, run: string): Promise<{ found: number; removed: number }> {
  const found = await db.$queryRaw<{ id: string }[]>(sql`
    select p.id from people p where p.import_run = ${run} and ${NEVER_CAME} limit 500 for update`);
  // with the rows locked none of them comes any more; who came while this waited for one is seen now
  const removed = await db.$executeRaw(sql`
    with tokens as (delete from former_tokens where person_id = any (${found.map(({ id }) => id)}::uuid[]))
    delete from people p where p.id = any (${found.map(({ id }) => id)}::uuid[]) and ${NEVER_CAME}`);
  return { found: found.length, removed };
}

/** How many people of the import there are. */
export const countImportedPeople = (db: Db, run: string): Promise<number> =>
  db.person.count({ where: { importRun: run } });

/** The runs whose people are here, the newest first: at most 50. */
export async function selectImportRuns(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ run: string }[]>(sql`select import_run as run from people
    where import_run is not null group by import_run order by max(updated_at) desc, import_run limit 50`);
  return rows.map(({ run }) => run);
}
