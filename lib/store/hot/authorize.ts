// Authorize requests: the code, the consent, and the stored request while a user is at a broker.

import { confirmVersion, SEEN, stands } from '../snapshot.ts';
import { batchedStatement, type RowOf, statement } from '../statement.ts';
import type { OpenIdFacts } from './person-facts.ts';
import { labelBy } from './sessions.ts';
import {
  BASE,
  epochNow,
  isFor,
  isStrongEnough,
  mayHaveScopes,
  STRENGTH_FACTS,
  type StrengthAsked,
  type StrengthFacts,
  sessionLives,
  strengthFacts,
  strengthOf,
} from './validity.ts';

// Processes an authorize request in one statement: checks the session and the consent, and issues the code if the user
// need not be asked. The code in lib/oauth decides the terms of the request, and this statement checks the facts.

/**
 * The user who receives the code: unknown, the user of the browser's session, or a user who just authenticated
 * elsewhere.
 */
export type AuthorizedBy =
  | { kind: 'none' }
  | { kind: 'session'; idHash: Uint8Array; idleSeconds: number }
  | { kind: 'person'; personId: string; personEpoch: string; methodEpoch: string; authTime: Date };

export type Authorization = {
  /** snapshot version of the request */
  version: string;
  signIn: AuthorizedBy;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** true: the subscription requires a claim, and the facts include whether the user has it */
  restricted: boolean;
  /** earlier consents are ignored; missing: every consent is valid */
  consentSince?: Date | null;
  /** origin of the issuer's separate host if it was called; null: the issuer's address under `AUTH_URL` was called */
  issuerHost: string | null;
  codeChallenge: string | null;
  /** key thumbprint required for code redemption (RFC 9449 §10); missing or null: any key */
  dpopJkt?: Uint8Array | null;
  strength: StrengthAsked;
  /** data of the code to issue if the facts allow it; null: the statement only reads the facts */
  code: {
    hash: Uint8Array;
    redirectUri: string;
    scopes: string[];
    scopeAsked: boolean;
    /** basis of the code. trust: the subscription is trusted; consent, device: the user's consent covers the scopes */
    basis: 'consent' | 'trust' | 'device';
    /** code lifetime; default: one minute */
    seconds?: number;
    /** scopes that need consent, including scopes of individually requested claims */
    consentScopes: string[];
    maxAgeSeconds: number | null;
    /** null: not an `openid` request */
    openid: OpenIdFacts | null;
    /** the user that the client expects; null: any user */
    expectedPersonId: string | null;
  } | null;
  /** true: silent renewal, for which a code challenge that was used before is rejected */
  freshChallenge: boolean;
  /** SHA-256 and expiry of the pushed request that the code consumes; missing: none */
  pushed?: { hash: Uint8Array; until: Date } | null;
  requestId: string;
  ip: string | null;
};

/**
 * `consented`: approved scopes, or null without any consent. `mayUse`: the user has the subscription's required claim.
 */
export type SignedIn = {
  personId: string;
  authTime: Date;
  consented: string[] | null;
  mayUse: boolean;
} & StrengthFacts;

export type Authorized = {
  /** null: not signed in */
  facts: SignedIn | null;
  issued: boolean;
  challengeUsed: boolean;
  /** the pushed request already produced a code, possibly in a concurrent statement */
  pushedUsed: boolean;
};

const AUTHORIZE_TAKES = {
  version: 'bigint',
  idHash: 'bytea?',
  idle: 'int?',
  client: 'text',
  api: 'text',
  authMethod: 'text',
  challenge: 'text?',
  codeHash: 'bytea?',
  redirectUri: 'text?',
  scopeList: 'text?',
  scopeAsked: 'boolean?',
  basis: 'text?',
  maxAge: 'int?',
  fresh: 'boolean',
  requestId: 'text',
  ip: 'text?',
  person: 'uuid?',
  personEpoch: 'bigint?',
  methodEpoch: 'bigint?',
  authTime: 'timestamptz?',
  consentList: 'text?',
  openid: 'jsonb?',
  expectedPerson: 'uuid?',
  consentSince: 'timestamptz?',
  issuerHost: 'text?',
  restricted: 'boolean',
  level: 'smallint?',
  secondFactor: 'text',
  grace: 'int',
  trustedDays: 'int',
  pushed: 'bytea?',
  pushedUntil: 'timestamptz?',
  dpopJkt: 'bytea?',
  lifetime: 'int?',
} as const;

