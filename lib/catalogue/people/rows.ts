// People: rows, lists, search, roles, and the objects that each person owns.
import type { z } from 'zod';
import { CLIENT_COLUMNS } from '#lib/catalogue/clients/rows.ts';
import { GROUPS_OF_PERSON } from '#lib/catalogue/groups/rows.ts';
import { now } from '#lib/kit/clock.ts';
import { canonicalEmail, canonicalSearch } from '#lib/kit/text.ts';
import { ACTIVITY_EVENTS } from '#lib/registry/audit-event.ts';
import { endSignIns } from '#lib/store/endings.ts';
import {
  anyOf,
  BY_NAME,
  begins,
  contains,
  containsEmail,
  type DayRange,
  inRange,
  isUuid,
  list,
} from '#lib/store/list.ts';
import { type Db, database, readRow, readRows, some } from '#lib/store/prisma.ts';
import { insertSql, raw, type Sql, sql } from '#lib/store/sql.ts';
import { type ColdRow, listSql, narrowTo, type RowOf } from '#lib/store/statement.ts';
import { accountRow, type PersonRow, personRow, personView, type Role } from './definition.ts';
import { byProfileName, PROFILE_KEYS, PROFILE_NAMES, type ProfileValues, profileKey } from './profile.ts';

/** SQL: the profile of the person `p`. */
const PROFILE_COLUMNS = PROFILE_NAMES.map((name) => `p.${profileKey(name)} as "${name}"`).join(', ');

/** SQL: selects a PersonRow from the person `p`. */
export const PERSON_ROW =
  raw(`p.id, p.subject, p.email, p.username, p.email_verified_at is not null as "emailVerified", p.name,
  ${PROFILE_COLUMNS}, p.roles, p.disabled_at is not null as disabled, p.password_hash is not null as "hasPassword", p.managed,
  case when p.factor_level = 0 then '{}'::text[] else array_remove(array[
    case when p.factor_level = 3 then 'passkey' end,
    case when exists (select from totp_secrets t where t.person_id = p.id) then 'totp' end], null) end as factors,
  ${GROUPS_OF_PERSON} as groups, p.created_at as "createdAt", p.last_sign_in_at as "lastSignInAt", p.version`);

export type PersonView = z.output<typeof personView>;

/** Returns the user's data for administrators. */
export function findPersonView(db: Db, id: string, rpId: string): Promise<PersonView | null> {
  return readRow(db, personView.shape)`
    select ${PERSON_ROW},
      coalesce((select json_agg(json_build_object('authMethodId', auth_method_id, 'subject', subject, 'email', email,
        'lastSeenAt', last_seen_at) order by created_at) from external_identities where person_id = p.id), '[]')
        as identities,
      (select count(*)::int from sessions where person_id = p.id and ended_at is null and expires_at > now())
        as sessions,
      (select count(*)::int from consents where person_id = p.id) as consents,
      (select count(*)::int from clients where owner_id = p.id) as clients,
      (select count(*)::int from passkeys where person_id = p.id) as passkeys,
      (select count(*)::int from passkeys where person_id = p.id and rp_id <> ${rpId}) as "oldPasskeys",
      (select count(*)::int from totp_secrets where person_id = p.id) as "totpCount",
      (select count(*)::int from recovery_codes where person_id = p.id and used_at is null) as "recoveryCodes",
      (select count(*)::int from trusted_browsers where person_id = p.id and expires_at > now()) as "trustedBrowsers"
    from people p where p.id = ${id}`;
}

export type ProfileRow = z.output<typeof accountRow>;

/** Returns the user's data for the account page. */
export function findProfile(db: Db, id: string): Promise<ProfileRow | null> {
  return readRow(db, accountRow.shape)`
    select p.id, p.subject, p.email, p.username, p.email_verified_at is not null as "emailVerified", p.name,
      ${raw(PROFILE_COLUMNS)}, p.password_hash is not null as "hasPassword", p.password_changed_at as "passwordChangedAt", p.roles,
      ${raw(GROUPS_OF_PERSON)} as groups, p.created_at as "createdAt", p.last_sign_in_at as "lastSignInAt", p.version,
      coalesce((select json_agg(json_build_object('authMethodId', i.auth_method_id,
          'methodName', coalesce(m.name, i.auth_method_id), 'email', i.email, 'lastSeenAt', i.last_seen_at)
          order by i.created_at)
        from external_identities i left join auth_methods m on m.id = i.auth_method_id
        where i.person_id = p.id), '[]') as identities
    from people p where p.id = ${id}`;
}

