// Identities of users at sign-in methods.

import { hasSignInName } from '#lib/catalogue/people/definition.ts';
import { canonicalEmail } from '#lib/kit/text.ts';
import { HAS_ACCOUNTS, LET_IN } from './hot/person-facts.ts';
import { sessionLives } from './hot/validity.ts';
import { type Db, database, readRow, readRows, some } from './prisma.ts';
import { raw, type Sql, sql } from './sql.ts';
import type { ColdRow } from './statement.ts';

// Identities at external and broker methods, which let a user sign in without a Gatehouse password. An identity moves
// to another user only after proof of both accounts (lib/management/links.ts).

/**
 * Locks identities, both users, and the session until the transaction ends. Identities are locked first, in the same
 * order as a sign-in. Returns false if the method switched, the session ended, or an identity moved to a different
 * user.
 */
export async function holdForJoin(
  db: Db,
  join: {
    authMethodId: string;
    methodEpoch: string;
    from: string;
    to: string;
    session: Uint8Array;
    idleSeconds: number;
  },
): Promise<boolean> {
  const { authMethodId, from, to } = join;
  const method = await some(
    db.$executeRaw(
      sql`select from auth_methods where id = ${authMethodId} and epoch = ${join.methodEpoch} for share`,
    ),
  );
  const held = await readRows(db, { method: 'text' })`
    select auth_method_id as method from external_identities
    where person_id in (${from}, ${to}) order by auth_method_id, subject for update`;
  if (!method || held.length === 0) return false;
  await db.$executeRaw(sql`select from people where id in (${from}, ${to}) order by id for update`);
  const identity = await some(
    db.$executeRaw(sql`select from external_identities i join people p on p.id = i.person_id
    where i.auth_method_id = ${authMethodId} and i.person_id = ${from} and p.disabled_at is null`),
  );
  const lives = raw(
    sessionLives({ session: 's', person: 'p', idleSeconds: String(Math.trunc(join.idleSeconds)) }),
  );
  const session = await some(
    db.$executeRaw(sql`select from sessions s join people p on p.id = s.person_id
    where s.id_hash = ${join.session} and s.kind = 'console' and s.person_id = ${to} and ${lives} for share of s`),
  );
  return identity && session;
}

/** Returns the current owner of an identity, and facts about the owner's account without this identity. */
export async function findIdentityOwner(db: Db, personId: string) {
  const person = await db.person.findUnique({
    where: { id: personId },
    select: {
      email: true,
      username: true,
      roles: true,
      createdAt: true,
      factorLevel: true,
      identities: {
        select: { authMethodId: true, subject: true, name: true, email: true, emailVerified: true },
      },
      _count: {
        select: {
          clients: true,
          consents: true,
          families: true,
          sessions: true,
          delegations: true,
          agents: true,
        },
      },
    },
  });
  if (!person) return null;
  const { email, username, roles, createdAt, factorLevel, identities, _count } = person;
  const hasFactor = factorLevel > 0;
  return {
    /** true for a local account: sign-in name and password, or a role */
    local: hasSignInName({ email, username }) || roles.length > 0,
    clients: _count.clients,
    consents: _count.consents,
    /** methods with the user's label */
    identities: identities.map((identity) => ({
      authMethodId: identity.authMethodId,
      label: identity.email ?? identity.name ?? identity.subject,
      /** email verified by a trusted method; null: none */
      email: identity.emailVerified ? identity.email : null,
    })),
    hasFactor,
    createdAt,
    /** true: the account has more data than a new account has */
    known: hasFactor || identities.length > 1 || Object.values(_count).some((count) => count > 0),
  };
}

export async function moveIdentities(db: Db, from: string, to: string): Promise<void> {
  await db.$executeRaw(
    sql`update external_identities set person_id = ${to}, last_seen_at = now() where person_id = ${from}`,
  );
}

/**
 * Removes the identity if the user can still sign in by a password or another identity. Returns `none` for an unknown
 * identity, and `last` if no other way to sign in remains.
 */
export async function removeIdentity(
  db: Db,
  personId: string,
  authMethodId: string,
): Promise<'removed' | 'none' | 'last'> {
  const held = await readRows(db, { method: 'text' })`
    select auth_method_id as method from external_identities
    where person_id = ${personId} order by auth_method_id, subject for update`;
  if (!held.some(({ method }) => method === authMethodId)) return 'none';
  const person = await readRow(db, { password: 'boolean' })`
    select password_hash is not null as password from people where id = ${personId} for update`;
  if (!person?.password && held.every(({ method }) => method === authMethodId)) return 'last';
  await db.externalIdentity.deleteMany({ where: { personId, authMethodId } });
  return 'removed';
}

// Data for explanations of a request: a user's access to a method, and the client's tokens. No sign-in takes place.

const PERSON_AT_METHOD = {
  personId: 'uuid',
  epoch: 'text',
  disabled: 'boolean',
  /** true if the method knows this user; for local accounts, true if the method admits the user */
  signsIn: 'boolean',
} as const;
/** A user, with the facts that decide whether a sign-in method admits the user. */
export type PersonAtMethod = ColdRow<typeof PERSON_AT_METHOD>;