const runAuthorize = batchedStatement({
  name: 'authorize',
  takes: AUTHORIZE_TAKES,
  returns: {
    ...SEEN,
    n: 'int',
    issued: 'boolean',
    challengeUsed: 'boolean',
    pushedUsed: 'boolean',
    mayUse: 'boolean',
  },
  leftJoined: { personId: 'uuid', authTime: 'timestamptz', consented: 'text[]?', ...STRENGTH_FACTS },
  text: (items) => `
with asked as (
  select q.*, string_to_array(q.scope_list, ' ') as scopes, string_to_array(q.consent_list, ' ') as to_consent, v.version as current, ${stands('q.version', 'q.client')} as stands,
    q.fresh and exists
    (select 1 from codes k where k.code_challenge = q.challenge and k.client_id = q.client) as challenge_used,
    q.pushed is not null and exists (select 1 from used_requests u where u.id_hash = q.pushed) as pushed_used
  from ${items},
    directory_version v where v.id = 1
), signed_in as (
  select q.n, q.client, q.api, q.consent_since, s.id_hash, s.auth_time, s.last_seen_at, q.idle, p.id as person_id, p.epoch,
    s.amr, ${strengthOf({ person: 'p', session: 's', grace: 'q.grace', trustedDays: 'q.trusted_days' })}
  from asked q join sessions s on s.id_hash = q.id_hash join people p on p.id = s.person_id
  where s.kind = 'sign-in' and s.auth_method_id = q.auth_method and ${sessionLives({ session: 's', person: 'p', idleSeconds: 'q.idle' })}
  union all
  select q.n, q.client, q.api, q.consent_since, null, q.auth_time, null, null, p.id, p.epoch,
    null, ${strengthOf({ person: 'p', session: null, grace: 'q.grace', trustedDays: 'q.trusted_days' })}
  from asked q join people p on p.id = q.person
    join auth_methods a on a.id = q.auth_method and a.epoch = q.method_epoch
  where p.disabled_at is null and p.epoch = q.person_epoch
), live as (
  select i.*, c.epoch as consent_epoch, case when i.consent_since is null or c.earlier_scopes is null then c.scopes
    else scopes_since(c.scopes, c.updated_at, c.earlier_scopes, i.consent_since) end as consented
  from signed_in i left join consents c on c.person_id = i.person_id and c.client_id = i.client and c.api_id = i.api
    and (i.consent_since is null or c.updated_at >= i.consent_since)
), seen as (
  -- activity, to the precision that an idle limit needs; in one order, so that two of these never wait for each other
  update sessions set last_seen_at = now() where id_hash = any (array(
    select distinct id_hash from live where last_seen_at < now() - make_interval(secs => idle / 60.0) order by id_hash))
), ready as (
  select q.n, q.code_hash, q.client, q.api, q.auth_method, l.person_id, q.redirect_uri, q.scopes, q.scope_asked,
    q.challenge, q.basis, l.auth_time, l.id_hash, q.openid, q.issuer_host, q.pushed, q.pushed_until, q.dpop_jkt, q.lifetime,
    -- nothing where no level is required and it is no more than a password: most of them
    case when q.level is not null or l.acr_level > 1 then l.acr_level end as acr_level,
    case when q.level is not null or l.acr_level > 1 then l.amr end as amr,
    ${epochNow({ ...BASE, basis: 'q.basis', consentEpoch: 'l.consent_epoch', personEpoch: 'l.epoch' })} as epoch
  from asked q
    join live l on l.n = q.n
    join subscriptions s on s.client_id = q.client and s.api_id = q.api and s.state = 'approved'
    join clients cl on cl.client_id = q.client and cl.disabled_at is null
    join combinations m on m.auth_method_id = q.auth_method and m.api_id = q.api
  where q.stands and q.code_hash is not null and ${isFor({ subscription: 's', personId: 'l.person_id', authMethodId: 'q.auth_method' })} and ${mayHaveScopes({ combination: 'm', personId: 'l.person_id', scopes: 'q.scopes' })}
    and case q.basis when 'trust' then s.trusted when 'device' then s.device and l.consented @> q.to_consent
      else l.consented @> q.to_consent end
    and (q.max_age is null or l.auth_time >= now() - make_interval(secs => q.max_age))
    and (q.expected_person is null or l.person_id = q.expected_person)
    and ${isStrongEnough('q', 'l')}
    and not q.challenge_used and not q.pushed_used
), used as (
  -- in one order, so that no two batches wait for each other; of two at once the later one inserts nothing
  insert into used_requests (id_hash, expires_at)
  select distinct on (pushed) pushed, pushed_until from ready where pushed is not null order by pushed, n
  on conflict do nothing returning id_hash
), issued as (
  insert into codes (code_hash, client_id, api_id, auth_method_id, person_id, redirect_uri, scopes, scope_asked,
    code_challenge, basis, auth_time, expires_at, session_hash, openid, issuer_host, dpop_jkt, acr_level, amr, epoch)
  select r.code_hash, r.client, r.api, r.auth_method, r.person_id, r.redirect_uri, r.scopes, r.scope_asked,
    r.challenge, r.basis, r.auth_time, now() + make_interval(secs => r.lifetime), r.id_hash, r.openid, r.issuer_host,
    r.dpop_jkt, r.acr_level, r.amr, r.epoch
  from ready r
  where r.pushed is null or (exists (select from used u where u.id_hash = r.pushed)
    and not exists (select from ready earlier where earlier.pushed = r.pushed and earlier.n < r.n))
  returning code_hash, person_id, client_id, api_id, auth_method_id
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip)
  select 'code.issued', i.person_id, i.client_id, i.api_id, i.auth_method_id, q.request_id, q.ip
  from issued i join asked q on q.code_hash = i.code_hash
)
select q.n::int, q.current::text as version, q.stands, i.code_hash is not null as issued, q.challenge_used as "challengeUsed",
  q.pushed_used or (i.code_hash is null and exists (select from ready r where r.n = q.n and r.pushed is not null)) as "pushedUsed",
  l.person_id as "personId", l.auth_time as "authTime", l.consented,
  not q.restricted or exists (select from subscriptions s where s.client_id = q.client and s.api_id = q.api
    and ${isFor({ subscription: 's', personId: 'l.person_id', authMethodId: 'q.auth_method' })}) as "mayUse",
  ${strengthFacts('l')}
from asked q left join live l on l.n = q.n left join issued i on i.code_hash = q.code_hash`,
  values: ({ signIn, code, ...one }: Authorization) => {
    const session = signIn.kind === 'session' ? signIn : null;
    const person = signIn.kind === 'person' ? signIn : null;
    return {
      version: one.version,
      idHash: session?.idHash ?? null,
      idle: session?.idleSeconds ?? null,
      client: one.clientId,
      api: one.apiId,
      authMethod: one.authMethodId,
      challenge: one.codeChallenge,
      dpopJkt: one.dpopJkt ?? null,
      codeHash: code?.hash ?? null,
      redirectUri: code?.redirectUri ?? null,
      scopeList: code?.scopes.join(' ') ?? null,
      scopeAsked: code?.scopeAsked ?? null,
      basis: code?.basis ?? null,
      maxAge: code?.maxAgeSeconds ?? null,
      fresh: one.freshChallenge,
      requestId: one.requestId,
      ip: one.ip,
      person: person?.personId ?? null,
      personEpoch: person?.personEpoch ?? null,
      methodEpoch: person?.methodEpoch ?? null,
      authTime: person?.authTime ?? null,
      consentList: code?.consentScopes.join(' ') ?? null,
      openid: code?.openid ? JSON.stringify(code.openid) : null,
      expectedPerson: code?.expectedPersonId ?? null,
      consentSince: one.consentSince ?? null,
      issuerHost: one.issuerHost,
      restricted: one.restricted,
      level: one.strength.level,
      secondFactor: one.strength.secondFactor,
      grace: one.strength.graceSeconds,
      trustedDays: one.strength.trustedDays,
      pushed: one.pushed?.hash ?? null,
      pushedUntil: one.pushed?.until ?? null,
      lifetime: code && (code.seconds ?? 60),
    };
  },
});

