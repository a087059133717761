// Sessions. Callers pass the hash of the cookie's id.

import { statement } from '../database/statement.ts';
import { LET_IN } from './let-in.ts';
import { takeBack } from './rate-limits.ts';
import { sessionLives } from './validity.ts';

export type NewSession = {
  idHash: Uint8Array;
  kind: 'sign-in' | 'console';
  authMethodId: string;
  personId: string;
  /** as it was when the person proved who they are */
  personEpoch: string;
  /** the method's then; null: the method was not asked (a new password) */
  methodEpoch: string | null;
  /** keys of the limits that the sign-in was counted under: it succeeded, so it does not count */
  attempts: string[];
  /** null: now */
  authTime: Date | null;
  /** how the person proved it (RFC 8176), and a broker's `acr` */
  amr?: string[];
  brokerAcr?: string | null;
  /** how strong that is (lib/registry/fields/acr.ts); left out: 1 */
  acrLevel?: 1 | 2 | 3;
  /** the hash of this browser's token, where the person may trust it */
  trustedBrowser?: Uint8Array | null;
  maxSeconds: number;
  /** the session this one takes the place of: its id dies (session fixation) */
  replaces: Uint8Array | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
};

const sessionCreate = statement({
  name: 'session-create',
  takes: {
    idHash: 'bytea',
    kind: 'text',
    authMethodId: 'text',
    personId: 'uuid',
    maxSeconds: 'float8',
    replaces: 'bytea?',
    ip: 'text?',
    userAgent: 'text?',
    requestId: 'text',
    authTime: 'timestamptz?',
    personEpoch: 'bigint',
    attempts: 'text[]',
    methodEpoch: 'bigint?',
    amr: 'text[]',
    brokerAcr: 'text?',
    acrLevel: 'smallint',
    trustedBrowser: 'bytea?',
  },
  text: (value) => `
with taken_back as (
  ${takeBack(value.attempts)}
), method as (
  select * from auth_methods where id = ${value.authMethodId} and (${value.methodEpoch} is null or epoch = ${value.methodEpoch}) for share
), created as (
  insert into sessions (id_hash, kind, auth_method_id, person_id, expires_at, ip, user_agent, auth_time, person_epoch,
    amr, broker_acr, acr_level, trusted_browser, name, sid)
  select ${value.idHash}, ${value.kind}, m.id, p.id, now() + make_interval(secs => ${value.maxSeconds}), ${value.ip}, left(${value.userAgent}, 300),
    least(now(), coalesce(${value.authTime}, now())), p.epoch, ${value.amr}, ${value.brokerAcr}, ${value.acrLevel},
    (select t.id from trusted_browsers t where t.token_hash = ${value.trustedBrowser} and t.person_id = p.id and t.auth_method_id = m.id
      and t.expires_at > now()),
    (select r.name from sessions r where r.id_hash = ${value.replaces} and r.kind = ${value.kind} and r.person_id = p.id),
    -- the same person again in the same browser: to clients it is the same session, also where the form was sent twice
    coalesce((select r.sid from sessions r where r.id_hash = ${value.replaces} and r.kind = ${value.kind} and r.auth_method_id = m.id
      and r.person_id = p.id and r.person_epoch = p.epoch and (r.ended_at is null or exists (select 1 from sessions t
        where t.person_id = r.person_id and t.sid = r.sid and t.ended_at is null))), gen_random_uuid())
  from method m, people p where p.id = ${value.personId} and p.disabled_at is null and p.epoch = ${value.personEpoch}
    -- the console is about the account itself, wherever it was made
    and (${value.kind} = 'console' or ${LET_IN})
  returning person_id, trusted_browser
), seen as (
  -- a row that another transaction holds is left as it is: this one waits for none, and a list may miss the moment
  update people p set last_sign_in_at = now() from (
    select id from people where id = (select person_id from created) for no key update skip locked) free where p.id = free.id
), used as (
  update trusted_browsers t set last_used_at = now() from created where t.token_hash = ${value.trustedBrowser} and t.id = created.trusted_browser
), ended as (
  update sessions set ended_at = now() from created where id_hash = ${value.replaces} and kind = ${value.kind} and ended_at is null
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'sign_in.succeeded', person_id, ${value.authMethodId}, ${value.requestId}, ${value.ip}, case ${value.kind} when 'console' then '{"kind": "console"}'::jsonb else '{}' end
from created returning 1`,
});

