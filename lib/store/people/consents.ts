// Consents: given on the page, as their person sees them, and taken back.
import { type ClientOrigin, type DisplayText, OPENID_SCOPES } from '#lib/registry/index.ts';
import { type Db, displayed, first, query, raw, some, sql } from '../database/index.ts';
import { endTokens } from '../endings/index.ts';
import { confirmVersion, type Seen, stands } from '../registry/index.ts';
import { isStrongEnough, LABEL, type StrengthAsked, sessionLives, strengthOf } from '../tokens/index.ts';

export type ConsentRow = {
  id: string;
  clientId: string;
  clientName: DisplayText;
  logoUri: string | null;
  /** null: somebody registered it */
  clientOrigin: ClientOrigin;
  api: string;
  apiName: DisplayText;
  scopes: { name: string; description: DisplayText }[];
  grantedAt: Date;
  /** when a token that rests on it was last given or renewed */
  lastUsedAt: Date | null;
};

const OPENID_WORDS = JSON.stringify(
  Object.fromEntries(OPENID_SCOPES.map(({ name, description }) => [name, description])),
);

export function selectConsents(db: Db, personId: string): Promise<ConsentRow[]> {
  return db.$queryRaw(sql`select co.id, co.client_id as "clientId", coalesce(${raw(displayed('c.name'))}, to_json(co.client_id)) as "clientName",
      coalesce(c.brand ->> 'logo', c.logo_uri) as "logoUri", c.origin as "clientOrigin", co.api_id as api, coalesce(${raw(displayed('a.name'))}, to_json(co.api_id)) as "apiName", co.granted_at as "grantedAt",
      coalesce((select json_agg(json_build_object('name', x, 'description', coalesce(${raw(displayed('s.description'))}, to_json(coalesce(${OPENID_WORDS}::jsonb ->> x, x))))
          order by s.position, x)
        from unnest(co.scopes) as x left join api_scopes s on s.api_id = co.api_id and s.name = x), '[]') as scopes,
      (select max(coalesce((select max(r.issued_at) from refresh_tokens r where r.family_id = f.id), f.created_at))
        from token_families f where f.person_id = co.person_id and f.client_id = co.client_id and f.api_id = co.api_id)
        as "lastUsedAt"
    from consents co left join clients c using (client_id) left join apis a on a.id = co.api_id
    where co.person_id = ${personId} order by co.granted_at desc, co.id`);
}

/** SQL: the scopes of the consent that count still; each keeps the time at which it was allowed last. */
const KEPT = `case when $11::timestamptz is null then consents.scopes
  else scopes_since(consents.scopes, consents.updated_at, consents.earlier_scopes, $11) end`;

/**
 * Remembers a consent; scopes add up, and only those named here are allowed anew. `signed-out`: the session has ended. `too-weak`: the person has to prove a second factor
 * first. `renamed`: the page named the person in another way. RegistryChanged where what the page showed may have changed. Nothing is remembered then.
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
  const [row] = await query<Seen & { label: string | null; strong: boolean | null; granted: boolean }>({
    name: 'consent-grant',
    text: `
with asked as (
  select v.version, ${stands('$10::bigint', '$3::text')} as stands, $12::smallint as level, $13::text as second_factor from directory_version v where v.id = 1
), live as (
  select p.id, ${LABEL} as label, ${strengthOf({ session: 's', grace: '$14', trustedDays: '$16' })} from sessions s join people p on p.id = s.person_id
  where s.id_hash = $1 and s.kind = 'sign-in' and s.auth_method_id = $2 and ${sessionLives('s', '$8')}
), strong as (
  select coalesce(${isStrongEnough('asked', 'live')}, false) as enough from live, asked
), same as materialized (
  -- whoever changes the client's identity comes before, and nothing is granted, or after, and this consent is from before
  select c.client_id from clients c where c.client_id = $3 and c.identity_changed_at is not distinct from $15::timestamptz for share
), granted as (
  insert into consents (person_id, client_id, api_id, scopes)
  select live.id, same.client_id, $4, $5::text[] from live, asked, strong, same
  where live.label = $9 and asked.stands and strong.enough
  on conflict (person_id, client_id, api_id) do update set updated_at = now(),
    scopes = array(select distinct x from unnest(excluded.scopes || ${KEPT}) as x order by x),
    earlier_scopes = (select jsonb_object_agg(x, coalesce(consents.earlier_scopes -> x, to_jsonb(consents.updated_at)))
      from unnest(${KEPT}) as x where x <> all (excluded.scopes))
  returning person_id
), audit as (
  insert into audit_events (event, person_id, client_id, api_id, auth_method_id, request_id, ip, details)
  select 'consent.granted', person_id, $3, $4, $2, $6, $7, jsonb_build_object('scopes', $5::text[]) from granted
)
select version::text, stands, (select label from live) as label, (select enough from strong) as strong, exists (select from granted) as granted from asked`,
    values: [
      input.sessionHash,
      input.authMethodId,
      input.clientId,
      input.apiId,
      input.scopes,
      input.requestId,
      input.ip,
      input.idleSeconds,
      input.label,
      input.version,
      input.consentSince ?? null,
      input.strength.level,
      input.strength.secondFactor,
      input.strength.graceSeconds,
      input.identityChangedAt ?? null,
      input.strength.trustedDays,
    ],
  });
  if (!row) throw new Error('the registry has no version');
  confirmVersion(row, askedAt);
  if (row.granted) return 'granted';
  if (row.label === null) return 'signed-out';
  return row.strong ? 'renamed' : 'too-weak';
}

/** Takes a consent back with every code and token that rests on it: their next use fails. Null: not there. */
export async function deleteConsent(
  db: Db,
  personId: string,
  id: string,
): Promise<{ clientId: string; apiId: string } | null> {
  const gone = await first<{ clientId: string; apiId: string }>(
    db.$queryRaw(sql`delete from consents
    where id = ${id} and person_id = ${personId} returning client_id as "clientId", api_id as "apiId"`),
  );
  if (gone) await endTokens(db, { personId, ...gone, basis: 'consent' }, 'consent withdrawn');
  return gone;
}

/** Has a person allowed it anything, or an approver let it in where that takes one? */
export function isRelied(db: Db, clientId: string): Promise<boolean> {
  return some(
    db.$queryRaw(sql`select from consents where client_id = ${clientId}
    union all select from delegations where client_id = ${clientId}
    union all select from subscriptions s join apis a on a.id = s.api_id
      where s.client_id = ${clientId} and s.state in ('approved', 'suspended') and a.require_approval`),
  );
}
