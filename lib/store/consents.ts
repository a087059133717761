// Consents and delegations: the permissions that users give to clients.

import {
  type ConsentRow,
  consentRow,
  type DelegationRow,
  delegationRow,
} from '#lib/catalogue/people/definition.ts';
import { OPENID_SCOPES } from '#lib/registry/claims.ts';
import { endTokens } from './endings.ts';
import { type Db, readRow, readRows, some } from './prisma.ts';
import { displayTextSql, raw, sql } from './sql.ts';
import type { ColdRow } from './statement.ts';

// Consents, as the user lists and withdraws them.

const OPENID_WORDS = JSON.stringify(
  Object.fromEntries(OPENID_SCOPES.map(({ name, description }) => [name, description])),
);

/**
 * SQL: last use of a refresh token without rotation. It is read from the audit log, because a use does not change the
 * row of such a token.
 */
const LAST_KEPT = `case when exists (select from token_families f join refresh_tokens r on r.family_id = f.id
      where f.person_id = co.person_id and f.client_id = co.client_id and f.api_id = co.api_id
        and f.revoked_at is null and f.expires_at > now() and r.used_at is null and r.expires_at = f.expires_at)
      then (select max(e.at) from audit_events e where e.person_id = co.person_id and e.client_id = co.client_id
        and e.api_id = co.api_id and e.event = 'token.refreshed') end`;

export function selectConsents(db: Db, personId: string): Promise<ConsentRow[]> {
  return readRows(db, consentRow.shape)`
    select co.id, co.client_id as "clientId", coalesce(${raw(displayTextSql('c.name'))}, to_json(co.client_id)) as "clientName",
      coalesce(c.brand ->> 'logo', c.logo_uri) as "logoUri", c.origin as "clientOrigin", co.api_id as api, coalesce(${raw(displayTextSql('a.name'))}, to_json(co.api_id)) as "apiName", co.granted_at as "grantedAt",
      coalesce((select json_agg(json_build_object('name', x, 'description', coalesce(${raw(displayTextSql('s.description'))}, to_json(coalesce(${OPENID_WORDS}::jsonb ->> x, x))))
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
    where co.person_id = ${personId} order by co.granted_at desc, co.id`;
}

/** Deletes a consent. Codes and tokens based on it fail at the next use. Returns null if the consent does not exist. */
export async function deleteConsent(
  db: Db,
  personId: string,
  id: string,
): Promise<{ clientId: string; apiId: string } | null> {
  const gone = await readRow(db, PAIR)`
    delete from consents
    where id = ${id} and person_id = ${personId} returning client_id as "clientId", api_id as "apiId"`;
  if (gone) await endTokens(db, { personId, ...gone, basis: 'consent' }, 'consent withdrawn');
  return gone;
}

/**
 * Returns true if a user granted the client a consent or delegation, or an approver approved it for an API that
 * requires approval.
 */
export function isRelied(db: Db, clientId: string): Promise<boolean> {
  return some(
    db.$executeRaw(sql`select from consents where client_id = ${clientId}
    union all select from delegations where client_id = ${clientId}
    union all select from subscriptions s join apis a on a.id = s.api_id
      where s.client_id = ${clientId} and s.state in ('approved', 'suspended') and a.require_approval limit 1`),
  );
}

// Delegations: a user lets a client act for them at one API, with certain scopes, until a date. The user
// creates, lists and ends delegations. Tokens depend on the revocation counter (epoch) of the delegation
// (hot/validity.ts).

const { clientId, clientName, clientOrigin, logoUri, api, apiName, scopes } = delegationRow.shape;
const AGENT_ROW = {
  ...{ clientId, clientName, clientOrigin, logoUri, api, apiName, scopes },
  /** maximum duration in days; null: default limit */
  maxDays: 'int?',
  /** when the client's identity last changed; null: never */
  identityChangedAt: 'timestamptz?',
} as const;
/** A client that could act for the user at an API. `scopes`: the maximum that the user can delegate. */
export type AgentRow = ColdRow<typeof AGENT_ROW>;

type Pair = { clientId: string; api: string };
const PAIR = { clientId: 'text', apiId: 'text' } as const;
const CLIENT_NAME = raw(displayTextSql('c.name'));
const API_NAME = raw(displayTextSql('a.name'));
const SCOPE_TEXT = (scope: string) => raw(displayTextSql(`${scope}.description`));
const MOST_AGENTS = 50;
/** SQL: expiry of the delegation `d`, or null if the delegation is no longer valid. */
const END = raw('delegation_end(d.client_id, d.api_id, d.given_at, d.until)');

