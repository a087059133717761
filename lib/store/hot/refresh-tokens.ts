// Token families and refresh tokens. Rotation is one statement: it marks the old token as used, inserts its successor,
// and returns the data of the response. The column parent_hash is unique in its family, so a token has at most one
// successor. Every validity check joins the family.
import type { Run } from '../pool.ts';
import { confirmVersion, SEEN, stands } from '../snapshot.ts';
import { batchedStatement, narrowTo, type RowOf, statement } from '../statement.ts';
import { takeBack } from './limits.ts';
import type { OpenIdFacts } from './person-facts.ts';
import {
  BASE,
  BASES,
  type Basis,
  boundTo,
  epochNow,
  isFor,
  isShutOut,
  isTooWeakFor,
  type KeyBinding,
  mayHaveScopes,
  reachesApi,
  restsOn,
  type SignInStrength,
  STRENGTH_KEPT,
  scopesOfGroups,
  strengthKept,
} from './validity.ts';

type TokenRequest = {
  /** snapshot version of the request */
  version: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /**
   * the origin of the issuer's separate host if it was called; null: the issuer's address under `AUTH_URL` was called
   */
  issuerHost: string | null;
  requestId: string;
  ip: string | null;
};

export type Rotation = TokenRequest & {
  oldHash: Uint8Array;
  newHash: Uint8Array;
  opaqueHash: Uint8Array | null;
  /** a narrower scope for this access token; null: the scope of the token family */
  scopes: string[] | null;
  /** maximum scope of the subscription; a password grant always has the API's scope (RFC 6749 §4.3) */
  ceiling: string[];
  /** true: some scopes of the API require a sign-in level */
  strictScopes: boolean;
} & Pick<KeyBinding, 'jkt'>;

export type Rotated = SignInStrength & {
  familyId: string;
  personId: string;
  scopes: string[];
  authTime: Date;
  /** null: family without `openid` scope */
  openid: OpenIdFacts | null;
  /** true: the refresh tokens of the token family require proofs of one key */
  bound: boolean;
};

/**
 * SQL condition on request `q` and token family `f`: at least one scope remains, or the API has no scopes. A
 * comparison of two arrays suffices for nearly every row, and the function handles the other rows.
 */
const keepsScope = (scopes: string): string => `(${scopes} = '{}'
      or (f.basis <> 'password' and not q.strict_scopes and ${scopes} && q.ceiling) or ${isLeft(scopes)})
    and (m.asked_groups is null or ${scopes} = '{}' or ${isLeft(scopesOfGroups({ combination: 'm', personId: 'f.person_id', scopes }))})`;
const isLeft = (scopes: string): string =>
  `a_scope_is_left(f.basis, f.api_id, ${scopes}, q.ceiling, q.strict_scopes, f.acr_level)`;

const SUCCESSOR = `successor as (
  insert into refresh_tokens (token_hash, family_id, parent_hash, expires_at)
  select new_hash, family_id, old_hash, least(now() + make_interval(secs => refresh_token_ttl), family_end) from used
), `;

const TABLES = `token_families f, ${BASES}, apis a`;
const IS_GOOD = `
  where q.stands and r.token_hash = q.old_hash and r.used_at is null and r.expires_at > now()
    and f.id = r.family_id and f.revoked_at is null and f.expires_at > now()
    and f.client_id = q.client_id and f.api_id = q.api_id and f.auth_method_id = q.auth_method_id
    and f.issuer_host is not distinct from q.issuer_host
    and (f.dpop_jkt is null or f.dpop_jkt = q.jkt)
    and (q.scopes is null or f.scopes @> q.scopes)
    and ${restsOn({ of: 'f', ...BASE })}
    and a.id = f.api_id and ${reachesApi({ api: 'a', level: 'f.acr_level' })}
    and not (q.strict_scopes and ${isTooWeakFor({ api: 'a', scopes: 'q.scopes', level: 'f.acr_level' })})
    and ${keepsScope('coalesce(q.scopes, f.scopes)')}`;
