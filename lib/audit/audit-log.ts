// The audit log. Hot statements insert their event themselves; everything else calls recordEvent() in the transaction
// of the change, so that both are committed or neither.
import type { Db } from '#lib/store/database/prisma.ts';
import {
  type AuditFilter,
  type AuditRecord,
  insertAuditEvent,
  selectAuditEvents,
} from '#lib/store/log/audit.ts';
import { boundedDetails } from './diff.ts';
import type { AuditEvent } from './events.ts';

export async function recordEvent(event: AuditEvent, tx?: Db): Promise<void> {
  await insertAuditEvent({ ...event, details: boundedDetails({ ...event.details }) }, tx);
}

/** Oldest first: with `afterId` the next `limit` events after it, without it the newest `limit`. */
export function listEvents(
  asked: AuditFilter & { limit?: number; afterId?: string } = {},
): Promise<AuditRecord[]> {
  const { limit = 100, afterId = null, ...filter } = asked;
  return selectAuditEvents({ ...filter, limit, afterId });
}

const PAGE = 1_000;

/** All matching events, oldest first. Reads page by page, so an export of any length fits into memory. */
export async function* exportEvents(filter: AuditFilter): AsyncGenerator<AuditRecord> {
  for (let afterId = '0'; ; ) {
    const page = await listEvents({ ...filter, afterId, limit: PAGE });
    yield* page;
    afterId = page.at(-1)?.id ?? afterId;
    if (page.length < PAGE) return;
  }
}

/** Longer than any transaction takes: an event gets its id before its transaction commits. */
const LATE_MS = 15_000;

/**
 * Each call of the result returns the events since the call before, the first one those since `from`. Events of a long
 * transaction become visible late: the last seconds are read again each time, and each event is returned once.
 */
export function followEvents(filter: AuditFilter, from: Date): () => Promise<AuditRecord[]> {
  const returned = new Map<string, Date>();
  let newest = from;
  return async () => {
    const late = new Date(newest.getTime() - LATE_MS);
    const since = late > from ? late : from;
    const fresh: AuditRecord[] = [];
    for await (const one of exportEvents({ ...filter, since })) if (!returned.has(one.id)) fresh.push(one);
    for (const one of fresh) {
      returned.set(one.id, one.at);
      if (one.at > newest) newest = one.at;
    }
    for (const [id, at] of returned) if (at.getTime() < newest.getTime() - LATE_MS) returned.delete(id);
    return fresh;
  };
}
