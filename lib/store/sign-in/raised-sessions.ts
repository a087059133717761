// A second proof in a session that was there: it goes on under a new id, so that whoever had the old one has nothing of what was
// proved since (session fixation). One statement: of two proofs at once one raises it.
import { query } from '../database/index.ts';
import { sessionLives } from '../tokens/index.ts';
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

/**
 * False: the session has ended, was raised by somebody quicker, or is another person's. What the person was known by goes on: sid,
 * time of sign-in, and the epoch that a sign-out everywhere renews, so that one which is in flight ends the new id too.
 */
export async function raiseSessionRow(raise: Raise): Promise<boolean> {
  const rows = await query({
    name: 'session-raise',
    text: `
with old as (
  select s.* from sessions s join people p on p.id = s.person_id
  where s.id_hash = $1 and s.kind = $2 and s.auth_method_id = $3 and s.person_id = $4::uuid and ${sessionLives('s', '$5')}
  for update of s
), raised as (
  insert into sessions (id_hash, kind, auth_method_id, person_id, person_epoch, auth_time, expires_at, ip, user_agent, sid,
    broker_acr, trusted_browser, acr_level, amr)
  select $6, kind, auth_method_id, person_id, person_epoch, auth_time, expires_at, $7, left($8, 300), sid,
    broker_acr, trusted_browser, greatest(acr_level, $9::smallint),
    array(select way from unnest(amr || $10::text[]) with ordinality as proved(way, place) group by way order by min(place))
  from old returning person_id, auth_method_id, kind, acr_level
), ended as (
  update sessions s set ended_at = now() from raised where s.id_hash = $1
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'sign_in.confirmed', person_id, auth_method_id, $11, $7, jsonb_build_object('factor', $12::text, 'level', acr_level)
  || case kind when 'console' then '{"kind": "console"}'::jsonb else '{}' end from raised
returning 1`,
    values: [
      raise.raises,
      raise.kind,
      raise.authMethodId,
      raise.personId,
      raise.idleSeconds,
      raise.idHash,
      raise.ip,
      raise.userAgent,
      raise.level,
      raise.amr,
      raise.requestId,
      raise.factor,
    ],
  });
  if (rows.length === 0) return false;
  if (raise.trusted) await trustBrowserOf(raise, raise.trusted);
  return true;
}
