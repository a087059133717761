// Consents: as their person sees them, and taken back.
import type { ClientOrigin } from '#lib/registry/clients/unregistered.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import type { ConsentRow } from '#lib/registry/objects/consent.ts';
import { OPENID_SCOPES } from '#lib/registry/objects/openid-scopes.ts';
import { type Db, first, some } from '../database/prisma.ts';
import { displayed, raw, sql } from '../database/sql.ts';
import { endTokens } from '../endings/endings.ts';

const OPENID_WORDS = JSON.stringify(
  Object.fromEntries(OPENID_SCOPES.map(({ name, description }) => [name, description])),
);

/** A token that does not rotate lives as long as its family; the log says when it was used last. */
const LAST_KEPT = `case when exists (select from token_families f join refresh_tokens r on r.family_id = f.id
      where f.person_id = co.person_id and f.client_id = co.client_id and f.api_id = co.api_id
        and f.revoked_at is null and f.expires_at > now() and r.used_at is null and r.expires_at = f.expires_at)
      then (select max(e.at) from audit_events e where e.person_id = co.person_id and e.client_id = co.client_id
        and e.api_id = co.api_id and e.event = 'token.refreshed') end`;

export function selectConsents(db: Db, personId: string): Promise<ConsentRow[]> {
  return db.$queryRaw(sql`select co.id, co.client_id as "clientId", coalesce(${raw(displayed('c.name'))}, to_json(co.client_id)) as "clientName",
      coalesce(c.brand ->> 'logo', c.logo_uri) as "logoUri", c.origin as "clientOrigin", co.api_id as api, coalesce(${raw(displayed('a.name'))}, to_json(co.api_id)) as "apiName", co.granted_at as "grantedAt",
      coalesce((select json_agg(json_build_object('name', x, 'description', coalesce(${raw(displayed('s.description'))}, to_json(coalesce(${OPENID_WORDS}::jsonb ->> x, x))))
          order by s.position, x)
        from unnest(co.scopes) as x left join api_scopes s on s.api_id = co.api_id and s.name = x), '[]') as scopes,
      coalesce((select json_agg(coalesce(d.asked_from, '') order by f.created_at) from token_families f
        join codes k on k.family_id = f.id join device_requests d on d.given_code_hash = k.code_hash
        where f.person_id = co.person_id and f.client_id = co.client_id and f.api_id = co.api_id and f.basis = 'device'
          and f.revoked_at is null and f.expires_at > now()), '[]') as devices,
      greatest((select max(coalesce((select max(r.issued_at) from refresh_tokens r where r.family_id = f.id), f.created_at))
        from token_families f where f.person_id = co.person_id and f.client_id = co.client_id and f.api_id = co.api_id),
        ${raw(LAST_KEPT)}) as "lastUsedAt"
    from consents co left join clients c using (client_id) left join apis a on a.id = co.api_id
    where co.person_id = ${personId} order by co.granted_at desc, co.id`);
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
