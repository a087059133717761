// The family that a password grant gives (RFC 6749 §4.3), which a second factor ends.
import { query } from '../database/index.ts';
import { confirmVersion, type Seen, stands } from '../registry/index.ts';
import { takeBack } from './rate-limits.ts';
import type { TokenRequest } from './refresh-tokens.ts';
import { isTooWeakFor, reachesApi } from './strength.ts';
import { BASES, epochNow, isFor } from './validity.ts';

export type NewFamily = TokenRequest & {
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
  /** how strong the sign-in was is kept, because tokens of the API say it */
  keepsStrength: boolean;
};

/**
 * The password grant's family; 'has-factor': the person has a second factor since, or the API or a scope wants one by now; null: the
 * subscription is not approved and trusted, or not for this person, or the sign-in was ended since. Whoever adds a factor locks the person's row first:
 * with the lock here the family either begins before, and is ended with the others, or does not begin. RegistryChanged where what the
 * request relied on has changed while the password was checked; nothing was made then.
 */
export async function createFamily(input: NewFamily): Promise<{ authTime: Date } | 'has-factor' | null> {
  const askedAt = performance.now();
  const [row] = await query<Seen & { authTime: Date | null; needsFactor: boolean | null }>({
    name: 'family-create',
    text: `
with asked as (
  select v.version, ${stands('$16::bigint', '$3::text')} as stands from directory_version v where v.id = 1
), taken_back as (
  ${takeBack('$12')}
), person as materialized (
  select id, factor_level from people where id = $2::uuid for share
), needed as (
  select h.factor_level > 0 or coalesce(a.second_factor, v.config ->> 'second_factor', '') = 'required'
    or not ${reachesApi('1')} or ${isTooWeakFor('$7::text[]', '1')} as factor from person h, apis a, auth_methods v where a.id = $4 and v.id = $5
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    issuer_host, acr_level, amr, expires_at)
  select $1::uuid, p.id, s.client_id, s.api_id, m.auth_method_id, 'password', $7::text[], now(),
    ${epochNow({ basis: "'password'", consentEpoch: '0' })}, $14::text, case when $15 then 1 end, case when $15 then '{pwd}'::text[] end,
    now() + make_interval(secs => a.refresh_family_ttl)
  from asked q, ${BASES}, apis a, auth_methods v, needed
  where q.stands and not needed.factor and p.id = $2::uuid and p.disabled_at is null and p.epoch = $6 and v.id = $5 and v.epoch = $13 and cl.client_id = $3 and cl.disabled_at is null
    and s.client_id = $3 and s.api_id = $4 and s.state = 'approved' and s.trusted
    and ${isFor('p.id', 'm.auth_method_id')}
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
select q.version::text, q.stands, (select auth_time from family) as "authTime", (select factor from needed) as "needsFactor" from asked q`,
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
      input.keepsStrength,
      input.version,
    ],
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  if (row.authTime) return { authTime: row.authTime };
  return row.needsFactor ? 'has-factor' : null;
}