const findPerson = (db: Db, where: Sql): Promise<PersonRow | null> =>
  readRow(db, personRow.shape)`select ${PERSON_ROW} from people p where ${where}`;

export const findPersonByEmail = (db: Db, email: string): Promise<PersonRow | null> =>
  findPerson(db, sql`p.email = ${canonicalEmail(email)}`);

/** Users with this id, email, user name or imported subject, at most two. Two results mean an ambiguous reference. */
export function findPeopleByReference(db: Db, reference: string): Promise<PersonRow[]> {
  if (reference.includes('\u0000')) return Promise.resolve([]);
  const canonical = canonicalEmail(reference);
  const id = isUuid(reference) ? sql`p.id = ${reference}` : null;
  const named = anyOf(
    ...[id, sql`p.email = ${canonical}`, sql`p.username = ${canonical}`, sql`p.subject = ${reference}`],
  );
  return readRows(db, personRow.shape)`
    select ${PERSON_ROW} from people p where ${named} order by p.id limit 2`;
}

/**
 * Returns the user whose id, user name or imported subject equals the name, ignoring case. Null if the name is free.
 */
export async function findNameHolder(db: Db, name: string): Promise<string | null> {
  const held = await db.personName.findUnique({ where: { name }, select: { personId: true } });
  return held?.personId ?? null;
}

/**
 * Returns at most 20 names that several users share, because they were stored before `people_names` existed.
 * References by such names are rejected.
 */
export function selectSharedNames(db: Db): Promise<{ name: string; people: string[] }[]> {
  return readRows(db, { name: 'text', people: 'text[]' })`
    select name, array_agg(distinct id::text) || array_agg(distinct n.person_id::text) as people
    from (select username as name, id from people where username is not null
      union all select lower(subject collate "C"), id from people where subject is not null) named
    join people_names n using (name)
    where n.person_id <> named.id group by name order by name limit 20`;
}

export const findPersonById = (db: Db, id: string): Promise<PersonRow | null> =>
  findPerson(db, sql`p.id = ${id}`);

/**
 * Deletes invitations and pending registrations of a new account. Locked rows are skipped: their transaction waits for
 * this email, so waiting for them would deadlock.
 */
const forgetRegistrations = (db: Db, email: string) =>
  db.$executeRaw(sql`delete from person_registrations where id in (select id from person_registrations
    where email = ${email} and kind in ('invited', 'waiting') for update skip locked)`);

/**
 * Must be called before an account is deleted and its row is locked. Waits for a concurrent acceptance of an
 * invitation, which then fails because the email is in use. Without this call, the acceptance would wait for the
 * deletion, then recreate the account.
 */
export const endInvitations = (db: Db, email: string) =>
  db.personRegistration.deleteMany({ where: { email, kind: { in: ['invited', 'waiting'] } } });

/** Returns the id of the new user, or null if the email is already in use. */
export async function insertPerson(
  db: Db,
  person: {
    email: string;
    name: string;
    roles: readonly Role[];
    passwordHash: string | null;
    configPassword: string | null;
    /** local method that admits the user; if missing, every local method does */
    letInAt?: string;
  },
): Promise<string | null> {
  const { name, roles, passwordHash, configPassword, letInAt } = person;
  const email = canonicalEmail(person.email);
  await forgetRegistrations(db, email);
  const row = {
    ...{ email, name, roles: [...roles] },
    ...(letInAt !== undefined && { let_in_at: [letInAt] }),
    ...{ password_hash: passwordHash, config_password: configPassword },
    password_changed_at: passwordHash === null ? null : sql`now()`,
  };
  // Prisma recompiles createManyAndReturn at each call, which takes longer than the insert itself
  const insertedPerson = await readRow(db, { id: 'uuid' })`
    insert into people ${insertSql(row)} on conflict do nothing returning id`;
  return insertedPerson?.id ?? null;
}

