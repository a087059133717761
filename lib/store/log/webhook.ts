// The webhook's cursor in the audit log. The instance with the lease sends; a lease expires if its instance dies.
import { query } from '../database/pool.ts';
import { sql } from '../database/sql.ts';

const LEASE_SECONDS = 60;

/**
 * Takes the lease and returns the id of the last event that was handled; null: another instance has it, or it is too
 * early.
 */
export async function leaseWebhook(): Promise<string | null> {
  // the first run starts after the events that exist
  await query(sql`insert into webhook_cursor (last_event_id)
    select coalesce(max(id), 0) from audit_events on conflict (id) do nothing`);
  const [row] = await query<{ after: string }>(sql`update webhook_cursor
    set locked_until = now() + make_interval(secs => ${LEASE_SECONDS})
    where locked_until <= now() and next_try_at <= now() returning last_event_id::text as after`);
  return row?.after ?? null;
}

/** Events up to this one are handled. */
export async function advanceWebhook(eventId: string): Promise<void> {
  await query(sql`update webhook_cursor set last_event_id = greatest(last_event_id, ${eventId}::bigint),
    failures = 0, locked_until = now() + make_interval(secs => ${LEASE_SECONDS})`);
}

/** Tries again after 2, 4, 8 … seconds, five minutes at most. */
export async function postponeWebhook(): Promise<void> {
  await query(sql`update webhook_cursor set failures = failures + 1, locked_until = now(),
    next_try_at = now() + make_interval(secs => least(300, power(2, least(failures + 1, 9))))`);
}

export async function releaseWebhook(): Promise<void> {
  await query(sql`update webhook_cursor set locked_until = now()`);
}
