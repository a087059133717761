// Is a token alive? One statement asks every row that could end it: family, person, client, subscription, and the token
// itself.
import { batched } from '../database/batch.ts';
import { stands } from '../registry/registry-changes.ts';
import { confirmClient, confirmVersion, type Seen } from '../registry/snapshot.ts';
import { thumbprintText } from './binding.ts';
import { LockedToken } from './locked-token.ts';
import type { OpenIdFacts } from './openid.ts';
import { type SignInStrength, strengthKept } from './strength.ts';
import { ancestorsLive, BASES, type Basis, keepsScopeOfGroups, restsOn, scopesOfGroups } from './validity.ts';

export type Access = {
  opaqueHash: Uint8Array | null;
  familyId: string | null;
  jti?: string;
  scopes: string[];
  issuedAt: number;
  expiresAt: number;
  /** of a JWT: the thumbprint of the key that it is bound to, base64url */
  jkt?: string;
};

export type LiveToken = SignInStrength & {
  familyId: string;
  personId: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** the origin of the issuer's own host that it began at; null: the path address */
  issuerHost: string | null;
  basis: Basis;
  /** that the person may have by their groups now */
  scopes: string[];
  issuedAt: number;
  expiresAt: number;
  authTime: number;
  /** null: the family is not of an `openid` request */
  openid: OpenIdFacts | null;
  /** RFC 8693 §4.1; null: only the client acts */
  act: Record<string, unknown> | null;
  /**
   * the client that the person lets act at this API: the one that asks, or the only one (RFC 8693 §4.4); null: neither
   */
  mayAct: string | null;
  /** exchanges from the sign-in to here */
  exchangeDepth: number;
  /** the most that it may become again at an API where it has been */
  ceilings: Record<string, string[]> | null;
  /** the thumbprint of the key that it is bound to, base64url; null: to none */
  jkt: string | null;
};

type Asked = {
  version: string;
  /** the client that asks, whose part of the registry is confirmed too; null: an API */
  askedBy: string | null;
  refreshHash: Uint8Array | null;
  access: Access | null;
};

/** `proof`: of the key that the token is bound to; a JWT's was compared with it. */
type AskedOnce = Asked & { proof: { hash: Uint8Array; jkt: Uint8Array } };

type Row = Omit<LiveToken, 'jkt'> &
  Seen & { n: number; live: boolean; known: boolean; key: Uint8Array | null };

const TAKES = {
  version: 'bigint',
  refreshHash: 'bytea?',
  opaqueHash: 'bytea?',
  jwtFamily: 'uuid?',
  jti: 'text?',
  scopeList: 'text?',
  issuedAt: 'int',
  expiresAt: 'int',
  askedBy: 'text?',
} as const;
const valuesOf = ({ access, ...one }: Asked) => ({
  ...one,
  opaqueHash: access?.opaqueHash ?? null,
  jwtFamily: access?.familyId ?? null,
  jti: access?.jti ?? null,
  scopeList: access?.scopes.join(' ') ?? null,
  issuedAt: access?.issuedAt ?? 0,
  expiresAt: access?.expiresAt ?? 0,
});

