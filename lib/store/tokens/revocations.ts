// What a client ends itself (RFC 7009). Requests that arrive together share a statement, and each ends no more than its
// own client's. Rows are locked in the order of their keys, here and in endings.ts, so that no two statements wait for
// each other.
import { batched } from '../database/batch.ts';
import type { Access } from './live-tokens.ts';

type Revocation = { clientId: string; requestId: string; ip: string | null };
type ByRefreshToken = Revocation & { tokenHash: Uint8Array };
type OfAccessToken = Revocation & { access: Access };

const revokeFamilies = batched<ByRefreshToken, { n: number }>()({
  name: 'revoke-refresh',
  takes: { hash: 'bytea', clientId: 'text', requestId: 'text', ip: 'text?' },
  text: (items) => `
with asked as (
  select q.* from ${items}
), held as materialized (
  select f.id from asked q join refresh_tokens r on r.token_hash = q.hash
    join token_families f on f.id = r.family_id and f.client_id = q.client_id
  where f.revoked_at is null order by f.id for no key update of f
), revoked as (
  update token_families f set revoked_at = now(), revoked_reason = 'revoked by client'
  from held h, refresh_tokens r, asked q
  where f.id = h.id and r.family_id = f.id and r.token_hash = q.hash and f.client_id = q.client_id and f.revoked_at is null
  returning f.id, f.person_id, f.client_id, f.api_id, f.auth_method_id, q.request_id, q.ip
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.revoked', person_id, client_id, api_id, auth_method_id, request_id, ip, jsonb_build_object('family', id)
  from revoked
)
select n::int from asked`,
  values: ({ tokenHash, ...one }) => ({ ...one, hash: tokenHash }),
});

const revokeTokens = batched<OfAccessToken, { n: number }>()({
  name: 'revoke-access',
  takes: {
    opaqueHash: 'bytea?',
    clientId: 'text',
    jti: 'text?',
    expiresAt: 'int',
    jwtFamily: 'uuid?',
    requestId: 'text',
    ip: 'text?',
  },
  text: (items) => `
with asked as (
  select q.*, f.id as family, f.person_id, f.api_id, f.auth_method_id
  from ${items}
    left join opaque_tokens o on o.token_hash = q.opaque_hash
    left join token_families f on f.id = coalesce(o.family_id, q.jwt_family) and f.client_id = q.client_id
), held_tokens as materialized (
  select o.token_hash from opaque_tokens o where o.revoked_at is null
    and o.token_hash in (select q.opaque_hash from asked q where q.family is not null)
  order by o.token_hash for no key update
), opaque as (
  update opaque_tokens o set revoked_at = now() from held_tokens h
  where o.token_hash = h.token_hash and o.revoked_at is null returning o.token_hash
), jwt as (
  insert into revoked_tokens (jti, expires_at)
  select q.jti, to_timestamp(q.expires_at) from asked q where q.family is not null and q.jti is not null order by q.jti
  on conflict do nothing returning jti
), ended as materialized (
  select distinct on (q.opaque_hash, q.jti) q.* from asked q
  where q.family is not null and (q.opaque_hash in (select token_hash from opaque) or q.jti in (select jti from jwt))
  order by q.opaque_hash, q.jti, q.n
), held_families as materialized (
  select x.id from ended e join token_families x on x.parent_id = e.family
    and (x.subject_hash = e.opaque_hash or x.subject_jti = e.jti)
  where x.revoked_at is null order by x.id for no key update of x
), exchanged as (
  update token_families x set revoked_at = now(), revoked_reason = 'subject revoked' from held_families h
  where x.id = h.id and x.revoked_at is null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.revoked', person_id, client_id, api_id, auth_method_id, request_id, ip,
    jsonb_build_object('family', family) from ended
)
select n::int from asked`,
  values: ({ access, ...one }) => ({
    ...one,
    opaqueHash: access.opaqueHash,
    jti: access.jti ?? null,
    expiresAt: access.expiresAt,
    jwtFamily: access.familyId,
  }),
});

/** Ends the family of a client's own refresh token, used ones too (RFC 7009 §2.1). */
export async function revokeByRefreshToken(input: ByRefreshToken): Promise<void> {
  await revokeFamilies(input);
}

/** Ends one access token of the client's own, and what was exchanged for it. */
export async function revokeAccessToken(input: OfAccessToken): Promise<void> {
  await revokeTokens(input);
}
