// Unregistered clients, created by a document or by registration, and the users who requested pending ones.

import type { ApplicationType, ClientValues } from '#lib/catalogue/clients/definition.ts';
import {
  addClientSecret,
  insertClient,
  makeUndecidedStale,
  OTHER_IDENTITY,
} from '#lib/catalogue/clients/rows.ts';
import { stepSubscription } from '#lib/catalogue/subscriptions/rows.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { type Db, database, lockName, readRow, some } from './prisma.ts';
import { insertSql, jsonOrNull, sql, textsOf } from './sql.ts';
import type { ColdRow } from './statement.ts';

/** A client metadata document in the fields of the registry. */
export type DocumentValues = {
  clientId: string;
  name: DisplayText;
  confidential: boolean;
  applicationType: ApplicationType;
  redirectUris: string[];
  tokenEndpointAuthMethod: string | null;
  jwks: { keys: unknown[] } | null;
  jwksUri: string | null;
  logoUri: string | null;
  grantTypes: string[];
  requirePushedAuthorizationRequests: boolean;
  dpopBoundAccessTokens: boolean;
};

const dataOf = ({ name, jwks, ...plain }: DocumentValues, documentReadAt: Date) => ({
  ...plain,
  ...{ name: plainText(name), nameTexts: textsOf(name), jwks: jsonOrNull(jwks), documentReadAt },
});

/** Inserts a document client. Returns false if a concurrent call has inserted it first. */
export async function insertDocumentClient(db: Db, values: DocumentValues, readAt: Date): Promise<boolean> {
  const data = { ...dataOf(values, readAt), origin: 'document' };
  return (await db.client.createMany({ data, skipDuplicates: true })).count > 0;
}

/**
 * Updates the row from a newer document. Returns false if the row is not older than the document. `otherIdentity`:
 * invalidates earlier consents.
 */
export async function updateDocumentClient(
  db: Db,
  values: DocumentValues,
  { readAt, otherIdentity }: { readAt: Date; otherIdentity: boolean },
): Promise<boolean> {
  const { clientId } = values;
  const older = [{ documentReadAt: null }, { documentReadAt: { lt: readAt } }];
  const { count } = await db.client.updateMany({
    where: { clientId, origin: 'document', OR: older },
    data: { ...dataOf(values, readAt), ...(otherIdentity && OTHER_IDENTITY) },
  });
  if (count > 0 && otherIdentity) await makeUndecidedStale(db, clientId);
  return count > 0;
}

type Asks = { clientId: string; apiId: string; personId: string };

/**
 * Request id and scopes of this user's first visit with the client. Null if there was no visit, or the request is not
 * pending.
 */
export function findApprovalRequest(
  db: Db,
  { clientId, apiId, personId }: Asks,
): Promise<{ requestId: string; scopes: string[] } | null> {
  return readRow(db, { requestId: 'text', scopes: 'text[]' })`
    select g.request_id as "requestId", s.scopes from agent_requests g
    join subscriptions s on s.client_id = g.client_id and s.api_id = g.api_id and s.state = 'pending'
    where g.client_id = ${clientId} and g.api_id = ${apiId} and g.person_id = ${personId}`;
}

export async function insertApprovalRequest(
  db: Db,
  { clientId, apiId, personId }: Asks,
  requestId: string,
): Promise<void> {
  const row = { client_id: clientId, api_id: apiId, person_id: personId, request_id: requestId };
  await db.$executeRaw(sql`insert into agent_requests ${insertSql(row)} on conflict do nothing`);
}

const UNREGISTERED_WAITING = {
  /** number of pending clients that this user requested, at any API */
  person: 'int',
  /** number of clients that this user requested within one day, decided or pending */
  today: 'int',
  /** number of pending clients of this host at this API */
  host: 'int',
  /** number of pending clients at this API */
  api: 'int',
  /** number of clients within one day at this API that match the rule's hosts, decided or pending */
  rule: 'int',
} as const;
export type UnregisteredWaiting = ColdRow<typeof UNREGISTERED_WAITING>;

/**
 * Counts waiting unregistered clients. `host`: host of their documents, without a port. `ruleHost`: host of the
 * auto_approve rule, where `*.example.com` matches every name below; null without a rule.
 */
