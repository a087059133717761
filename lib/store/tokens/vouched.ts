// A sign-in that this service vouches for to another one (draft-ietf-oauth-identity-assertion-authz-grant §4.3).
// Nothing is kept of an ID-JAG but its event.
import type { AcrLevel } from '#lib/registry/fields/acr.ts';
import { statement } from '../database/statement.ts';
import { stands } from '../registry/registry-changes.ts';
import { confirmVersion, type Seen } from '../registry/snapshot.ts';
import { type SignInStrength, strengthKept } from './strength.ts';
import { BASES, restsOn } from './validity.ts';

export type Vouching = {
  version: string;
  personId: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  /** of the issuer that vouches; null: its path address */
  issuerHost: string | null;
  /**
   * the family, or what an ID token tells of it: the sign-in in seconds since 1970, its session, and how strong it was
   */
  signIn: { familyId: string } | { authTime: number; sid: string | null; level: AcrLevel };
  /** the other service's issuer */
  audience: string;
  requestId: string;
  ip: string | null;
};

/** `authTime` in seconds since 1970 */
export type Vouched = { authTime: number } & SignInStrength;

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
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands from directory_version v where v.id = 1
), living as (
  select f.id, floor(extract(epoch from f.auth_time))::int as auth_time, f.acr_level,
    coalesce(f.amr, array(select jsonb_array_elements_text(f.openid -> 'amr'))) as amr
  from asked q, token_families f, ${BASES}
  where q.stands and f.person_id = ${value.personId} and f.client_id = ${value.clientId} and f.api_id = ${value.apiId} and f.auth_method_id = ${value.authMethodId}
    and f.issuer_host is not distinct from ${value.issuerHost}
    and f.revoked_at is null and f.expires_at > now() and f.basis in ('consent', 'trust', 'password') and ${restsOn('f')}
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
 * Notes that it is vouched for this sign-in, if its family lives; null: it does not, or it is no sign-in here but an
 * exchange or another service's word. RegistryChanged where what the request relied on has changed.
 */
export async function vouchForSignIn(input: Vouching): Promise<Vouched | null> {
  const { signIn } = input;
  const [familyId, authTime, sid, level] =
    'familyId' in signIn
      ? [signIn.familyId, null, null, null]
      : [null, signIn.authTime, signIn.sid, signIn.level];
  const askedAt = performance.now();
  const [row] = await familyVouch<Seen & SignInStrength & { authTime: number | null }>({
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
