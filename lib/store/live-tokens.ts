// Does a token still live? Every row that could say no is asked in the one statement: family, person, client,
// subscription, and the token itself.
import { query } from './pool.ts';

type Access = {
  opaqueHash: Uint8Array | null;
  familyId: string | null;
  jti?: string;
  scopes: string[];
  issuedAt: number;
  expiresAt: number;
};

export type LiveToken = {
  familyId: string;
  personId: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  scopes: string[];
  issuedAt: number;
  expiresAt: number;
  authTime: number;
  /** who acts for the person, where that is not the client alone (RFC 8693 §4.1) */
  act: Record<string, unknown> | null;
};

const FIND = `
select f.id as "familyId", f.act, f.person_id as "personId", f.client_id as "clientId", f.api_id as "apiId", f.auth_method_id as "authMethodId",
  coalesce(o.scopes, case when $3::uuid is null then f.scopes else $5::text[] end) as scopes,
  coalesce(floor(extract(epoch from o.issued_at))::int, floor(extract(epoch from r.issued_at))::int, $6::int) as "issuedAt",
  coalesce(floor(extract(epoch from o.expires_at))::int, floor(extract(epoch from r.expires_at))::int, $7::int) as "expiresAt",
  floor(extract(epoch from f.auth_time))::int as "authTime"
from token_families f
  left join refresh_tokens r on r.token_hash = $1 and r.family_id = f.id
  left join opaque_tokens o on o.token_hash = $2 and o.family_id = f.id
  join people p on p.id = f.person_id join clients c on c.client_id = f.client_id
  join subscriptions s on s.client_id = f.client_id and s.api_id = f.api_id
where f.id = coalesce($3::uuid, (select family_id from refresh_tokens where token_hash = $1),
    (select family_id from opaque_tokens where token_hash = $2))
  and f.revoked_at is null and p.disabled_at is null and c.disabled_at is null and s.state = 'approved'
  and (f.basis = 'consent' or s.trusted)
  and ($1::bytea is null or (r.used_at is null and r.expires_at > now() and f.expires_at > now()))
  and ($2::bytea is null or (o.revoked_at is null and o.expires_at > now()))
  and ($3::uuid is null or (to_timestamp($7) > now() and not exists (select 1 from revoked_tokens where jti = $4)))`;

export async function findLiveToken(input: {
  refreshHash: Uint8Array | null;
  access: Access | null;
}): Promise<LiveToken | null> {
  const { refreshHash, access } = input;
  const [row] = await query<LiveToken>({
    name: 'token-live',
    text: FIND,
    values: [
      refreshHash,
      access?.opaqueHash ?? null,
      access?.familyId ?? null,
      access?.jti ?? null,
      access?.scopes ?? [],
      access?.issuedAt ?? 0,
      access?.expiresAt ?? 0,
    ],
  });
  return row ?? null;
}

type Revocation = { clientId: string; requestId: string; ip: string | null };

/** Ends the family of a client's own refresh token, used ones too (RFC 7009 §2.1). */
export async function revokeByRefreshToken(input: Revocation & { tokenHash: Uint8Array }): Promise<void> {
  await query({
    name: 'revoke-refresh',
    text: `
with revoked as (
  update token_families f set revoked_at = now(), revoked_reason = 'revoked by client' from refresh_tokens r
  where r.token_hash = $1 and f.id = r.family_id and f.client_id = $2 and f.revoked_at is null
  returning f.id, f.person_id, f.client_id, f.api_id, f.auth_method_id
)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
select 'token.revoked', person_id, client_id, api_id, auth_method_id, $3, $4, jsonb_build_object('family', id) from revoked`,
    values: [input.tokenHash, input.clientId, input.requestId, input.ip],
  });
}

/** Ends one access token of the client's own. */
export async function revokeAccessToken(input: Revocation & { access: Access }): Promise<void> {
  const { access } = input;
  await query({
    name: 'revoke-access',
    text: `
with opaque as (
  update opaque_tokens o set revoked_at = now() from token_families f
  where o.token_hash = $1 and f.id = o.family_id and f.client_id = $2 and o.revoked_at is null returning f.id
), jwt as (
  insert into revoked_tokens (jti, expires_at) select $3, to_timestamp($4) from token_families f
  where f.id = $5::uuid and f.client_id = $2 and $3::text is not null on conflict do nothing returning $5::uuid as id
)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
select 'token.revoked', person_id, client_id, api_id, auth_method_id, $6, $7, jsonb_build_object('family', id)
from token_families where id in (select id from opaque union select id from jwt)`,
    values: [
      access.opaqueHash,
      input.clientId,
      access.jti ?? null,
      access.expiresAt,
      access.familyId,
      input.requestId,
      input.ip,
    ],
  });
}
