// Subscriptions as lists, the inbox and pages show them.
import {
  BUILT_IN_API,
  type ClientKind,
  type SubscriptionRow,
  type SubscriptionState,
} from '#lib/registry/index.ts';
import { API_SCOPES } from './apis.ts';
import { CLIENT_KIND } from './clients.ts';
import { type Db, ownConnection } from './transaction.ts';

/** SQL: a SubscriptionRow. */
export const SUBSCRIPTION_ROW = `s.client_id as "clientId", c.name as "clientName",
  ${CLIENT_KIND} as "clientKind",
  c.disabled_at is not null as "clientDisabled", c.redirect_uris as "redirectUris", c.owner_id as "ownerId",
  o.email as "ownerEmail", s.api_id as api, a.name as "apiName",
  ${API_SCOPES} as "apiScopes",
  a.approvers, a.require_approval as "requireApproval", s.state, s.trusted, s.scopes, s.message, s.reason,
  s.requested_by as "requestedBy", r.email as "requestedByEmail", d.email as "decidedByEmail",
  s.decided_at as "decidedAt", s.created_at as "createdAt", s.updated_at as "updatedAt", s.version, s.managed`;
export const SUBSCRIPTION_TABLES = `from subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
  left join people o on o.id = c.owner_id left join people r on r.id = s.requested_by
  left join people d on d.id = s.decided_by`;

/** Whether an approver with the address in this parameter decides for the API `a`; null: an administrator, who does. */
export const isDecidable = (parameter: string) => `(${parameter}::text is null
  or (a.id <> '${BUILT_IN_API}' and (a.approvers = '{}' or ${parameter} = any(a.approvers))))`;

/** Each part that is null is not asked about. `decidable`: only APIs whose approver this address is. */
export async function selectSubscriptions(asked: {
  ownerId: string | null;
  clientId: string | null;
  api: string | null;
  state: SubscriptionState | null;
  trusted: boolean | null;
  search: string | null;
  decidable: string | null;
  order: 'newest' | 'oldest';
  after: [time: string, clientId: string, api: string] | null;
  limit: number;
}): Promise<(SubscriptionRow & { key: string })[]> {
  const [comparison, direction] = asked.order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
  return ownConnection.query({
    text: `select ${SUBSCRIPTION_ROW}, s.updated_at::text as key ${SUBSCRIPTION_TABLES}
      where ($1::uuid is null or c.owner_id = $1) and ($2::text is null or s.client_id = $2)
        and ($3::text is null or s.api_id = $3) and ($4::text is null or s.state = $4)
        and ($5::boolean is null or s.trusted = $5)
        and ($6::text is null
          or s.client_id in (select client_id from clients
            where position($6 in lower(client_id)) > 0 or position($6 in lower(name)) > 0)
          or s.api_id in (select id from apis where position($6 in id) > 0 or position($6 in lower(name)) > 0))
        and ${isDecidable('$7')}
        and ($8::timestamptz is null
          or (s.updated_at, s.client_id, s.api_id) ${comparison} ($8::timestamptz, $9, $10))
      order by s.updated_at ${direction}, s.client_id ${direction}, s.api_id ${direction} limit $11`,
    values: [
      asked.ownerId,
      asked.clientId,
      asked.api,
      asked.state,
      asked.trusted,
      asked.search,
      asked.decidable,
      asked.after?.[0] ?? null,
      asked.after?.[1] ?? null,
      asked.after?.[2] ?? null,
      asked.limit,
    ],
  });
}

export async function findSubscription(
  db: Db,
  clientId: string,
  api: string,
): Promise<SubscriptionRow | null> {
  const [row] = await db.query<SubscriptionRow>({
    text: `select ${SUBSCRIPTION_ROW} ${SUBSCRIPTION_TABLES} where s.client_id = $1 and s.api_id = $2`,
    values: [clientId, api],
  });
  return row ?? null;
}

/** A client's or an API's, whatever their state. */
export async function selectSubscriptionsOf(
  db: Db,
  asked: { clientId?: string; api?: string },
): Promise<SubscriptionRow[]> {
  return db.query<SubscriptionRow>({
    text: `select ${SUBSCRIPTION_ROW} ${SUBSCRIPTION_TABLES} where ($1::text is null or s.client_id = $1) and ($2::text is null or s.api_id = $2)
      order by s.client_id, s.api_id limit 10000`,
    values: [asked.clientId ?? null, asked.api ?? null],
  });
}

export type SubscriptionStep = {
  at: Date;
  from: SubscriptionState | null;
  to: SubscriptionState;
  trusted: boolean;
  scopes: string[];
  redirectUris: string[];
  /** null: from before it was kept */
  clientKind: ClientKind | null;
  actor: string;
  reason: string | null;
};

/** Its life, in order. */
export async function selectSubscriptionSteps(
  db: Db,
  clientId: string,
  api: string,
): Promise<SubscriptionStep[]> {
  return db.query<SubscriptionStep>({
    text: `select at, from_state as "from", to_state as "to", trusted, scopes, redirect_uris as "redirectUris",
        client_kind as "clientKind", actor, reason
      from subscription_events where client_id = $1 and api_id = $2 order by id`,
    values: [clientId, api],
  });
}
