// An exchanged token (RFC 8693) gets a family of its own, which lives no longer than any family and token that it came from:
// every lookup asks for those too (validity.ts). The client is trusted at the API, or the person lets it act there.
import { query } from '../database/index.ts';
import { confirmVersion, type Seen, stands } from '../registry/index.ts';
import { isTooWeakFor, reachesApi, type SignInStrength } from './strength.ts';
import { BASES, epochNow, isFor } from './validity.ts';

export type Exchange = {
  /** of the snapshot that the request relied on */
  version: string;
  basis: 'exchange' | 'delegation';
  familyId: string;
  personId: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  scopes: string[];
  authTime: Date;
  /** the subject token's end, in seconds since 1970 */
  notAfter: number;
  /** of a broker's ID token, as they were when it was read; null: the subject token's family is asked instead */
  epochs: { person: string; method: string } | null;
  /** null: a broker's ID token */
  subject: {
    familyId: string;
    jti: string | null;
    opaqueHash: Uint8Array | null;
  } | null;
  exchangeDepth: number;
  ceilings: Record<string, string[]> | null;
  act: Record<string, unknown> | null;
  /** of the sign-in that the subject token rests on: the new one has the same */
  strength: SignInStrength;
  /** people who have a second factor get nothing: the sign-in did without */
  asksFactor: boolean;
  opaqueHash: Uint8Array | null;
  requestId: string;
  ip: string | null;
};

/** What is particular to each basis: tables besides, the condition, the end of the token, what is told. */
const ON = {
  exchange: {
    name: 'token-exchange',
    from: '',
    where: 's.trusted',
    end: 'to_timestamp($8)',
    told: '',
  },
  delegation: {
    name: 'token-exchange-delegation',
    from: ', delegations d',
    where: `d.person_id = p.id and d.client_id = cl.client_id and d.api_id = s.api_id
    and delegation_end(d.client_id, d.api_id, d.given_at, d.until) > now() and d.scopes @> $6::text[] and cl.confidential`,
    end: 'to_timestamp($8), delegation_end(d.client_id, d.api_id, d.given_at, d.until)',
    told: ", 'by', 'delegation'",
  },
};

const exchangeOn = (basis: Exchange['basis']) => `
with asked as (
  select v.version, ${stands('$23::bigint', '$3::text')} as stands from directory_version v where v.id = 1
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at,
    parent_id, act, epoch, subject_jti, subject_hash, exchange_depth, ceilings, acr_level, amr)
  select $1::uuid, p.id, s.client_id, s.api_id, m.auth_method_id, '${basis}', $6::text[], $7,
    date_trunc('second', least(now() + make_interval(secs => a.access_token_ttl), ${ON[basis].end})), $9::uuid, $10::jsonb,
    ${epochNow({ basis: `'${basis}'`, consentEpoch: '0', delegationEpoch: basis === 'delegation' ? 'd.epoch' : undefined })}, $14, $15, $16, $17::jsonb, $20, $21::text[]
  from asked q, ${BASES}, apis a, auth_methods v${ON[basis].from}
  where q.stands and p.id = $2::uuid and p.disabled_at is null and ($18::bigint is null or (p.epoch = $18 and v.epoch = $19))
    and v.id = $5
    and cl.client_id = $3 and cl.disabled_at is null
    and s.client_id = $3 and s.api_id = $4 and s.state = 'approved' and ${ON[basis].where}
    and ${isFor('p.id', 'm.auth_method_id')}
    and m.api_id = $4 and m.auth_method_id = $5 and a.id = $4 and to_timestamp($8) > now()
    and ($9::uuid is null or exists (select 1 from token_families where id = $9::uuid and revoked_at is null))
    and ${reachesApi('$20::smallint')} and not ${isTooWeakFor('$6::text[]', '$20::smallint')}
    and (not $22::boolean or p.factor_level = 0)
  returning id, expires_at, scopes
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, expires_at)
  select $11, id, scopes, expires_at from family where $11::bytea is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.exchanged', $2::uuid, $3, $4, $5, $12, $13,
    jsonb_build_object('family', id, 'from', case when $9::uuid is null then 'id_token' else 'access_token' end, 'act', $10::jsonb${ON[basis].told}) from family
)
select q.version::text, q.stands, (select extract(epoch from expires_at)::int from family) as "expiresAt",
  $22::boolean and exists (select 1 from people where id = $2::uuid and factor_level > 0) as "needsFactor" from asked q`;

const TEXTS = { exchange: exchangeOn('exchange'), delegation: exchangeOn('delegation') };

/**
 * When the new token ends, in seconds since 1970; 'has-factor': the API asks for the person's second factor, which the sign-in did
 * without; null: what it rests on has ended meanwhile, or it is not for this person. RegistryChanged where what the request relied on
 * has changed; nothing was given then.
 */
export async function exchangeToken(input: Exchange): Promise<number | 'has-factor' | null> {
  const askedAt = performance.now();
  const [row] = await query<Seen & { expiresAt: number | null; needsFactor: boolean }>({
    name: ON[input.basis].name,
    text: TEXTS[input.basis],
    values: [
      input.familyId,
      input.personId,
      input.clientId,
      input.apiId,
      input.authMethodId,
      input.scopes,
      input.authTime,
      input.notAfter,
      input.subject?.familyId ?? null,
      input.act === null ? null : JSON.stringify(input.act),
      input.opaqueHash,
      input.requestId,
      input.ip,
      input.subject?.jti ?? null,
      input.subject?.opaqueHash ?? null,
      input.exchangeDepth,
      input.ceilings === null ? null : JSON.stringify(input.ceilings),
      input.epochs?.person ?? null,
      input.epochs?.method ?? null,
      input.strength.acrLevel,
      input.strength.amr,
      input.asksFactor,
      input.version,
    ],
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  return row.expiresAt ?? (row.needsFactor ? 'has-factor' : null);
}

/** What the person lets the client do at the API now; null: nothing. */
export async function findDelegatedScopes(
  personId: string,
  clientId: string,
  apiId: string,
): Promise<string[] | null> {
  const [row] = await query<{ scopes: string[] }>({
    name: 'delegation-find',
    text: `select scopes from delegations
      where person_id = $1 and client_id = $2 and api_id = $3 and delegation_end(client_id, api_id, given_at, until) > now()`,
    values: [personId, clientId, apiId],
  });
  return row?.scopes ?? null;
}