const FOUND = `q.n, q.old_hash, q.new_hash, q.opaque_hash, q.request_id, q.ip, q.jkt, f.id as family_id, f.dpop_jkt, f.person_id,
    f.client_id, f.api_id, f.auth_method_id, f.auth_time, f.openid, f.acr_level, f.amr, f.expires_at as family_end, a.access_token_ttl,
    a.refresh_token_ttl,
    array(select o from unnest(${scopesOfGroups({ combination: 'm', personId: 'f.person_id', scopes: 'coalesce(q.scopes, f.scopes)' })}) as o
      where case when f.basis = 'password' then exists
        (select 1 from api_scopes s where s.api_id = f.api_id and s.name = o) else o = any (q.ceiling) end
        and not (q.strict_scopes and ${isTooWeakFor({ api: 'a', scopes: 'array[o]', level: 'f.acr_level' })})) as scopes`;

/**
 * `kept`: the token is reused without a successor (FAPI 2.0 Security Profile §5.3.2.1, 9). The statement only reads the
 * token, so two requests in a batch both succeed.
 */
const refreshing = (kind: 'rotated' | 'kept') =>
  batchedStatement({
    name: kind === 'rotated' ? 'refresh-rotate' : 'refresh-keep',
    takes: {
      version: 'bigint',
      oldHash: 'bytea',
      newHash: 'bytea',
      opaqueHash: 'bytea?',
      clientId: 'text',
      apiId: 'text',
      authMethodId: 'text',
      scopeList: 'text?',
      ceilingList: 'text',
      requestId: 'text',
      ip: 'text?',
      issuerHost: 'text?',
      strictScopes: 'boolean',
      jkt: 'bytea?',
    },
    returns: { ...SEEN, n: 'int', bound: 'boolean' },
    leftJoined: {
      rotated: 'found',
      familyId: 'uuid',
      personId: 'uuid',
      scopes: 'text[]',
      authTime: 'timestamptz',
      openid: narrowTo<OpenIdFacts>('jsonb?'),
      ...STRENGTH_KEPT,
    },
    text: (items) => `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.client_id')} as stands,
    string_to_array(scope_list, ' ') as scopes, string_to_array(ceiling_list, ' ') as ceiling
  from ${items}, directory_version v where v.id = 1
), used as (
  ${
    kind === 'kept'
      ? `select ${FOUND} from asked q, refresh_tokens r, ${TABLES} ${IS_GOOD}`
      : `update refresh_tokens r set used_at = now() from asked q, ${TABLES} ${IS_GOOD} returning ${FOUND}`
  }
), ${kind === 'kept' ? '' : SUCCESSOR}opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, jkt, expires_at)
  select opaque_hash, family_id, scopes, jkt, now() + make_interval(secs => access_token_ttl) from used
  where opaque_hash is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.refreshed', person_id, client_id, api_id, auth_method_id, request_id, ip,
    jsonb_build_object('family', family_id) from used
)
select q.n::int, q.current::text as version, q.stands, u.n is not null as rotated, u.family_id as "familyId",
  u.person_id as "personId", u.scopes, u.auth_time as "authTime",
  u.openid, u.dpop_jkt is not null as bound, ${strengthKept('u')}
from asked q left join used u on u.n = q.n`,
    lockKey: (rotation) => rotation.oldHash,
    values: ({ jkt = null, ...one }: Rotation) => ({
      ...one,
      jkt,
      scopeList: one.scopes?.join(' ') ?? null,
      ceilingList: one.ceiling.join(' '),
    }),
  });

const REFRESHING = { rotated: refreshing('rotated'), kept: refreshing('kept') };

async function refresh(kind: keyof typeof REFRESHING, input: Rotation, run?: Run): Promise<Rotated | null> {
  const askedAt = performance.now();
  const row = await REFRESHING[kind](input, run);
  confirmVersion(row, askedAt);
  if (!row.rotated) return null;
  const { version, stands, rotated, ...facts } = row;
  return facts;
}

/** Marks the old token as used and stores its successor. Returns null if nothing changed. */
export const rotateRefreshToken = (input: Rotation, run?: Run) => refresh('rotated', input, run);

/** Refreshes without changing the token; null: the token is not usable. */
export const keepRefreshToken = (input: Omit<Rotation, 'newHash'>) =>
  refresh('kept', { ...input, newHash: input.oldHash });

/** Reason why a refresh token was not rotated. */
export type RefreshRefusal =
  | 'refresh-unknown'
  | 'refresh-other-issuer'
  | 'refresh-used'
  | 'refresh-ended'
  | 'refresh-expired'
  | 'refresh-other-key'
  | 'person-refused'
  | 'acr-too-low';

