// Subscriptions: every step is one compare-and-set by version, with its line in subscription_events, hence in SQL.

import type { SubscriptionRow } from './console-subscriptions.ts';
import { endTokens } from './endings.ts';
import type { Db } from './registry-db.ts';

export type Step = {
  clientId: string;
  api: string;
  to: SubscriptionRow['state'];
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
  await db.orm((prisma) => prisma.subscription.deleteMany({ where: { clientId, apiId: api } }));
  await endTokens(db, { clientId, apiId: api }, 'subscription removed');
}

export type SubscriptionListing = {
  client_id: string;
  client_name: string;
  api: string;
  api_name: string;
  state: string;
  trusted: boolean;
  scopes: string[];
  message: string | null;
  reason: string | null;
  requested_by: string | null;
  requested_by_email: string | null;
  decided_by_email: string | null;
  decided_at: Date | null;
  created_at: Date;
  version: number;
  owner_id: string | null;
  approvers: string[];
  require_approval: boolean;
};

/**
 * Each part that is null is not asked about. SQL: five tables in one statement are one snapshot, where Prisma's five
 * statements would stumble over a client that is removed between two of them.
 */
export function listSubscriptionRows(
  db: Db,
  asked: { clientId: string | null; api: string | null; ownerId: string | null; state: string | null },
): Promise<SubscriptionListing[]> {
  return db.query<SubscriptionListing>({
    text: `select s.client_id, c.name as client_name, s.api_id as api, a.name as api_name, s.state, s.trusted, s.scopes,
        s.message, s.reason, s.requested_by, r.email as requested_by_email, d.email as decided_by_email, s.decided_at,
        s.created_at, s.version, c.owner_id, a.approvers, a.require_approval
      from subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
      left join people r on r.id = s.requested_by left join people d on d.id = s.decided_by
      where ($1::text is null or s.client_id = $1) and ($2::text is null or s.api_id = $2)
        and ($3::uuid is null or c.owner_id = $3) and ($4::text is null or s.state = $4)
      order by s.created_at, s.client_id, s.api_id`,
    values: [asked.clientId, asked.api, asked.ownerId, asked.state],
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
  return db.orm(async (prisma) => {
    const asker = await prisma.client.findUnique({ where: { clientId }, select: { ownerId: true } });
    const target = await prisma.api.findUnique({
      where: { id: api },
      select: {
        requireApproval: true,
        scopes: { select: { name: true }, orderBy: [{ position: 'asc' }, { name: 'asc' }] },
      },
    });
    if (!asker || !target) return null;
    return {
      ownerId: asker.ownerId,
      apiScopes: target.scopes.map((scope) => scope.name),
      requireApproval: target.requireApproval,
    };
  });
}