const asked = (items: string) => `
with asked as (
  select q.*, string_to_array(q.scope_list, ' ') as scopes, v.version as current, ${stands('q.version', 'q.asked_by')} as stands,
    r.expires_at as refresh_expires,
    r.issued_at as refresh_issued, r.used_at as refresh_used, o.expires_at as opaque_expires,
    o.issued_at as opaque_issued, o.revoked_at as opaque_revoked, o.scopes as opaque_scopes, o.jkt,
    coalesce(q.jwt_family, r.family_id, o.family_id) as family
  from ${items}
    cross join (select version from directory_version where id = 1) v
    left join refresh_tokens r on r.token_hash = q.refresh_hash
    left join opaque_tokens o on o.token_hash = q.opaque_hash
)`;
/** Those that it was given with. */
const GIVEN = `coalesce(q.opaque_scopes, case when q.jwt_family is null then f.scopes else q.scopes end)`;
const LIVE = `
select q.n::int, q.current::text as version, q.stands, f.id is not null as live,
  q.family is not null as known, f.id as "familyId", f.act,
  (select case when bool_or(d.client_id = q.asked_by) then q.asked_by when count(*) = 1 then min(d.client_id) end
    from delegations d where d.person_id = f.person_id and d.api_id = f.api_id
      and delegation_end(d.client_id, d.api_id, d.given_at, d.until) > now()) as "mayAct",
  f.exchange_depth as "exchangeDepth", f.ceilings, f.openid, ${strengthKept('f')},
  f.person_id as "personId", f.client_id as "clientId", f.api_id as "apiId", f.auth_method_id as "authMethodId",
  f.issuer_host as "issuerHost", case when q.refresh_hash is null then q.jkt else f.dpop_jkt end as key,
  f.basis, ${scopesOfGroups('f.person_id', GIVEN)} as scopes,
  coalesce(floor(extract(epoch from coalesce(q.opaque_issued, q.refresh_issued)))::int, q.issued_at) as "issuedAt",
  coalesce(floor(extract(epoch from coalesce(q.opaque_expires, q.refresh_expires)))::int, q.expires_at) as "expiresAt",
  floor(extract(epoch from f.auth_time))::int as "authTime"
from asked q left join (token_families f cross join ${BASES.replaceAll(', ', ' cross join ')})
  on f.id = q.family and f.revoked_at is null and ${restsOn('f')} and ${ancestorsLive('f')}
    and ${keepsScopeOfGroups('f.person_id', GIVEN)}
    and (q.refresh_hash is null or (q.refresh_used is null and q.refresh_expires > now() and f.expires_at > now()))
    and (q.opaque_hash is null or (q.opaque_revoked is null and q.opaque_expires > now()))
    and (q.jwt_family is null or (to_timestamp(q.expires_at) > now()
      and not exists (select 1 from revoked_tokens t where t.jti = q.jti)))`;

const find = batched<Asked, Row>()({
  name: 'token-live',
  takes: TAKES,
  text: (items) => asked(items) + LIVE,
  values: valuesOf,
});

/** As long as a proof is good at the longest: until its nonce ends. */
const PROOF_SECONDS = 180;

// in one order, so that no two batches wait for each other
const findOnce = batched<AskedOnce, Row & { first: boolean }>()({
  name: 'token-live-once',
  takes: { ...TAKES, proofHash: 'bytea', proofJkt: 'bytea' },
  text: (items) => `${asked(items)}, found as (${LIVE}
), good as (
  select distinct on (q.proof_hash) q.proof_hash, q.n from asked q join found l on l.n = q.n
  where q.stands and l.live and (q.opaque_hash is null or l.key = q.proof_jkt) order by q.proof_hash, q.n
), fresh as (
  insert into used_proofs (id_hash, expires_at)
  select proof_hash, now() + make_interval(secs => ${PROOF_SECONDS}) from good order by proof_hash
  on conflict do nothing returning id_hash
)
select l.*, exists (select from fresh join good on good.proof_hash = fresh.id_hash where good.n = l.n) as first
from found l`,
  values: ({ proof, ...one }) => ({ ...valuesOf(one), proofHash: proof.hash, proofJkt: proof.jkt }),
});

/**
 * `known`: this service gave it, whether or not it lives; a JWT is known by its signature.
 * RegistryChanged where what all clients share, the client that asks, or the token's has changed since this version.
 */
export async function findToken(input: Asked): Promise<Found> {
  const askedAt = performance.now();
  return foundBy(input, await find(input), askedAt);
}

type Found = { live: LockedToken<LiveToken> | null; known: boolean };

async function foundBy(input: Asked, row: Row, askedAt: number): Promise<Found> {
  const { version, stands, live, known, key, ...facts } = row;
  confirmVersion({ version, stands }, askedAt);
  if (!live) return { live: null, known };
  // by which `sub` the token's client knows the person is in its part of the registry
  if (version !== input.version) await confirmClient(input.version, facts.clientId);
  const jkt = thumbprintText(key) ?? input.access?.jkt ?? null;
  return { live: new LockedToken({ ...facts, jkt }), known };
}

/**
 * A living token whose proof was not used before, at any process; `noteFirst` hears at once that this was its first use
 * (RFC 9449 §11.1). A token that does not live uses nothing up.
 */
export async function findLiveTokenOnce(
  input: AskedOnce,
  noteFirst: () => void,
): Promise<LockedToken<LiveToken> | null> {
  const askedAt = performance.now();
  const { first, ...row } = await findOnce(input);
  if (first) noteFirst();
  return (await foundBy(input, row, askedAt)).live;
}

export const findLiveToken = async (input: Asked): Promise<LockedToken<LiveToken> | null> =>
  (await findToken(input)).live;
