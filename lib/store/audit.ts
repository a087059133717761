// Audit log and webhook cursor.

import { signInRow } from '#lib/catalogue/people/definition.ts';
import { snake } from '#lib/kit/wire.ts';
import { anyOf, contains, containsEmail, equals, isUuid, list } from './list.ts';
import { type Db, database, readRow, readRows } from './prisma.ts';
import { insertSql, joinSql, raw, type Sql, sql } from './sql.ts';
import { type ColdRow, narrowTo } from './statement.ts';

// Audit events: stored in the transaction of their change, and read in pages or after an event id.

type NewAuditEvent = {
  event: string;
  actor?: string | undefined;
  personId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  authMethodId?: string | undefined;
  requestId?: string | undefined;
  ip?: string | undefined;
  details: object;
};

export async function insertAuditEvent(event: NewAuditEvent, db = database()): Promise<void> {
  const row = Object.fromEntries(Object.entries(event).map(([name, value]) => [snake(name), value]));
  const details = JSON.stringify(event.details);
  await db.$executeRaw(sql`insert into audit_events ${insertSql({ ...row, details })}`);
}

/** Stored audit event. */
export type AuditRecord = ColdRow<typeof AUDIT_RECORD>;
const AUDIT_RECORD = {
  id: 'text',
  at: 'timestamptz',
  event: 'text',
  actor: 'text?',
  personId: 'uuid?',
  clientId: 'text?',
  apiId: 'text?',
  authMethodId: 'text?',
  requestId: 'text?',
  ip: 'text?',
  details: narrowTo<Record<string, unknown>>('jsonb'),
} as const;

/**
 * Missing members impose no filter. `events`: any of these. `actor`: a user's id, `client:ID`, `operator`, `config` or
 * `system`. `like`: parts of ids, names and addresses in lower case, with the ids of users already found.
 */
export type AuditFilter = {
  id?: string | undefined;
  since?: Date | undefined;
  until?: Date | undefined;
  events?: readonly string[] | undefined;
  actor?: string | undefined;
  personId?: string | undefined;
  clientId?: string | undefined;
  apiId?: string | undefined;
  requestId?: string | undefined;
  like?: { actor?: FoundPeople; person?: FoundPeople; client?: string; api?: string } | undefined;
};
/** `people`: matching user ids; null: too many ids to list. */
type FoundPeople = { text: string; people: readonly string[] | null };

/** SQL: selects an AuditRecord from the event `e`. */
const EVENT =
  raw(`e.id::text as id, e.at, e.event, e.actor, e.person_id as "personId", e.client_id as "clientId",
  e.api_id as "apiId", e.auth_method_id as "authMethodId", e.request_id as "requestId", e.ip, e.details`);

/**
 * SQL condition: the column has a value that the subquery returns. Uses an array, so that PostgreSQL can use an index.
 */
const among = (column: string, subquery: Sql): Sql => sql`${raw(column)} = any(array(${subquery}))`;

/** SQL: ids of the people that match the text. */
const peopleLike = ({ text, people }: FoundPeople, id: string): Sql =>
  people === null
    ? sql`select ${raw(id)} from people p
        where ${anyOf(containsEmail(text, `coalesce(p.email, '')`), contains(text, 'lower(p.name)'))}`
    : sql`select ${raw(id)} from unnest(${people}::uuid[]) as p (id)`;

/** The search text can itself be an id, even the id of a deleted user, so it is compared with the ids, too. */
const actorsLike = (foundPeople: FoundPeople) =>
  among('e.actor', sql`${peopleLike(foundPeople, 'p.id::text')} union all select ${foundPeople.text}`);
const personsLike = (foundPeople: FoundPeople) => {
  const named = peopleLike(foundPeople, 'p.id');
  return among(
    'e.person_id',
    isUuid(foundPeople.text) ? sql`${named} union all select ${foundPeople.text}::uuid` : named,
  );
};

const matching = ({ since, until, events, like = {}, ...asked }: AuditFilter): (Sql | null)[] => [
  events ? sql`e.event = any(${events})` : null,
  like.actor ? actorsLike(like.actor) : null,
  like.person ? personsLike(like.person) : null,
  like.client === undefined
    ? null
    : among(
        'e.client_id',
        sql`select c.client_id from clients c
          where ${contains(like.client, 'lower(c.client_id)', 'lower(c.name)')} union all select ${like.client}`,
      ),
  like.api === undefined
    ? null
    : among(
        'e.api_id',
        sql`select a.id from apis a where ${contains(like.api, 'a.id', 'lower(a.name)')} union all select ${like.api}`,
      ),
  asked.id === undefined ? null : sql`e.id = ${asked.id}::bigint`,
  equals('e.actor', asked.actor),
  equals('e.person_id', asked.personId),
  equals('e.client_id', asked.clientId),
  equals('e.api_id', asked.apiId),
  equals('e.request_id', asked.requestId),
  since ? sql`e.at >= ${since}` : null,
  until ? sql`e.at < ${until}` : null,
];

