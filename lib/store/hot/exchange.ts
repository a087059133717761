// Statements for token exchange and ID-JAGs.

import type { AcrLevel } from '#lib/registry/claims.ts';
import type { Run } from '../pool.ts';
import { confirmVersion, SEEN, stands } from '../snapshot.ts';
import { statement } from '../statement.ts';
import {
  BASE,
  BASES,
  epochNow,
  isFor,
  isTooWeakFor,
  type KeyBinding,
  mayHaveScopes,
  reachesApi,
  restsOn,
  type SignInStrength,
  STRENGTH_KEPT,
  strengthKept,
} from './validity.ts';

// An exchanged token (RFC 8693) starts a new token family. It expires no later than the token families and tokens that
// it was exchanged from, and every lookup checks those, too (validity.ts). The client is trusted at the API, or the
// user has delegated this API to it.

export type Exchange = {
  /** snapshot version of the request */
  version: string;
  basis: 'exchange' | 'delegation';
  familyId: string;
  personId: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  scopes: string[];
  authTime: Date;
  /** expiry of the subject token, in seconds since 1970 */
  notAfter: number;
  /**
   * revocation counters (epochs) when a broker's ID token was checked; null: the subject token's family is checked
   * instead
   */
  epochs: { person: string; method: string } | null;
  /** null: the subject token is a broker's ID token */
  subject: {
    familyId: string;
    jti: string | null;
    opaqueHash: Uint8Array | null;
  } | null;
  exchangeDepth: number;
  ceilings: Record<string, string[]> | null;
  act: Record<string, unknown> | null;
  /** sign-in strength of the subject token, which the new token inherits */
  strength: SignInStrength;
  /** true: rejects users with a second factor, because the sign-in skipped it */
  asksFactor: boolean;
  opaqueHash: Uint8Array | null;
  requestId: string;
  ip: string | null;
} & Pick<KeyBinding, 'jkt'>;

type Value = Readonly<Record<'notAfter' | 'scopes', string>>;

/** For each basis of the new token: extra tables, condition, token expiry, and event details. */
const ON = {
  exchange: {
    name: 'token-exchange',
    from: '',
    where: () => 's.trusted',
    end: (value: Value) => `to_timestamp(${value.notAfter})`,
    told: '',
  },
  delegation: {
    name: 'token-exchange-delegation',
    from: ', delegations d',
    where: (value: Value) => `d.person_id = p.id and d.client_id = cl.client_id and d.api_id = s.api_id
    and delegation_end(d.client_id, d.api_id, d.given_at, d.until) > now() and d.scopes @> ${value.scopes} and cl.confidential`,
    end: (value: Value) =>
      `to_timestamp(${value.notAfter}), delegation_end(d.client_id, d.api_id, d.given_at, d.until)`,
    told: ", 'by', 'delegation'",
  },
};

