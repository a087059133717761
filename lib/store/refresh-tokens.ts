// Token families and refresh tokens. Rotation is one statement: mark used, insert the successor, say what the answer
// needs. The unique parent makes a second successor impossible; every check of validity joins the family.
import { query } from './pool.ts';

type Binding = {
  clientId: string;
  apiId: string;
  authMethodId: string;
  requestId: string;
  ip: string | null;
};

export type Rotation = Binding & {
  oldHash: Uint8Array;
  newHash: Uint8Array;
  opaqueHash: Uint8Array | null;
  /** a narrower scope for this access token; null: the family's */
  scopes: string[] | null;
  /** the subscription's ceiling */
  ceiling: string[];
};

export type Rotated = { familyId: string; personId: string; scopes: string[]; authTime: Date };

const ROTATE = `
with used as (
  update refresh_tokens r set used_at = now()
  from token_families f, clients cl, subscriptions s, people p, apis a
  where r.token_hash = $1 and r.used_at is null and r.expires_at > now()
    and f.id = r.family_id and f.revoked_at is null and f.expires_at > now()
    and f.client_id = $3 and f.api_id = $4 and f.auth_method_id = $5
    and ($6::text[] is null or f.scopes @> $6::text[])
    and cl.client_id = f.client_id and cl.disabled_at is null
    and s.client_id = f.client_id and s.api_id = f.api_id and s.state = 'approved'
    and (f.basis = 'consent' or s.trusted)
    and p.id = f.person_id and p.disabled_at is null and a.id = f.api_id
  returning f.id as family_id, f.person_id, f.auth_time, f.expires_at as family_end, a.access_token_ttl,
    a.refresh_token_ttl,
    array(select o from unnest(coalesce($6::text[], f.scopes)) as o where o = any ($8::text[])) as scopes
), successor as (
  insert into refresh_tokens (token_hash, family_id, parent_hash, expires_at)
  select $2, family_id, $1, least(now() + make_interval(secs => refresh_token_ttl), family_end) from used
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, expires_at)
  select $7, family_id, scopes, now() + make_interval(secs => access_token_ttl) from used where $7::bytea is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.refreshed', person_id, $3, $4, $5, $9, $10, jsonb_build_object('family', family_id) from used
)
select family_id as "familyId", person_id as "personId", scopes, auth_time as "authTime" from used`;

/** Uses the old token and stores its successor, or does nothing and gives null. */
export async function rotateRefreshToken(input: Rotation): Promise<Rotated | null> {
  const [row] = await query<Rotated>({
    name: 'refresh-rotate',
    text: ROTATE,
    values: [
      input.oldHash,
      input.newHash,
      input.clientId,
      input.apiId,
      input.authMethodId,
      input.scopes,
      input.opaqueHash,
      input.ceiling,
      input.requestId,
      input.ip,
    ],
  });
  return row ?? null;
}

export type RefreshFacts = {
  own: boolean;
  valid: boolean;
  used: boolean;
  /** used less than 10 s ago, and the successor unused: two honest callers, not a thief */
  race: boolean;
  basis: string;
  scopes: string[];
  familyId: string;
};

/** Why a rotation found nothing, for the token's own client; null: unknown. */
export async function explainRefreshToken(
  input: Pick<Rotation, 'oldHash' | 'clientId' | 'apiId' | 'authMethodId'>,
): Promise<RefreshFacts | null> {
  const [row] = await query<RefreshFacts>({
    name: 'refresh-explain',
    text: `
select f.client_id = $2 and f.api_id = $3 and f.auth_method_id = $4 as own, f.basis, f.scopes, f.id as "familyId",
  r.used_at is not null as used,
  f.revoked_at is null and f.expires_at > now() and r.expires_at > now() and p.disabled_at is null as valid,
  coalesce(r.used_at > now() - interval '10 seconds' and exists
    (select 1 from refresh_tokens n where n.parent_hash = r.token_hash and n.used_at is null), false) as race
from refresh_tokens r join token_families f on f.id = r.family_id join people p on p.id = f.person_id
where r.token_hash = $1`,
    values: [input.oldHash, input.clientId, input.apiId, input.authMethodId],
  });
  return row ?? null;
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
  basis: 'password';
  scopes: string[];
  refreshHash: Uint8Array;
  opaqueHash: Uint8Array | null;
};

/** A sign-in without a code (the password grant): only with an approved trusted subscription, or nothing. */
export async function createFamily(input: NewFamily): Promise<{ authTime: Date } | null> {
  const [row] = await query<{ authTime: Date }>({
    name: 'family-create',
    text: `
with family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
  select $1::uuid, p.id, s.client_id, s.api_id, $5, $6, $7::text[], now(),
    now() + make_interval(secs => a.refresh_family_ttl)
  from people p, subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
  where p.id = $2::uuid and p.disabled_at is null and s.client_id = $3 and s.api_id = $4 and s.state = 'approved'
    and s.trusted and c.disabled_at is null
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
      input.basis,
      input.scopes,
      input.refreshHash,
      input.opaqueHash,
      input.requestId,
      input.ip,
    ],
  });
  return row ?? null;
}