/**
 * Finds a user by id, or by email of an account or of this method's identity. Prefers a user who can sign in. Returns
 * null for an unknown user.
 */
export function findPersonAtMethod(
  db: Db,
  who: { id: string } | { email: string },
  authMethodId: string,
): Promise<PersonAtMethod | null> {
  const email = 'email' in who ? who.email : '';
  const named =
    'id' in who
      ? sql`select ${who.id}::uuid as id`
      : sql`select id from people where email = ${canonicalEmail(email)}
    union select person_id from external_identities
      where auth_method_id = ${authMethodId} and email = any(${[email, canonicalEmail(email)]}::text[])`;
  return readRow(db, PERSON_AT_METHOD)`
    select p.id as "personId", p.epoch::text, p.disabled_at is not null as disabled,
      case when ${raw(HAS_ACCOUNTS)} then (p.email is not null or p.username is not null) and ${raw(LET_IN)}
        else exists (select from external_identities i where i.person_id = p.id and i.auth_method_id = m.id)
      end as "signsIn"
    from (${named}) named join people p using (id) join auth_methods m on m.id = ${authMethodId}
    order by "signsIn" desc, p.id limit 1`;
}

type OfPerson = { personId: string; clientId: string; apiId: string; authMethodId: string };

/**
 * Newest refresh token of the client that was issued at the issuer's path address, or null. `jkt`: thumbprint of the
 * key to which the token is bound, or null for an unbound token.
 */
export function findNewestRefreshToken(db: Db, of: OfPerson) {
  return readRow(db, { hash: 'bytea', jkt: 'bytea?' })`
    select r.token_hash as hash, f.dpop_jkt as jkt
      from token_families f join refresh_tokens r on r.family_id = f.id
      where f.person_id = ${of.personId}::uuid and f.client_id = ${of.clientId} and f.api_id = ${of.apiId}
        and f.auth_method_id = ${of.authMethodId} and f.issuer_host is null
      order by f.revoked_at is null desc, r.used_at is null desc, r.issued_at desc limit 1`;
}

// Rechecks whether the method of each signed-in user still admits the user. A recheck reads the users in batches. The
// instance with the lease continues it. If that instance dies, the lease expires, and the next instance continues
// after the last batch.

const LEASE_SECONDS = 60;
const BATCH = 50;
/** Maximum number of identities that a batch reads if few users are signed in. */
const SCANNED = 1_000;
const GONE_AFTER_SECONDS = 3_600;

const RECHECK_LEASE = { authMethodId: 'text', lease: 'text', after: 'text' } as const;
/** A lease that permits this instance to continue a recheck. `after`: the last subject that was checked. */
export type RecheckLease = ColdRow<typeof RECHECK_LEASE>;

/**
 * Takes the lease for a recheck. Returns null if a different instance has the lease, the directory was unavailable
 * recently, or the next recheck is not due.
 */
export async function leaseRecheck(authMethodId: string, everySeconds: number): Promise<RecheckLease | null> {
  return readRow(database(), RECHECK_LEASE)`
    insert into rechecks as r (auth_method_id, after, locked_until)
      select id, '', now() + make_interval(secs => ${LEASE_SECONDS}) from auth_methods where id = ${authMethodId}
      on conflict (auth_method_id) do update set after = coalesce(r.after, ''), lease = gen_random_uuid(),
        began_at = case when r.after is null then now() else r.began_at end, locked_until = excluded.locked_until
      where r.locked_until <= now()
        and (r.after is not null or r.began_at <= now() - make_interval(secs => ${everySeconds}))
      returning auth_method_id as "authMethodId", lease::text, after`;
}

/**
 * Moves the recheck forward. `after` is null at the end of the recheck. `waitSeconds` is null if this instance
 * continues. Returns false if another instance has the lease.
 */
export async function moveRecheck(
  { authMethodId, lease }: RecheckLease,
  after: string | null,
  waitSeconds: number | null,
): Promise<boolean> {
  const seconds = waitSeconds ?? LEASE_SECONDS;
  return some(
    database().$executeRaw(sql`update rechecks set after = ${after}, locked_until = now() + make_interval(secs => ${seconds})
      where auth_method_id = ${authMethodId} and lease = ${lease}::uuid returning 1`),
  );
}

export type PersonToRecheck = {
  subject: string;
  personId: string;
  /** true: the user has sessions or tokens of this method */
  here: boolean;
  isMissing: boolean;
};

/**
 * Returns the next 50 users with an active session or token family. `askedAt`: time before the directory query.
 * `next`: null after the last user.
 */
