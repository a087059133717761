// Subscriptions as the console's lists, inbox and pages show them. Moving one is subscriptions.ts.
import { BUILT_IN_API } from './console-registry.ts';
import { type Db, ownConnection } from './registry-db.ts';

export type SubscriptionRow = {
  clientId: string;
  clientName: string;
  clientKind: 'confidential' | 'browser' | 'native';
  clientDisabled: boolean;
  redirectUris: string[];
  ownerId: string | null;
  ownerEmail: string | null;
  api: string;
  apiName: string;
  apiScopes: { name: string; description: string }[];
  approvers: string[];
  requireApproval: boolean;
  state: 'pending' | 'approved' | 'rejected' | 'suspended' | 'revoked';
  trusted: boolean;
  scopes: string[];
  message: string | null;
  reason: string | null;
  requestedBy: string | null;
  requestedByEmail: string | null;
  decidedByEmail: string | null;
  decidedAt: Date | null;
  createdAt: Date;
  updatedAt: Date;
  version: number;
  managed: boolean;
  key: string;
};

const COLUMNS = `s.client_id as "clientId", c.name as "clientName",
  case when c.confidential then 'confidential' when c.application_type = 'native' then 'native' else 'browser' end
    as "clientKind",
  c.disabled_at is not null as "clientDisabled", c.redirect_uris as "redirectUris", c.owner_id as "ownerId",
  o.email as "ownerEmail", s.api_id as api, a.name as "apiName",
  coalesce((select json_agg(json_build_object('name', x.name, 'description', x.description) order by x.position, x.name)
    from api_scopes x where x.api_id = a.id), '[]') as "apiScopes",
  a.approvers, a.require_approval as "requireApproval", s.state, s.trusted, s.scopes, s.message, s.reason,
  s.requested_by as "requestedBy", r.email as "requestedByEmail", d.email as "decidedByEmail",
  s.decided_at as "decidedAt", s.created_at as "createdAt", s.updated_at as "updatedAt", s.version, s.managed,
  s.updated_at::text as key`;
const FROM = `from subscriptions s join clients c using (client_id) join apis a on a.id = s.api_id
  left join people o on o.id = c.owner_id left join people r on r.id = s.requested_by
  left join people d on d.id = s.decided_by`;

/** Whether an approver with the address in this parameter decides for the API `a`; null: an administrator, who does. */
export const decidableBy = (parameter: string) => `(${parameter}::text is null
  or (a.id <> '${BUILT_IN_API}' and (a.approvers = '{}' or ${parameter} = any(a.approvers))))`;

/** Each part that is null is not asked about. `decidable`: only APIs whose approver this address is. */
export async function selectSubscriptions(asked: {
  ownerId: string | null;
  clientId: string | null;
  api: string | null;
  state: string | null;
  trusted: boolean | null;
  search: string | null;
  decidable: string | null;
  order: 'newest' | 'oldest';
  after: [time: string, clientId: string, api: string] | null;
  limit: number;
}): Promise<SubscriptionRow[]> {
  const [comparison, direction] = asked.order === 'newest' ? ['<', 'desc'] : ['>', 'asc'];
  return ownConnection.query<SubscriptionRow>({
    text: `select ${COLUMNS} ${FROM}
      where ($1::uuid is null or c.owner_id = $1) and ($2::text is null or s.client_id = $2)
        and ($3::text is null or s.api_id = $3) and ($4::text is null or s.state = $4)
        and ($5::boolean is null or s.trusted = $5)
        and ($6::text is null
          or s.client_id in (select client_id from clients
            where position($6 in lower(client_id)) > 0 or position($6 in lower(name)) > 0)
          or s.api_id in (select id from apis where position($6 in id) > 0 or position($6 in lower(name)) > 0))
        and ${decidableBy('$7')}
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
    text: `select ${COLUMNS} ${FROM} where s.client_id = $1 and s.api_id = $2`,
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
    text: `select ${COLUMNS} ${FROM} where ($1::text is null or s.client_id = $1) and ($2::text is null or s.api_id = $2)
      order by s.client_id, s.api_id limit 10000`,
    values: [asked.clientId ?? null, asked.api ?? null],
  });
}

export type SubscriptionStep = {
  at: Date;
  from: string | null;
  to: string;
  trusted: boolean;
  scopes: string[];
  redirectUris: string[];
  /** null: from before it was kept */
  clientKind: 'confidential' | 'browser' | 'native' | null;
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
