// Authorization codes. One statement redeems a code, and its WHERE contains every binding, so exactly one of N parallel
// callers gets a row. Callers pass hashes, never codes.

import { confirmVersion, SEEN, stands } from '../snapshot.ts';
import { batchedStatement, narrowTo, type RowOf, statement } from '../statement.ts';
import { type OpenIdFacts, openIdFacts } from './person-facts.ts';
import {
  allowedSeconds,
  BASE,
  BASES,
  boundTo,
  isFor,
  isShutOut,
  isTooWeakFor,
  type KeyBinding,
  keepsScopeOfGroups,
  reachesApi,
  restsOn,
  type SignInStrength,
  STRENGTH_KEPT,
  scopesOfGroups,
  strengthKept,
} from './validity.ts';

export type RedeemCode = {
  /** snapshot version of the request */
  version: string;
  codeHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** origin of the issuer's separate host if it was called; null: the issuer's address under `AUTH_URL` was called */
  issuerHost: string | null;
  /** redirect URI of the token request */
  redirectUri: string | null;
  /** S256 hash of the code verifier in the token request */
  codeChallenge: string | null;
  /** true: some scopes of the API require a sign-in level */
  strictScopes: boolean;
  familyId: string;
  refreshHash: Uint8Array | null;
  /** true: the refresh token stays valid until its token family ends */
  keepsRefresh?: boolean;
  /** true: the token family ends with the session, unless it has the scope `offline_access` */
  endsWithSession?: boolean;
  opaqueHash: Uint8Array | null;
  requestId: string;
  ip: string | null;
} & KeyBinding;

export type Redeemed = SignInStrength & {
  personId: string;
  scopes: string[];
  authTime: Date;
  /** null: not an `openid` request */
  openid: OpenIdFacts | null;
};

/** Lifetime of a device's tokens: 30 days, even if the API's refresh tokens live longer. */
const DEVICE_SECONDS = 2_592_000;

const redeem = batchedStatement({
  name: 'code-redeem',
  takes: {
    version: 'bigint',
    hash: 'bytea',
    client: 'text',
    api: 'text',
    authMethod: 'text',
    redirect: 'text?',
    challenge: 'text?',
    newFamily: 'uuid',
    refreshHash: 'bytea?',
    opaqueHash: 'bytea?',
    requestId: 'text',
    ip: 'text?',
    issuerHost: 'text?',
    strictScopes: 'boolean',
    jkt: 'bytea?',
    refreshJkt: 'bytea?',
    endsWithSession: 'boolean',
    keepsRefresh: 'boolean',
  },
  returns: { ...SEEN, n: 'int' },
  leftJoined: {
    redeemed: 'found',
    personId: 'uuid',
    scopes: 'text[]',
    authTime: 'timestamptz',
    openid: narrowTo<OpenIdFacts>('jsonb?'),
    ...STRENGTH_KEPT,
  },
  text: (items) => `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.client')} as stands
  from ${items}, directory_version v where v.id = 1
), held as materialized (
  -- who signs this session out waits, and then finds the family; in one order, so that two of these never wait for each other
  select x.id_hash from sessions x where x.ended_at is null and x.id_hash in (
    select c.session_hash from asked q join codes c on c.code_hash = q.hash where c.openid is not null or q.ends_with_session)
  order by x.id_hash for share
), used as (
  update codes c set used_at = now(), family_id = q.new_family
  from asked q, ${BASES}, apis a
  where q.stands
    and c.code_hash = q.hash and c.client_id = q.client and c.api_id = q.api and c.auth_method_id = q.auth_method
    and c.issuer_host is not distinct from q.issuer_host
    and (q.redirect is null or c.redirect_uri = q.redirect)
    and c.code_challenge is not distinct from q.challenge
    and (c.dpop_jkt is null or c.dpop_jkt = q.jkt)
    and c.used_at is null and c.revoked_at is null and c.expires_at > now()
    and ${restsOn({ of: 'c', ...BASE })}
    and (c.session_hash is null or case when c.openid is null and not q.ends_with_session
      then exists (select 1 from sessions x where x.id_hash = c.session_hash and x.ended_at is null)
      else c.session_hash in (select id_hash from held) end)
    and a.id = c.api_id and ${reachesApi({ api: 'a', level: 'c.acr_level' })}
    and not (q.strict_scopes and ${isTooWeakFor({ api: 'a', scopes: scopesOfGroups({ combination: 'm', personId: 'c.person_id', scopes: 'c.scopes' }), level: 'c.acr_level' })})
    and ${keepsScopeOfGroups({ combination: 'm', personId: 'c.person_id', scopes: 'c.scopes' })}
  returning q.*, c.person_id, c.client_id, c.api_id, c.auth_method_id, c.basis, ${scopesOfGroups({ combination: 'm', personId: 'c.person_id', scopes: 'c.scopes' })} as scopes,
    c.auth_time,
    c.epoch, c.acr_level, c.amr, a.access_token_ttl, a.refresh_token_ttl,
    least(a.refresh_family_ttl, ${allowedSeconds({ of: 'c', subscription: 's' })}, case c.basis when 'device' then ${DEVICE_SECONDS} end,
      case when q.ends_with_session and not 'offline_access' = any (c.scopes) then
        coalesce((select extract(epoch from x.expires_at - now()) from sessions x where x.id_hash = c.session_hash),
          a.access_token_ttl) end) as refresh_family_ttl, ${openIdFacts('c')} as openid,
    (select x.sid from sessions x where x.id_hash = c.session_hash) as sid
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    sid, openid, issuer_host, acr_level, amr, dpop_jkt, expires_at)
  select new_family, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch, sid, openid - 'nonce',
    issuer_host, acr_level, amr, refresh_jkt, now() + make_interval(
    secs => case when refresh_hash is null then access_token_ttl else refresh_family_ttl end) from used
), refresh as (
  insert into refresh_tokens (token_hash, family_id, expires_at)
  select refresh_hash, new_family, now() + make_interval(secs => case when keeps_refresh then refresh_family_ttl
    else least(refresh_token_ttl, refresh_family_ttl) end) from used
  where refresh_hash is not null
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, jkt, expires_at)
  select opaque_hash, new_family, scopes, jkt, now() + make_interval(secs => access_token_ttl) from used
  where opaque_hash is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', person_id, client_id, api_id, auth_method_id, request_id, ip,
    jsonb_build_object('grant_type', case basis when 'device' then 'urn:ietf:params:oauth:grant-type:device_code'
      else 'authorization_code' end, 'family', new_family) from used
)
select q.n::int, q.current::text as version, q.stands, u.n is not null as redeemed, u.person_id as "personId", u.scopes,
  u.auth_time as "authTime", u.openid,
  ${strengthKept('u')}
from asked q left join used u on u.n = q.n`,
  lockKey: ({ codeHash }) => codeHash,
  values: (redemption: RedeemCode) => ({
    ...redemption,
    hash: redemption.codeHash,
    client: redemption.clientId,
    api: redemption.apiId,
    authMethod: redemption.authMethodId,
    redirect: redemption.redirectUri,
    challenge: redemption.codeChallenge,
    newFamily: redemption.familyId,
    ...boundTo(redemption),
    endsWithSession: redemption.endsWithSession ?? false,
    keepsRefresh: redemption.keepsRefresh ?? false,
  }),
});