export async function peopleToRecheck(
  authMethodId: string,
  after: string,
): Promise<{ people: PersonToRecheck[]; askedAt: string; next: string | null }> {
  const rows = await readRows(database(), {
    subject: 'text?',
    personId: 'uuid?',
    here: 'boolean?',
    isMissing: 'boolean?',
    askedAt: 'text',
    next: 'text?',
  })`
    ${recheckStatement(authMethodId, after)}`;
  const people = rows.flatMap(({ subject, personId, here, isMissing }) =>
    subject && personId ? [{ subject, personId, here: here === true, isMissing: isMissing === true }] : [],
  );
  const { askedAt = '', next = null } = rows[0] ?? {};
  return { people, askedAt, next };
}

/**
 * Reads one identity at a time together with its user's sign-ins, so that a batch reads few rows even without
 * statistics. `between` prevents the planner from attributing every sign-in to one user when the statistics list few
 * users.
 */
export const recheckStatement = (authMethodId: string, after: string): Sql => sql`with recursive walk as (
    select ${after}::text as subject, null::uuid as person_id, false as missing, null::boolean as here,
      0 as reached, 0 as living
    union all
    select s.subject, s.person_id, s.missing, l.here, w.reached + 1, w.living + (l.here is not null)::int
    from walk w
    cross join lateral (select e.subject, e.person_id, e.missing_since is not null as missing
      from external_identities e where e.auth_method_id = ${authMethodId} and e.subject > w.subject
      order by e.subject limit 1) s
    cross join lateral (
      select bool_or(auth_method_id = ${authMethodId}) filter (where ended_at is null and expires_at > now()) as here
      from (
        select f.auth_method_id, f.revoked_at as ended_at, f.expires_at from token_families f
        where f.person_id between s.person_id and s.person_id
        union all
        select z.auth_method_id, z.ended_at, z.expires_at from sessions z
        where z.person_id between s.person_id and s.person_id) a) l
    where w.living < ${BATCH} and w.reached < ${SCANNED}
  )
  select w.subject, w.person_id as "personId", w.here, w.missing as "isMissing", now()::text as "askedAt",
    (select max(subject) from walk where reached > 0) as next
  from (select 1) one left join walk w on w.here is not null order by w.subject`;

/** Returns the current time of the database. Callers read it before they query the directory. */
export async function recheckTime(): Promise<string> {
  const row = await readRow(database(), { askedAt: 'text' })`select now()::text as "askedAt"`;
  if (!row) throw new Error('a time gave no row');
  return row.askedAt;
}

type Asked = { authMethodId: string; methodEpoch: string; askedAt: string };
const isAsked = ({ authMethodId, methodEpoch }: Asked) =>
  sql`exists (select from auth_methods where id = ${authMethodId} and epoch = ${methodEpoch}::bigint)`;

/**
 * Records users that their directory no longer contains. Returns those that were already missing an hour ago and have
 * not signed in since.
 */
export async function noteMissing(recheckRun: Asked, subjects: readonly string[]): Promise<string[]> {
  if (subjects.length === 0) return [];
  const rows = await readRows(database(), { subject: 'text', gone: 'boolean' })`
    update external_identities
      set missing_since = case when missing_since > last_seen_at then missing_since else now() end
      where auth_method_id = ${recheckRun.authMethodId} and subject = any (${[...subjects]}::text[])
        and last_seen_at <= ${recheckRun.askedAt}::timestamptz and ${isAsked(recheckRun)}
      returning subject, missing_since <= now() - make_interval(secs => ${GONE_AFTER_SECONDS}) as gone`;
  return rows.filter(({ gone }) => gone).map(({ subject }) => subject);
}

export async function noteFound(authMethodId: string, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return;
  await database().externalIdentity.updateMany({
    where: { authMethodId, subject: { in: [...subjects] } },
    data: { missingSince: null },
  });
}

/**
 * Locks an identity before its user's sessions end. Returns null if the method switched, or the identity moved to a
 * different user. `since`: true if the user signed in after the directory query.
 */
export async function holdRechecked(
  db: Db,
  recheckRun: Asked,
  { subject, personId }: { subject: string; personId: string },
): Promise<{ since: boolean; sessions: number; families: number } | null> {
  // the method is locked before the identity, as in a sign-in
  await db.$executeRaw(sql`select from auth_methods where id = ${recheckRun.authMethodId} for share`);
  const held = await readRow(db, { since: 'boolean' })`
    select last_seen_at > ${recheckRun.askedAt}::timestamptz as since from external_identities
      where auth_method_id = ${recheckRun.authMethodId} and subject = ${subject} and person_id = ${personId}::uuid
        and ${isAsked(recheckRun)} for update`;
  if (!held) return null;
  const counts = await readRow(db, { sessions: 'int', families: 'int' })`
    select
      (select count(*) from sessions where person_id = ${personId}::uuid and ended_at is null and expires_at > now())::int
        as sessions,
      (select count(*) from token_families
        where person_id = ${personId}::uuid and revoked_at is null and expires_at > now())::int as families`;
  return { ...held, sessions: counts?.sessions ?? 0, families: counts?.families ?? 0 };
}

/** Removes the user from groups assigned by rules of this method. */
export async function leaveRuledGroups(db: Db, personId: string, authMethodId: string): Promise<void> {
  await db.groupMember.deleteMany({ where: { personId, origin: authMethodId } });
}
