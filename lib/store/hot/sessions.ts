// Sessions of hosted pages and of the console, second factors of a session, trusted browsers, and forms. Callers pass
// the hash of the session id in the cookie.
import { type Role, SECOND_FACTOR_ROLES } from '#lib/catalogue/people/definition.ts';
import { first, some } from '../prisma.ts';
import { narrowTo, type RowOf, statement } from '../statement.ts';
import { takeBack } from './limits.ts';
import { HAS_ACCOUNTS, LET_IN } from './person-facts.ts';
import { sessionLives } from './validity.ts';

type NewSession = {
  idHash: Uint8Array;
  kind: 'sign-in' | 'console';
  authMethodId: string;
  personId: string;
  /** the user's revocation counter (epoch) when the user authenticated */
  personEpoch: string;
  /**
   * the method's revocation counter (epoch) when the user authenticated; null: no method was involved (new password)
   */
  methodEpoch: string | null;
  /** keys of the limits that counted this sign-in. A successful sign-in removes its count from them */
  attempts: string[];
  /** time of the user's authentication; null: now */
  authTime: Date | null;
  /** authentication methods of the sign-in (RFC 8176), and the broker's `acr` */
  amr?: string[];
  brokerAcr?: string | null;
  /** strength level of the sign-in (lib/registry/claims.ts); missing: 1 */
  acrLevel?: 1 | 2 | 3;
  /** hash of the browser's trust token, if the policy permits trusted browsers */
  trustedBrowser?: Uint8Array | null;
  maxSeconds: number;
  /** hash of the replaced session, whose id becomes invalid (session fixation) */
  replaces: Uint8Array | null;
  ip: string | null;
  userAgent: string | null;
  requestId: string;
};

