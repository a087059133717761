// Access tokens of users and of machine clients: lookups, new machine tokens, revocations. One statement checks every
// row that can end a token: token family, user, client, subscription, and the token itself.

import { keepMade } from '#lib/kit/process.ts';
import { confirmClient, confirmVersion, SEEN, stands } from '../snapshot.ts';
import { batchedStatement, narrowTo, type RowOf } from '../statement.ts';
import type { OpenIdFacts } from './person-facts.ts';
import {
  ancestorsLive,
  BASE,
  BASES,
  type Basis,
  type KeyBinding,
  keepsScopeOfGroups,
  machineEpoch,
  machineRestsOn,
  mayBeMachine,
  restsOn,
  type SignInStrength,
  STRENGTH_KEPT,
  scopesOfGroups,
  strengthKept,
  thumbprintText,
} from './validity.ts';

// An active token before the proof of its key is checked. Callers must call `open`, so they cannot ignore `cnf`
// (RFC 9449 §7).

/** The token's issuer and API. */
type Place = { apiId: string; authMethodId: string; issuerHost: string | null };

/**
 * A token with the facts that a proof of its key is checked against. `jkt`: the thumbprint of the key that the token
 * is bound to, base64url; null: a bearer token.
 */
type Lockable = Place & { jkt: string | null };

export class LockedToken<Token extends Lockable> {
  readonly #token: Token;
  readonly jkt: string | null;

  constructor(token: Token) {
    this.#token = token;
    this.jkt = token.jkt;
  }

  get place(): Place {
    const { apiId, authMethodId, issuerHost } = this.#token;
    return { apiId, authMethodId, issuerHost };
  }

  /**
   * Returns the token for a verified proof of its key. Bearer tokens require no proof. Returns null if the proof is
   * missing, or proves a different key.
   */
  open(proof: { readonly jkt: Uint8Array } | null): Token | null {
    const proved = proof && Buffer.from(proof.jkt).toString('base64url');
    return this.jkt === null || this.jkt === proved ? this.#token : null;
  }

  /**
   * Returns the token without checking a proof: for introspection, whose caller checks the proof itself (RFC 9449
   * §6.2), and for the token's audience.
   */
  inspect(): Token {
    return this.#token;
  }
}

type Access = {
  opaqueHash: Uint8Array | null;
  familyId: string | null;
  jti?: string;
  scopes: string[];
  issuedAt: number;
  expiresAt: number;
  /** for a JWT: thumbprint of its key, base64url */
  jkt?: string;
};

export type LiveToken = SignInStrength & {
  familyId: string;
  personId: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /**
   * origin of the issuer host at which the sign-in started; null: it started at the issuer's address under `AUTH_URL`
   */
  issuerHost: string | null;
  basis: Basis;
  /** scopes currently allowed by the user's groups */
  scopes: string[];
  issuedAt: number;
  expiresAt: number;
  authTime: number;
  /** null: family without `openid` scope */
  openid: OpenIdFacts | null;
  /** actor (RFC 8693 §4.1); null: only the client acts */
  act: Record<string, unknown> | null;
  /**
   * id of the client that may act for the user by a delegation: the caller, or the only such client (RFC 8693 §4.4);
   * null: none
   */
  mayAct: string | null;
  /** number of token exchanges since the sign-in */
  exchangeDepth: number;
  /** scope limits for exchanges back to an earlier API */
  ceilings: Record<string, string[]> | null;
  /** thumbprint of the bound key, base64url; null: bearer token */
  jkt: string | null;
};

type LiveTokenAsked = {
  version: string;
  /** the calling client, whose registry entries are also confirmed; null: an API calls */
  askedBy: string | null;
  refreshHash: Uint8Array | null;
  access: Access | null;
};

/**
 * Query for a token whose proof may be used once. `proof`: proof of the bound key. For JWTs, the caller has already
 * compared the key.
 */
