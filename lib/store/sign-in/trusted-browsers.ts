// Browsers in which a person is not asked for a second factor for some days. The browser has a random token, and here
// is its hash. A sign-in session keeps the id of the row; without the row it is like any other (docs/decisions/0023).
import { statement } from '../database/statement.ts';

/** Of a person; those that were used last stay. */
const MOST_TRUSTED_BROWSERS = 20;

/** `tokenHash` takes the place of `replaces`, an earlier token of this person and browser. */
export type BrowserTrust = { tokenHash: Uint8Array; replaces: Uint8Array | null; days: number };

const browserTrust = statement({
  name: 'browser-trust',
  takes: {
    idHash: 'bytea',
    replaces: 'bytea?',
    tokenHash: 'bytea',
    userAgent: 'text?',
    days: 'int',
    requestId: 'text',
    ip: 'text?',
  },
  text: (value) => `
with own as materialized (
  select s.person_id, s.auth_method_id from sessions s join people p on p.id = s.person_id
  where s.id_hash = ${value.idHash} and s.person_epoch = p.epoch and p.disabled_at is null and p.factor_level > 0
  for share of p
), forgotten as (
  delete from trusted_browsers t using own
  where t.token_hash = ${value.replaces} and t.person_id = own.person_id and t.auth_method_id = own.auth_method_id
), trusted as (
  insert into trusted_browsers (token_hash, person_id, auth_method_id, user_agent, name, expires_at)
  select ${value.tokenHash}, person_id, auth_method_id, left(${value.userAgent}, 300),
    (select t.name from trusted_browsers t where t.token_hash = ${value.replaces} and t.person_id = own.person_id
      and t.auth_method_id = own.auth_method_id),
    now() + make_interval(days => ${value.days}) from own
  returning person_id, auth_method_id, expires_at
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'browser.trusted', person_id, auth_method_id, ${value.requestId}, ${value.ip}, jsonb_build_object('until', expires_at) from trusted
returning person_id as "personId"`,
});

/**
 * The browser of this session is trusted. An ending of all trusted browsers (a new password, a reset, the loss of the
 * last factor) holds the person's row: either it comes first, and the session has ended or there is no factor any more,
 * so nothing is trusted; or it comes later, and finds this browser.
 */
export async function trustBrowserOf(
  session: { idHash: Uint8Array; ip: string | null; userAgent: string | null; requestId: string },
  { tokenHash, replaces, days }: BrowserTrust,
): Promise<void> {
  const [trusted] = await browserTrust<{ personId: string }>({ ...session, replaces, tokenHash, days });
  if (trusted) await dropOldestBrowsers(trusted.personId);
}

const browsersDropOldest = statement({
  name: 'browsers-drop-oldest',
  takes: { personId: 'uuid' },
  text: (value) => `delete from trusted_browsers where token_hash in (
  select token_hash from trusted_browsers where person_id = ${value.personId} order by last_used_at desc, token_hash
  offset ${MOST_TRUSTED_BROWSERS})`,
});

/** Of more than MOST_TRUSTED_BROWSERS those go that were not used for longest. */
async function dropOldestBrowsers(personId: string): Promise<void> {
  await browsersDropOldest({ personId });
}