const sessionCreate = statement({
  name: 'session-start',
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
  returns: { '?column?': 'int' },
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
  returning person_id, trusted_browser, sid
), seen as (
  -- a row that another transaction holds is left as it is: this one waits for none, and a list may miss the moment
  update people p set last_sign_in_at = now() from (
    select id from people where id = (select person_id from created) for no key update skip locked) free where p.id = free.id
), used as (
  update trusted_browsers t set last_used_at = now() from created where t.token_hash = ${value.trustedBrowser} and t.id = created.trusted_browser
), ended as (
  update sessions s set ended_at = now() from created where s.id_hash = ${value.replaces} and s.kind = ${value.kind} and s.ended_at is null
  returning s.person_id, s.auth_method_id, s.sid
), replaced as (
  -- a session with another sid is another sign-in, usually of another person in the same browser
  insert into audit_events (event, person_id, actor, auth_method_id, request_id, ip, details)
  select 'session.ended', e.person_id, nullif(c.person_id, e.person_id)::text, e.auth_method_id, ${value.requestId}, ${value.ip}, '{"reason": "replaced by another sign-in"}'
  from ended e join created c on c.sid <> e.sid
)
insert into audit_events (event, person_id, auth_method_id, request_id, ip, details)
select 'sign_in.succeeded', person_id, ${value.authMethodId}, ${value.requestId}, ${value.ip}, case ${value.kind} when 'console' then '{"kind": "console"}'::jsonb else '{}' end
from created returning 1`,
});

/**
 * Returns false in three cases: the user was disabled or signed out everywhere since authentication; the method
 * switched to a different verifier; the method admits the user to the console only. Switching a method locks the
 * method's row first (docs/project/decisions/0003). Either this session starts earlier and then ends with the others,
 * or it does not start.
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

/** SQL: the label of user `p` on pages. `authMethodId`: SQL expression of the method's id. */
export const labelBy = (authMethodId: string): string => `coalesce(p.email, nullif(p.name, ''), p.username,
    (select i.email from external_identities i where i.auth_method_id = ${authMethodId} and i.person_id = p.id limit 1), p.id::text)`;

const sessionLabel = statement({
  name: 'session-label',
  takes: { idHash: 'bytea', authMethodId: 'text', idleSeconds: 'float8' },
  returns: { label: 'text', locale: 'text?' },
  text: (
    value,
  ) => `select ${labelBy(value.authMethodId)} as label, p.locale from sessions s join people p on p.id = s.person_id
where s.id_hash = ${value.idHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and ${sessionLives({ session: 's', person: 'p', idleSeconds: value.idleSeconds })}`,
});

/** Returns label and profile language of this session's user, for the consent page; null: signed out. */
export async function findSignedInLabel(input: {
  idHash: Uint8Array;
  authMethodId: string;
  idleSeconds: number;
}): Promise<RowOf<typeof sessionLabel> | null> {
  const [row] = await sessionLabel(input);
  return row ?? null;
}

const sessionSignIn = statement({
  name: 'session-sign-in',
  takes: { idHash: 'bytea', authMethodId: 'text' },
  returns: { personId: 'uuid', sid: 'uuid', label: 'text' },
  text: (
    value,
  ) => `select s.person_id as "personId", s.sid, ${labelBy(value.authMethodId)} as label from sessions s join people p on p.id = s.person_id
where s.id_hash = ${value.idHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and s.ended_at is null`,
});

export type SignInSession = RowOf<typeof sessionSignIn>;

/** Finds the session of this id and method that is not signed out but possibly expired; null: none. */
export async function findSignInSession(
  idHash: Uint8Array,
  authMethodId: string,
): Promise<SignInSession | null> {
  const [row] = await sessionSignIn({ idHash, authMethodId });
  return row ?? null;
}

/**
 * Ends these sessions (sign-out of one browser), and their duplicates with the same sid, which a form sent twice
 * creates. A concurrent raise creates an id that the statement cannot see, so the statement repeats until no session
 * remains.
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
  returns: { '?column?': 'int' },
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
  returns: { authMethodId: 'text', label: 'text' },
  text: (
    value,
  ) => `select s.auth_method_id as "authMethodId", coalesce(p.email, nullif(p.name, ''), p.username, p.id::text) as label
from sessions s join people p on p.id = s.person_id
where s.id_hash = any (${value.idHashes}) and ${sessionLives({ session: 's', person: 'p', idleSeconds: value.idleSeconds })} order by s.auth_method_id`,
});

/** Returns the methods and user labels of these sessions, which the sign-out page shows. */
export async function describeSessions(
  idHashes: Uint8Array[],
  idleSeconds: number,
): Promise<RowOf<typeof sessionsDescribe>[]> {
  return sessionsDescribe({ idHashes, idleSeconds });
}

// Console sessions. Callers hash the session id in the cookie.

const HELD = SECOND_FACTOR_ROLES.map((role) => `'${role}'`).join(', ');

const consoleSessionFind = statement({
  name: 'console-session-find',
  takes: { idHash: 'bytea', idleSeconds: 'float8', secondFactor: 'text', graceDays: 'int' },
  returns: {
    id_hash: 'bytea',
    personId: 'uuid',
    email: 'text?',
    username: 'text?',
    name: 'text',
    /** language in the user's profile (BCP 47) */
    locale: 'text?',
    roles: narrowTo<Role[]>('text[]'),
    authMethodId: 'text',
    authTime: 'timestamptz',
    /** strength level of the sign-in (docs/project/decisions/0023) */
    level: narrowTo<1 | 2 | 3>('smallint'),
    /** time of the first request to set up a factor; null: never requested */
    graceFrom: 'timestamptz?',
    /** step that the session requires before its use: prove a factor, or set one up; null: none */
    owes: narrowTo<'confirm' | 'set-up'>('text?'),
  },
  text: (value) => `
with live as (
  select s.id_hash, p.id as "personId", p.email, p.username, p.name, p.locale,
    case when ${HAS_ACCOUNTS} then p.roles else '{}' end as roles,
    s.auth_method_id as "authMethodId", s.auth_time as "authTime", s.acr_level as level,
    p.factor_grace_from as "graceFrom",
    case when s.acr_level > 1 or ${value.secondFactor} = 'off' then null when p.factor_level > 0 then 'confirm'
      when ${value.secondFactor} = 'required' and ${HAS_ACCOUNTS} and p.roles && array[${HELD}]
        and coalesce(p.factor_grace_from + make_interval(days => ${value.graceDays}) <= now(), true) then 'set-up' end as owes
  from sessions s join people p on p.id = s.person_id join auth_methods m on m.id = s.auth_method_id
  where s.id_hash = ${value.idHash} and s.kind = 'console' and s.ended_at is null and s.expires_at > now()
    and s.last_seen_at > now() - make_interval(secs => ${value.idleSeconds}) and p.disabled_at is null and s.person_epoch = p.epoch
), touched as (
  update sessions set last_seen_at = now() where id_hash = (select id_hash from live)
    and last_seen_at < now() - interval '20 seconds'
)
select * from live`,
});

/**
 * Active console session with current user data; null: signed out. The call counts as activity. `secondFactor`: `off`
 * requires no second factor. `required` also requires a second factor of approvers and administrators who have none,
 * `graceDays` after their first notice. Trusted browsers are ignored.
 */
export async function findConsoleSession(
  idHash: Uint8Array,
  {
    idleSeconds,
    secondFactor,
    graceDays,
  }: { idleSeconds: number; secondFactor: 'off' | 'optional' | 'required'; graceDays: number },
): Promise<RowOf<typeof consoleSessionFind> | null> {
  const [row] = await consoleSessionFind({ idHash, idleSeconds, secondFactor, graceDays });
  return row ?? null;
}

// Trusted browsers, which skip the second factor for some days. The browser stores a random token, and the row stores
// its hash. A sign-in session references the row. If the row is deleted, the session is treated as an ordinary
// session (docs/project/decisions/0023).

/** Maximum number of trusted browsers per user. The most recently used browsers remain. */
const MOST_TRUSTED_BROWSERS = 20;

/**
 * A browser that the user trusts from now on. `tokenHash` replaces `replaces`, the hash of an earlier token of this
 * user and browser.
 */
type BrowserTrust = { tokenHash: Uint8Array; replaces: Uint8Array | null; days: number };

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
  returns: { personId: 'uuid' },
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
 * Trusts the browser of this session. Removal of all trusted browsers (new password, reset, last factor removed) locks
 * the user's row. If the removal runs first, the session or factor no longer exists, and no browser is trusted. If the
 * removal runs later, it also deletes this row.
 */
async function trustBrowserOf(
  session: { idHash: Uint8Array; ip: string | null; userAgent: string | null; requestId: string },
  { tokenHash, replaces, days }: BrowserTrust,
): Promise<void> {
  const [trusted] = await browserTrust({ ...session, replaces, tokenHash, days });
  if (trusted) await dropOldestBrowsers(trusted.personId);
}

const browsersDropOldest = statement({
  name: 'browsers-drop-oldest',
  takes: { personId: 'uuid' },
  text: (value) => `delete from trusted_browsers where token_hash in (
  select token_hash from trusted_browsers where person_id = ${value.personId} order by last_used_at desc, token_hash
  offset ${MOST_TRUSTED_BROWSERS})`,
});

/** Deletes the least recently used browsers above the limit MOST_TRUSTED_BROWSERS. */
async function dropOldestBrowsers(personId: string): Promise<void> {
  await browsersDropOldest({ personId });
}

// Raises the level of an existing session after a second proof. The session continues under a new id, so the old id
// becomes useless to anyone who has it (session fixation). One statement does this, so only one of two concurrent
// proofs raises the session.

export type Raise = {
  kind: 'sign-in' | 'console';
  /** hash of the new id, and hash of the raised session's id */
  idHash: Uint8Array;
  raises: Uint8Array;
  authMethodId: string;
  /** the person who gave the proof */
  personId: string;
  idleSeconds: number;
  /** proved factor, its level, and its methods (RFC 8176) */
  factor: string;
  level: 2 | 3;
  amr: readonly string[];
  /** trust in this browser from now on; null: none */
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
  returns: { '?column?': 'int' },
  text: (value) => `
with old as (
  select s.* from sessions s join people p on p.id = s.person_id
  where s.id_hash = ${value.raises} and s.kind = ${value.kind} and s.auth_method_id = ${value.authMethodId} and s.person_id = ${value.personId} and ${sessionLives({ session: 's', person: 'p', idleSeconds: value.idleSeconds })}
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
 * Returns false if the session ended, a concurrent request already raised it, or a different user owns it. The new
 * row keeps sid, auth time and epoch, so a concurrent sign-out everywhere also ends the session with the new id.
 */
export async function raiseSessionRow(raise: Raise): Promise<boolean> {
  const rows = await sessionRaise(raise);
  if (rows.length === 0) return false;
  if (raise.trusted) await trustBrowserOf(raise, raise.trusted);
  return true;
}

// Data for the pages /confirm and /set-up, including stored facts about the user.

type OfSession = { idHash: Uint8Array; authMethodId: string; idleSeconds: number };

const secondFactorFacts = statement({
  name: 'second-factor-facts',
  takes: { idHash: 'bytea', authMethodId: 'text', idleSeconds: 'float8' },
  returns: {
    personId: 'uuid',
    /** label of the user on pages */
    label: 'text',
    /** address for mails about factors; null: the user has no local email */
    email: 'text?',
    /** language in the user's profile (BCP 47) */
    locale: 'text?',
    /** level of the session */
    level: narrowTo<1 | 2 | 3>('smallint'),
    authTime: 'timestamptz',
    /** level of the user's factors; 0: no factor */
    factorLevel: narrowTo<0 | 2 | 3>('smallint'),
    hasTotp: 'boolean',
    /** number of unused recovery codes */
    recoveryCodes: 'int',
  },
  text: (
    value,
  ) => `select p.id as "personId", ${labelBy(value.authMethodId)} as label, p.email, p.locale, s.acr_level as level, s.auth_time as "authTime", p.factor_level as "factorLevel",
  exists (select 1 from totp_secrets t where t.person_id = p.id) as "hasTotp",
  (select count(*)::int from recovery_codes r where r.person_id = p.id and r.used_at is null) as "recoveryCodes"
from sessions s join people p on p.id = s.person_id
where s.id_hash = ${value.idHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and ${sessionLives({ session: 's', person: 'p', idleSeconds: value.idleSeconds })}`,
});

export type SecondFactorFacts = RowOf<typeof secondFactorFacts>;

/** Returns null if the session has ended, or belongs to a different method. */
export async function findSecondFactorFacts(session: OfSession): Promise<SecondFactorFacts | null> {
  return first(secondFactorFacts(session));
}

const signInSame = statement({
  name: 'sign-in-same',
  takes: { asked: 'bytea', idHash: 'bytea', authMethodId: 'text', idleSeconds: 'float8' },
  returns: { '?column?': 'int' },
  text: (value) => `select 1 from sessions o join sessions s on s.person_id = o.person_id and s.sid = o.sid
  and s.auth_method_id = o.auth_method_id join people p on p.id = s.person_id
where o.id_hash = ${value.asked} and s.id_hash = ${value.idHash} and s.auth_method_id = ${value.authMethodId} and ${sessionLives({ session: 's', person: 'p', idleSeconds: value.idleSeconds })}`,
});

/** Returns true if both hashes belong to the same sign-in, as after a form that was sent twice. */
export async function isSameSignIn(
  expectedHash: Uint8Array,
  { idHash, authMethodId, idleSeconds }: OfSession,
): Promise<boolean> {
  return some(signInSame({ asked: expectedHash, idHash, authMethodId, idleSeconds }));
}

const graceBegin = statement({
  name: 'grace-begin',
  takes: { personId: 'uuid', days: 'int' },
  returns: { until: 'timestamptz?', lasts: 'boolean?' },
  text: (value) => `
with told as (
  update people set factor_grace_from = now() where id = ${value.personId} and factor_grace_from is null returning factor_grace_from
), grace as (
  select coalesce((select factor_grace_from from told), factor_grace_from) + make_interval(days => ${value.days}) as until
  from people where id = ${value.personId}
)
select until, until > now() as lasts from grace`,
});

/**
 * Starts the period in which the user may still postpone the second factor. It starts when the user is first notified.
 */
export async function beginGrace(personId: string, days: number): Promise<RowOf<typeof graceBegin> | null> {
  const grace = await first(graceBegin({ personId, days }));
  // null: the statement cannot see that a concurrent request started the period
  return grace?.until === null ? first(graceBegin({ personId, days })) : grace;
}

const factorOffered = statement({
  name: 'factor-offered',
  takes: { personId: 'uuid' },
  text: (value) =>
    `update people set factor_offered_at = now() where id = ${value.personId} and factor_offered_at is null`,
});

/** Records that the user selected Later, so that the offer is not repeated automatically. */
export async function noteOffered(personId: string): Promise<void> {
  await factorOffered({ personId });
}

// Single-use tokens of submitted forms.

const formUse = statement({
  name: 'form-use',
  takes: { tokenHash: 'bytea' },
  returns: { '?column?': 'int' },
  text: (value) =>
    `insert into used_forms (token_hash) values (${value.tokenHash}) on conflict do nothing returning 1`,
});

/** Marks a form as submitted. Returns false if it was already submitted. */
export async function insertUsedForm(tokenHash: Uint8Array): Promise<boolean> {
  const rows = await formUse({ tokenHash });
  return rows.length === 1;
}

const formRelease = statement({
  name: 'form-release',
  takes: { tokenHash: 'bytea' },
  text: (value) => `delete from used_forms where token_hash = ${value.tokenHash}`,
});

export async function deleteUsedForm(tokenHash: Uint8Array): Promise<void> {
  await formRelease({ tokenHash });
}

// Data for the next console page after a form. The page's address contains an id, whose hash is the key. Callers hash
// the id and seal the value.

/** Maximum number of rows per user. Above it, a new row replaces the oldest. */
export const MOST_PAGE_STATES = 64;

const pageStateStore = statement({
  name: 'page-state-store',
  takes: {
    idHash: 'bytea',
    kind: 'text',
    sessionHash: 'bytea',
    outlivesSession: 'boolean',
    sealedValue: 'text',
    seconds: 'float8',
  },
  returns: { '?column?': 'int' },
  text: (value) => `with holder as (
  select person_id from sessions where id_hash = ${value.sessionHash}
), spare as (
  delete from page_states where id_hash in (
    select p.id_hash from page_states p join holder h on h.person_id = p.person_id
    order by p.stored_at desc, p.id_hash offset ${MOST_PAGE_STATES - 1} for update of p skip locked
  )
)
insert into page_states (id_hash, kind, person_id, session_hash, sealed_value, expires_at)
select ${value.idHash}, ${value.kind}, person_id,
  case when ${value.outlivesSession} then null else ${value.sessionHash} end,
  ${value.sealedValue}, now() + make_interval(secs => ${value.seconds})
from holder returning 1`,
});

export type NewPageState = Parameters<typeof pageStateStore>[0];

/** Returns false if the session does not exist. */
export async function storePageState(state: NewPageState): Promise<boolean> {
  return (await pageStateStore(state)).length === 1;
}

type Asked = { idHash: Uint8Array; kind: string; personId: string; sessionHash: Uint8Array };

const takes = { idHash: 'bytea', kind: 'text', personId: 'uuid', sessionHash: 'bytea' } as const;
type Placed = Record<keyof typeof takes, string>;
const isOf = (value: Placed) => `id_hash = ${value.idHash} and kind = ${value.kind} and expires_at > now()
  and person_id = ${value.personId} and (session_hash is null or session_hash = ${value.sessionHash})`;
const SHOWN = `sealed_value as "sealedValue", extract(epoch from now() - stored_at)::float8 as "secondsAgo"`;
const RETURNS = { sealedValue: 'text', secondsAgo: 'float8' } as const;

const pageStateFind = statement({
  name: 'page-state-find',
  takes,
  returns: RETURNS,
  text: (value) => `select ${SHOWN} from page_states where ${isOf(value)}`,
});

export type PageState = RowOf<typeof pageStateFind>;

/** Returns null if the state is unknown or has expired, or if another session stored it. */
export async function findPageState(stateQuery: Asked): Promise<PageState | null> {
  const [row] = await pageStateFind(stateQuery);
  return row ?? null;
}

const pageStateTake = statement({
  name: 'page-state-take',
  takes,
  returns: RETURNS,
  text: (value) => `delete from page_states where ${isOf(value)} returning ${SHOWN}`,
});

/** Like `findPageState`, but deletes the row. */
export async function takePageState(stateQuery: Asked): Promise<PageState | null> {
  const [row] = await pageStateTake(stateQuery);
  return row ?? null;
}
