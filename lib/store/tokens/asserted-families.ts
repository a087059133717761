// The family that a broker's assertion gives (RFC 7523 §2.1). It has no refresh token, so it ends with its access
// token.
import { statement } from '../database/statement.ts';
import { stands } from '../registry/registry-changes.ts';
import { confirmVersion, type Seen } from '../registry/snapshot.ts';
import type { KeyBinding } from './binding.ts';
import { reachesApi } from './strength.ts';
import { BASES, epochNow, isFor, mayHaveScopes } from './validity.ts';

export type AssertedFamily = {
  version: string;
  familyId: string;
  personId: string;
  /** the person's and the method's epochs when the assertion was checked */
  personEpoch: string;
  methodEpoch: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** the origin of the issuer's own host that was called; null: the path address */
  issuerHost: string | null;
  scopes: string[];
  authTime: Date;
  opaqueHash: Uint8Array | null;
  grantType: string;
  /** people who have a second factor get nothing: the assertion is no sign-in with it */
  asksFactor: boolean;
  requestId: string;
  ip: string | null;
} & Pick<KeyBinding, 'jkt'>;

const familyAssert = statement({
  name: 'family-assert',
  takes: {
    familyId: 'uuid',
    personId: 'uuid',
    clientId: 'text',
    apiId: 'text',
    authMethodId: 'text',
    personEpoch: 'bigint',
    scopes: 'text[]',
    authTime: 'timestamptz',
    methodEpoch: 'bigint',
    opaqueHash: 'bytea?',
    requestId: 'text',
    ip: 'text?',
    grantType: 'text',
    version: 'bigint',
    issuerHost: 'text?',
    asksFactor: 'boolean',
    jkt: 'bytea?',
  },
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), family as (
  insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, epoch,
    issuer_host, expires_at)
  select ${value.familyId}, p.id, s.client_id, s.api_id, m.auth_method_id, 'assertion', ${value.scopes}, ${value.authTime},
    ${epochNow({ basis: "'assertion'", consentEpoch: '0' })}, ${value.issuerHost},
    date_trunc('second', now() + make_interval(secs => a.access_token_ttl))
  from asked q, ${BASES}, apis a, auth_methods v
  where q.stands and p.id = ${value.personId} and p.disabled_at is null and p.epoch = ${value.personEpoch} and v.id = ${value.authMethodId} and v.epoch = ${value.methodEpoch}
    and cl.client_id = ${value.clientId} and cl.disabled_at is null
    and s.client_id = ${value.clientId} and s.api_id = ${value.apiId} and s.state = 'approved' and s.machine
    and ${isFor('p.id', 'm.auth_method_id')} and ${mayHaveScopes('p.id', value.scopes)}
    and m.auth_method_id = ${value.authMethodId} and m.api_id = ${value.apiId} and a.id = ${value.apiId} and ${reachesApi('1')}
    and (not ${value.asksFactor} or p.factor_level = 0)
  returning id, scopes, expires_at
), opaque as (
  insert into opaque_tokens (token_hash, family_id, scopes, jkt, expires_at)
  select ${value.opaqueHash}, id, scopes, ${value.jkt}, expires_at from family where ${value.opaqueHash} is not null
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'token.issued', ${value.personId}, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip},
    jsonb_build_object('grant_type', ${value.grantType}, 'family', id) from family
)
select q.version::text, q.stands, extract(epoch from f.expires_at)::int as "expiresAt",
  ${value.asksFactor} and exists (select 1 from people where id = ${value.personId} and factor_level > 0) as "needsFactor"
from asked q left join family f on true`,
});

/**
 * When its token ends, in seconds since 1970; 'has-factor': the person has a second factor, which is asked for; null:
 * the subscription is not an approved one of a machine, or not for this person, or the sign-in was ended since.
 * RegistryChanged where what the request relied on has changed; nothing was made then.
 */
export async function createAssertedFamily(input: AssertedFamily): Promise<number | 'has-factor' | null> {
  const askedAt = performance.now();
  const [row] = await familyAssert<Seen & { expiresAt: number | null; needsFactor: boolean }>({
    ...input,
    jkt: input.jkt ?? null,
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  return row.expiresAt ?? (row.needsFactor ? 'has-factor' : null);
}
