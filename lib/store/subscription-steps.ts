// Subscriptions: every step is one compare-and-set by version, with its line in subscription_events, hence in SQL.

import type { SubscriptionState } from '#lib/registry/index.ts';
import { endTokens } from './endings.ts';
import type { Db } from './transaction.ts';

export type Step = {
  clientId: string;
  api: string;
  to: SubscriptionState;
  trusted: boolean;
  scopes: string[];
  actor: string;
  actorId: string | null;
  reason: string | null;
};

const EVENT = `insert into subscription_events (client_id, api_id, from_state, to_state, trusted, scopes, actor, actor_id, reason)`;

/** Creates it; false where it is there already. `decidedBy` is set where it starts approved by somebody. */
export async function insertSubscription(
  db: Db,
  step: Step & { decidedBy: string | null; requestedBy: string | null; message: string | null },
): Promise<boolean> {
  const rows = await db.query({
    text: `with made as (
        insert into subscriptions (client_id, api_id, state, trusted, scopes, message, requested_by, decided_by, decided_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8::uuid, case when $8::uuid is not null then now() end)
        on conflict do nothing returning client_id)
      ${EVENT} select $1, $2, null, $3, $4, $5, $9, $10::uuid, $11 from made returning client_id`,
    values: [
      step.clientId,
      step.api,
      step.to,
      step.trusted,
      step.scopes,
      step.message,
      step.requestedBy,
      step.decidedBy,
      step.actor,
      step.actorId,
      step.reason,
    ],
  });
  return rows.length === 1;
}

/**
 * Moves it on from exactly this version; false where somebody was faster. Rejected and revoked ones end all their tokens,
 * trust that is taken away ends those that rest on it. `decided` records who decided,
 * `requestedBy` (where given) starts a new request.
 */
export async function moveSubscription(
  db: Db,
  step: Step & { version: number; decided: boolean; decidedBy: string | null; requestedBy?: string | null },
): Promise<boolean> {
  const [moved] = await db.query<{ wasTrusted: boolean }>({
    text: `with before as (
        select state, trusted from subscriptions where client_id = $1 and api_id = $2 and version = $12
      ), moved as (
        update subscriptions set state = $3, trusted = $4, scopes = $5, version = version + 1, updated_at = now(),
          decided_by = case when $6 then $7::uuid else decided_by end,
          decided_at = case when $6 then now() else decided_at end,
          reason = $10, requested_by = case when $13 then $11::uuid else requested_by end
        where client_id = $1 and api_id = $2 and version = $12 returning client_id
      ), event as (
        ${EVENT} select $1, $2, before.state, $3, $4, $5, $8, $9::uuid, $10 from moved, before)
      select before.trusted as "wasTrusted" from moved, before`,
    values: [
      step.clientId,
      step.api,
      step.to,
      step.trusted,
      step.scopes,
      step.decided,
      step.decidedBy,
      step.actor,
      step.actorId,
      step.reason,
      step.requestedBy ?? null,
      step.version,
      step.requestedBy !== undefined,
    ],
  });
  if (!moved) return false;
  const of = { clientId: step.clientId, apiId: step.api };
  if (step.to === 'revoked' || step.to === 'rejected') await endTokens(db, of, `subscription ${step.to}`);
  else if (moved.wasTrusted && !step.trusted)
    await endTokens(db, { ...of, basis: 'trust' }, 'trust taken away');
  return true;
}

export async function removeSubscription(db: Db, clientId: string, api: string): Promise<void> {
  await db.query({
    text: 'delete from subscriptions where client_id = $1 and api_id = $2',
    values: [clientId, api],
  });
  await endTokens(db, { clientId, apiId: api }, 'subscription removed');
}

/** The message of a new request takes the place of the one before. */
export async function setSubscriptionMessage(
  db: Db,
  clientId: string,
  api: string,
  message: string | null,
): Promise<void> {
  await db.query({
    text: 'update subscriptions set message = $3 where client_id = $1 and api_id = $2',
    values: [clientId, api, message],
  });
}

export type SubscriptionTarget = {
  ownerId: string | null;
  apiScopes: string[];
  requireApproval: boolean;
};

/** The client and the API that a request names, or null where one of them does not exist. */
export async function findSubscriptionTarget(
  db: Db,
  clientId: string,
  api: string,
): Promise<SubscriptionTarget | null> {
  const [row] = await db.query<SubscriptionTarget>({
    text: `select c.owner_id as "ownerId", a.require_approval as "requireApproval",
        array(select name from api_scopes where api_id = a.id order by position, name) as "apiScopes"
      from clients c, apis a where c.client_id = $1 and a.id = $2`,
    values: [clientId, api],
  });
  return row ?? null;
}