type LiveTokenAskedOnce = LiveTokenAsked & { proof: { hash: Uint8Array; jkt: Uint8Array } };

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
const LIVE_RETURNS = {
  ...SEEN,
  n: 'int',
  known: 'boolean',
  /** null only for an inactive token, and otherwise the scopes that the user's groups permit */
  scopes: 'text[]?',
  issuedAt: 'int',
  expiresAt: 'int',
  key: 'bytea?',
} as const;
const LIVE_JOINED = {
  live: 'found',
  familyId: 'uuid',
  personId: 'uuid',
  clientId: 'text',
  apiId: 'text',
  authMethodId: 'text',
  issuerHost: 'text?',
  basis: narrowTo<Basis>('text'),
  authTime: 'int',
  openid: narrowTo<OpenIdFacts>('jsonb?'),
  act: narrowTo<Record<string, unknown>>('jsonb?'),
  mayAct: 'text?',
  exchangeDepth: 'int',
  ceilings: narrowTo<Record<string, string[]>>('jsonb?'),
  ...STRENGTH_KEPT,
} as const;
const valuesOf = ({ access, ...one }: LiveTokenAsked) => ({
  ...one,
  opaqueHash: access?.opaqueHash ?? null,
  jwtFamily: access?.familyId ?? null,
  jti: access?.jti ?? null,
  scopeList: access?.scopes.join(' ') ?? null,
  issuedAt: access?.issuedAt ?? 0,
  expiresAt: access?.expiresAt ?? 0,
});

const askedCte = (items: string) => `
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
/** SQL: the scopes with which this access token was issued. */
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
  f.basis, ${scopesOfGroups({ combination: 'm', personId: 'f.person_id', scopes: GIVEN })} as scopes,
  coalesce(floor(extract(epoch from coalesce(q.opaque_issued, q.refresh_issued)))::int, q.issued_at) as "issuedAt",
  coalesce(floor(extract(epoch from coalesce(q.opaque_expires, q.refresh_expires)))::int, q.expires_at) as "expiresAt",
  floor(extract(epoch from f.auth_time))::int as "authTime"
from asked q left join (token_families f cross join ${BASES.replaceAll(', ', ' cross join ')})
  on f.id = q.family and f.revoked_at is null and ${restsOn({ of: 'f', ...BASE })} and ${ancestorsLive('f')}
    and ${keepsScopeOfGroups({ combination: 'm', personId: 'f.person_id', scopes: GIVEN })}
    and (q.refresh_hash is null or (q.refresh_used is null and q.refresh_expires > now() and f.expires_at > now()))
    and (q.opaque_hash is null or (q.opaque_revoked is null and q.opaque_expires > now()))
    and (q.jwt_family is null or (to_timestamp(q.expires_at) > now()
      and not exists (select 1 from revoked_tokens t where t.jti = q.jti)))`;

const findLive = batchedStatement({
  name: 'token-live',
  takes: TAKES,
  returns: LIVE_RETURNS,
  leftJoined: LIVE_JOINED,
  text: (items) => askedCte(items) + LIVE,
  values: valuesOf,
});

/** Seconds for which a used proof is remembered: the lifetime of a nonce, which limits the validity of a proof. */
const PROOF_SECONDS = 180;