/** Returns false on a version conflict. A new address is unverified unless `proved` is set. */
export function updatePerson(
  db: Db,
  id: string,
  version: number,
  {
    name,
    email,
    username,
    proved = false,
  }: Pick<PersonRow, 'name' | 'email' | 'username'> & { proved?: boolean },
): Promise<boolean> {
  return some(
    db.$executeRaw(sql`update people set name = ${name}, email = ${email}, username = ${username},
      email_verified_at = case when ${proved} then now() when email is not distinct from ${email} then email_verified_at end
    where id = ${id} and version = ${version}`),
  );
}

/** Updates the profile fields that users set themselves. False: version conflict. */
export async function updateProfile(
  db: Db,
  id: string,
  version: number,
  values: ProfileValues & { name: string },
): Promise<boolean> {
  // `name` is always set, because the trigger `version_counts` counts its changes
  const data = { name: values.name, ...byProfileName((name) => values[name]) };
  const { count } = await db.person.updateMany({ where: { id, version }, data });
  return count === 1;
}

/**
 * Runs a single statement, so that of two concurrent grants both take effect. Returns false if nothing
 * changed.
 */
export function changeRole(db: Db, id: string, role: string, granted: boolean): Promise<boolean> {
  const roles = granted ? sql`array_append(roles, ${role})` : sql`array_remove(roles, ${role})`;
  return some(
    db.$executeRaw(sql`update people set roles = ${roles}
    where id = ${id} and (${role} = any (roles)) <> ${granted}`),
  );
}

/** Disables or enables a user. Returns false if nothing changed. Disabling signs the user out everywhere. */
export async function setPersonDisabled(db: Db, id: string, disabled: boolean): Promise<boolean> {
  const { count } = await db.person.updateMany({
    where: { id, disabledAt: disabled ? null : { not: null } },
    data: { disabledAt: disabled ? now() : null },
  });
  if (count === 1 && disabled) await endSignIns(db, id, 'person disabled');
  return count === 1;
}

/**
 * Signs the user out everywhere and returns the new revocation counter (epoch). `configPassword`: set for
 * passwords from the configuration file.
 */
export async function setPasswordHash(
  db: Db,
  id: string,
  passwordHash: string,
  configPassword: string | null = null,
): Promise<string> {
  await db.$executeRaw(sql`update people set password_hash = ${passwordHash}, password_changed_at = now(),
    must_change_password = false, config_password = coalesce(${configPassword}, config_password) where id = ${id}`);
  return endSignIns(db, id, 'password changed');
}

/**
 * Like `setPasswordHash`, but only if the revocation counter (epoch) is unchanged. Returns null if sessions
 * ended since, or the user was disabled or deleted.
 */
export async function replacePasswordHash(
  db: Db,
  { personId, personEpoch, passwordHash }: { personId: string; personEpoch: string; passwordHash: string },
): Promise<string | null> {
  const isReplaced = await some(
    db.$executeRaw(sql`update people set password_hash = ${passwordHash}, password_changed_at = now(),
      must_change_password = false
    where id = ${personId} and epoch::text = ${personEpoch} and disabled_at is null`),
  );
  return isReplaced ? endSignIns(db, personId, 'password changed') : null;
}

/** Returns, by email, the hash of the last password from the configuration file. */
export async function selectConfigPasswords(emails: readonly string[]): Promise<Map<string, string>> {
  const rows = await readRows(database(), { email: 'text', hash: 'text' })`
    select email, config_password as hash
    from people where email = any (${emails}) and config_password is not null`;
  return new Map(rows.map(({ email, hash }) => [email, hash]));
}

/** Deletes the user and pending invitations. Returns false if the user was already deleted. */
export async function removePerson(db: Db, id: string): Promise<boolean> {
  const gone = await readRow(db, { email: 'text?' })`
      with tokens as (delete from former_tokens where person_id = ${id})
      delete from people where id = ${id} returning email`;
  if (gone?.email) await forgetRegistrations(db, gone.email);
  return gone !== null;
}