export async function countUnregisteredWaiting(
  db: Db,
  asks: { personId: string; apiId: string; host: string | null; ruleHost: string | null },
): Promise<UnregisteredWaiting> {
  const { personId, apiId, host, ruleHost } = asks;
  const row = await readRow(db, UNREGISTERED_WAITING)`
    with agents as (
    select lower(substring(c.client_id from '(?i)^https?://([^/:?]+|\[[^]]*\])')) as host, s.state, s.created_at
    from subscriptions s join clients c using (client_id)
    where s.api_id = ${apiId} and c.origin is not null
      and (s.state = 'pending' or s.created_at > now() - interval '1 day')
  ), waiting as (
    select host from agents where state = 'pending'
  ), mine as (
    select g.asked_at, s.state from agent_requests g join subscriptions s using (client_id, api_id)
    where g.person_id = ${personId}
  )
  select (select count(*)::int from mine where state = 'pending') as person,
    (select count(*)::int from mine where asked_at > now() - interval '1 day') as today,
    (select count(*)::int from waiting where host = ${host}) as host,
    (select count(*)::int from waiting) as api,
    (select count(*)::int from agents where created_at > now() - interval '1 day'
      and (host = ${ruleHost} or left(${ruleHost}, 2) = '*.' and right(host, length(${ruleHost}) - 1) = substr(${ruleHost}, 2))) as rule`;
  return row ?? { person: 0, today: 0, host: 0, api: 0, rule: 0 };
}

// Self-registered clients (RFC 7591). Each waits for an approver and is deleted if the approval takes too long. Their
// number per API is limited.

const KEPT_DAYS = 30;

type Made = {
  client: ClientValues;
  secretHash: Buffer | null;
  api: string;
  machine: boolean;
  device: boolean;
  scopes: string[];
  /** maximum number of registered clients that wait at the API */
  maxWaiting: number;
};

/**
 * Creates client, secret and pending subscription. Creates nothing if the API was deleted or has too many waiting
 * clients.
 */
export async function insertRegistration(db: Db, registration: Made): Promise<'done' | 'full' | 'no-api'> {
  const { client, secretHash, api, machine, device, scopes, maxWaiting } = registration;
  const { clientId } = client;
  await lockName(db, `registration.${api}`);
  if (!(await some(db.$executeRaw(sql`select from apis where id = ${api} for key share`)))) return 'no-api';
  const waiting = { apiId: api, state: 'pending', client: { origin: 'registration' } };
  if ((await db.subscription.count({ where: waiting })) >= maxWaiting) return 'full';
  await insertClient(db, client, null, 'registration');
  if (secretHash) await addClientSecret(db, clientId, secretHash);
  const step = { to: 'pending', trusted: false, machine, device, scopes, reason: null } as const;
  await stepSubscription(db, { clientId, api }, null, { ...step, actor: 'registration', actorId: null });
  return 'done';
}

/**
 * Deletes clients without approval after a month: self-registered clients, and undecided document clients. If a
 * decision locks a subscription, its client is handled in the next run. Returns the number of deleted clients.
 */
export async function deleteUnapproved(limit: number): Promise<number> {
  const row = await readRow(database(), { gone: 'int' })`
with old as materialized (
  select c.client_id from clients c
  where c.origin is not null and c.created_at < now() - make_interval(days => ${KEPT_DAYS}) and not c.managed
    -- a document would only ask again: a decision on it stays
    and (c.origin = 'registration' or c.disabled_at is null
      and not exists (select from subscriptions s where s.client_id = c.client_id and s.state <> 'pending'))
    and not exists (select from subscription_events e where e.client_id = c.client_id and e.to_state = 'approved')
  order by c.created_at limit ${limit} for update skip locked
), held as materialized (
  select s.client_id from subscriptions s join old using (client_id)
  where s.state <> 'approved' for update of s skip locked
), gone as (
  delete from clients c using old o where c.client_id = o.client_id
    and (select count(*) from subscriptions s where s.client_id = o.client_id)
      = (select count(*) from held h where h.client_id = o.client_id)
  returning c.client_id, c.name
), told as (
  insert into audit_events (event, actor, client_id, details)
  select 'client.removed', 'system', client_id, jsonb_build_object('name', name) from gone
)
select count(*)::int as gone from gone`;
  return row?.gone ?? 0;
}
