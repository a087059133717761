// Clients that registered themselves (RFC 7591): each waits for an approver, with a limit for each API, and is deleted
// without an approval in time.
import type { ClientValues } from '#lib/registry/clients/client.ts';
import { query } from '../database/pool.ts';
import { type Db, lockName, some } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';
import { addClientSecret } from './client-secrets.ts';
import { insertClient } from './clients.ts';
import { stepSubscription } from './subscriptions.ts';

const KEPT_DAYS = 30;

type Made = {
  client: ClientValues;
  secretHash: Buffer | null;
  api: string;
  machine: boolean;
  device: boolean;
  scopes: string[];
  /** registered clients that may wait at the API */
  maxWaiting: number;
};

/** The client, its secret and its pending subscription; nothing where the API is gone or full. */
export async function insertRegistration(db: Db, made: Made): Promise<'done' | 'full' | 'no-api'> {
  const { client, secretHash, api, machine, device, scopes, maxWaiting } = made;
  const { clientId } = client;
  await lockName(db, `registration.${api}`);
  if (!(await some(db.$queryRaw(sql`select from apis where id = ${api} for key share`)))) return 'no-api';
  const waiting = { apiId: api, state: 'pending', client: { origin: 'registration' } };
  if ((await db.subscription.count({ where: waiting })) >= maxWaiting) return 'full';
  await insertClient(db, client, null, 'registration');
  if (secretHash) await addClientSecret(db, clientId, secretHash);
  const step = { to: 'pending', trusted: false, machine, device, scopes, reason: null } as const;
  await stepSubscription(db, { clientId, api }, null, { ...step, actor: 'registration', actorId: null });
  return 'done';
}

/**
 * Deletes clients that were never approved, a month after they came: those that registered themselves, and undecided
 * ones with a document. A subscription that is being decided on is locked, and its client waits for the next turn.
 * Returns their number.
 */
export async function deleteUnapproved(limit: number): Promise<number> {
  const [row] = await query<{ gone: number }>(sql`
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
select count(*)::int as gone from gone`);
  return row?.gone ?? 0;
}
