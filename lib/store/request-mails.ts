// Queues of mails about subscriptions. The transaction of a request adds one row for each approver who can decide it.
// An instance takes a lease on the rows of one approver, sends one mail about them, and marks them. Decisions are
// queued in the same way: an instance takes the rows of one requester, sends one mail, and deletes the rows. Leases of
// killed instances expire.
import { subscriptionRow } from '#lib/catalogue/subscriptions/definition.ts';
import { SUBSCRIPTION_ROWS } from '#lib/catalogue/subscriptions/rows.ts';
import { type Db, database, readRow, readRows } from './prisma.ts';
import { sql } from './sql.ts';
import type { ColdRow } from './statement.ts';

/** Pause between two mails to one approver, in seconds. */
const PAUSE_SECONDS = 600;
/** Duration of a lease in seconds: longer than a mail server needs for one mail. */
const LEASE_SECONDS = 300;
/** Maximum number of rows that one mail covers. */
const MOST = 1_000;

type Pair = { clientId: string; api: string };

/** Queues mails for a new request. They replace rows of an earlier request of this pair. */
export async function queueRequestMails(db: Db, pair: Pair, personIds: readonly string[]): Promise<void> {
  const { clientId, api } = pair;
  await db.$executeRaw(sql`delete from request_mails where client_id = ${clientId} and api_id = ${api}`);
  await addRequestMails(db, pair, personIds);
}

/** Queues mails about a pending request for approvers who were not yet notified about it. */
export async function addRequestMails(
  db: Db,
  { clientId, api }: Pair,
  personIds: readonly string[],
): Promise<void> {
  await db.$executeRaw(sql`insert into request_mails (client_id, api_id, person_id)
    select s.client_id, s.api_id, p.id from subscriptions s, people p
    where s.client_id = ${clientId} and s.api_id = ${api} and s.state = 'pending' and p.id = any (${personIds}::uuid[])
    order by p.id on conflict do nothing`);
}

/** An approver for whom this instance sends the next mail. `lease`: id of the lease. */
export type RequestMailTurn = { personId: string; lease: string };

/** Claims at most `limit` due turns. Concurrent callers get different turns. */
export const claimRequestMails = (limit: number): Promise<RequestMailTurn[]> =>
  readRows(database(), { personId: 'uuid', lease: 'text' })`
    with due as (
      select distinct m.person_id from request_mails m join subscriptions s using (client_id, api_id)
      where m.mailed_at is null and s.state = 'pending'
        and not exists (select from request_mail_turns t where t.person_id = m.person_id and t.next_at > now())
      limit ${limit}
    )
    insert into request_mail_turns as t (person_id, next_at)
    select person_id, now() + make_interval(secs => ${LEASE_SECONDS}) from due order by person_id
    on conflict (person_id) do update set next_at = excluded.next_at, lease = excluded.lease where t.next_at <= now()
    returning person_id as "personId", lease::text`;

const REQUEST_TO_MAIL = { ...subscriptionRow.shape, mailId: 'text', requesterName: 'text?' } as const;
/** A request in a mail. `mailId`: id of the queued row about this request. */
export type RequestToMail = ColdRow<typeof REQUEST_TO_MAIL>;

/** Returns the pending requests about which this approver must still be notified, oldest first. */
export async function requestsToMail(personId: string): Promise<RequestToMail[]> {
  return readRows(database(), REQUEST_TO_MAIL)`
    select m.id::text as "mailId", nullif(r.name, '') as "requesterName", ${SUBSCRIPTION_ROWS}
    join request_mails m on m.client_id = s.client_id and m.api_id = s.api_id
    where m.person_id = ${personId}::uuid and m.mailed_at is null and s.state = 'pending' order by m.id limit ${MOST}`;
}

/** Marks these rows as mailed after the mail server accepted their mail, and begins the pause of their approver. */
export async function finishRequestMail(
  { personId, lease }: RequestMailTurn,
  mailIds: readonly string[],
): Promise<void> {
  await database().$executeRaw(sql`with mailed as (
      update request_mails set mailed_at = now() where id = any (${mailIds}::bigint[])
    )
    update request_mail_turns set next_at = now() + make_interval(secs => ${PAUSE_SECONDS}), failures = 0
    where person_id = ${personId}::uuid and lease = ${lease}::uuid`);
}

/**
 * Postpones a failed mail by 1, 2, 4 … minutes, at most an hour. After five consecutive failures, rows older than a day
 * are dropped.
 */
export async function postponeRequestMail(
  { personId, lease }: RequestMailTurn,
  mailIds: readonly string[],
): Promise<void> {
  await database().$executeRaw(sql`with given_up as (
      update request_mails set mailed_at = now()
      where id = any (${mailIds}::bigint[]) and created_at < now() - interval '1 day'
        and (select failures from request_mail_turns where person_id = ${personId}::uuid) >= 4
    )
    update request_mail_turns
    set next_at = now() + make_interval(secs => least(3600, 60 * power(2, least(failures, 9)))), failures = failures + 1
    where person_id = ${personId}::uuid and lease = ${lease}::uuid`);
}