// rows are locked in a fixed order, so concurrent batches cannot deadlock
const findLiveOnce = batchedStatement({
  name: 'token-live-once',
  takes: { ...TAKES, proofHash: 'bytea', proofJkt: 'bytea' },
  returns: { ...LIVE_RETURNS, first: 'boolean' },
  leftJoined: LIVE_JOINED,
  text: (items) => `${askedCte(items)}, found as (${LIVE}
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
  values: ({ proof, ...one }: LiveTokenAskedOnce) => ({
    ...valuesOf(one),
    proofHash: proof.hash,
    proofJkt: proof.jkt,
  }),
});

/**
 * `known`: Gatehouse issued the token, active or not; JWTs are recognized by their signature. Throws RegistryChanged if
 * the shared registry, the calling client or the token's client changed since this version.
 */
export async function findToken(input: LiveTokenAsked): Promise<FoundLive> {
  const askedAt = performance.now();
  return foundBy(input, await findLive(input), askedAt);
}

type FoundLive = { live: LockedToken<LiveToken> | null; known: boolean };

async function foundBy(
  input: LiveTokenAsked,
  row: RowOf<typeof findLive>,
  askedAt: number,
): Promise<FoundLive> {
  confirmVersion(row, askedAt);
  if (!row.live) return { live: null, known: row.known };
  const { version, stands, live, known, key, ...facts } = row;
  // the registry entries of the client determine the `sub` that the client receives for this user
  if (version !== input.version) await confirmClient(input.version, facts.clientId);
  const jkt = thumbprintText(key) ?? input.access?.jkt ?? null;
  return { live: new LockedToken({ ...facts, scopes: facts.scopes ?? [], jkt }), known };
}

/**
 * Finds an active token whose proof was not used in any process. Calls `noteFirst` immediately if this is the first use
 * (RFC 9449 §11.1). An inactive token does not mark the proof as used.
 */
export async function findLiveTokenOnce(
  input: LiveTokenAskedOnce,
  noteFirst: () => void,
): Promise<LockedToken<LiveToken> | null> {
  const askedAt = performance.now();
  const { first, ...row } = await findLiveOnce(input);
  if (first) noteFirst();
  return (await foundBy(input, row, askedAt)).live;
}

export const findLiveToken = async (input: LiveTokenAsked): Promise<LockedToken<LiveToken> | null> =>
  (await findToken(input)).live;

// Access tokens of machine clients (RFC 6749 §4.4). Issuance, lookup and revocation each use one statement, which
// checks everything that the token depends on (validity.ts). No statement about users' tokens reads or writes this
// table.

/** Limit of active tokens per client, so that a client that requests a token before each call cannot fill the table. */
const MOST_LIVING = 10_000;

/**
 * Counting thousands of rows costs more than the rest of the statement. A client below half of the limit therefore gets
 * a share of tokens that a process issues without a count. Each further process can exceed the limit by one share.
 */
const SHARE = 100;
const SHARE_MS = 5_000;
const shares = keepMade<{ left: number; until: number }>('shares of machine tokens', 10_000);

const MACHINE_TABLES = `clients ${BASE.client} cross join subscriptions ${BASE.subscription} cross join combinations ${BASE.combination}`;

export type NewMachineToken = {
  /** snapshot version of the request */
  version: string;
  tokenHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** origin of the issuer's separate host if it was called; null: the issuer's address under `AUTH_URL` was called */
  issuerHost: string | null;
  scopes: string[];
  requestId: string;
  ip: string | null;
} & Pick<KeyBinding, 'jkt'>;

const giveMachine = batchedStatement({
  name: 'machine-give',
  takes: {
    version: 'bigint',
    tokenHash: 'bytea',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    scopeList: 'text',
    requestId: 'text',
    ip: 'text?',
    issuerHost: 'text?',
    jkt: 'bytea?',
    counts: 'boolean',
  },
  returns: { ...SEEN, n: 'int', given: 'boolean', living: 'int?' },
  text: (items) => `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.client_id')} as stands,
    array(select name from unnest(string_to_array(q.scope_list, ' ')) as name where name <> '') as scopes,
    case when q.counts then (select count(*)::int from (select from machine_tokens t
      where t.client_id = q.client_id and t.expires_at > now() limit ${MOST_LIVING}) as living) end as living
  from ${items},
    directory_version v where v.id = 1
), given as (
  insert into machine_tokens (token_hash, client_id, api_id, auth_method_id, scopes, issuer_host, jkt, epoch, expires_at)
  select q.token_hash, q.client_id, q.api_id, q.auth_method_id, q.scopes, q.issuer_host, q.jkt, ${machineEpoch(BASE)},
    now() + make_interval(secs => a.access_token_ttl)
  from asked q cross join ${MACHINE_TABLES} cross join apis a
  where q.stands and coalesce(q.living, 0) < ${MOST_LIVING} and a.id = q.api_id and ${mayBeMachine({ of: 'q', ...BASE })}
  returning token_hash
), audit as (
  insert into audit_events (event, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', q.client_id, q.api_id, q.auth_method_id, q.request_id, q.ip,
    jsonb_build_object('grant_type', 'client_credentials')
  from given g join asked q on q.token_hash = g.token_hash
)
select q.n::int, q.current::text as version, q.stands, q.living, g.token_hash is not null as given
from asked q left join given g on g.token_hash = q.token_hash`,
  values: ({ jkt = null, ...one }: NewMachineToken & { counts: boolean }) => ({
    ...one,
    jkt,
    scopeList: one.scopes.join(' '),
  }),
});

/** Stores the token. `refused`: the client is not authorized; `full`: too many active tokens. */
export async function giveMachineToken(input: NewMachineToken): Promise<'given' | 'refused' | 'full'> {
  const askedAt = performance.now();
  const share = shares(input.clientId, () => ({ left: 0, until: 0 }));
  const counts = share.left <= 0 || askedAt > share.until;
  share.left -= 1;
  const { version, stands, given, living } = await giveMachine({ ...input, counts });
  if (living !== null) {
    share.left = living < MOST_LIVING / 2 ? SHARE : 0;
    share.until = askedAt + SHARE_MS;
  }
  confirmVersion({ version, stands }, askedAt);
  if (given) return 'given';
  return living === null || living < MOST_LIVING ? 'refused' : 'full';
}

export type LiveMachineToken = {
  clientId: string;
  apiId: string;
  authMethodId: string;
  /**
   * origin of the issuer's separate host at which the token was issued; null: issued at the issuer's address under
   * `AUTH_URL`
   */
  issuerHost: string | null;
  scopes: string[];
  /** time of issuance, in seconds since 1970 */
  issuedAt: number;
  expiresAt: number;
  /** thumbprint of the key that the token is bound to, base64url; null: a bearer token */
  jkt: string | null;
};

type MachineTokenAsked = {
  version: string;
  /** the calling client, whose registry entries are also confirmed; null: an API calls */
  askedBy: string | null;
  tokenHash: Uint8Array;
};

const findMachine = batchedStatement({
  name: 'machine-live',
  takes: { version: 'bigint', hash: 'bytea', askedBy: 'text?' },
  returns: { ...SEEN, n: 'int' },
  leftJoined: {
    live: 'found',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    issuerHost: 'text?',
    scopes: 'text[]',
    issuedAt: 'int',
    expiresAt: 'int',
    key: 'bytea?',
  },
  text: (items) => `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.asked_by')} as stands
  from ${items},
    directory_version v where v.id = 1
)
select q.n::int, q.current::text as version, q.stands, t.token_hash is not null as live, t.client_id as "clientId",
  t.api_id as "apiId", t.auth_method_id as "authMethodId", t.issuer_host as "issuerHost", t.scopes, t.jkt as key,
  floor(extract(epoch from t.issued_at))::int as "issuedAt", floor(extract(epoch from t.expires_at))::int as "expiresAt"
from asked q left join (machine_tokens t cross join ${MACHINE_TABLES})
  on t.token_hash = q.hash and t.expires_at > now() and ${machineRestsOn({ of: 't', ...BASE })}`,
  values: ({ version, tokenHash, askedBy }: MachineTokenAsked) => ({ version, hash: tokenHash, askedBy }),
});

/**
 * Finds an active machine token. Throws RegistryChanged if the shared registry or the calling client changed since this
 * version.
 */
export async function findLiveMachineToken(
  input: MachineTokenAsked,
): Promise<LockedToken<LiveMachineToken> | null> {
  const askedAt = performance.now();
  const row = await findMachine(input);
  confirmVersion(row, askedAt);
  if (!row.live) return null;
  const { version, stands, live, n: _, key, ...facts } = row;
  return new LockedToken({ ...facts, jkt: thumbprintText(key) });
}

type MachineRevocation = { tokenHash: Uint8Array; clientId: string; requestId: string; ip: string | null };

const revokeMachine = batchedStatement({
  name: 'machine-revoke',
  takes: { hash: 'bytea', clientId: 'text', requestId: 'text', ip: 'text?' },
  returns: { n: 'int' },
  text: (items) => `
with asked as (
  select q.* from ${items}
), held as materialized (
  select t.token_hash from machine_tokens t join asked q on q.hash = t.token_hash and q.client_id = t.client_id
  order by t.token_hash for update of t
), gone as (
  delete from machine_tokens t using held h where t.token_hash = h.token_hash
  returning t.token_hash, t.client_id, t.api_id, t.auth_method_id
), audit as (
  insert into audit_events (event, client_id, api_id, auth_method_id, request_id, ip)
  select distinct on (g.token_hash) 'token.revoked', g.client_id, g.api_id, g.auth_method_id, q.request_id, q.ip
  from gone g join asked q on q.hash = g.token_hash and q.client_id = g.client_id order by g.token_hash, q.n
)
select n::int from asked`,
  values: ({ tokenHash, ...one }: MachineRevocation) => ({ ...one, hash: tokenHash }),
});

/** Revokes a machine token of the client (RFC 7009). */
export async function revokeMachineToken(input: MachineRevocation): Promise<void> {
  await revokeMachine(input);
}

// Revocation by clients (RFC 7009). Concurrent requests share a statement, and each request revokes tokens of its own
// client only. This file and lib/store/endings.ts lock rows in key order, which prevents deadlocks.

type Revocation = { clientId: string; requestId: string; ip: string | null };
type ByRefreshToken = Revocation & { tokenHash: Uint8Array };
type OfAccessToken = Revocation & { access: Access };

const revokeFamilies = batchedStatement({
  name: 'revoke-refresh',
  takes: { hash: 'bytea', clientId: 'text', requestId: 'text', ip: 'text?' },
  returns: { n: 'int' },
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
  values: ({ tokenHash, ...one }: ByRefreshToken) => ({ ...one, hash: tokenHash }),
});

const revokeTokens = batchedStatement({
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
  returns: { n: 'int' },
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
  select x.id, e.request_id, e.ip from ended e join token_families x on x.parent_id = e.family
    and (x.subject_hash = e.opaque_hash or x.subject_jti = e.jti)
  where x.revoked_at is null order by x.id for no key update of x
), exchanged as (
  update token_families x set revoked_at = now(), revoked_reason = 'subject revoked' from held_families h
  where x.id = h.id and x.revoked_at is null returning x.*, h.request_id, h.ip
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.revoked', person_id, client_id, api_id, auth_method_id, request_id, ip,
    jsonb_build_object('family', family) from ended
  union all
  select 'token.revoked', person_id, client_id, api_id, auth_method_id, request_id, ip,
    jsonb_build_object('family', id, 'reason', 'subject revoked') from exchanged where expires_at > now()
)
select n::int from asked`,
  values: ({ access, ...one }: OfAccessToken) => ({
    ...one,
    opaqueHash: access.opaqueHash,
    jti: access.jti ?? null,
    expiresAt: access.expiresAt,
    jwtFamily: access.familyId,
  }),
});

/** Revokes the token family of the client's refresh token, even if that token was already used (RFC 7009 §2.1). */
export async function revokeByRefreshToken(input: ByRefreshToken): Promise<void> {
  await revokeFamilies(input);
}

/** Revokes the client’s access token and tokens exchanged for it. */
export async function revokeAccessToken(input: OfAccessToken): Promise<void> {
  await revokeTokens(input);
}
