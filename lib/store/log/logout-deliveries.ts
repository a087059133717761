// The outbox of back-channel logout (OpenID Connect Back-Channel Logout §2.5). Triggers fill it where a sign-in ends. Whoever
// claims a row moves its next attempt on first: several instances attempt each once, and what a killed one held comes again.
import { query } from '../database/index.ts';

export type LogoutDelivery = {
  id: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  personId: string;
  sid: string;
  /** the origin of the issuer's own host that its tokens name; empty: the path address */
  issuerHost: string;
  createdAt: Date;
  /** this one counted */
  attempts: number;
};

/** Longer than an attempt takes. */
const HELD_SECONDS = 30;

/**
 * What is due: first of the clients with the fewest under way here, so that nobody waits behind those who answer slowly, then what
 * has waited longest. At most so many rows, and so many of a client together with those under way.
 * `underWay` names the client of each of those.
 */
export async function claimLogoutDeliveries(asked: {
  limit: number;
  ofEach: number;
  underWay: readonly string[];
}): Promise<LogoutDelivery[]> {
  return query<LogoutDelivery>({
    name: 'logout-claim',
    text: `
with clients_due as (
  select client_id, (select count(*) from unnest($3::text[]) as u(client_id) where u.client_id = l.client_id) as busy
  from (select distinct client_id from logout_deliveries where next_try_at <= now()) l
), due as (
  select d.id, d.next_try_at from clients_due c cross join lateral (
    select l.id, l.next_try_at, row_number() over (order by l.next_try_at, l.id) as place
    from logout_deliveries l where l.client_id = c.client_id and l.next_try_at <= now()
    order by l.next_try_at, l.id limit $2) d
  where d.place + c.busy <= $2
  order by d.place + c.busy, d.next_try_at limit $1
), claimed as materialized (
  select l.id from logout_deliveries l where l.id in (select id from due) and l.next_try_at <= now()
  for update skip locked
)
update logout_deliveries l set attempts = attempts + 1, next_try_at = now() + make_interval(secs => ${HELD_SECONDS})
from claimed where l.id = claimed.id
returning l.id::text, l.client_id as "clientId", l.api_id as "apiId", l.auth_method_id as "authMethodId",
  l.person_id as "personId", l.sid, l.issuer_host as "issuerHost", l.created_at as "createdAt", l.attempts`,
    values: [asked.limit, asked.ofEach, asked.underWay],
  });
}

/** Whether it still waits: what changes the names of a client's people takes it away. */
export async function isLogoutDeliveryWanted(id: string): Promise<boolean> {
  const rows = await query({
    name: 'logout-wanted',
    text: 'select 1 from logout_deliveries where id = $1::bigint',
    values: [id],
  });
  return rows.length > 0;
}

/** It was delivered, or is given up. */
export async function dropLogoutDelivery(id: string): Promise<void> {
  await query({
    name: 'logout-drop',
    text: 'delete from logout_deliveries where id = $1::bigint',
    values: [id],
  });
}

/** Gives it up with an event that says why, both or neither. */
export async function giveUpLogoutDelivery(id: string, details: object): Promise<void> {
  await query({
    name: 'logout-give-up',
    text: `
with gone as (delete from logout_deliveries where id = $1::bigint returning *)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, details)
select 'logout.undelivered', person_id, client_id, api_id, auth_method_id, $2::jsonb from gone`,
    values: [id, JSON.stringify(details)],
  });
}

/** The next attempt: after 2, 4, 8 … seconds, five minutes at most. */
export async function postponeLogoutDelivery(id: string): Promise<void> {
  await query({
    text: `update logout_deliveries set next_try_at = now() + make_interval(secs => least(300, power(2, least(attempts, 9))))
      where id = $1::bigint`,
    values: [id],
  });
}