/** Ends the lease if there is nothing to send, so that the next request is mailed immediately. */
export async function releaseRequestMail({ personId, lease }: RequestMailTurn): Promise<void> {
  await database().$executeRaw(sql`update request_mail_turns set next_at = now()
    where person_id = ${personId}::uuid and lease = ${lease}::uuid`);
}

/** Deletes rows of a user who may no longer decide on these requests. */
export async function dropRequestMails(mailIds: readonly string[]): Promise<void> {
  await database().$executeRaw(sql`delete from request_mails where id = any (${mailIds}::bigint[])`);
}

/**
 * `heldSeconds`: seconds to wait for further decisions of the same bulk call. Returns the row's id, or null for a
 * client without a requester.
 */
export async function queueDecisionMail(
  db: Db,
  { clientId, api }: Pair,
  decisionMail: { decision: string; reason: string | null; heldSeconds: number },
): Promise<string | null> {
  const row = await readRow(db, { id: 'text' })`
    insert into decision_mails
        (client_id, api_id, person_id, decision, reason, next_at)
      select s.client_id, s.api_id, coalesce(s.requested_by, c.owner_id), ${decisionMail.decision}, ${decisionMail.reason},
        now() + make_interval(secs => ${decisionMail.heldSeconds})
      from subscriptions s join clients c using (client_id)
      where s.client_id = ${clientId} and s.api_id = ${api} and coalesce(s.requested_by, c.owner_id) is not null
      returning id::text`;
  return row?.id ?? null;
}

/**
 * Takes a lease on at most 1,000 due decisions, for at most this number of requesters. Parallel callers receive
 * distinct rows.
 */
export async function claimDecisionMails(requesters: number): Promise<string[]> {
  const rows = await readRows(database(), { id: 'text' })`
    with due as (
      select id from decision_mails
      where next_at <= now() and person_id in
        (select distinct person_id from decision_mails where next_at <= now() limit ${requesters})
      order by id limit ${MOST} for update skip locked
    )
    update decision_mails m set next_at = now() + make_interval(secs => ${LEASE_SECONDS}) from due
    where m.id = due.id returning m.id::text`;
  return rows.map(({ id }) => id);
}

const DECISION_TO_MAIL = {
  ...subscriptionRow.shape,
  mailId: 'text',
  decision: 'text',
  /** reason for this decision */
  decisionReason: 'text?',
  personId: 'text',
  /** null: the requester has no address, or is disabled */
  email: 'text?',
  locale: 'text?',
} as const;
export type DecisionToMail = ColdRow<typeof DECISION_TO_MAIL>;

/** Returns the decisions, oldest first. */
export async function decisionsToMail(mailIds: readonly string[]): Promise<DecisionToMail[]> {
  return readRows(database(), DECISION_TO_MAIL)`
    select m.id::text as "mailId", m.decision, m.reason as "decisionReason",
      m.person_id::text as "personId", case when t.disabled_at is null then t.email end as email, t.locale,
      ${SUBSCRIPTION_ROWS}
    join decision_mails m on m.client_id = s.client_id and m.api_id = s.api_id join people t on t.id = m.person_id
    where m.id = any (${mailIds}::bigint[]) order by m.id`;
}

/** Deletes the rows of mails that the mail server accepted, and of mails without a recipient. */
export async function finishDecisionMails(mailIds: readonly string[]): Promise<void> {
  await database().$executeRaw(sql`delete from decision_mails where id = any (${mailIds}::bigint[])`);
}

/** Makes these queued mails due immediately. */
export async function releaseDecisionMails(mailIds: readonly string[]): Promise<void> {
  await database().$executeRaw(
    sql`update decision_mails set next_at = now() where id = any (${mailIds}::bigint[])`,
  );
}

/**
 * Makes rows due that still wait for further decisions of a bulk call. A row that the timer has already claimed keeps
 * its lease.
 */
export async function releaseHeldMails(mailIds: readonly string[], heldSeconds: number): Promise<void> {
  await database().$executeRaw(sql`update decision_mails set next_at = now() where id = any (${mailIds}::bigint[])
    and next_at <= created_at + make_interval(secs => ${heldSeconds})`);
}

/** Postpones the mails, like `postponeRequestMail`. */
export async function postponeDecisionMails(mailIds: readonly string[]): Promise<void> {
  await database().$executeRaw(sql`with given_up as (
      delete from decision_mails
      where id = any (${mailIds}::bigint[]) and created_at < now() - interval '1 day' and failures >= 4
    )
    update decision_mails set failures = failures + 1,
      next_at = now() + make_interval(secs => least(3600, 60 * power(2, least(failures, 9))))
    where id = any (${mailIds}::bigint[]) and not (created_at < now() - interval '1 day' and failures >= 4)`);
}