export type OwnedClient = RowOf<typeof selectOwnedClients>;

/** Returns at most 500 clients. */
export function selectOwnedClients(db: Db, personId: string) {
  return readRows(db, { clientId: 'text', name: 'text' })`
    select client_id as "clientId", name from clients where owner_id = ${personId}
    order by lower(name), client_id limit 500`;
}

// User search for the lists of users and sessions. It scans every row for substrings. If there are more than
// MANY_PEOPLE users, it matches prefixes by index.

/** `people`: matching ids, at most FEW_PEOPLE. Null for more matches: use `isNamed`. */
export type PeopleSearch = { text: string; people: string[] | null };

const FEW_PEOPLE = 1_000;
const MANY_PEOPLE = 500_000;

/** SQL condition: the person `p` matches the text. */
export const isNamed = ({ text, people }: PeopleSearch): Sql | null =>
  people === null
    ? anyOf(
        containsEmail(text, `coalesce(p.email, '')`),
        contains(text, 'lower(p.name)'),
        contains(canonicalEmail(text), `coalesce(p.username, '')`),
        sql`lower(p.subject collate "C") = ${text}`,
      )
    : sql`p.id = any(${people}::uuid[])`;

/**
 * `typed`: the text in its original case, which imported subjects need. `many`: above this number of users, the
 * search matches prefixes and returns few results.
 */
export async function searchPeople(typed: string | null, many = MANY_PEOPLE): Promise<PeopleSearch | null> {
  if (typed === null) return null;
  const text = typed.toLowerCase();
  const isMany = (await aboutHowMany()) > many;
  const matches = await readRows(database(), { id: 'uuid' })`
    ${
      isMany
        ? sql`${beginning(`(p.email || '')`, text)} union ${beginning(`(p.email || '')`, canonicalSearch(text))}
        union ${beginning('lower(p.name)', text)}
        union select p.id from people p where p.username = ${canonicalEmail(text)} or p.subject = ${typed}
        limit ${FEW_PEOPLE}`
        : sql`select p.id from people p where ${isNamed({ text, people: null })} limit ${FEW_PEOPLE + 1}`
    }`;
  return { text, people: matches.length > FEW_PEOPLE ? null : matches.map(({ id }) => id) };
}

/**
 * SQL condition: the column starts with the text. The rows are in index order, so that the planner uses the index for
 * any text.
 */
const beginning = (column: string, text: string) => sql`(select p.id from people p
  where ${begins(column, text)} order by ${raw(column)} using ~<~ limit ${FEW_PEOPLE})`;

/** Returns PostgreSQL's last estimate of the number of users. */
async function aboutHowMany(): Promise<number> {
  const row = await readRow(database(), { count: 'float8' })`
    select reltuples::float8 as count from pg_class where oid = 'people'::regclass`;
  return row?.count ?? 0;
}

// The list of users for administrators.

/**
 * Filter by the last sign-in. `within`: users who signed in within this number of days. `before`: users who did not,
 * or who never signed in.
 */
export type SeenFilter = { within: number } | { before: number } | 'never';

type PersonFilter = {
  search: PeopleSearch | null;
  role: string | null;
  disabled: boolean | null;
  factors: boolean | null;
  seen: SeenFilter | null;
  /** created within this number of days */
  createdWithin: number | null;
  created?: DayRange | undefined;
  /** day of the last sign-in */
  seenOn?: DayRange | undefined;
};

/** SQL: time of the last sign-in. Users without a sign-in sort first. */
const LAST_SIGN_IN = `coalesce(p.last_sign_in_at, '-infinity'::timestamptz)`;
/** SQL with a literal number of days, so that the planner can estimate rows. */
const daysAgo = (days: number) => `now() - interval '${Math.trunc(days)} days'`;
const isSeen = (seen: SeenFilter) => {
  if (seen === 'never') return raw('p.last_sign_in_at is null');
  return 'within' in seen
    ? raw(`${LAST_SIGN_IN} >= ${daysAgo(seen.within)}`)
    : raw(`${LAST_SIGN_IN} < ${daysAgo(seen.before)}`);
};
const isOf = (condition: string, wanted: boolean | null) =>
  wanted === null ? null : raw(`${wanted ? '' : 'not '}(${condition})`);

