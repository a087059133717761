// Browsers in which a person is not asked for a second factor for some days. The browser has a random token, and here is its hash.
// A sign-in session keeps the id of the row; without the row it is like any other (docs/decisions/0056).
import { type Db, database, first, query, raw, sql } from '../database/index.ts';

/** Of a person; those that were used last stay. */
const MOST_TRUSTED_BROWSERS = 20;

type TrustedBrowser = {
  id: string;
  authMethodId: string;
  userAgent: string | null;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
};

/** The one that was used last comes first. */
export function listTrustedBrowsers(db: Db, personId: string): Promise<TrustedBrowser[]> {
  return db.$queryRaw(sql`select id, auth_method_id as "authMethodId", user_agent as "userAgent", created_at as "createdAt",
    last_used_at as "lastUsedAt", expires_at as "expiresAt"
    from trusted_browsers where person_id = ${personId} and expires_at > now() order by last_used_at desc, id`);
}

/** Forgets one of the person's, or all of them; their number. Sessions that it was spared in are asked from now on. */
export async function forgetTrustedBrowsers(db: Db, personId: string, id: string | 'all'): Promise<number> {
  const which = id === 'all' ? raw('') : sql` and id = ${id}::uuid`;
  return db.$executeRaw(sql`delete from trusted_browsers where person_id = ${personId}${which}`);
}

/** `tokenHash` takes the place of `replaces`, an earlier token of this person and browser. */
export type BrowserTrust = { tokenHash: Uint8Array; replaces: Uint8Array | null; days: number };

/**
 * The browser of this session is trusted. Whatever forgets all of a person's browsers (a new password, a reset, the loss of the last
 * factor) holds the person's row: either it comes first, and the session has ended or there is no factor any more, so nothing is trusted;
 * or it comes later, and finds this browser.
 */
export async function trustBrowserOf(
  session: { idHash: Uint8Array; ip: string | null; userAgent: string | null; requestId: string },
  { tokenHash, replaces, days }: BrowserTrust,
): Promise<void> {
  const { idHash, ip, userAgent, requestId } = session;
  const trusted = await first<{ personId: string }>(
    query(sql`
    with own as materialized (
      select s.person_id, s.auth_method_id from sessions s join people p on p.id = s.person_id
      where s.id_hash = ${idHash} and s.person_epoch = p.epoch and p.disabled_at is null and p.factor_level > 0
      for share of p
    ), forgotten as (
      delete from trusted_browsers t using own
      where t.token_hash = ${replaces} and t.person_id = own.person_id and t.auth_method_id = own.auth_method_id
    ), trusted as (
      insert into trusted_browsers (token_hash, person_id, auth_method_id, user_agent, expires_at)
      select ${tokenHash}, person_id, auth_method_id, left(${userAgent}, 300), now() + make_interval(days => ${days}) from own
      returning person_id, auth_method_id, expires_at
    )
    insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
    select 'browser.trusted', person_id, auth_method_id, ${requestId}, ${ip}, jsonb_build_object('until', expires_at) from trusted
    returning person_id as "personId"`),
  );
  if (trusted) await dropOldestBrowsers(await database(), trusted.personId);
}

/** Of more than MOST_TRUSTED_BROWSERS those go that were not used for longest. */
async function dropOldestBrowsers(db: Db, personId: string): Promise<void> {
  await db.$executeRaw(sql`delete from trusted_browsers where token_hash in (
    select token_hash from trusted_browsers where person_id = ${personId} order by last_used_at desc, token_hash
    offset ${MOST_TRUSTED_BROWSERS})`);
}
