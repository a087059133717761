// Where the webhook stands in the audit log. Whoever gets the lease sends; it ends by itself if that instance dies.
import { ownConnection } from './transaction.ts';

const LEASE_SECONDS = 60;

/** The last event that was dealt with, for the one instance that may go on; null: somebody else, or too early. */
export async function leaseWebhook(): Promise<string | null> {
  // its first run begins with what happens from then on
  await ownConnection.query({
    text: `insert into webhook_cursor (last_event_id) select coalesce(max(id), 0) from audit_events
      on conflict (id) do nothing`,
  });
  const [row] = await ownConnection.query<{ after: string }>({
    text: `update webhook_cursor set locked_until = now() + make_interval(secs => $1)
      where locked_until <= now() and next_try_at <= now() returning last_event_id::text as after`,
    values: [LEASE_SECONDS],
  });
  return row?.after ?? null;
}

/** Everything up to this event is dealt with. */
export async function advanceWebhook(eventId: string): Promise<void> {
  await ownConnection.query({
    text: `update webhook_cursor set last_event_id = greatest(last_event_id, $1::bigint), failures = 0,
      locked_until = now() + make_interval(secs => $2)`,
    values: [eventId, LEASE_SECONDS],
  });
}

/** Not now: after 2, 4, 8 … seconds, five minutes at most. */
export async function postponeWebhook(): Promise<void> {
  await ownConnection.query({
    text: `update webhook_cursor set failures = failures + 1, locked_until = now(),
      next_try_at = now() + make_interval(secs => least(300, power(2, least(failures + 1, 9))))`,
  });
}

export async function releaseWebhook(): Promise<void> {
  await ownConnection.query({ text: 'update webhook_cursor set locked_until = now()' });
}
