// What people let agents do in their name: this client, this API, these scopes, until a date. Given, listed and ended
// by the person. Tokens rest on the epoch of the row (tokens/validity.ts).
import type { ClientOrigin } from '#lib/registry/clients/unregistered.ts';
import type { DisplayText } from '#lib/registry/fields/display-text.ts';
import type { DelegationRow } from '#lib/registry/objects/consent.ts';
import { type Db, first } from '../database/prisma.ts';
import { displayed, raw, sql } from '../database/sql.ts';
import { endTokens } from '../endings/endings.ts';

type Scopes = { name: string; description: DisplayText }[];

/** A client that could act for the person at an API; `scopes`: all that it could be let do. */
export type AgentRow = {
  clientId: string;
  clientName: DisplayText;
  clientOrigin: ClientOrigin;
  logoUri: string | null;
  api: string;
  apiName: DisplayText;
  scopes: Scopes;
  /** days for which it may be let act at the most; null: as long as any */
  maxDays: number | null;
  /** when it last became another client; null: never */
  identityChangedAt: Date | null;
};

type Pair = { clientId: string; api: string };
const CLIENT_NAME = raw(displayed('c.name'));
const API_NAME = raw(displayed('a.name'));
const SCOPE_TEXT = (scope: string) => raw(displayed(`${scope}.description`));
const MOST_AGENTS = 50;
/** When the delegation `d` ends; null: it does not count any more. */
const END = raw('delegation_end(d.client_id, d.api_id, d.given_at, d.until)');

/** The newest first. A scope that the API has no more stays under its name, and gives nothing. */
export function selectDelegations(db: Db, personId: string): Promise<DelegationRow[]> {
  return db.$queryRaw(sql`select d.id, d.client_id as "clientId", ${CLIENT_NAME} as "clientName", c.origin as "clientOrigin", coalesce(c.brand ->> 'logo', c.logo_uri) as "logoUri",
      d.api_id as api, ${API_NAME} as "apiName", ${END} as until, d.given_at as "givenAt",
      (select json_agg(json_build_object('name', x, 'description', coalesce(${SCOPE_TEXT('s')}, to_json(x))) order by s.position, x)
        from unnest(d.scopes) as x left join api_scopes s on s.api_id = d.api_id and s.name = x) as scopes
    from delegations d join clients c using (client_id) join apis a on a.id = d.api_id
    where d.person_id = ${personId} and ${END} > now() order by d.given_at desc, d.id`);
}

/**
 * Clients that can keep a secret or a key, each with an API that it has been approved for: those that act for the
 * person somewhere already, or the one of this id. No person gets a list of all clients.
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
  return db.$queryRaw(sql`select c.client_id as "clientId", ${CLIENT_NAME} as "clientName", c.origin as "clientOrigin", coalesce(c.brand ->> 'logo', c.logo_uri) as "logoUri",
      a.id as api, ${API_NAME} as "apiName", s.max_days as "maxDays", c.identity_changed_at as "identityChangedAt",
      (select json_agg(json_build_object('name', x.name, 'description', ${SCOPE_TEXT('x')}) order by x.position, x.name)
        from api_scopes x where x.api_id = a.id and (s.scopes <@ '{offline_access}' or x.name = any (s.scopes))) as scopes
    from subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
    where ${whose} and (${of.api}::text is null or a.id = ${of.api}) and s.state = 'approved' and c.confidential
      and c.disabled_at is null and a.id <> 'management'
      and exists (select from api_scopes x where x.api_id = a.id and (s.scopes <@ '{offline_access}' or x.name = any (s.scopes)))
    order by c.name, c.client_id, a.name, a.id limit ${raw(String(MOST_AGENTS))}`);
}

/** Those of the person that have not run out, but for this pair. */
export async function countDelegations(db: Db, personId: string, except: Pair): Promise<number> {
  const row = await first<{ count: number }>(
    db.$queryRaw(sql`select count(*)::int as count from delegations d
    where person_id = ${personId} and ${END} > now() and (client_id, api_id) <> (${except.clientId}, ${except.api})`),
  );
  return row?.count ?? 0;
}

/** A new one ends what was given by the one before. Returns its id. */
export async function saveDelegation(
  db: Db,
  personId: string,
  { clientId, api }: Pair,
  { scopes, until }: { scopes: string[]; until: Date },
): Promise<string> {
  const row = await first<{ id: string }>(
    db.$queryRaw(sql`
    insert into delegations (person_id, client_id, api_id, scopes, until)
    values (${personId}, ${clientId}, ${api}, ${scopes}, ${until})
    on conflict (person_id, client_id, api_id) do update
      set scopes = excluded.scopes, until = excluded.until, epoch = next_epoch(), given_at = now()
    returning id`),
  );
  await endTokens(db, { personId, clientId, apiId: api, basis: 'delegation' }, 'delegation given anew');
  return row?.id ?? '';
}

/** Ends it with every token that was given by it: their next use fails. Null: not there. */
export async function deleteDelegation(
  db: Db,
  personId: string,
  id: string,
): Promise<{ clientId: string; apiId: string } | null> {
  const gone = await first<{ clientId: string; apiId: string }>(
    db.$queryRaw(sql`delete from delegations
    where id = ${id} and person_id = ${personId} returning client_id as "clientId", api_id as "apiId"`),
  );
  if (gone) await endTokens(db, { personId, ...gone, basis: 'delegation' }, 'delegation ended');
  return gone;
}