/**
 * Redeems the code, and creates a token family with its tokens. Returns null, without a change, if the code cannot be
 * redeemed.
 */
export async function redeemCode(input: RedeemCode): Promise<Redeemed | null> {
  const askedAt = performance.now();
  const row = await redeem(input);
  confirmVersion(row, askedAt);
  if (!row.redeemed) return null;
  const { version, stands, redeemed, ...facts } = row;
  return facts;
}

/** Reason for a rejected code. `null`: the code is redeemable now. */
export type CodeRefusal =
  | 'code-unknown'
  | 'code-other-issuer'
  | 'code-used'
  | 'code-revoked'
  | 'code-other-redirect-uri'
  | 'code-expired'
  | 'code-other-key'
  | 'verifier-not-expected'
  | 'verifier-missing'
  | 'verifier-wrong'
  | 'person-refused'
  | 'acr-too-low'
  | null;

const codeRefuse = statement({
  name: 'code-refuse',
  takes: {
    codeHash: 'bytea',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    redirectUri: 'text?',
    codeChallenge: 'text?',
    requestId: 'text',
    ip: 'text?',
    issuerHost: 'text?',
    jkt: 'bytea?',
  },
  returns: { reused: 'boolean', reason: narrowTo<NonNullable<CodeRefusal>>('text?') },
  text: (value) => `
with own as (
  select c.*, c.api_id = ${value.apiId} and c.auth_method_id = ${value.authMethodId}
    and c.issuer_host is not distinct from ${value.issuerHost} as same_issuer, c.code_challenge is not distinct from ${value.codeChallenge} as same_challenge
  from codes c where c.code_hash = ${value.codeHash} and c.client_id = ${value.clientId}
), revoked as (
  update token_families f set revoked_at = now(), revoked_reason = 'code reused' from own
  where own.same_issuer and own.same_challenge and own.used_at is not null and f.id = own.family_id and f.revoked_at is null
  returning f.id, f.person_id
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'code.reused', person_id, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip}, jsonb_build_object('family', id) from revoked
)
select exists (select from revoked) as reused, case
  when not same_issuer then 'code-other-issuer'
  when used_at is not null then 'code-used'
  when revoked_at is not null then 'code-revoked'
  when redirect_uri <> ${value.redirectUri} then 'code-other-redirect-uri'
  when not same_challenge then
    case when code_challenge is null then 'verifier-not-expected' when ${value.codeChallenge} is null then 'verifier-missing' else 'verifier-wrong' end
  when expires_at <= now() then 'code-expired'
  when dpop_jkt <> ${value.jkt} or (dpop_jkt is not null and ${value.jkt} is null) then 'code-other-key'
  when exists (select from subscriptions s where s.client_id = own.client_id and s.api_id = own.api_id
    and not ${isFor({ subscription: 's', personId: 'own.person_id', authMethodId: 'own.auth_method_id' })}) or ${isShutOut('own', 'own.scopes')} then 'person-refused'
  when not ${reachesApi({ api: 'a', level: 'own.acr_level' })} or ${isTooWeakFor({ api: 'a', scopes: 'own.scopes', level: 'own.acr_level' })} then 'acr-too-low' end as reason
from own left join apis a on a.id = own.api_id`,
});

/**
 * Returns the reason for the rejection. If the client repeats a used code with the correct verifier, the tokens of the
 * code are revoked (RFC 6749 §4.1.2). `reused`: this call revoked them.
 */
export async function refuseCode(
  input: Omit<
    RedeemCode,
    | 'version'
    | 'strictScopes'
    | 'familyId'
    | 'refreshHash'
    | 'opaqueHash'
    | 'refreshJkt'
    | 'endsWithSession'
    | 'keepsRefresh'
  >,
): Promise<RowOf<typeof codeRefuse>> {
  const [row] = await codeRefuse({
    ...input,
    jkt: input.jkt ?? null,
  });
  return row ?? { reason: 'code-unknown', reused: false };
}
