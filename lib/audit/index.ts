// The audit log. Hot statements write their own event as an arm of the statement; everything else calls record(),
// with the transaction of the change it describes, so that neither is there without the other.
import {
  type AuditFilter,
  type AuditRecord,
  type Db,
  insertAuditEvent,
  selectAuditEvents,
} from '#lib/store/index.ts';
import type { AuditEvent } from './events.ts';

export type { AuditFilter, AuditRecord } from '#lib/store/index.ts';
export { csvHead, csvLine } from './csv.ts';
export type { AuditEvent, EventDetails, EventName } from './events.ts';
export { deliverEvents, isChosen, startWebhook } from './webhook.ts';

export async function record(event: AuditEvent, tx?: Db): Promise<void> {
  await insertAuditEvent({ ...event, details: event.details ?? {} }, tx);
}

/** With `afterId` the next ones in order; without it the newest `limit`, oldest first. */
export function listEvents(
  asked: AuditFilter & { limit?: number; afterId?: string } = {},
): Promise<AuditRecord[]> {
  const { limit = 100, afterId = null, ...filter } = asked;
  return selectAuditEvents({ ...filter, limit, afterId });
}

const PAGE = 1_000;

/** All that fit, oldest first, a page at a time: an export of any length needs no memory. */
export async function* exportEvents(filter: AuditFilter): AsyncGenerator<AuditRecord> {
  for (let afterId = '0'; ; ) {
    const page = await listEvents({ ...filter, afterId, limit: PAGE });
    yield* page;
    afterId = page.at(-1)?.id ?? afterId;
    if (page.length < PAGE) return;
  }
}

/** Long enough for any transaction to commit: ids are given when it begins. */
const LATE_MS = 15_000;

/**
 * What happens from `from` on, as often as it is asked. An event of a long transaction becomes visible after younger ones:
 * the last seconds are read again each time, and each event is given once.
 */
export function followEvents(filter: AuditFilter, from: Date): () => Promise<AuditRecord[]> {
  const given = new Map<string, Date>();
  let newest = from;
  return async () => {
    const late = new Date(newest.getTime() - LATE_MS);
    const since = late > from ? late : from;
    const fresh: AuditRecord[] = [];
    for await (const one of exportEvents({ ...filter, since })) if (!given.has(one.id)) fresh.push(one);
    for (const one of fresh) {
      given.set(one.id, one.at);
      if (one.at > newest) newest = one.at;
    }
    for (const [id, at] of given) if (at.getTime() < newest.getTime() - LATE_MS) given.delete(id);
    return fresh;
  };
}
