// Token families and refresh tokens. Rotation is one statement: mark the old token used, insert its successor, return what the
// answer needs. parent_hash is unique, so there is no second successor; every check of validity joins the family.
import { batched } from './batch.ts';
import type { OpenIdFacts } from './openid.ts';
import { query } from './pool.ts';
import { takeBack } from './rate-limits.ts';
import { stands } from './registry-changes.ts';
import { confirmVersion, type Seen } from './snapshot.ts';
import { BASES, type Basis, epochNow, restsOn } from './validity.ts';

type Binding = {
  /** of the snapshot that the request relied on */
  version: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** the origin of the issuer's own host that was called; null: the path address */
  issuerHost: string | null;
  requestId: string;
  ip: string | null;
};

export type Rotation = Binding & {
  oldHash: Uint8Array;
  newHash: Uint8Array;
  opaqueHash: Uint8Array | null;
  /** a narrower scope for this access token; null: the family's */
  scopes: string[] | null;
  /** the subscription's ceiling; a password grant's scope is the API's, whatever it says (RFC 6749 §4.3) */
  ceiling: string[];
};

export type Rotated = {
  familyId: string;
  personId: string;
  scopes: string[];
  /** false: less than was asked for, or than the family holds */
  scopesAsWanted: boolean;
  authTime: Date;
  /** null: the family is not of an `openid` request */
  openid: OpenIdFacts | null;
};

const rotate = batched<Rotation, Rotated & Seen & { n: number; rotated: boolean }>({
  name: 'refresh-rotate',
  text: `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.client_id')} as stands,
    string_to_array(scope_list, ' ') as scopes, string_to_array(ceiling_list, ' ') as ceiling
  from unnest($1::bigint[], $2::bytea[], $3::bytea[], $4::bytea[], $5::text[], $6::text[], $7::text[], $8::text[],
      $9::text[], $10::text[], $11::text[], $12::text[]) with ordinality
    as q(version, old_hash, new_hash, opaque_hash, client_id, api_id, auth_method_id, scope_list, ceiling_list,
      request_id, ip, issuer_host, n), directory_version v where v.id = 1
), used as (
  update refresh_tokens r set used_at = now()
  from asked q, token_families f, ${BASES}, apis a
  where q.stands
    and r.token_hash = q.old_hash and r.used_at is null and r.expires_at > now()
    and f.id = r.family_id and f.revoked_at is null and f.expires_at > now()
    and f.client_id = q.client_id and f.api_id = q.api_id and f.auth_method_id = q.auth_method_id
    and f.issuer_host is not distinct from q.issuer_host
    and (q.scopes is null or f.scopes @> q.scopes)
    and ${restsOn('f')}
    and a.id = f.api_id
  returning q.n, q.old_hash, q.new_hash, q.opaque_hash, q.request_id, q.ip, f.id as family_id, f.person_id,
    f.client_id, f.api_id, f.auth_method_id, f.auth_time, f.openid, f.expires_at as family_end, a.access_token_ttl,
    a.refresh_token_ttl,
    cardinality(coalesce(q.scopes, f.scopes)) as wanted, array(select o from unnest(coalesce(q.scopes, f.scopes)) as o
      where case when f.basis = 'password' then exists
        (select 1 from api_scopes s where s.api_id = f.api_id and s.name = o) else o = any (q.ceiling) end) as scopes
), successor as (
  insert into refresh_tokens (token_hash, family_id, parent_hash, expires_at)
  select new_hash, family_id, old_hash, least(now() + make_interval(secs => refresh_token_ttl), family_end) from used
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, expires_at)
  select opaque_hash, family_id, scopes, now() + make_interval(secs => access_token_ttl) from used
  where opaque_hash is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.refreshed', person_id, client_id, api_id, auth_method_id, request_id, ip,
    jsonb_build_object('family', family_id) from used
)
select q.n::int, q.current::text as version, q.stands, u.n is not null as rotated, u.family_id as "familyId",
  u.person_id as "personId", u.scopes, cardinality(u.scopes) = u.wanted as "scopesAsWanted", u.auth_time as "authTime",
  u.openid
from asked q left join used u on u.n = q.n`,
  lockKey: (one) => one.oldHash,
  values: (one) => [
    one.version,
    one.oldHash,
    one.newHash,
    one.opaqueHash,
    one.clientId,
    one.apiId,
    one.authMethodId,
    one.scopes?.join(' ') ?? null,
    one.ceiling.join(' '),
    one.requestId,
    one.ip,
    one.issuerHost,
  ],
});

/** Uses the old token and stores its successor, or does nothing and gives null. */
export async function rotateRefreshToken(input: Rotation): Promise<Rotated | null> {
  const askedAt = performance.now();
  const { version, stands, rotated, ...facts } = await rotate(input);
  confirmVersion({ version, stands }, askedAt);
  return rotated ? facts : null;
}

/** Why a refresh token could not be rotated. */
export type RefreshRefusal =
  | 'refresh-unknown'
  | 'refresh-other-issuer'
  | 'refresh-used'
  | 'refresh-ended'
  | 'refresh-expired';