/** Returns the delegations, newest first. A scope deleted from the API is listed by name and grants nothing. */
export function selectDelegations(db: Db, personId: string): Promise<DelegationRow[]> {
  return readRows(db, delegationRow.shape)`
    select d.id, d.client_id as "clientId", ${CLIENT_NAME} as "clientName", c.origin as "clientOrigin", coalesce(c.brand ->> 'logo', c.logo_uri) as "logoUri",
      d.api_id as api, ${API_NAME} as "apiName", ${END} as until, d.given_at as "givenAt",
      (select json_agg(json_build_object('name', x, 'description', coalesce(${SCOPE_TEXT('s')}, to_json(x))) order by s.position, x)
        from unnest(d.scopes) as x left join api_scopes s on s.api_id = d.api_id and s.name = x) as scopes
    from delegations d join clients c using (client_id) join apis a on a.id = d.api_id
    where d.person_id = ${personId} and ${END} > now() order by d.given_at desc, d.id`;
}

/**
 * Clients with a secret or key, and their approved APIs. Returns clients that already act for the user, or the client
 * with this id. No user receives a list of every client.
 */
export function selectAgents(
  db: Db,
  personId: string,
  of: { clientId: string | null; api: string | null },
): Promise<AgentRow[]> {
  const whose =
    of.clientId === null
      ? sql`c.client_id in (select client_id from consents where person_id = ${personId})`
      : sql`c.client_id = ${of.clientId}`;
  return readRows(db, AGENT_ROW)`
    select c.client_id as "clientId", ${CLIENT_NAME} as "clientName", c.origin as "clientOrigin", coalesce(c.brand ->> 'logo', c.logo_uri) as "logoUri",
      a.id as api, ${API_NAME} as "apiName", s.max_days as "maxDays", c.identity_changed_at as "identityChangedAt",
      (select json_agg(json_build_object('name', x.name, 'description', ${SCOPE_TEXT('x')}) order by x.position, x.name)
        from api_scopes x where x.api_id = a.id and (s.scopes <@ '{offline_access}' or x.name = any (s.scopes))) as scopes
    from subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
    where ${whose} and (${of.api}::text is null or a.id = ${of.api}) and s.state = 'approved' and c.confidential
      and c.disabled_at is null and a.id <> 'management'
      and exists (select from api_scopes x where x.api_id = a.id and (s.scopes <@ '{offline_access}' or x.name = any (s.scopes)))
    order by c.name, c.client_id, a.name, a.id limit ${raw(String(MOST_AGENTS))}`;
}

/** Counts the user's active delegations, except for this pair of client and API. */
export async function countDelegations(db: Db, personId: string, except: Pair): Promise<number> {
  const row = await readRow(db, { count: 'int' })`
    select count(*)::int as count from delegations d
    where person_id = ${personId} and ${END} > now() and (client_id, api_id) <> (${except.clientId}, ${except.api})`;
  return row?.count ?? 0;
}

/** Stores the delegation and returns its new id. Revokes tokens of an earlier delegation. */
export async function saveDelegation(
  db: Db,
  personId: string,
  { clientId, api }: Pair,
  { scopes, until }: { scopes: string[]; until: Date },
): Promise<string> {
  const row = await readRow(db, { id: 'uuid' })`
    insert into delegations (person_id, client_id, api_id, scopes, until)
    values (${personId}, ${clientId}, ${api}, ${scopes}, ${until})
    on conflict (person_id, client_id, api_id) do update
      set scopes = excluded.scopes, until = excluded.until, epoch = next_epoch(), given_at = now()
    returning id`;
  await endTokens(db, { personId, clientId, apiId: api, basis: 'delegation' }, 'delegation given anew');
  return row?.id ?? '';
}

/** Deletes the delegation and revokes every token based on it. Returns null if it is unknown. */
export async function deleteDelegation(
  db: Db,
  personId: string,
  id: string,
): Promise<{ clientId: string; apiId: string } | null> {
  const gone = await readRow(db, PAIR)`
    delete from delegations
    where id = ${id} and person_id = ${personId} returning client_id as "clientId", api_id as "apiId"`;
  if (gone) await endTokens(db, { personId, ...gone, basis: 'delegation' }, 'delegation ended');
  return gone;
}