const exchangeOn = (basis: Exchange['basis']) =>
  statement({
    name: ON[basis].name,
    takes: {
      familyId: 'uuid',
      personId: 'uuid',
      clientId: 'text',
      apiId: 'text',
      authMethodId: 'text',
      scopes: 'text[]',
      authTime: 'timestamptz',
      notAfter: 'float8',
      parentId: 'uuid?',
      act: 'jsonb?',
      opaqueHash: 'bytea?',
      requestId: 'text',
      ip: 'text?',
      subjectJti: 'text?',
      subjectHash: 'bytea?',
      exchangeDepth: 'int',
      ceilings: 'jsonb?',
      personEpoch: 'bigint?',
      methodEpoch: 'bigint?',
      acrLevel: 'smallint?',
      amr: 'text[]?',
      asksFactor: 'boolean',
      version: 'bigint',
      jkt: 'bytea?',
    },
    returns: { ...SEEN, expiresAt: 'int?', needsFactor: 'boolean' },
    text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at,
    parent_id, act, epoch, subject_jti, subject_hash, exchange_depth, ceilings, acr_level, amr)
  select ${value.familyId}, p.id, s.client_id, s.api_id, m.auth_method_id, '${basis}', ${value.scopes}, ${value.authTime},
    date_trunc('second', least(now() + make_interval(secs => a.access_token_ttl), ${ON[basis].end(value)})), ${value.parentId}, ${value.act},
    ${epochNow({ ...BASE, basis: `'${basis}'`, consentEpoch: '0', delegationEpoch: basis === 'delegation' ? 'd.epoch' : undefined })}, ${value.subjectJti}, ${value.subjectHash}, ${value.exchangeDepth}, ${value.ceilings}, ${value.acrLevel}, ${value.amr}
  from asked q, ${BASES}, apis a, auth_methods v${ON[basis].from}
  where q.stands and p.id = ${value.personId} and p.disabled_at is null and (${value.personEpoch} is null or (p.epoch = ${value.personEpoch} and v.epoch = ${value.methodEpoch}))
    and v.id = ${value.authMethodId}
    and cl.client_id = ${value.clientId} and cl.disabled_at is null
    and s.client_id = ${value.clientId} and s.api_id = ${value.apiId} and s.state = 'approved' and ${ON[basis].where(value)}
    and ${isFor({ subscription: 's', personId: 'p.id', authMethodId: 'm.auth_method_id' })} and ${mayHaveScopes({ combination: 'm', personId: 'p.id', scopes: value.scopes })}
    and m.api_id = ${value.apiId} and m.auth_method_id = ${value.authMethodId} and a.id = ${value.apiId} and to_timestamp(${value.notAfter}) > now()
    and (${value.parentId} is null or exists (select 1 from token_families where id = ${value.parentId} and revoked_at is null))
    and ${reachesApi({ api: 'a', level: value.acrLevel })} and not ${isTooWeakFor({ api: 'a', scopes: value.scopes, level: value.acrLevel })}
    and (not ${value.asksFactor} or p.factor_level = 0)
  returning id, expires_at, scopes
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, jkt, expires_at)
  select ${value.opaqueHash}, id, scopes, ${value.jkt}, expires_at from family where ${value.opaqueHash} is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.exchanged', ${value.personId}, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip},
    jsonb_build_object('family', id, 'from', case when ${value.parentId} is null then 'id_token' else 'access_token' end, 'act', ${value.act}${ON[basis].told}) from family
)
select q.version::text, q.stands, (select extract(epoch from expires_at)::int from family) as "expiresAt",
  ${value.asksFactor} and exists (select 1 from people where id = ${value.personId} and factor_level > 0) as "needsFactor" from asked q`,
  });

const EXCHANGES = { exchange: exchangeOn('exchange'), delegation: exchangeOn('delegation') };

/**
 * Returns the expiry of the new token, in seconds since 1970. 'has-factor': the API requires the user's second factor,
 * which the sign-in skipped. Null: the subject token is no longer active, or this user is not admitted. Throws
 * RegistryChanged if the registry changed since the request; nothing was issued.
 */
export async function exchangeToken(input: Exchange, run?: Run): Promise<number | 'has-factor' | null> {
  const askedAt = performance.now();
  const { act, ceilings, subject, epochs, strength, jkt = null, ...given } = input;
  const [row] = await EXCHANGES[input.basis](
    {
      ...given,
      ...strength,
      jkt,
      act: act === null ? null : JSON.stringify(act),
      ceilings: ceilings === null ? null : JSON.stringify(ceilings),
      parentId: subject?.familyId ?? null,
      subjectJti: subject?.jti ?? null,
      subjectHash: subject?.opaqueHash ?? null,
      personEpoch: epochs?.person ?? null,
      methodEpoch: epochs?.method ?? null,
    },
    run,
  );
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  return row.expiresAt ?? (row.needsFactor ? 'has-factor' : null);
}

const delegationFind = statement({
  name: 'delegation-find',
  takes: { personId: 'uuid', clientId: 'text', apiId: 'text' },
  returns: { scopes: 'text[]' },
  text: (value) => `select scopes from delegations
      where person_id = ${value.personId} and client_id = ${value.clientId} and api_id = ${value.apiId} and delegation_end(client_id, api_id, given_at, until) > now()`,
});

/** Returns the scopes that are currently delegated to the client at this API; null: none. */
export async function findDelegatedScopes(
  personId: string,
  clientId: string,
  apiId: string,
): Promise<string[] | null> {
  const [row] = await delegationFind({ personId, clientId, apiId });
  return row?.scopes ?? null;
}

// A sign-in that Gatehouse asserts to another service (draft-ietf-oauth-identity-assertion-authz-grant §4.3). Gatehouse
// stores only the audit event of such an assertion (ID-JAG).

export type Vouching = {
  version: string;
  personId: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** separate host of the issuer that signs the assertion; null: the issuer's address under `AUTH_URL` */
  issuerHost: string | null;
  /** id of the token family, or sign-in data of an ID token: time in seconds since 1970, session, strength */
  signIn: { familyId: string } | { authTime: number; sid: string | null; level: AcrLevel };
  /** the other service's issuer */
  audience: string;
  requestId: string;
  ip: string | null;
};

/** The sign-in that an identity assertion names. `authTime`: in seconds since 1970. */
type Vouched = { authTime: number } & SignInStrength;

const familyVouch = statement({
  name: 'family-vouch',
  takes: {
    version: 'bigint',
    personId: 'uuid',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    familyId: 'uuid?',
    authTime: 'int?',
    sid: 'uuid?',
    requestId: 'text',
    ip: 'text?',
    audience: 'text',
    issuerHost: 'text?',
    level: 'smallint?',
  },
  returns: {
    ...SEEN,
    /** seconds since 1970; null: the token family is inactive */
    authTime: 'int?',
    ...STRENGTH_KEPT,
  },
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), living as (
  select f.id, floor(extract(epoch from f.auth_time))::int as auth_time, f.acr_level,
    coalesce(f.amr, array(select jsonb_array_elements_text(f.openid -> 'amr'))) as amr
  from asked q, token_families f, ${BASES}
  where q.stands and f.person_id = ${value.personId} and f.client_id = ${value.clientId} and f.api_id = ${value.apiId} and f.auth_method_id = ${value.authMethodId}
    and f.issuer_host is not distinct from ${value.issuerHost}
    and f.revoked_at is null and f.expires_at > now() and f.basis in ('consent', 'trust', 'password') and ${restsOn({ of: 'f', ...BASE })}
    and case when ${value.familyId} is null then f.openid is not null and floor(extract(epoch from f.auth_time))::int = ${value.authTime}
      and (${value.sid} is null or f.sid = ${value.sid}) and coalesce(f.acr_level, 1) >= ${value.level} else f.id = ${value.familyId} end
  -- a session that was raised has families of several levels: none is stronger than what the ID token came with
  order by coalesce(f.acr_level, 1) limit 1
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'id_jag.issued', ${value.personId}, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip}, jsonb_build_object('family', id, 'audience', ${value.audience}) from living
)
select q.version::text, q.stands, l.auth_time as "authTime", ${strengthKept('l')} from asked q left join living l on true`,
});

/**
 * Records an identity assertion for this sign-in if its token family is active. Returns null if the token family is
 * inactive, or comes from an exchange or another service's assertion. Throws RegistryChanged if the registry changed
 * since the request.
 */
export async function vouchForSignIn(input: Vouching): Promise<Vouched | null> {
  const { signIn } = input;
  const [familyId, authTime, sid, level] =
    'familyId' in signIn
      ? [signIn.familyId, null, null, null]
      : [null, signIn.authTime, signIn.sid, signIn.level];
  const askedAt = performance.now();
  const [row] = await familyVouch({
    ...input,
    familyId,
    authTime,
    sid,
    level,
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  const { authTime: at, acrLevel, amr } = row;
  return at === null ? null : { authTime: at, acrLevel, amr };
}
