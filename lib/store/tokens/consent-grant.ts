// What a person allows on the consent page: the statement of a yes.
import { statement } from '../database/statement.ts';
import { stands } from '../registry/registry-changes.ts';
import { confirmVersion, type Seen } from '../registry/snapshot.ts';
import { labelBy } from './sessions.ts';
import { isStrongEnough, type StrengthAsked, strengthOf } from './strength.ts';
import { sessionLives } from './validity.ts';

/** SQL: the scopes of the consent that count still; each keeps the time at which it was allowed last. */
const keptSince = (since: string): string => `case when ${since} is null then consents.scopes
  else scopes_since(consents.scopes, consents.updated_at, consents.earlier_scopes, ${since}) end`;

const consentGrant = statement({
  name: 'consent-grant',
  takes: {
    sessionHash: 'bytea',
    authMethodId: 'text',
    clientId: 'text',
    apiId: 'text',
    scopes: 'text[]',
    requestId: 'text',
    ip: 'text?',
    idleSeconds: 'float8',
    label: 'text',
    version: 'bigint',
    consentSince: 'timestamptz?',
    level: 'smallint?',
    secondFactor: 'text',
    graceSeconds: 'float8',
    identityChangedAt: 'timestamptz?',
    trustedDays: 'int',
  },
  text: (value) => `
with asked as (
  select v.version, ${stands(value.version, value.clientId)} as stands, ${value.level} as level, ${value.secondFactor} as second_factor from directory_version v where v.id = 1
), live as (
  select p.id, ${labelBy(value.authMethodId)} as label, ${strengthOf({ session: 's', grace: value.graceSeconds, trustedDays: value.trustedDays })} from sessions s join people p on p.id = s.person_id
  where s.id_hash = ${value.sessionHash} and s.kind = 'sign-in' and s.auth_method_id = ${value.authMethodId} and ${sessionLives('s', value.idleSeconds)}
), strong as (
  select coalesce(${isStrongEnough('asked', 'live')}, false) as enough from live, asked
), same as materialized (
  -- a change of the client's identity comes before, and nothing is granted, or after, and this consent is older
  select c.client_id from clients c where c.client_id = ${value.clientId} and c.identity_changed_at is not distinct from ${value.identityChangedAt} for share
), granted as (
  insert into consents (person_id, client_id, api_id, scopes)
  select live.id, same.client_id, ${value.apiId}, ${value.scopes} from live, asked, strong, same
  where live.label = ${value.label} and asked.stands and strong.enough
  on conflict (person_id, client_id, api_id) do update set updated_at = now(),
    scopes = array(select distinct x from unnest(excluded.scopes || ${keptSince(value.consentSince)}) as x order by x),
    earlier_scopes = (select jsonb_object_agg(x, coalesce(consents.earlier_scopes -> x, to_jsonb(consents.updated_at)))
      from unnest(${keptSince(value.consentSince)}) as x where x <> all (excluded.scopes))
  returning person_id
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'consent.granted', person_id, ${value.clientId}, ${value.apiId}, ${value.authMethodId}, ${value.requestId}, ${value.ip}, jsonb_build_object('scopes', ${value.scopes}) from granted
)
select version::text, stands, (select label from live) as label, (select enough from strong) as strong, exists (select from granted) as granted from asked`,
});

/**
 * Remembers a consent; scopes add up, and only those named here are allowed again. `signed-out`: the session has ended.
 * `too-weak`: the person has to prove a second factor first. `renamed`: the page named the person in another way.
 * RegistryChanged where what the page showed may have changed. Nothing is remembered then.
 */
export async function grantConsent(input: {
  /** of the snapshot that the page's contents were compared with */
  version: string;
  sessionHash: Uint8Array;
  idleSeconds: number;
  strength: StrengthAsked;
  /** as the page named the person */
  label: string;
  clientId: string;
  apiId: string;
  authMethodId: string;
  scopes: string[];
  /** what was given before does not count; left out: it does */
  consentSince?: Date | null;
  /** of the client as the page showed it; left out: never */
  identityChangedAt?: string | null;
  requestId: string;
  ip: string | null;
}): Promise<'granted' | 'signed-out' | 'too-weak' | 'renamed'> {
  const askedAt = performance.now();
  const [row] = await consentGrant<Seen & { label: string | null; strong: boolean | null; granted: boolean }>(
    {
      ...input,
      consentSince: input.consentSince ?? null,
      level: input.strength.level,
      secondFactor: input.strength.secondFactor,
      graceSeconds: input.strength.graceSeconds,
      identityChangedAt: input.identityChangedAt ?? null,
      trustedDays: input.strength.trustedDays,
    },
  );
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  if (row.granted) return 'granted';
  if (row.label === null) return 'signed-out';
  return row.strong ? 'renamed' : 'too-weak';
}