const refreshExplain = statement({
  name: 'refresh-explain',
  takes: {
    oldHash: 'bytea',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    issuerHost: 'text?',
    scopes: 'text[]',
    jkt: 'bytea?',
  },
  returns: {
    basis: narrowTo<Basis>('text'),
    scopes: 'text[]',
    familyId: 'uuid',
    /** null: the token is valid, but the request is not */
    reason: narrowTo<RefreshRefusal>('text?'),
    /** true: used less than 10 s ago, and the successor is unused, so two honest requests are likelier than a theft */
    race: 'boolean',
  },
  text: (value) => `
select f.basis, f.scopes, f.id as "familyId", case
    when f.api_id <> ${value.apiId} or f.auth_method_id <> ${value.authMethodId} or f.issuer_host is distinct from ${value.issuerHost} then 'refresh-other-issuer'
    when r.used_at is not null then 'refresh-used'
    when f.revoked_at is not null or p.disabled_at is not null then 'refresh-ended'
    when r.expires_at <= now() or f.expires_at <= now() then 'refresh-expired'
    when f.dpop_jkt <> ${value.jkt} or (f.dpop_jkt is not null and ${value.jkt} is null) then 'refresh-other-key'
    when exists (select from subscriptions s where s.client_id = f.client_id and s.api_id = f.api_id
      and not ${isFor({ subscription: 's', personId: 'f.person_id', authMethodId: 'f.auth_method_id' })}) or ${isShutOut('f', `case when ${value.scopes} = '{}' then f.scopes else ${value.scopes} end`)} then 'person-refused'
    when not ${reachesApi({ api: 'a', level: 'f.acr_level' })} or ${isTooWeakFor({ api: 'a', scopes: value.scopes, level: 'f.acr_level' })} then 'acr-too-low' end as reason,
  coalesce(r.used_at > now() - interval '10 seconds' and exists
    (select 1 from refresh_tokens n where n.family_id = r.family_id and n.parent_hash = r.token_hash and n.used_at is null), false) as race
from refresh_tokens r join token_families f on f.id = r.family_id join people p on p.id = f.person_id
  left join apis a on a.id = f.api_id
where r.token_hash = ${value.oldHash} and f.client_id = ${value.clientId}`,
});

/** Facts about a presented refresh token; null: the client has no such token. */
export type RefreshFacts = RowOf<typeof refreshExplain>;

export async function explainRefreshToken(
  input: Pick<Rotation, 'oldHash' | 'clientId' | 'apiId' | 'authMethodId' | 'issuerHost' | 'scopes' | 'jkt'>,
): Promise<RefreshFacts | null> {
  const [row] = await refreshExplain({
    ...input,
    scopes: input.scopes ?? [],
    jkt: input.jkt ?? null,
  });
  return row ?? null;
}

const familyBind = statement({
  name: 'family-bind',
  takes: { familyId: 'uuid', jkt: 'bytea' },
  text: (value) =>
    `update token_families set dpop_jkt = ${value.jkt} where id = ${value.familyId} and dpop_jkt is null`,
});

/** Binds the refresh tokens of an unbound token family to this key (RFC 9449 §5). */
export async function bindFamily(familyId: string, jkt: Uint8Array): Promise<void> {
  await familyBind({ familyId, jkt });
}

const familyRevoke = statement({
  name: 'family-revoke',
  takes: { familyId: 'uuid', reason: 'text', event: 'text', requestId: 'text', ip: 'text?' },
  returns: { id: 'bigint' },
  text: (value) => `
with revoked as (
  update token_families set revoked_at = now(), revoked_reason = ${value.reason} where id = ${value.familyId} and revoked_at is null
  returning id, person_id, client_id, api_id, auth_method_id
)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
select ${value.event}, person_id, client_id, api_id, auth_method_id, ${value.requestId}, ${value.ip}, jsonb_build_object('family', id, 'reason', ${value.reason})
from revoked returning id`,
});

/** Revokes a family with every token. */
export async function revokeFamily(
  familyId: string,
  reason: string,
  event: string,
  { requestId, ip }: { requestId: string; ip: string | null },
): Promise<boolean> {
  const rows = await familyRevoke({ familyId, reason, event, requestId, ip });
  return rows.length > 0;
}

// Token families without a code: from password grants, and from assertions of brokers.

// The token family of a password grant (RFC 6749 §4.3). It ends when the user adds a second factor.

