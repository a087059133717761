// Subscriptions in lists: all of them, and those that wait for a decision.
import { BUILT_IN_API } from '#lib/registry/objects/api.ts';
import type { SubscriptionRow } from '#lib/registry/objects/subscription.ts';
import type { SubscriptionState } from '#lib/registry/objects/subscription-states.ts';
import {
  anyOf,
  BY_NAME,
  contains,
  containsEmail,
  type DayRange,
  equals,
  inRange,
  list,
} from '../database/list.ts';
import { type Db, first } from '../database/prisma.ts';
import { joined, raw, type Sql, sql } from '../database/sql.ts';
import { SUBSCRIPTION_ROWS } from './subscriptions.ts';

/** A condition: an approver with this address decides for the API `a`; null: an administrator, who decides for each. */
export const isDecidable = (approver: string | null): Sql | null =>
  approver === null
    ? null
    : sql`a.id <> ${BUILT_IN_API} and (a.approvers = '{}' or ${approver} = any (a.approvers))`;

/** What is left out is not asked about. `decidable`: only of APIs whose approver this address is. */
export type SubscriptionFilter = {
  ownerId?: string | null;
  clientId?: string | undefined;
  api?: string | undefined;
  state?: SubscriptionState | undefined;
  trusted?: boolean | undefined;
  machine?: boolean | undefined;
  device?: boolean | undefined;
  /** of clients that no one registered here */
  unregistered?: boolean | undefined;
  search?: string | null;
  requested?: DayRange | undefined;
  decided?: DayRange | undefined;
  decidable: string | null;
};

const PAIR = [
  ['s.client_id', 'text'],
  ['s.api_id', 'text'],
] as const;
const CLIENT_NAME = [`c.name ${BY_NAME}`, 'text'] as const;

export const SUBSCRIPTIONS = list<SubscriptionRow, SubscriptionFilter>({
  rows: SUBSCRIPTION_ROWS,
  orders: {
    changed: { key: [['s.updated_at', 'time'], ...PAIR], begins: 'desc' },
    name: { key: [CLIENT_NAME, ...PAIR] },
    /** the oldest first; of one moment the clients by their names */
    age: { key: [['s.updated_at', 'time'], CLIENT_NAME, ...PAIR] },
  },
  where: ({ requested, decided, search, decidable, ...asked }) => {
    const { ownerId, clientId, api, state, trusted, machine, device, unregistered } = asked;
    const named = (table: string, id: string) =>
      sql`select ${raw(id)} from ${raw(table)} where ${contains(search, `lower(${id})`, 'lower(name)')}`;
    return [
      equals('c.owner_id', ownerId),
      equals('s.client_id', clientId),
      equals('s.api_id', api),
      equals('s.state', state),
      equals('s.trusted', trusted),
      equals('s.machine', machine),
      equals('s.device', device),
      equals('(c.origin is not null)', unregistered),
      anyOf(
        search ? sql`s.client_id in (${named('clients', 'client_id')})` : null,
        search ? sql`s.api_id in (${named('apis', 'id')})` : null,
        // of all subscriptions it would cost more than people wait for
        state === 'pending' ? containsEmail(search, 'r.email') : null,
      ),
      inRange('s.created_at', requested),
      inRange('s.decided_at', decided),
      isDecidable(decidable),
    ];
  },
});

/** How many requests wait for this approver; null: for an administrator. */
export async function countPending(db: Db, approver: string | null): Promise<number> {
  const where = joined([sql`s.state = 'pending'`, isDecidable(approver)], ' and ');
  const row = await first<{ count: number }>(
    db.$queryRaw(
      sql`select count(*)::int as count from subscriptions s join apis a on a.id = s.api_id where ${where}`,
    ),
  );
  return row?.count ?? 0;
}

/** The APIs at which requests wait for this approver, by name; null: for an administrator. */
export function selectWaitingApis(db: Db, approver: string | null): Promise<{ id: string; name: string }[]> {
  const waits = sql`exists (select from subscriptions s where s.api_id = a.id and s.state = 'pending')`;
  return db.$queryRaw(
    sql`select a.id, a.name from apis a where ${joined([waits, isDecidable(approver)], ' and ')}
      order by a.name ${raw(BY_NAME)}, a.id limit 1000`,
  );
}
