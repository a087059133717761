// What is kept of somebody and shown nowhere else, for the file that they download. The names are those of the file.
import { type Db, sql } from '../database/index.ts';

/** Who vouches for them elsewhere, with all that was said. */
export const selectMyIdentities = (db: Db, personId: string): Promise<object[]> =>
  db.$queryRaw(sql`select auth_method_id, subject, email, email_verified, name, claims, created_at, last_seen_at
    from external_identities where person_id = ${personId} order by created_at`);

/** What they asked for: subscriptions of clients, and agents to be let in. */
export const selectMyRequests = (db: Db, personId: string): Promise<object[]> =>
  db.$queryRaw(sql`select client_id, api_id, 'subscription' as kind, created_at as asked_at, message
      from subscriptions where requested_by = ${personId}
    union all select client_id, api_id, 'agent', asked_at, null from agent_requests where person_id = ${personId}
    order by asked_at limit 10000`);