/**
 * False: the person was disabled or signed out everywhere since they proved who they are, or the method has been handed
 * to another verifier, or its method lets them in nowhere but at the console. Handing it over locks its row first
 * (docs/decisions/0003): with the lock here the session either begins before, and is ended with the others, or does not
 * begin.
 */
export async function createSession(session: NewSession): Promise<boolean> {
  const rows = await sessionCreate({
    ...session,
    amr: session.amr ?? [],
    brokerAcr: session.brokerAcr ?? null,
    acrLevel: session.acrLevel ?? 1,
    trustedBrowser: session.trustedBrowser ?? null,
  });
  return rows.length === 1;
}

/** SQL: how pages name the person `p`; `authMethodId`: SQL of the method. */
export const labelBy = (authMethodId: string): string => `coalesce(p.email, nullif(p.name, ''), p.username,
    (select i.email from external_identities i where i.auth_method_id = ${authMethodId} and i.person_id = p.id limit 1), p.id::text)`;

const sessionLabel = statement({
  name: 'session-label',
  takes: { idHash: 'bytea', authMethodId: 'text', idleSeconds: 'float8' },
  text: (
    value,
  ) => `select ${labelBy(value.authMethodId)} as label, p.locale from sessions s join people p on p.id = s.person_id
where s.id_hash = ${value.idHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and ${sessionLives('s', value.idleSeconds)}`,
});

/**
 * How the consent page names the person of this sign-in session, and the language of their profile; null: signed out.
 */
export async function findSignedInLabel(input: {
  idHash: Uint8Array;
  authMethodId: string;
  idleSeconds: number;
}): Promise<{ label: string; locale: string | null } | null> {
  const [row] = await sessionLabel<{ label: string; locale: string | null }>(input);
  return row ?? null;
}

export type SignInSession = { personId: string; sid: string; label: string };

const sessionSignIn = statement({
  name: 'session-sign-in',
  takes: { idHash: 'bytea', authMethodId: 'text' },
  text: (
    value,
  ) => `select s.person_id as "personId", s.sid, ${labelBy(value.authMethodId)} as label from sessions s join people p on p.id = s.person_id
where s.id_hash = ${value.idHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and s.ended_at is null`,
});

/** The session of this id and method, which may have expired but was not signed out; null: there is none. */
export async function findSignInSession(
  idHash: Uint8Array,
  authMethodId: string,
): Promise<SignInSession | null> {
  const [row] = await sessionSignIn<SignInSession>({ idHash, authMethodId });
  return row ?? null;
}

/**
 * Ends these sessions (sign-out of one browser), and those that a sign-in that was sent twice left behind with the same
 * sid. One that was being raised meanwhile lives under an id that the statement did not see, so it is asked again until
 * nothing is left.
 */
export async function endSessions(
  idHashes: Uint8Array[],
  context: { requestId: string; ip: string | null },
): Promise<void> {
  await endOnce(idHashes, context);
  while (await endOnce(idHashes, context));
}

const sessionsEnd = statement({
  name: 'sessions-end',
  takes: { idHashes: 'bytea[]', requestId: 'text', ip: 'text?' },
  text: (value) => `
with ended as (
  update sessions set ended_at = now() where ended_at is null and id_hash = any (array(
    select coalesce(twin.id_hash, s.id_hash) from sessions s
      left join sessions twin on twin.person_id = s.person_id and twin.sid = s.sid and twin.ended_at is null
    where s.id_hash = any (${value.idHashes})))
  returning person_id, auth_method_id
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'session.ended', person_id, auth_method_id, ${value.requestId}, ${value.ip}, '{"reason": "signed out"}' from ended returning 1`,
});

async function endOnce(
  idHashes: Uint8Array[],
  context: { requestId: string; ip: string | null },
): Promise<boolean> {
  const ended = await sessionsEnd({ idHashes, requestId: context.requestId, ip: context.ip });
  return ended.length > 0;
}

const sessionsDescribe = statement({
  name: 'sessions-describe',
  takes: { idHashes: 'bytea[]', idleSeconds: 'float8' },
  text: (
    value,
  ) => `select s.auth_method_id as "authMethodId", coalesce(p.email, nullif(p.name, ''), p.username, p.id::text) as label
from sessions s join people p on p.id = s.person_id
where s.id_hash = any (${value.idHashes}) and ${sessionLives('s', value.idleSeconds)} order by s.auth_method_id`,
});

/** Who is behind these session ids, for the sign-out page. */
export async function describeSessions(
  idHashes: Uint8Array[],
  idleSeconds: number,
): Promise<{ authMethodId: string; label: string }[]> {
  return sessionsDescribe({ idHashes, idleSeconds });
}
