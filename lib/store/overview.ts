// The counts that the console's first pages show.
import { isDecidable } from './subscriptions.ts';
import { ownConnection } from './transaction.ts';

/** How many requests wait for this approver; null as the address: for an administrator. */
export async function countPending(approver: string | null): Promise<number> {
  const [row] = await ownConnection.query<{ count: number }>({
    text: `select count(*)::int as count from subscriptions s join apis a on a.id = s.api_id
      where s.state = 'pending' and ${isDecidable('$1')}`,
    values: [approver],
  });
  return row?.count ?? 0;
}

export type RegistryCounts = {
  apis: number;
  authMethods: number;
  clients: number;
  people: number;
  subscriptions: number;
  sessions: number;
};

export async function countRegistry(): Promise<RegistryCounts> {
  const [row] = await ownConnection.query<RegistryCounts>({
    text: `select (select count(*)::int from apis) as apis, (select count(*)::int from auth_methods) as "authMethods",
      (select count(*)::int from clients) as clients, (select count(*)::int from people) as people,
      (select count(*)::int from subscriptions) as subscriptions,
      (select count(*)::int from sessions where ended_at is null and expires_at > now()) as sessions`,
  });
  if (!row) throw new Error('the registry could not be counted');
  return row;
}