/** The list of users. Roles, disabled state and factors have partial indexes, because few users match. */
export const PEOPLE = list({
  returns: personRow.shape,
  rows: sql`${PERSON_ROW} from people p`,
  orders: {
    created: {
      key: [
        ['p.created_at', 'time'],
        ['p.id', 'uuid'],
      ],
      begins: 'desc',
    },
    name: {
      key: [
        [`coalesce(nullif(p.name, ''), p.email, '') ${BY_NAME}`, 'text'],
        ['p.id', 'uuid'],
      ],
    },
    seen: {
      key: [
        [LAST_SIGN_IN, 'time'],
        ['p.id', 'uuid'],
      ],
      begins: 'desc',
    },
  },
  where: ({ search, role, disabled, factors, seen, createdWithin, created, seenOn }: PersonFilter) => [
    search && isNamed(search),
    role === null ? null : sql`${role} = any (p.roles) and p.roles <> '{}'`,
    isOf('p.disabled_at is not null', disabled),
    isOf('p.factor_level > 0', factors),
    seen && isSeen(seen),
    createdWithin === null ? null : raw(`p.created_at >= ${daysAgo(createdWithin)}`),
    inRange('p.created_at', created),
    // uses the expression of the index for the order by last sign-in
    inRange(LAST_SIGN_IN, seenOn),
    seenOn ? raw('p.last_sign_in_at is not null') : null,
  ],
});

// Users by role: recipients of mails, counts for doctor, and protection of the last administrator.

/** Returns the active people with this role, as recipients of a mail. */
export async function selectReadersOf(db: Db, role: Role) {
  const readers = await db.person.findMany({
    where: { roles: { has: role }, disabledAt: null },
    select: { id: true, email: true, locale: true },
    orderBy: { email: 'asc' },
  });
  return readers.flatMap(({ id, email, locale }) => (email === null ? [] : [{ id, email, locale }]));
}

/** Counts active local users with one of these roles and without a factor. */
export const countWithoutFactor = (db: Db, roles: readonly Role[]): Promise<number> =>
  db.person.count({
    where: { roles: { hasSome: [...roles] }, disabledAt: null, factorLevel: 0, email: { not: null } },
  });

/** Returns true if an active administrator exists. */
export const hasAdministrator = async (db: Db): Promise<boolean> =>
  (await db.person.findFirst({
    where: { roles: { has: 'administrator' }, disabledAt: null },
    select: { id: true },
  })) !== null;

/** Counts active users with this role, except one user. */
export const countWithRole = (db: Db, role: Role, without: string): Promise<number> =>
  db.person.count({ where: { roles: { has: role }, disabledAt: null, id: { not: without } } });

/** Counts APIs, clients and pending requests, which the roles give access to. */
export async function countReach(db: Db): Promise<{ apis: number; clients: number; waiting: number }> {
  const [apis, clients, waiting] = await Promise.all([
    db.api.count(),
    db.client.count(),
    db.subscription.count({ where: { state: 'pending' } }),
  ]);
  return { apis, clients, waiting };
}

export async function hasOtherAdministrator(db: Db, id: string): Promise<boolean> {
  const other = { roles: { has: 'administrator' }, disabledAt: null, id: { not: id } };
  return (await db.person.findFirst({ where: other, select: { id: true } })) !== null;
}

// Locks the user while it reads what they own, so that parallel edits are serialized.

/**
 * Locks the user against concurrent edits and role changes until the transaction ends. Returns null if the user was
 * deleted.
 */
export function lockOwner(db: Db, personId: string) {
  return readRow(db, { roles: 'text[]', disabled: 'boolean' })`
    select roles, disabled_at is not null as disabled from people where id = ${personId}
    for no key update`;
}

export type Holdings = { clients: number; bytes: number; subscriptions: number };

/** SQL: the client's column values, separated by commas, as arguments of `concat`. */
const WORDS = raw(
  CLIENT_COLUMNS.map(({ column, isList }) =>
    isList ? `array_to_string(c.${column}, '')` : `c.${column}`,
  ).join(', '),
);