/** Throws RegistryChanged if the registry changed since the request; no code is issued. */
export async function authorize(input: Authorization): Promise<Authorized> {
  const askedAt = performance.now();
  const { version, stands, issued, challengeUsed, pushedUsed, ...facts } = await runAuthorize(input);
  confirmVersion({ version, stands }, askedAt);
  return { facts: facts.authTime === null ? null : facts, issued, challengeUsed, pushedUsed };
}

// Consent page: stores an approval by the user.

/** SQL: scopes of the stored consent that are still valid. Each scope keeps the time of its last approval. */
const keptSince = (since: string): string => `case when ${since} is null then consents.scopes
  else scopes_since(consents.scopes, consents.updated_at, consents.earlier_scopes, ${since}) end`;

const consentGrant = statement({
  name: 'consent-grant',
  takes: {
    sessionHash: 'bytea',
    authMethodId: 'text',
    clientId: 'text',
    apiId: 'text',
    scopes: 'text[]',
    requestId: 'text',
    ip: 'text?',
    idleSeconds: 'float8',
    label: 'text',
    version: 'bigint',
    consentSince: 'timestamptz?',
    level: 'smallint?',
    secondFactor: 'text',
    graceSeconds: 'float8',
    identityChangedAt: 'timestamptz?',
    trustedDays: 'int',
  },
  returns: { ...SEEN, label: 'text?', strong: 'boolean?', granted: 'boolean' },
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands, ${value.level} as level, ${value.secondFactor} as second_factor from directory_version v where v.id = 1
), live as (
  select p.id, ${labelBy(value.authMethodId)} as label, ${strengthOf({ person: 'p', session: 's', grace: value.graceSeconds, trustedDays: value.trustedDays })} from sessions s join people p on p.id = s.person_id
  where s.id_hash = ${value.sessionHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and ${sessionLives({ session: 's', person: 'p', idleSeconds: value.idleSeconds })}
), strong as (
  select coalesce(${isStrongEnough('asked', 'live')}, false) as enough from live, asked
), same as materialized (
  -- a change of the client's identity comes before, and nothing is granted, or after, and this consent is older
  select c.client_id from clients c where c.client_id = ${value.clientId} and c.identity_changed_at is not distinct from ${value.identityChangedAt} for share
), granted as (
  insert into consents (person_id, client_id, api_id, scopes)
  select live.id, same.client_id, ${value.apiId}, ${value.scopes} from live, asked, strong, same
  where live.label = ${value.label} and asked.stands and strong.enough
  on conflict (person_id, client_id, api_id) do update set updated_at = now(),
    scopes = array(select distinct x from unnest(excluded.scopes || ${keptSince(value.consentSince)}) as x order by x),
    earlier_scopes = (select jsonb_object_agg(x, coalesce(consents.earlier_scopes -> x, to_jsonb(consents.updated_at)))
      from unnest(${keptSince(value.consentSince)}) as x where x <> all (excluded.scopes))
  returning person_id
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'consent.granted', person_id, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip}, jsonb_build_object('scopes', ${value.scopes}) from granted
)
select version::text, stands, (select label from live) as label, (select enough from strong) as strong, exists (select from granted) as granted from asked`,
});

/**
 * Stores a consent. Its scopes are added to the stored scopes; only the scopes of this call are approved again.
 * `signed-out`: the session has ended. `too-weak`: the user must prove a second factor first. `renamed`: the page
 * showed another label for the user. Throws RegistryChanged if the content of the page may have changed. In these
 * cases nothing is stored.
 */
export async function grantConsent(input: {
  /** snapshot version used for validation of the page */
  version: string;
  sessionHash: Uint8Array;
  idleSeconds: number;
  strength: StrengthAsked;
  /** label of the user as shown on the page */
  label: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  scopes: string[];
  /** consent before this time is ignored; missing: all consent is valid */
  consentSince?: Date | null;
  /** identity change of the client as displayed; missing: never changed */
  identityChangedAt?: string | null;
  requestId: string;
  ip: string | null;
}): Promise<'granted' | 'signed-out' | 'too-weak' | 'renamed'> {
  const askedAt = performance.now();
  const [row] = await consentGrant({
    ...input,
    consentSince: input.consentSince ?? null,
    level: input.strength.level,
    secondFactor: input.strength.secondFactor,
    graceSeconds: input.strength.graceSeconds,
    identityChangedAt: input.identityChangedAt ?? null,
    trustedDays: input.strength.trustedDays,
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  if (row.granted) return 'granted';
  if (row.label === null) return 'signed-out';
  return row.strong ? 'renamed' : 'too-weak';
}

// Authorize requests of users who are at a broker, by `state`. A state works once: one statement marks it as used, so
// exactly one of two parallel callbacks continues. Callers hash the state and seal the request.

type NewBrokerState = {
  stateHash: Uint8Array;
  authMethodId: string;
  browserHash: Uint8Array;
  sealedRequest: string;
  seconds: number;
};

const brokerStateKeep = statement({
  name: 'broker-state-keep',
  takes: {
    stateHash: 'bytea',
    authMethodId: 'text',
    browserHash: 'bytea',
    sealedRequest: 'text',
    seconds: 'float8',
  },
  text: (
    value,
  ) => `insert into broker_states (state_hash, auth_method_id, browser_hash, sealed_request, expires_at)
values (${value.stateHash}, ${value.authMethodId}, ${value.browserHash}, ${value.sealedRequest}, now() + make_interval(secs => ${value.seconds}))`,
});

export async function keepBrokerState(state: NewBrokerState): Promise<void> {
  await brokerStateKeep(state);
}

const brokerStateFind = statement({
  name: 'broker-state-find',
  takes: { stateHash: 'bytea' },
  returns: { browserHash: 'bytea', sealedRequest: 'text', used: 'boolean' },
  text: (
    value,
  ) => `select browser_hash as "browserHash", sealed_request as "sealedRequest", used_at is not null as used
from broker_states where state_hash = ${value.stateHash} and expires_at > now()`,
});

/** Returns the request of a state, even of a used state. Null: unknown or expired. */
export async function findBrokerState(stateHash: Uint8Array): Promise<RowOf<typeof brokerStateFind> | null> {
  const [row] = await brokerStateFind({ stateHash });
  return row ?? null;
}

const brokerStateTake = statement({
  name: 'broker-state-take',
  takes: { stateHash: 'bytea' },
  returns: { '?column?': 'int' },
  text: (value) => `update broker_states set used_at = now()
where state_hash = ${value.stateHash} and used_at is null and expires_at > now() returning 1`,
});

/** Marks the state as used. Returns false if the state was used before or has expired. */
export async function takeBrokerState(stateHash: Uint8Array): Promise<boolean> {
  const rows = await brokerStateTake({ stateHash });
  return rows.length === 1;
}
