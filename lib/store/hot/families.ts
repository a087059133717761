// Token families without a code: password grant and assertions of brokers.
import type { Run } from '../pool.ts';
import { confirmVersion, type Seen, stands } from '../snapshot.ts';
import { statement } from '../statement.ts';
import { takeBack } from './limits.ts';
import type { TokenRequest } from './refresh-tokens.ts';
import {
  BASES,
  boundTo,
  epochNow,
  isFor,
  isTooWeakFor,
  type KeyBinding,
  mayHaveScopes,
  reachesApi,
} from './validity.ts';

// The family of a password grant (RFC 6749 §4.3). A second factor of the person ends it.

type NewFamily = TokenRequest & {
  familyId: string;
  personId: string;
  /** the person's and the method's epochs when the password was checked */
  personEpoch: string;
  methodEpoch: string;
  scopes: string[];
  refreshHash: Uint8Array;
  /** it works until the family ends, and is not rotated */
  keepsRefresh?: boolean;
  opaqueHash: Uint8Array | null;
  /** keys of the limits that the check of the password was counted under: it was right, so it does not count */
  attempts: string[];
  /** how strong the sign-in was is kept, because tokens of the API say it */
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
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), taken_back as (
  ${takeBack(value.attempts)}
), person as materialized (
  select id, factor_level from people where id = ${value.personId} for share
), needed as (
  select h.factor_level > 0 or coalesce(a.second_factor, v.config ->> 'second_factor', '') = 'required'
    or not ${reachesApi('1')} or ${isTooWeakFor(value.scopes, '1')} as factor from person h, apis a, auth_methods v where a.id = ${value.apiId} and v.id = ${value.authMethodId}
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    issuer_host, acr_level, amr, dpop_jkt, expires_at)
  select ${value.familyId}, p.id, s.client_id, s.api_id, m.auth_method_id, 'password', ${value.scopes}, now(),
    ${epochNow({ basis: "'password'", consentEpoch: '0' })}, ${value.issuerHost}, case when ${value.keepsStrength} then 1 end, case when ${value.keepsStrength} then '{pwd}'::text[] end, ${value.refreshJkt},
    now() + make_interval(secs => a.refresh_family_ttl)
  from asked q, ${BASES}, apis a, auth_methods v, needed
  where q.stands and not needed.factor and p.id = ${value.personId} and p.disabled_at is null and p.epoch = ${value.personEpoch} and v.id = ${value.authMethodId} and v.epoch = ${value.methodEpoch} and cl.client_id = ${value.clientId} and cl.disabled_at is null
    and s.client_id = ${value.clientId} and s.api_id = ${value.apiId} and s.state = 'approved' and s.trusted
    and ${isFor('p.id', 'm.auth_method_id')} and ${mayHaveScopes('p.id', value.scopes)}
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
 * The password grant's family; 'has-factor': the person has a second factor since, or the API or a scope requires one
 * now; null: the subscription is not approved and trusted, or not for this person, or the sign-in was ended since.
 * Adding a factor locks the person's row first: with the lock here the family either begins before, and is ended with
 * the others, or does not begin. RegistryChanged where what the request relied on has changed while the password was
 * checked; nothing was made then.
 */
export async function createFamily(
  input: NewFamily,
  run?: Run,
): Promise<{ authTime: Date } | 'has-factor' | null> {
  const askedAt = performance.now();
  const [row] = await familyCreate<Seen & { authTime: Date | null; needsFactor: boolean | null }>(
    { ...input, keepsRefresh: input.keepsRefresh ?? false, ...boundTo(input) },
    run,
  );
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  if (row.authTime) return { authTime: row.authTime };
  return row.needsFactor ? 'has-factor' : null;
}

// The family that a broker's assertion gives (RFC 7523 §2.1). It has no refresh token, so it ends with its access
// token.

type AssertedFamily = {
  version: string;
  familyId: string;
  personId: string;
  /** the person's and the method's epochs when the assertion was checked */
  personEpoch: string;
  methodEpoch: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** the origin of the issuer's own host that was called; null: the path address */
  issuerHost: string | null;
  scopes: string[];
  authTime: Date;
  opaqueHash: Uint8Array | null;
  grantType: string;
  /** people who have a second factor get nothing: the assertion is no sign-in with it */
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
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    issuer_host, expires_at)
  select ${value.familyId}, p.id, s.client_id, s.api_id, m.auth_method_id, 'assertion', ${value.scopes}, ${value.authTime},
    ${epochNow({ basis: "'assertion'", consentEpoch: '0' })}, ${value.issuerHost},
    date_trunc('second', now() + make_interval(secs => a.access_token_ttl))
  from asked q, ${BASES}, apis a, auth_methods v
  where q.stands and p.id = ${value.personId} and p.disabled_at is null and p.epoch = ${value.personEpoch} and v.id = ${value.authMethodId} and v.epoch = ${value.methodEpoch}
    and cl.client_id = ${value.clientId} and cl.disabled_at is null
    and s.client_id = ${value.clientId} and s.api_id = ${value.apiId} and s.state = 'approved' and s.machine
    and ${isFor('p.id', 'm.auth_method_id')} and ${mayHaveScopes('p.id', value.scopes)}
    and m.auth_method_id = ${value.authMethodId} and m.api_id = ${value.apiId} and a.id = ${value.apiId} and ${reachesApi('1')}
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
 * When its token ends, in seconds since 1970; 'has-factor': the person has a second factor, which is asked for; null:
 * the subscription is not an approved one of a machine, or not for this person, or the sign-in was ended since.
 * RegistryChanged where what the request relied on has changed; nothing was made then.
 */
export async function createAssertedFamily(input: AssertedFamily): Promise<number | 'has-factor' | null> {
  const askedAt = performance.now();
  const [row] = await familyAssert<Seen & { expiresAt: number | null; needsFactor: boolean }>({
    ...input,
    jkt: input.jkt ?? null,
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  return row.expiresAt ?? (row.needsFactor ? 'has-factor' : null);
}
