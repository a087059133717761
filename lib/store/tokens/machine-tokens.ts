// Access tokens of clients in their own name (RFC 6749 §4.4): given, looked up, revoked, each by one statement that
// asks everything they rest on (validity.ts). No statement about people's tokens touches this table.
import { batched } from '../database/batch.ts';
import { stands } from '../registry/registry-changes.ts';
import { confirmVersion, type Seen } from '../registry/snapshot.ts';
import { type KeyBinding, thumbprintText } from './binding.ts';
import { LockedToken } from './locked-token.ts';
import { MACHINE_BASES, MACHINE_EPOCH, machineRestsOn, mayBeMachine } from './validity.ts';

/** Living tokens of one client: a program that asks for one before each call fills the table no further. */
const MOST_LIVING = 10_000;

const FROM = MACHINE_BASES.replaceAll(', ', ' cross join ');

export type NewMachineToken = {
  /** of the snapshot that the request relied on */
  version: string;
  tokenHash: Uint8Array;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** the origin of the issuer's own host that was called; null: the path address */
  issuerHost: string | null;
  scopes: string[];
  requestId: string;
  ip: string | null;
} & Pick<KeyBinding, 'jkt'>;

const give = batched<NewMachineToken, Seen & { n: number; given: boolean; full: boolean }>()({
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
  },
  text: (items) => `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.client_id')} as stands,
    array(select name from unnest(string_to_array(q.scope_list, ' ')) as name where name <> '') as scopes,
    (select count(*) from (select from machine_tokens t where t.client_id = q.client_id and t.expires_at > now()
      limit ${MOST_LIVING}) as living) >= ${MOST_LIVING} as full
  from ${items},
    directory_version v where v.id = 1
), given as (
  insert into machine_tokens (token_hash, client_id, api_id, auth_method_id, scopes, issuer_host, jkt, epoch, expires_at)
  select q.token_hash, q.client_id, q.api_id, q.auth_method_id, q.scopes, q.issuer_host, q.jkt, ${MACHINE_EPOCH},
    now() + make_interval(secs => a.access_token_ttl)
  from asked q cross join ${FROM} cross join apis a
  where q.stands and not q.full and a.id = q.api_id and ${mayBeMachine('q')}
  returning token_hash
), audit as (
  insert into audit_events (event, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', q.client_id, q.api_id, q.auth_method_id, q.request_id, q.ip,
    jsonb_build_object('grant_type', 'client_credentials')
  from given g join asked q on q.token_hash = g.token_hash
)
select q.n::int, q.current::text as version, q.stands, q.full, g.token_hash is not null as given
from asked q left join given g on g.token_hash = q.token_hash`,
  values: ({ jkt = null, ...one }) => ({ ...one, jkt, scopeList: one.scopes.join(' ') }),
});

/** Stores it. `refused`: the client may not have one (any more); `full`: it has too many that live. */
export async function giveMachineToken(input: NewMachineToken): Promise<'given' | 'refused' | 'full'> {
  const askedAt = performance.now();
  const { version, stands, given, full } = await give(input);
  confirmVersion({ version, stands }, askedAt);
  if (given) return 'given';
  return full ? 'full' : 'refused';
}

export type LiveMachineToken = {
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** the origin of the issuer's own host that it was given at; null: the path address */
  issuerHost: string | null;
  scopes: string[];
  /** seconds since 1970 */
  issuedAt: number;
  expiresAt: number;
  /** the thumbprint of the key that it is bound to, base64url; null: a bearer token */
  jkt: string | null;
};

type Asked = {
  version: string;
  /** the client that asks, whose part of the registry is confirmed too; null: an API */
  askedBy: string | null;
  tokenHash: Uint8Array;
};

const find = batched<
  Asked,
  Omit<LiveMachineToken, 'jkt'> & Seen & { n: number; live: boolean; key: Uint8Array | null }
>()({
  name: 'machine-live',
  takes: { version: 'bigint', hash: 'bytea', askedBy: 'text?' },
  text: (items) => `
with asked as (
  select q.*, v.version as current, ${stands('q.version', 'q.asked_by')} as stands
  from ${items},
    directory_version v where v.id = 1
)
select q.n::int, q.current::text as version, q.stands, t.token_hash is not null as live, t.client_id as "clientId",
  t.api_id as "apiId", t.auth_method_id as "authMethodId", t.issuer_host as "issuerHost", t.scopes, t.jkt as key,
  floor(extract(epoch from t.issued_at))::int as "issuedAt", floor(extract(epoch from t.expires_at))::int as "expiresAt"
from asked q left join (machine_tokens t cross join ${FROM})
  on t.token_hash = q.hash and t.expires_at > now() and ${machineRestsOn('t')}`,
  values: ({ version, tokenHash, askedBy }) => ({ version, hash: tokenHash, askedBy }),
});

/** RegistryChanged where what all clients share, or the client that asks, has changed since this version. */
export async function findLiveMachineToken(input: Asked): Promise<LockedToken<LiveMachineToken> | null> {
  const askedAt = performance.now();
  const { version, stands, live, n: _, key, ...facts } = await find(input);
  confirmVersion({ version, stands }, askedAt);
  return live ? new LockedToken({ ...facts, jkt: thumbprintText(key) }) : null;
}

type Revocation = { tokenHash: Uint8Array; clientId: string; requestId: string; ip: string | null };

const revoke = batched<Revocation, { n: number }>()({
  name: 'machine-revoke',
  takes: { hash: 'bytea', clientId: 'text', requestId: 'text', ip: 'text?' },
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
  values: ({ tokenHash, ...one }) => ({ ...one, hash: tokenHash }),
});

/** Ends a client's own token (RFC 7009). */
export async function revokeMachineToken(input: Revocation): Promise<void> {
  await revoke(input);
}
