// Authorization codes. Redeeming is one statement that holds every binding in its WHERE: of N parallel callers
// exactly one gets a row. Hashes come in, never codes.
import { batched } from './batch.ts';
import { query } from './pool.ts';
import { stands } from './registry-changes.ts';
import { confirmVersion, type Seen } from './snapshot.ts';
import { BASES, epochNow, restsOn } from './validity.ts';

export type NewCode = {
  codeHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  personId: string;
  /** as it was when the person proved who they are */
  personEpoch: string;
  redirectUri: string;
  scopes: string[];
  scopeAsked: boolean;
  codeChallenge: string | null;
  authTime: Date;
  requestId: string;
  ip: string | null;
};

/** A code without a session, for a trusted subscription alone. False: the person, client or subscription says no by now. */
export async function issueTrustedCode(code: NewCode): Promise<boolean> {
  const rows = await query({
    name: 'code-issue-trusted',
    text: `
with issued as (
  insert into codes (code_hash, client_id, api_id, auth_method_id, person_id, redirect_uri, scopes, scope_asked,
    code_challenge, basis, auth_time, expires_at, epoch)
  select $1, s.client_id, s.api_id, m.auth_method_id, p.id, $6, $7::text[], $8, $9, 'trust', $10,
    now() + interval '60 seconds', ${epochNow({ basis: "'trust'", consentEpoch: '0' })}
  from ${BASES}
  where p.id = $5::uuid and p.disabled_at is null and p.epoch = $11 and cl.client_id = $2 and cl.disabled_at is null
    and s.client_id = $2 and s.api_id = $3 and s.state = 'approved' and s.trusted
    and m.auth_method_id = $4 and m.api_id = $3
  returning client_id, api_id, auth_method_id, person_id
)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip)
select 'code.issued', person_id, client_id, api_id, auth_method_id, $12, $13 from issued returning 1`,
    values: [
      code.codeHash,
      code.clientId,
      code.apiId,
      code.authMethodId,
      code.personId,
      code.redirectUri,
      code.scopes,
      code.scopeAsked,
      code.codeChallenge,
      code.authTime,
      code.personEpoch,
      code.requestId,
      code.ip,
    ],
  });
  return rows.length === 1;
}

/** Was this challenge seen before from this client? */
export async function isChallengeUsed(clientId: string, codeChallenge: string): Promise<boolean> {
  const rows = await query({
    name: 'challenge-used',
    text: 'select 1 from codes where code_challenge = $1 and client_id = $2 limit 1',
    values: [codeChallenge, clientId],
  });
  return rows.length > 0;
}

export type RedeemCode = {
  /** of the registry that the request relied on */
  version: string;
  codeHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** the one that the token request sent, if any */
  redirectUri: string | null;
  /** S256 of the verifier, if one was sent */
  codeChallenge: string | null;
  familyId: string;
  refreshHash: Uint8Array | null;
  opaqueHash: Uint8Array | null;
  requestId: string;
  ip: string | null;
};

export type Redeemed = { personId: string; scopes: string[]; scopeAsked: boolean; authTime: Date };

const redeem = batched<RedeemCode, Redeemed & Seen & { n: number; redeemed: boolean }>({
  name: 'code-redeem',
  text: `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.client')} as stands
  from unnest($1::bigint[], $2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::uuid[],
      $9::bytea[], $10::bytea[], $11::text[], $12::text[]) with ordinality
    as q(version, hash, client, api, auth_method, redirect, challenge, new_family, refresh_hash, opaque_hash,
      request_id, ip, n), directory_version v where v.id = 1
), used as (
  update codes c set used_at = now(), family_id = q.new_family
  from asked q, ${BASES}, apis a
  where q.stands
    and c.code_hash = q.hash and c.client_id = q.client and c.api_id = q.api and c.auth_method_id = q.auth_method
    and (q.redirect is null or c.redirect_uri = q.redirect)
    and c.code_challenge is not distinct from q.challenge
    and c.used_at is null and c.revoked_at is null and c.expires_at > now()
    and ${restsOn('c')}
    and (c.session_hash is null
      or exists (select 1 from sessions x where x.id_hash = c.session_hash and x.ended_at is null))
    and a.id = c.api_id
  returning q.*, c.person_id, c.client_id, c.api_id, c.auth_method_id, c.basis, c.scopes, c.scope_asked, c.auth_time,
    c.epoch, a.access_token_ttl, a.refresh_token_ttl, a.refresh_family_ttl
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    expires_at)
  select new_family, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch, now() + make_interval(
    secs => case when refresh_hash is null then access_token_ttl else refresh_family_ttl end) from used
), refresh as (
  insert into refresh_tokens (token_hash, family_id, expires_at)
  select refresh_hash, new_family, now() + make_interval(secs => least(refresh_token_ttl, refresh_family_ttl)) from used
  where refresh_hash is not null
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, expires_at)
  select opaque_hash, new_family, scopes, now() + make_interval(secs => access_token_ttl) from used
  where opaque_hash is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', person_id, client_id, api_id, auth_method_id, request_id, ip,
    jsonb_build_object('grant_type', 'authorization_code', 'family', new_family) from used
)
select q.n::int, q.current::text as version, q.stands, u.n is not null as redeemed, u.person_id as "personId", u.scopes,
  u.scope_asked as "scopeAsked", u.auth_time as "authTime"
from asked q left join used u on u.n = q.n`,
  lockKey: (one) => one.codeHash,
  values: (one) => [
    one.version,
    one.codeHash,
    one.clientId,
    one.apiId,
    one.authMethodId,
    one.redirectUri,
    one.codeChallenge,
    one.familyId,
    one.refreshHash,
    one.opaqueHash,
    one.requestId,
    one.ip,
  ],
});

/** Uses the code and creates its family and tokens, or does nothing and gives null. */
export async function redeemCode(input: RedeemCode): Promise<Redeemed | null> {
  const askedAt = performance.now();
  const { version, stands, redeemed, ...facts } = await redeem(input);
  confirmVersion(input.version, { version, stands }, askedAt);
  return redeemed ? facts : null;
}

/** A used code comes again from its own client with its own verifier: all that it gave ends (RFC 6749 §4.1.2). */
export async function revokeReusedCode(
  input: Pick<
    RedeemCode,
    'codeHash' | 'clientId' | 'apiId' | 'authMethodId' | 'codeChallenge' | 'requestId' | 'ip'
  >,
): Promise<boolean> {
  const rows = await query({
    name: 'code-reused',
    text: `
with revoked as (
  update token_families f set revoked_at = now(), revoked_reason = 'code reused' from codes c
  where c.code_hash = $1 and c.client_id = $2 and c.api_id = $3 and c.auth_method_id = $4
    and c.code_challenge is not distinct from $5::text and c.used_at is not null
    and f.id = c.family_id and f.revoked_at is null
  returning f.id, f.person_id
)
insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
select 'code.reused', person_id, $2, $3, $4, $6, $7, jsonb_build_object('family', id) from revoked returning id`,
    values: [
      input.codeHash,
      input.clientId,
      input.apiId,
      input.authMethodId,
      input.codeChallenge,
      input.requestId,
      input.ip,
    ],
  });
  return rows.length > 0;
}
