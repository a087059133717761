// The mails to deciders about requests that wait for approval. A request adds a row for each decider in its own
// transaction; an instance claims a decider's turn, sends one mail about all their rows, and marks these. A turn that a
// killed instance held is claimed again after its lease.
import type { SubscriptionRow } from '#lib/registry/subscription.ts';
import { query } from './pool.ts';
import { type Db, database } from './prisma.ts';
import { sql } from './sql.ts';
import { SUBSCRIPTION_ROWS } from './subscriptions.ts';

/** Between two mails to one decider. */
const PAUSE_SECONDS = 600;
/** Longer than a mail server takes for one mail. */
const HELD_SECONDS = 300;
/** Rows that one mail covers. */
const MOST = 1_000;

type Pair = { clientId: string; api: string };

/** A new request: notes about an earlier request of the pair are gone. */
export async function queueRequestMails(db: Db, pair: Pair, personIds: readonly string[]): Promise<void> {
  const { clientId, api } = pair;
  await db.$executeRaw(sql`delete from request_mails where client_id = ${clientId} and api_id = ${api}`);
  await addRequestMails(db, pair, personIds);
}

/** Deciders that are notified of this request already are not notified again. */
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

/** `lease`: names the claim. */
export type RequestMailTurn = { personId: string; lease: string };

/** Claims the turns that are due, at most so many. Of several callers one gets each. */
export const claimRequestMails = (limit: number): Promise<RequestMailTurn[]> =>
  query<RequestMailTurn>(sql`with due as (
      select distinct m.person_id from request_mails m join subscriptions s using (client_id, api_id)
      where m.mailed_at is null and s.state = 'pending'
        and not exists (select from request_mail_turns t where t.person_id = m.person_id and t.next_at > now())
      limit ${limit}
    )
    insert into request_mail_turns as t (person_id, next_at)
    select person_id, now() + make_interval(secs => ${HELD_SECONDS}) from due order by person_id
    on conflict (person_id) do update set next_at = excluded.next_at, lease = excluded.lease where t.next_at <= now()
    returning person_id as "personId", lease::text`);

/** `mailId`: of the row that the mail covers. */
export type RequestToMail = SubscriptionRow & { mailId: string; requesterName: string | null };

/** The pending requests that this decider is still to be notified of, oldest first. */
export async function requestsToMail(personId: string): Promise<RequestToMail[]> {
  const db = await database();
  return db.$queryRaw(sql`select m.id::text as "mailId", nullif(r.name, '') as "requesterName", ${SUBSCRIPTION_ROWS}
    join request_mails m on m.client_id = s.client_id and m.api_id = s.api_id
    where m.person_id = ${personId}::uuid and m.mailed_at is null and s.state = 'pending' order by m.id limit ${MOST}`);
}

/** The mail about these rows was accepted: the pause begins. */
export async function finishRequestMail(
  { personId, lease }: RequestMailTurn,
  mailIds: readonly string[],
): Promise<void> {
  await query(sql`with mailed as (
      update request_mails set mailed_at = now() where id = any (${mailIds}::bigint[])
    )
    update request_mail_turns set next_at = now() + make_interval(secs => ${PAUSE_SECONDS}), failures = 0
    where person_id = ${personId}::uuid and lease = ${lease}::uuid`);
}

/**
 * The mail was not accepted: again after 1, 2, 4 … minutes, an hour at most. Rows older than a day are given up after
 * five failures in sequence.
 */
export async function postponeRequestMail(
  { personId, lease }: RequestMailTurn,
  mailIds: readonly string[],
): Promise<void> {
  await query(sql`with given_up as (
      update request_mails set mailed_at = now()
      where id = any (${mailIds}::bigint[]) and created_at < now() - interval '1 day'
        and (select failures from request_mail_turns where person_id = ${personId}::uuid) >= 4
    )
    update request_mail_turns
    set next_at = now() + make_interval(secs => least(3600, 60 * power(2, least(failures, 9)))), failures = failures + 1
    where person_id = ${personId}::uuid and lease = ${lease}::uuid`);
}

/** Nothing is left to send: the next request is mailed at once. */
export async function releaseRequestMail({ personId, lease }: RequestMailTurn): Promise<void> {
  await query(sql`update request_mail_turns set next_at = now()
    where person_id = ${personId}::uuid and lease = ${lease}::uuid`);
}

/** For a person who does not decide on these requests any more. */
export async function dropRequestMails(mailIds: readonly string[]): Promise<void> {
  await query(sql`delete from request_mails where id = any (${mailIds}::bigint[])`);
}