/** Returns the events after an event id, or the newest events, in ascending order. */
export async function selectAuditEvents({
  limit,
  afterId,
  ...asked
}: AuditFilter & { limit: number; afterId: string | null }): Promise<AuditRecord[]> {
  const where = [...matching(asked), afterId === null ? null : sql`e.id > ${afterId}::bigint`];
  const rows = await readRows(database(), AUDIT_RECORD)`
    select ${EVENT} from audit_events e
    where ${joinSql(where, ' and ', 'true')} order by e.id ${raw(afterId === null ? 'desc' : 'asc')} limit ${limit}`;
  return afterId === null ? rows.reverse() : rows;
}

const AUDIT_ROW = {
  ...AUDIT_RECORD,
  /** email of the actor, if the actor is an existing user */
  actorEmail: 'text?',
  personEmail: 'text?',
} as const;
export type AuditRow = ColdRow<typeof AUDIT_ROW>;

const UUID = `'^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'`;

const NEWEST_FIRST = {
  orders: {
    at: {
      key: [
        ['e.at', 'time'],
        ['e.id', 'number'],
      ],
      begins: 'desc',
    },
  },
} as const;

/** The list of audit events, the newest first. */
export const AUDIT_EVENTS = list({
  returns: AUDIT_ROW,
  ...NEWEST_FIRST,
  rows: sql`${EVENT}, (select a.email from people a
      where a.id = case when e.actor ~ ${raw(UUID)} then e.actor::uuid end) as "actorEmail",
    (select p.email from people p where p.id = e.person_id) as "personEmail" from audit_events e`,
  where: matching,
});

/** The list of a user's sign-ins from the audit log, the newest first. */
export const SIGN_INS = list({
  returns: signInRow.shape,
  ...NEWEST_FIRST,
  rows: raw(`e.id::text as id, e.at, e.auth_method_id as "authMethodId", m.name as "methodName",
    e.client_id as "clientId", e.ip,
    case when e.event = 'token.issued' then 'password-grant' else coalesce(e.details ->> 'kind', 'sign-in') end as kind
    from audit_events e left join auth_methods m on m.id = e.auth_method_id`),
  where: ({ personId }: { personId: string }) => [
    sql`e.person_id = ${personId} and (e.event = 'sign_in.succeeded'
      or (e.event = 'token.issued' and e.details ->> 'grant_type' = 'password'))`,
  ],
});

const LEFT_OUT = {
  event: narrowTo<'groups.overage' | 'claims.left_out'>('text'),
  /** API of the issued tokens; null: sign-in at the method */
  apiId: 'text?',
  authMethodId: 'text?',
  people: 'int',
  claims: 'text[]',
} as const;

/**
 * Counts claims that methods omitted or size limits removed in the last week, from at most 10,000 recent events of each
 * type.
 */
export const countLeftOut = () =>
  readRows(database(), LEFT_OUT)`
    with found as (
    select e.* from unnest(array['groups.overage', 'claims.left_out']) as w (event), lateral (
      select * from audit_events a where a.event = w.event and a.at > now() - interval '7 days' order by a.at desc limit 10000) e)
    select event, api_id as "apiId", case when api_id is null then auth_method_id end as "authMethodId",
      count(distinct person_id)::int as people,
      (array_agg(distinct claim))[1:10] as claims
    from found, jsonb_array_elements_text(details -> 'claims') as claim
    group by 1, 2, 3 order by 1, 2, 3 limit 100`;

// The webhook's cursor in the audit log. The instance with the lease sends the events. A lease expires if its
// instance dies.

const LEASE_SECONDS = 60;

/**
 * Acquires the lease and returns the id of the last processed event. Returns null if a different instance holds the
 * lease, or a retry is not due.
 */
export async function leaseWebhook(): Promise<string | null> {
  // the first run starts after the events that exist
  await database().$executeRaw(sql`insert into webhook_cursor (last_event_id)
    select coalesce(max(id), 0) from audit_events on conflict (id) do nothing`);
  const row = await readRow(database(), { after: 'text' })`
    update webhook_cursor
    set locked_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where locked_until <= now() and next_try_at <= now() returning last_event_id::text as after`;
  return row?.after ?? null;
}

/** Marks events up to this id processed. */
export async function advanceWebhook(eventId: string): Promise<void> {
  await database().$executeRaw(sql`update webhook_cursor set last_event_id = greatest(last_event_id, ${eventId}::bigint),
    failures = 0, locked_until = now() + make_interval(secs => ${LEASE_SECONDS})`);
}

/** Postpones the next delivery to the webhook by 2, 4, 8 … seconds, at most five minutes. */
export async function postponeWebhook(): Promise<void> {
  await database().$executeRaw(sql`update webhook_cursor set failures = failures + 1, locked_until = now(),
    next_try_at = now() + make_interval(secs => least(300, power(2, least(failures + 1, 9))))`);
}

export async function releaseWebhook(): Promise<void> {
  await database().$executeRaw(sql`update webhook_cursor set locked_until = now()`);
}