/** Counts the user's clients and subscriptions, and the bytes of the clients' metadata. */
export async function selectHoldings(db: Db, personId: string): Promise<Holdings> {
  const row = await readRow(db, { clients: 'int', bytes: 'int', subscriptions: 'int' })`
    select count(*)::int as clients,
      coalesce(sum(octet_length(concat(${WORDS}))), 0)::int as bytes,
      coalesce(sum((select count(*) from subscriptions s where s.client_id = c.client_id)), 0)::int as subscriptions
    from clients c where c.owner_id = ${personId}`;
  return row ?? { clients: 0, bytes: 0, subscriptions: 0 };
}

// Personal data that no page shows, for the export of a user's data.

/** Returns the user's external identities with all stored claims. */
export const selectMyIdentities = (db: Db, personId: string) =>
  db.externalIdentity.findMany({
    where: { personId },
    omit: { personId: true },
    orderBy: { createdAt: 'asc' },
  });

/** Returns requests of the user in export format: subscriptions of clients, and requests for unregistered clients. */
export const selectMyRequests = (db: Db, personId: string): Promise<object[]> =>
  readRows(db, {
    client_id: 'text',
    api_id: 'text',
    kind: 'text',
    asked_at: 'timestamptz',
    message: 'text?',
  })`
    select client_id, api_id, 'subscription' as kind, created_at as asked_at, message
      from subscriptions where requested_by = ${personId}
    union all select client_id, api_id, 'agent', asked_at, null from agent_requests where person_id = ${personId}
    order by asked_at limit 10000`;

// Bulk import of users from a former service: finds conflicts, inserts batches, and undoes an import.

export type ImportedRow = ProfileValues & {
  id: string;
  subject: string | null;
  email: string | null;
  emailVerified: boolean;
  username: string | null;
  name: string;
  disabled: boolean;
  createdAt: Date | null;
  passwordHash: string | null;
  mustChangePassword: boolean;
  roles: readonly string[];
  /** digest of the import line, in hexadecimal */
  digest: string;
};

export type NamesAsked = {
  ids: readonly string[];
  emails: readonly string[];
  /** ids, user names and imported subjects in lower case, which share one namespace */
  names: readonly string[];
  /** the `sub` values that tokens would contain */
  subjects: readonly string[];
  identities: readonly { authMethodId: string; subject: string }[];
  groups: readonly string[];
};

const TAKEN = {
  /** `machine`: a client already uses the `sub`. `group`: the group exists */
  what: narrowTo<'id' | 'email' | 'name' | 'machine' | 'group' | 'identity'>('text'),
  /** of an identity: method and subject, separated by a line break */
  value: 'text',
  /** digest of the import line of an id */
  digest: 'text?',
} as const;
export type Taken = ColdRow<typeof TAKEN>;

export function findTakenNames(db: Db, query: NamesAsked): Promise<Taken[]> {
  const { ids, emails, names, subjects, identities, groups } = query;
  return readRows(db, TAKEN)`
    select 'id' as what, id::text as value, encode(import_digest, 'hex') as digest from people
      where id = any (${ids}::uuid[])
    union all select 'email', email, null from people where email = any (${emails}::text[])
    union all select 'name', name, null from people_names where name = any (${names}::text[])
    union all select 'machine', client_id, null from clients where client_id = any (${subjects}::text[])
    union all select 'group', id, null from groups where id = any (${groups}::text[])
    union all select 'identity', e.auth_method_id || chr(10) || e.subject, null from external_identities e
      join unnest(${identities.map((identity) => identity.authMethodId)}::text[], ${identities.map((identity) => identity.subject)}::text[])
        as given (auth_method_id, subject) using (auth_method_id, subject)`;
}

const IMPORTED_PROFILE = PROFILE_NAMES.map((name) => `"${name}"`);

