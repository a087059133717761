// Asking a method about the people who are signed in: how far it has got, who they are, and who is not found. The
// instance with the lease asks; a lease expires if its instance dies, and the next one continues behind the last batch.
import { type Db, database, first, some } from './prisma.ts';
import { type Sql, sql } from './sql.ts';

const LEASE_SECONDS = 60;
const BATCH = 50;
/** A walk reads so many identities at most for one batch, where few are signed in. */
const SCANNED = 1_000;
const GONE_AFTER_SECONDS = 3_600;

/** `after`: the subject behind which the walk continues. */
export type RecheckLease = { authMethodId: string; lease: string; after: string };

/** Null: another instance asks, the directory was away a moment ago, or it is too early for the next walk. */
export async function leaseRecheck(authMethodId: string, everySeconds: number): Promise<RecheckLease | null> {
  const db = await database();
  return first<RecheckLease>(
    db.$queryRaw(sql`insert into rechecks as r (auth_method_id, after, locked_until)
      select id, '', now() + make_interval(secs => ${LEASE_SECONDS}) from auth_methods where id = ${authMethodId}
      on conflict (auth_method_id) do update set after = coalesce(r.after, ''), lease = gen_random_uuid(),
        began_at = case when r.after is null then now() else r.began_at end, locked_until = excluded.locked_until
      where r.locked_until <= now()
        and (r.after is not null or r.began_at <= now() - make_interval(secs => ${everySeconds}))
      returning auth_method_id as "authMethodId", lease::text, after`),
  );
}

/** `after`: null: the walk is over. `waitSeconds`: null: this instance continues. False: the lease is another's. */
export async function moveRecheck(
  { authMethodId, lease }: RecheckLease,
  after: string | null,
  waitSeconds: number | null,
): Promise<boolean> {
  const db = await database();
  const seconds = waitSeconds ?? LEASE_SECONDS;
  return some(
    db.$queryRaw(sql`update rechecks set after = ${after}, locked_until = now() + make_interval(secs => ${seconds})
      where auth_method_id = ${authMethodId} and lease = ${lease}::uuid returning 1`),
  );
}

export type PersonToRecheck = {
  subject: string;
  personId: string;
  /** has sign-ins or tokens of this method, and not only of others */
  here: boolean;
  isMissing: boolean;
};

/**
 * The next 50 of the method who have a living sign-in or family. `askedAt`: before the directory is asked; `next`: null
 * where no one is left.
 */
export async function peopleToRecheck(
  authMethodId: string,
  after: string,
): Promise<{ people: PersonToRecheck[]; askedAt: string; next: string | null }> {
  const db = await database();
  const rows = await db.$queryRaw<(Partial<PersonToRecheck> & { askedAt: string; next: string | null })[]>(
    recheckStatement(authMethodId, after),
  );
  const people = rows.flatMap(({ subject, personId, here = false, isMissing = false }) =>
    subject && personId ? [{ subject, personId, here, isMissing }] : [],
  );
  const { askedAt = '', next = null } = rows[0] ?? {};
  return { people, askedAt, next };
}

/**
 * One identity after the other, and of its person the sign-ins: also without statistics of the tables a batch reads no
 * more rows than these. `between` keeps the planner from taking all sign-ins for one person's where it knows of few.
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

/** Before the service is asked once more. */
export async function recheckTime(): Promise<string> {
  const db = await database();
  const row = await first<{ askedAt: string }>(db.$queryRaw(sql`select now()::text as "askedAt"`));
  if (!row) throw new Error('a time gave no row');
  return row.askedAt;
}

type Asked = { authMethodId: string; methodEpoch: string; askedAt: string };
const isAsked = ({ authMethodId, methodEpoch }: Asked) =>
  sql`exists (select from auth_methods where id = ${authMethodId} and epoch = ${methodEpoch}::bigint)`;

/** Gives those who were missing an hour before, too, and have not signed in since. */
export async function noteMissing(asked: Asked, subjects: readonly string[]): Promise<string[]> {
  if (subjects.length === 0) return [];
  const db = await database();
  const rows = await db.$queryRaw<{ subject: string; gone: boolean }[]>(
    sql`update external_identities
      set missing_since = case when missing_since > last_seen_at then missing_since else now() end
      where auth_method_id = ${asked.authMethodId} and subject = any (${[...subjects]}::text[])
        and last_seen_at <= ${asked.askedAt}::timestamptz and ${isAsked(asked)}
      returning subject, missing_since <= now() - make_interval(secs => ${GONE_AFTER_SECONDS}) as gone`,
  );
  return rows.filter(({ gone }) => gone).map(({ subject }) => subject);
}

export async function noteFound(authMethodId: string, subjects: readonly string[]): Promise<void> {
  if (subjects.length === 0) return;
  const db = await database();
  await db.externalIdentity.updateMany({
    where: { authMethodId, subject: { in: [...subjects] } },
    data: { missingSince: null },
  });
}

/**
 * Holds an identity before its person's sign-ins are ended; null: the method has other people now, or the identity is
 * another person's. `since`: they signed in after the directory was asked.
 */
export async function holdRechecked(
  db: Db,
  asked: Asked,
  { subject, personId }: { subject: string; personId: string },
): Promise<{ since: boolean; sessions: number; families: number } | null> {
  // before the identity, as at a sign-in
  await db.$queryRaw(sql`select from auth_methods where id = ${asked.authMethodId} for share`);
  const held = await first<{ since: boolean }>(
    db.$queryRaw(sql`select last_seen_at > ${asked.askedAt}::timestamptz as since from external_identities
      where auth_method_id = ${asked.authMethodId} and subject = ${subject} and person_id = ${personId}::uuid
        and ${isAsked(asked)} for update`),
  );
  if (!held) return null;
  const counts = await first<{ sessions: number; families: number }>(
    db.$queryRaw(sql`select
      (select count(*) from sessions where person_id = ${personId}::uuid and ended_at is null and expires_at > now())::int
        as sessions,
      (select count(*) from token_families
        where person_id = ${personId}::uuid and revoked_at is null and expires_at > now())::int as families`),
  );
  return { ...held, sessions: counts?.sessions ?? 0, families: counts?.families ?? 0 };
}

/** Takes the person out of all groups that a rule on the method brought them into. */
export async function leaveRuledGroups(db: Db, personId: string, authMethodId: string): Promise<void> {
  await db.groupMember.deleteMany({ where: { personId, origin: authMethodId } });
}
