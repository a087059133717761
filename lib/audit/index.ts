// The audit log. Hot statements write their own event as an arm of the statement; everything else calls record(),
// with the transaction of the change it describes, so that neither is there without the other.
import { type Db, insertAuditEvent, selectAuditEvents } from '#lib/store/index.ts';
import type { AuditEvent } from './events.ts';

export type { AuditEvent, EventDetails, EventName } from './events.ts';

export type AuditRecord = {
  id: string;
  at: Date;
  event: string;
  actor: string | null;
  personId: string | null;
  clientId: string | null;
  apiId: string | null;
  authMethodId: string | null;
  requestId: string | null;
  ip: string | null;
  details: Record<string, unknown>;
};

export async function record(event: AuditEvent, tx?: Db): Promise<void> {
  await insertAuditEvent({ ...event, details: event.details ?? {} }, tx);
}

/** With `afterId` the next ones in order (to follow); without it the newest `limit`, oldest first. */
export function listEvents(
  asked: { since?: Date; limit?: number; afterId?: string } = {},
): Promise<AuditRecord[]> {
  return selectAuditEvents({
    since: asked.since ?? null,
    limit: asked.limit ?? 100,
    afterId: asked.afterId ?? null,
  });
}
