// A second proof in an existing session: it continues under a new id, so that a holder of the old one gains nothing
// (session fixation). One statement: of two proofs at once one raises it.
import { statement } from '../database/statement.ts';
import { sessionLives } from '../tokens/validity.ts';
import { type BrowserTrust, trustBrowserOf } from './trusted-browsers.ts';

export type Raise = {
  kind: 'sign-in' | 'console';
  /** of the new id, and of the session that is raised */
  idHash: Uint8Array;
  raises: Uint8Array;
  authMethodId: string;
  /** who gave the proof */
  personId: string;
  idleSeconds: number;
  /** what was proved, how strong that is, and by what means (RFC 8176) */
  factor: string;
  level: 2 | 3;
  amr: readonly string[];
  /** the person trusts this browser from now on */
  trusted: BrowserTrust | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
};

const sessionRaise = statement({
  name: 'session-raise',
  takes: {
    raises: 'bytea',
    kind: 'text',
    authMethodId: 'text',
    personId: 'uuid',
    idleSeconds: 'float8',
    idHash: 'bytea',
    ip: 'text?',
    userAgent: 'text?',
    level: 'smallint',
    amr: 'text[]',
    requestId: 'text',
    factor: 'text',
  },
  text: (value) => `
with old as (
  select s.* from sessions s join people p on p.id = s.person_id
  where s.id_hash = ${value.raises} and s.kind = ${value.kind} and s.auth_method_id = ${value.authMethodId} and s.person_id = ${value.personId} and ${sessionLives('s', value.idleSeconds)}
  for update of s
), raised as (
  insert into sessions (id_hash, kind, auth_method_id, person_id, person_epoch, auth_time, expires_at, ip, user_agent, sid,
    broker_acr, trusted_browser, name, acr_level, amr)
  select ${value.idHash}, kind, auth_method_id, person_id, person_epoch, auth_time, expires_at, ${value.ip}, left(${value.userAgent}, 300), sid,
    broker_acr, trusted_browser, name, greatest(acr_level, ${value.level}),
    array(select way from unnest(amr || ${value.amr}) with ordinality as proved(way, place) group by way order by min(place))
  from old returning person_id, auth_method_id, kind, acr_level
), ended as (
  update sessions s set ended_at = now() from raised where s.id_hash = ${value.raises}
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'sign_in.confirmed', person_id, auth_method_id, ${value.requestId}, ${value.ip}, jsonb_build_object('factor', ${value.factor}, 'level', acr_level)
  || case kind when 'console' then '{"kind": "console"}'::jsonb else '{}' end from raised
returning 1`,
});

/**
 * False: the session has ended, was raised by a faster request, or is another person's. The new one keeps sid,
 * time of sign-in, and the epoch that a sign-out everywhere renews, so that one which is in flight ends the new id too.
 */
export async function raiseSessionRow(raise: Raise): Promise<boolean> {
  const rows = await sessionRaise(raise);
  if (rows.length === 0) return false;
  if (raise.trusted) await trustBrowserOf(raise, raise.trusted);
  return true;
}
