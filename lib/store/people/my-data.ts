// Data of a person that no page shows, for the file that they download.
import type { Db } from '../database/prisma.ts';
import { sql } from '../database/sql.ts';

/** Who vouches for them elsewhere, with all that was said. */
export const selectMyIdentities = (db: Db, personId: string) =>
  db.externalIdentity.findMany({
    where: { personId },
    omit: { personId: true },
    orderBy: { createdAt: 'asc' },
  });

/** What they asked for, under the names of the file: subscriptions of clients, and agents to be let in. */
export const selectMyRequests = (db: Db, personId: string): Promise<object[]> =>
  db.$queryRaw(sql`select client_id, api_id, 'subscription' as kind, created_at as asked_at, message
      from subscriptions where requested_by = ${personId}
    union all select client_id, api_id, 'agent', asked_at, null from agent_requests where person_id = ${personId}
    order by asked_at limit 10000`);
