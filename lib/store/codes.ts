// Authorization codes. Redeeming is one statement that holds every binding in its WHERE: of N parallel callers
// exactly one gets a row. Hashes come in, never codes.
import { query } from './pool.ts';

export type NewCode = {
  codeHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  personId: string;
  redirectUri: string;
  scopes: string[];
  scopeAsked: boolean;
  codeChallenge: string | null;
  basis: 'consent' | 'trust';
  authTime: Date;
  /** refuse a challenge that was used before (silent renewal) */
  freshChallenge: boolean;
  requestId: string;
  ip: string | null;
};

const ISSUE = `
with fresh as (
  select 1 where not $11 or $8::text is null or not exists
    (select 1 from codes where code_challenge = $8 and client_id = $2)
), person as (
  select p.id from people p, fresh where p.id = $5::uuid and p.disabled_at is null
), issued as (
  insert into codes (code_hash, client_id, api_id, auth_method_id, person_id, redirect_uri, scopes, scope_asked,
    code_challenge, basis, auth_time, expires_at)
  select $1, s.client_id, s.api_id, $4, person.id, $6, $7::text[], $12, $8, $9, $10, now() + interval '60 seconds'
  from person, subscriptions s join clients c using (client_id)
  where s.client_id = $2 and s.api_id = $3 and s.state = 'approved' and c.disabled_at is null
    and ($9 <> 'trust' or s.trusted)
  returning client_id, api_id, auth_method_id, person_id
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip)
  select 'code.issued', person_id, client_id, api_id, auth_method_id, $13, $14 from issued
)
select (select count(*)::int from issued) as issued, (select count(*)::int from fresh) as fresh`;

/** Facts: issued; or the challenge was used before; or the person, client or subscription says no by now. */
export async function issueCode(code: NewCode): Promise<'issued' | 'challenge-reused' | 'no-longer-allowed'> {
  const [row] = await query<{ issued: number; fresh: number }>({
    name: 'code-issue',
    text: ISSUE,
    values: [
      code.codeHash,
      code.clientId,
      code.apiId,
      code.authMethodId,
      code.personId,
      code.redirectUri,
      code.scopes,
      code.codeChallenge,
      code.basis,
      code.authTime,
      code.freshChallenge,
      code.scopeAsked,
      code.requestId,
      code.ip,
    ],
  });
  if (row?.issued === 1) return 'issued';
  return row?.fresh === 1 ? 'no-longer-allowed' : 'challenge-reused';
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

const REDEEM = `
with used as (
  update codes c set used_at = now(), family_id = $7
  from clients cl, subscriptions s, people p, apis a
  where c.code_hash = $1 and c.client_id = $2 and c.api_id = $3 and c.auth_method_id = $4
    and ($5::text is null or c.redirect_uri = $5)
    and c.code_challenge is not distinct from $6::text
    and c.used_at is null and c.revoked_at is null and c.expires_at > now()
    and cl.client_id = c.client_id and cl.disabled_at is null
    and s.client_id = c.client_id and s.api_id = c.api_id and s.state = 'approved'
    and (c.basis <> 'trust' or s.trusted)
    and p.id = c.person_id and p.disabled_at is null and a.id = c.api_id
  returning c.*, a.access_token_ttl, a.refresh_token_ttl, a.refresh_family_ttl
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
  select $7, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, now() + make_interval(secs =>
    case when $8::bytea is null then access_token_ttl else refresh_family_ttl end) from used
), refresh as (
  insert into refresh_tokens (token_hash, family_id, expires_at)
  select $8, $7, now() + make_interval(secs => least(refresh_token_ttl, refresh_family_ttl)) from used
  where $8::bytea is not null
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, expires_at)
  select $9, $7, scopes, now() + make_interval(secs => access_token_ttl) from used where $9::bytea is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', person_id, client_id, api_id, auth_method_id, $10, $11,
    jsonb_build_object('grant_type', 'authorization_code', 'family', $7::uuid) from used
)
select person_id as "personId", scopes, scope_asked as "scopeAsked", auth_time as "authTime" from used`;

/** Uses the code and creates its family and tokens, or does nothing and gives null. */
export async function redeemCode(input: RedeemCode): Promise<Redeemed | null> {
  const [row] = await query<Redeemed>({
    name: 'code-redeem',
    text: REDEEM,
    values: [
      input.codeHash,
      input.clientId,
      input.apiId,
      input.authMethodId,
      input.redirectUri,
      input.codeChallenge,
      input.familyId,
      input.refreshHash,
      input.opaqueHash,
      input.requestId,
      input.ip,
    ],
  });
  return row ?? null;
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