type NewFamily = TokenRequest & {
  familyId: string;
  personId: string;
  /** revocation counters (epochs) of user and method when the password was checked */
  personEpoch: string;
  methodEpoch: string;
  scopes: string[];
  refreshHash: Uint8Array;
  /** true: the refresh token is not rotated, and stays valid until its token family ends */
  keepsRefresh?: boolean;
  opaqueHash: Uint8Array | null;
  /** keys of the limits that counted this password check. A successful check removes its count from them */
  attempts: string[];
  /** true: stores the sign-in strength, because the API's tokens contain it */
  keepsStrength: boolean;
} & KeyBinding;

const familyCreate = statement({
  name: 'family-create',
  takes: {
    familyId: 'uuid',
    personId: 'uuid',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    personEpoch: 'bigint',
    scopes: 'text[]',
    refreshHash: 'bytea',
    opaqueHash: 'bytea?',
    requestId: 'text',
    ip: 'text?',
    attempts: 'text[]',
    methodEpoch: 'bigint',
    issuerHost: 'text?',
    keepsStrength: 'boolean',
    keepsRefresh: 'boolean',
    jkt: 'bytea?',
    refreshJkt: 'bytea?',
    version: 'bigint',
  },
  returns: { ...SEEN, authTime: 'timestamptz?', needsFactor: 'boolean?' },
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), taken_back as (
  ${takeBack(value.attempts)}
), person as materialized (
  select id, factor_level from people where id = ${value.personId} for share
), needed as (
  select h.factor_level > 0 or coalesce(a.second_factor, v.config ->> 'second_factor', '') = 'required'
    or not ${reachesApi({ api: 'a', level: '1' })} or ${isTooWeakFor({ api: 'a', scopes: value.scopes, level: '1' })} as factor from person h, apis a, auth_methods v where a.id = ${value.apiId} and v.id = ${value.authMethodId}
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    issuer_host, acr_level, amr, dpop_jkt, expires_at)
  select ${value.familyId}, p.id, s.client_id, s.api_id, m.auth_method_id, 'password', ${value.scopes}, now(),
    ${epochNow({ ...BASE, basis: "'password'", consentEpoch: '0' })}, ${value.issuerHost}, case when ${value.keepsStrength} then 1 end, case when ${value.keepsStrength} then '{pwd}'::text[] end, ${value.refreshJkt},
    now() + make_interval(secs => a.refresh_family_ttl)
  from asked q, ${BASES}, apis a, auth_methods v, needed
  where q.stands and not needed.factor and p.id = ${value.personId} and p.disabled_at is null and p.epoch = ${value.personEpoch} and v.id = ${value.authMethodId} and v.epoch = ${value.methodEpoch} and cl.client_id = ${value.clientId} and cl.disabled_at is null
    and s.client_id = ${value.clientId} and s.api_id = ${value.apiId} and s.state = 'approved' and s.trusted
    and ${isFor({ subscription: 's', personId: 'p.id', authMethodId: 'm.auth_method_id' })} and ${mayHaveScopes({ combination: 'm', personId: 'p.id', scopes: value.scopes })}
    and m.auth_method_id = ${value.authMethodId} and m.api_id = ${value.apiId} and a.id = ${value.apiId}
  returning id, auth_time, scopes, api_id, expires_at
), refresh as (
  insert into refresh_tokens (token_hash, family_id, expires_at)
  select ${value.refreshHash}, f.id, case when ${value.keepsRefresh} then f.expires_at
    else least(now() + make_interval(secs => a.refresh_token_ttl), f.expires_at) end
  from family f join apis a on a.id = f.api_id
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, jkt, expires_at)
  select ${value.opaqueHash}, f.id, f.scopes, ${value.jkt}, now() + make_interval(secs => a.access_token_ttl)
  from family f join apis a on a.id = f.api_id where ${value.opaqueHash} is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', ${value.personId}, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip},
    jsonb_build_object('grant_type', 'password', 'family', id) from family
)
select q.version::text, q.stands, (select auth_time from family) as "authTime", (select factor from needed) as "needsFactor" from asked q`,
});

/**
 * Creates the token family of a password grant. 'has-factor': the user added a second factor, or the API or a scope
 * requires one. Null: the subscription is not approved and trusted, the user is not admitted, or the sign-in ended.
 * Adding a factor locks the user's row first. Either this token family starts earlier and is then revoked with the
 * others, or it does not start. Throws RegistryChanged if the registry changed during the password check; nothing was
 * created.
 */
export async function createFamily(
  input: NewFamily,
  run?: Run,
): Promise<{ authTime: Date } | 'has-factor' | null> {
  const askedAt = performance.now();
  const [row] = await familyCreate(
    { ...input, keepsRefresh: input.keepsRefresh ?? false, ...boundTo(input) },
    run,
  );
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  if (row.authTime) return { authTime: row.authTime };
  return row.needsFactor ? 'has-factor' : null;
}

// The token family of a broker's assertion (RFC 7523 §2.1). Without a refresh token, it ends with its access token.

type AssertedFamily = {
  version: string;
  familyId: string;
  personId: string;
  /** revocation counters (epochs) of user and method when the assertion was checked */
  personEpoch: string;
  methodEpoch: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /**
   * the origin of the issuer's separate host if it was called; null: the issuer's address under `AUTH_URL` was called
   */
  issuerHost: string | null;
  scopes: string[];
  authTime: Date;
  opaqueHash: Uint8Array | null;
  grantType: string;
  /** true: rejects users with a second factor, because assertions do not prove one */
  asksFactor: boolean;
  requestId: string;
  ip: string | null;
} & Pick<KeyBinding, 'jkt'>;

const familyAssert = statement({
  name: 'family-assert',
  takes: {
    familyId: 'uuid',
    personId: 'uuid',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    personEpoch: 'bigint',
    scopes: 'text[]',
    authTime: 'timestamptz',
    methodEpoch: 'bigint',
    opaqueHash: 'bytea?',
    requestId: 'text',
    ip: 'text?',
    grantType: 'text',
    version: 'bigint',
    issuerHost: 'text?',
    asksFactor: 'boolean',
    jkt: 'bytea?',
  },
  returns: { ...SEEN, expiresAt: 'int?', needsFactor: 'boolean' },
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    issuer_host, expires_at)
  select ${value.familyId}, p.id, s.client_id, s.api_id, m.auth_method_id, 'assertion', ${value.scopes}, ${value.authTime},
    ${epochNow({ ...BASE, basis: "'assertion'", consentEpoch: '0' })}, ${value.issuerHost},
    date_trunc('second', now() + make_interval(secs => a.access_token_ttl))
  from asked q, ${BASES}, apis a, auth_methods v
  where q.stands and p.id = ${value.personId} and p.disabled_at is null and p.epoch = ${value.personEpoch} and v.id = ${value.authMethodId} and v.epoch = ${value.methodEpoch}
    and cl.client_id = ${value.clientId} and cl.disabled_at is null
    and s.client_id = ${value.clientId} and s.api_id = ${value.apiId} and s.state = 'approved' and s.machine
    and ${isFor({ subscription: 's', personId: 'p.id', authMethodId: 'm.auth_method_id' })} and ${mayHaveScopes({ combination: 'm', personId: 'p.id', scopes: value.scopes })}
    and m.auth_method_id = ${value.authMethodId} and m.api_id = ${value.apiId} and a.id = ${value.apiId} and ${reachesApi({ api: 'a', level: '1' })}
    and (not ${value.asksFactor} or p.factor_level = 0)
  returning id, scopes, expires_at
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, jkt, expires_at)
  select ${value.opaqueHash}, id, scopes, ${value.jkt}, expires_at from family where ${value.opaqueHash} is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', ${value.personId}, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip},
    jsonb_build_object('grant_type', ${value.grantType}, 'family', id) from family
)
select q.version::text, q.stands, extract(epoch from f.expires_at)::int as "expiresAt",
  ${value.asksFactor} and exists (select 1 from people where id = ${value.personId} and factor_level > 0) as "needsFactor"
from asked q left join family f on true`,
});

/**
 * Returns the token's expiry in seconds since 1970. 'has-factor': the user has a required second factor. Null: the
 * subscription is not approved for machines, the user is not admitted, or the sign-in ended. Throws RegistryChanged if
 * the registry changed since the request; nothing was created.
 */
export async function createAssertedFamily(input: AssertedFamily): Promise<number | 'has-factor' | null> {
  const askedAt = performance.now();
  const [row] = await familyAssert({
    ...input,
    jkt: input.jkt ?? null,
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  return row.expiresAt ?? (row.needsFactor ? 'has-factor' : null);
}
