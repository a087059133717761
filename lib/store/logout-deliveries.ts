// Queue of back-channel logout notifications (OpenID Connect Back-Channel Logout §2.5). Triggers add rows when a
// sign-in ends. An instance claims a row by postponing its next attempt, so that only one of several instances makes
// each attempt. Rows of a killed instance become due again.
import { database } from './prisma.ts';
import { sql } from './sql.ts';
import { type RowOf, statement } from './statement.ts';

/** Seconds for which one instance claims a delivery. An attempt takes less time. */
const HELD_SECONDS = 30;

const logoutClaim = statement({
  name: 'logout-claim',
  takes: { limit: 'bigint', ofEach: 'bigint', underWay: 'text[]' },
  returns: {
    id: 'text',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    personId: 'uuid',
    sid: 'uuid',
    /** origin of the issuer host in the tokens; empty: the tokens contain the issuer's address under `AUTH_URL` */
    issuerHost: 'text',
    createdAt: 'timestamptz',
    /** number of attempts, including this one */
    attempts: 'int',
  },
  text: (value) => `
with clients_due as (
  select client_id, (select count(*) from unnest(${value.underWay}) as u(client_id) where u.client_id = l.client_id) as busy
  from (select distinct client_id from logout_deliveries where next_try_at <= now()) l
), due as (
  select d.id, d.next_try_at from clients_due c cross join lateral (
    select l.id, l.next_try_at, row_number() over (order by l.next_try_at, l.id) as place
    from logout_deliveries l where l.client_id = c.client_id and l.next_try_at <= now()
    order by l.next_try_at, l.id limit ${value.ofEach}) d
  where d.place + c.busy <= ${value.ofEach}
  order by d.place + c.busy, d.next_try_at limit ${value.limit}
), claimed as materialized (
  select l.id from logout_deliveries l where l.id in (select id from due) and l.next_try_at <= now()
  for update skip locked
)
update logout_deliveries l set attempts = attempts + 1, next_try_at = now() + make_interval(secs => ${HELD_SECONDS})
from claimed where l.id = claimed.id
returning l.id::text, l.client_id as "clientId", l.api_id as "apiId", l.auth_method_id as "authMethodId",
  l.person_id as "personId", l.sid, l.issuer_host as "issuerHost", l.created_at as "createdAt", l.attempts`,
});

export type LogoutDelivery = RowOf<typeof logoutClaim>;

/**
 * Claims due deliveries. Clients with the fewest active deliveries come first, so that slow clients do not delay
 * others; then the longest-waiting delivery. Limits apply in total, and per client together with its active deliveries.
 * `underWay`: client of each active delivery.
 */
export async function claimLogoutDeliveries(claim: {
  limit: number;
  ofEach: number;
  underWay: readonly string[];
}): Promise<LogoutDelivery[]> {
  return logoutClaim(claim);
}

const logoutWanted = statement({
  name: 'logout-wanted',
  takes: { id: 'bigint' },
  returns: { '?column?': 'int' },
  text: (value) => `select 1 from logout_deliveries where id = ${value.id}`,
});

/** Returns false if the delivery was deleted, for example after a change of subject identifiers. */
export async function isLogoutDeliveryWanted(id: string): Promise<boolean> {
  const rows = await logoutWanted({ id });
  return rows.length > 0;
}

const logoutDrop = statement({
  name: 'logout-drop',
  takes: { id: 'bigint' },
  text: (value) => `delete from logout_deliveries where id = ${value.id}`,
});

/** Deletes a finished or abandoned delivery. */
export async function dropLogoutDelivery(id: string): Promise<void> {
  await logoutDrop({ id });
}

const logoutGiveUp = statement({
  name: 'logout-give-up',
  takes: { id: 'bigint', details: 'jsonb' },
  text: (value) => `
with gone as (delete from logout_deliveries where id = ${value.id} returning *)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, details)
select 'logout.undelivered', person_id, client_id, api_id, auth_method_id, ${value.details} from gone`,
});

/** Deletes the delivery and records the reason, atomically. */
export async function giveUpLogoutDelivery(id: string, details: object): Promise<void> {
  await logoutGiveUp({ id, details: JSON.stringify(details) });
}

/** Schedules the next attempt after 2, 4, 8 … seconds, at most five minutes. */
export async function postponeLogoutDelivery(id: string): Promise<void> {
  await database().$executeRaw(sql`update logout_deliveries set next_try_at = now() + make_interval(secs => least(300, power(2, least(attempts, 9))))
      where id = ${id}::bigint`);
}