/** Returns the inserted ids. Skips rows with a name that another user has taken in the meantime. */
export async function insertImportedPeople(
  db: Db,
  run: string,
  rows: readonly ImportedRow[],
): Promise<Set<string>> {
  const insertedRows = await readRows(db, { id: 'uuid', email: 'text?' })`
    insert into people (id, subject, email, email_verified_at, username, name, ${raw(PROFILE_KEYS.join(', '))}, disabled_at,
      created_at, password_hash, must_change_password, roles, import_run, import_digest)
    select id, subject, email, case when "emailVerified" then now() end, username, name, ${raw(IMPORTED_PROFILE.join(', '))},
      case when disabled then now() end, coalesce("createdAt", now()), "passwordHash", "mustChangePassword", roles,
      ${run}, decode(digest, 'hex')
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given (id uuid, subject text, email text,
      "emailVerified" boolean, username text, name text, ${raw(IMPORTED_PROFILE.map((column) => `${column} text`).join(', '))}, disabled boolean,
      "createdAt" timestamptz, "passwordHash" text, "mustChangePassword" boolean, roles text[], digest text)
    on conflict do nothing returning id, email`;
  // an imported user replaces an invitation or a waiting registration of the same address
  await db.$executeRaw(sql`delete from person_registrations where kind in ('invited', 'waiting')
    and email = any (${insertedRows.flatMap(({ email }) => email ?? [])}::text[])`);
  return new Set(insertedRows.map(({ id }) => id));
}

export type ImportedIdentity = {
  personId: string;
  authMethodId: string;
  subject: string;
  email: string | null;
  name: string | null;
  claims: Readonly<Record<string, unknown>>;
};

/** Returns users whose identity a concurrent sign-in claimed. Callers remove these users again. */
export async function insertImportedIdentities(
  db: Db,
  identities: readonly ImportedIdentity[],
): Promise<Set<string>> {
  if (identities.length === 0) return new Set();
  const insertedRows = await readRows(db, { method: 'text', subject: 'text' })`
    insert into external_identities (auth_method_id, subject, person_id, email, name, claims)
    select "authMethodId", subject, "personId", email, name, claims
    from jsonb_to_recordset(${JSON.stringify(identities)}::jsonb)
      as given ("authMethodId" text, subject text, "personId" uuid, email text, name text, claims jsonb)
    on conflict do nothing returning auth_method_id as method, subject`;
  const names = new Set(insertedRows.map(({ method, subject }) => `${method}\n${subject}`));
  const lost = identities.filter((identity) => !names.has(`${identity.authMethodId}\n${identity.subject}`));
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

/** Inserts identities, groups and other dependent rows of users that were just inserted. */
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

/**
 * SQL condition: `p` owns no client and shows no activity since the import. Activity includes data that expires
 * automatically.
 */
const NEVER_CAME = raw(`p.last_sign_in_at is null
  and not exists (select from sessions s where s.person_id = p.id)
  and not exists (select from token_families f where f.person_id = p.id)
  and not exists (select from clients c where c.owner_id = p.id)
  and not exists (select from external_identities e where e.person_id = p.id and e.last_seen_at > e.created_at)
  and not exists (select from audit_events a where a.person_id = p.id
    and a.event in (${listSql(ACTIVITY_EVENTS)}))`);

/** Removes at most 500 users of the import; returns the numbers of found and removed users. */
export async function removeImportedPeople(db: Db, run: string): Promise<{ found: number; removed: number }> {
  const importedRows = await readRows(db, { id: 'uuid' })`
    select p.id from people p where p.import_run = ${run} and ${NEVER_CAME} limit 500 for update`;
  // locked rows block new activity; this statement sees activity committed during the wait
  const removed = await db.$executeRaw(sql`
    with tokens as (delete from former_tokens where person_id = any (${importedRows.map(({ id }) => id)}::uuid[]))
    delete from people p where p.id = any (${importedRows.map(({ id }) => id)}::uuid[]) and ${NEVER_CAME}`);
  return { found: importedRows.length, removed };
}

/** Counts users of this import. */
export const countImportedPeople = (db: Db, run: string): Promise<number> =>
  db.person.count({ where: { importRun: run } });

/** Returns the import runs whose users still exist, newest first, at most 50. */
export async function selectImportRuns(db: Db): Promise<string[]> {
  const rows = await readRows(db, { run: 'text' })`
    select import_run as run from people
    where import_run is not null group by import_run order by max(updated_at) desc, import_run limit 50`;
  return rows.map(({ run }) => run);
}
