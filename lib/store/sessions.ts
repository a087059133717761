// Sessions and consents. The cookie's id is hashed before it gets here.
import { query } from './pool.ts';

export type NewSession = {
  idHash: Uint8Array;
  kind: 'sign-in' | 'console';
  authMethodId: string;
  personId: string;
  /** as it was when the person proved who they are */
  personEpoch: string;
  /** null: now */
  authTime: Date | null;
  maxSeconds: number;
  /** the session this one takes the place of: its id dies (session fixation) */
  replaces: Uint8Array | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
};

/** False: the person was disabled or signed out everywhere since they proved who they are. */
export async function createSession(session: NewSession): Promise<boolean> {
  const rows = await query({
    name: 'session-create',
    text: `
with created as (
  insert into sessions (id_hash, kind, auth_method_id, person_id, expires_at, ip, user_agent, auth_time, person_epoch)
  select $1, $2, $3, id, now() + make_interval(secs => $5), $7, left($8, 300), least(now(), coalesce($10, now())), epoch
  from people where id = $4::uuid and disabled_at is null and epoch = $11
  returning person_id
), ended as (
  update sessions set ended_at = now() from created where id_hash = $6 and kind = $2 and ended_at is null
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'sign_in.succeeded', person_id, $3, $9, $7, case $2 when 'console' then '{"kind": "console"}'::jsonb else '{}' end
from created returning 1`,
    values: [
      session.idHash,
      session.kind,
      session.authMethodId,
      session.personId,
      session.maxSeconds,
      session.replaces,
      session.ip,
      session.userAgent,
      session.requestId,
      session.authTime,
      session.personEpoch,
    ],
  });
  return rows.length === 1;
}

export type AuthorizeFacts = {
  personId: string;
  label: string;
  authTime: Date;
  /** scopes consented to; null: never */
  consented: string[] | null;
};

/** The living session of this method, its person, and what was consented to; null: signed out. Counts as activity. */
export async function loadAuthorizeFacts(input: {
  idHash: Uint8Array;
  authMethodId: string;
  clientId: string;
  apiId: string;
  idleSeconds: number;
}): Promise<AuthorizeFacts | null> {
  const [row] = await query<AuthorizeFacts>({
    name: 'authorize-facts',
    text: `
with live as (
  update sessions s set last_seen_at = now() from people p
  where s.id_hash = $1 and s.kind = 'sign-in' and s.auth_method_id = $2 and s.ended_at is null
    and s.expires_at > now() and s.last_seen_at > now() - make_interval(secs => $5)
    and p.id = s.person_id and p.disabled_at is null and s.person_epoch = p.epoch
  returning p.id, coalesce(p.email, nullif(p.name, ''),
    (select i.email from external_identities i where i.auth_method_id = $2 and i.person_id = p.id limit 1),
    p.id::text) as label, s.auth_time
)
select live.id as "personId", live.label, live.auth_time as "authTime", c.scopes as consented
from live left join consents c on c.person_id = live.id and c.client_id = $3 and c.api_id = $4`,
    values: [input.idHash, input.authMethodId, input.clientId, input.apiId, input.idleSeconds],
  });
  return row ?? null;
}

/** Remembers a consent; scopes add up. False: the session it was given in has ended by now. */
export async function grantConsent(input: {
  sessionHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  scopes: string[];
  requestId: string;
  ip: string | null;
}): Promise<boolean> {
  const rows = await query({
    name: 'consent-grant',
    text: `
with granted as (
  insert into consents (person_id, client_id, api_id, scopes)
  select p.id, $2, $3, $4::text[] from sessions s join people p on p.id = s.person_id
  where s.id_hash = $1 and s.kind = 'sign-in' and s.auth_method_id = $5 and s.ended_at is null and s.expires_at > now()
    and p.disabled_at is null and s.person_epoch = p.epoch
  on conflict (person_id, client_id, api_id) do update set updated_at = now(), scopes =
    array(select distinct x from unnest(consents.scopes || excluded.scopes) as x order by x)
  returning person_id
)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
select 'consent.granted', person_id, $2, $3, $5, $6, $7, jsonb_build_object('scopes', $4::text[]) from granted
returning 1`,
    values: [
      input.sessionHash,
      input.clientId,
      input.apiId,
      input.scopes,
      input.authMethodId,
      input.requestId,
      input.ip,
    ],
  });
  return rows.length === 1;
}

/** Ends these sessions (sign-out of one browser). */
export async function endSessions(
  idHashes: Uint8Array[],
  context: { requestId: string; ip: string | null },
): Promise<void> {
  await query({
    name: 'sessions-end',
    text: `
with ended as (
  update sessions set ended_at = now() where id_hash = any ($1::bytea[]) and ended_at is null
  returning person_id, auth_method_id
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'session.ended', person_id, auth_method_id, $2, $3, '{"reason": "signed out"}' from ended`,
    values: [idHashes, context.requestId, context.ip],
  });
}

/** Who is behind these session ids, for the sign-out page. */
export async function describeSessions(
  idHashes: Uint8Array[],
  idleSeconds: number,
): Promise<{ authMethodId: string; label: string }[]> {
  return query({
    name: 'sessions-describe',
    text: `select s.auth_method_id as "authMethodId", coalesce(p.email, nullif(p.name, ''), p.id::text) as label
from sessions s join people p on p.id = s.person_id
where s.id_hash = any ($1::bytea[]) and s.ended_at is null and s.expires_at > now() and p.disabled_at is null
  and s.person_epoch = p.epoch and s.last_seen_at > now() - make_interval(secs => $2) order by s.auth_method_id`,
    values: [idHashes, idleSeconds],
  });
}