/** What is known of a refresh token that the client presented; null: it has no such token. */
export type RefreshFacts = {
  /** null: the token is good, the request is not */
  reason: RefreshRefusal | null;
  /** used less than 10 s ago, and the successor unused: two honest callers, not a thief */
  race: boolean;
  basis: Basis;
  scopes: string[];
  familyId: string;
};

export async function explainRefreshToken(
  input: Pick<Rotation, 'oldHash' | 'clientId' | 'apiId' | 'authMethodId' | 'issuerHost'>,
): Promise<RefreshFacts | null> {
  const [row] = await query<RefreshFacts>({
    name: 'refresh-explain',
    text: `
select f.basis, f.scopes, f.id as "familyId", case
    when f.api_id <> $3 or f.auth_method_id <> $4 or f.issuer_host is distinct from $5::text then 'refresh-other-issuer'
    when r.used_at is not null then 'refresh-used'
    when f.revoked_at is not null or p.disabled_at is not null then 'refresh-ended'
    when r.expires_at <= now() or f.expires_at <= now() then 'refresh-expired' end as reason,
  coalesce(r.used_at > now() - interval '10 seconds' and exists
    (select 1 from refresh_tokens n where n.parent_hash = r.token_hash and n.used_at is null), false) as race
from refresh_tokens r join token_families f on f.id = r.family_id join people p on p.id = f.person_id
where r.token_hash = $1 and f.client_id = $2`,
    values: [input.oldHash, input.clientId, input.apiId, input.authMethodId, input.issuerHost],
  });
  return row ?? null;
}

/** Whose refresh token this is, a used one too; null: nobody's. */
export async function findRefreshTokenPerson(tokenHash: Uint8Array): Promise<string | null> {
  const [row] = await query<{ personId: string }>({
    name: 'refresh-person',
    text: `select f.person_id as "personId" from refresh_tokens r join token_families f on f.id = r.family_id
where r.token_hash = $1`,
    values: [tokenHash],
  });
  return row?.personId ?? null;
}

/** Ends a family and everything in it. */
export async function revokeFamily(
  familyId: string,
  reason: string,
  event: string,
  context: { requestId: string; ip: string | null },
): Promise<boolean> {
  const rows = await query({
    name: 'family-revoke',
    text: `
with revoked as (
  update token_families set revoked_at = now(), revoked_reason = $2 where id = $1::uuid and revoked_at is null
  returning id, person_id, client_id, api_id, auth_method_id
)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
select $3, person_id, client_id, api_id, auth_method_id, $4, $5, jsonb_build_object('family', id, 'reason', $2::text)
from revoked returning id`,
    values: [familyId, reason, event, context.requestId, context.ip],
  });
  return rows.length > 0;
}

export type NewFamily = Binding & {
  familyId: string;
  personId: string;
  /** the person's and the method's epochs when the password was checked */
  personEpoch: string;
  methodEpoch: string;
  scopes: string[];
  refreshHash: Uint8Array;
  opaqueHash: Uint8Array | null;
  /** keys of the limits that the check of the password was counted under: it was right, so it does not count */
  attempts: string[];
};

/** The password grant's family, or null: the subscription is not approved and trusted, or the sign-in was ended since. */
export async function createFamily(input: NewFamily): Promise<{ authTime: Date } | null> {
  const [row] = await query<{ authTime: Date }>({
    name: 'family-create',
    text: `
with taken_back as (
  ${takeBack('$12')}
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    issuer_host, expires_at)
  select $1::uuid, p.id, s.client_id, s.api_id, m.auth_method_id, 'password', $7::text[], now(),
    ${epochNow({ basis: "'password'", consentEpoch: '0' })}, $14::text, now() + make_interval(secs => a.refresh_family_ttl)
  from ${BASES}, apis a, auth_methods v
  where p.id = $2::uuid and p.disabled_at is null and p.epoch = $6 and v.id = $5 and v.epoch = $13 and cl.client_id = $3 and cl.disabled_at is null
    and s.client_id = $3 and s.api_id = $4 and s.state = 'approved' and s.trusted
    and m.auth_method_id = $5 and m.api_id = $4 and a.id = $4
  returning id, auth_time, scopes, api_id, expires_at
), refresh as (
  insert into refresh_tokens (token_hash, family_id, expires_at)
  select $8, f.id, least(now() + make_interval(secs => a.refresh_token_ttl), f.expires_at)
  from family f join apis a on a.id = f.api_id
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, expires_at)
  select $9, f.id, f.scopes, now() + make_interval(secs => a.access_token_ttl)
  from family f join apis a on a.id = f.api_id where $9::bytea is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', $2::uuid, $3, $4, $5, $10, $11,
    jsonb_build_object('grant_type', 'password', 'family', id) from family
)
select auth_time as "authTime" from family`,
    values: [
      input.familyId,
      input.personId,
      input.clientId,
      input.apiId,
      input.authMethodId,
      input.personEpoch,
      input.scopes,
      input.refreshHash,
      input.opaqueHash,
      input.requestId,
      input.ip,
      input.attempts,
      input.methodEpoch,
      input.issuerHost,
    ],
  });
  return row ?? null;
}
