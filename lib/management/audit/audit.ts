// The audit log: in pages, one event, and whole as a file.

import { csvHead, csvLine, eventsMeant, exportEvents, unknownEvent } from '#lib/audit/index.ts';
import { toWire } from '#lib/kit/index.ts';
import { AUDIT_EVENTS, type AuditFilter, type AuditRow, isUuid } from '#lib/store/index.ts';
import { type Asked, faultAt, faulty, operation, type Page, Refused, readPage } from '../core/index.ts';

export { EVENT_FAMILIES, EVENT_NAMES, eventsMeant, unknownEvent } from '#lib/audit/index.ts';
export type { AuditFilter } from '#lib/store/index.ts';
export type AuditEntry = AuditRow;

export const pageAudit = operation(
  'pageAudit',
  async (
    _,
    input: Omit<Asked, 'search'> & AuditFilter & { event?: string | undefined } = {},
  ): Promise<Page<AuditEntry>> => {
    if (input.personId !== undefined && !isUuid(input.personId))
      return { rows: [], next: null, previous: null };
    const { event, ...filter } = input;
    if (event === undefined) return readPage(AUDIT_EVENTS, input, filter);
    const events = eventsMeant(event);
    if (events.length === 0)
      throw faulty([faultAt('event', 'audit.unknown_event', { why: unknownEvent(event) })]);
    return readPage(AUDIT_EVENTS, input, { ...filter, events });
  },
);

/** One event. */
export const readAuditEvent = operation('readAuditEvent', (_, input: { id: string }) =>
  auditEntryOf(input.id),
);

export async function auditEntryOf(id: string): Promise<AuditEntry> {
  const [found] = /^\d{1,18}$/.test(id) ? await AUDIT_EVENTS.select({ id }, { after: null, limit: 1 }) : [];
  if (!found) throw new Refused('audit.unknown_id');
  return found.row;
}

/** All events that fit, the oldest first, as JSON or CSV in pieces, so that an export of any length is possible. */
export const exportAudit = operation(
  'exportAudit',
  async (_, input: { filter: AuditFilter; form: 'csv' | 'json' }): Promise<AsyncGenerator<string>> =>
    input.form === 'csv' ? csvOf(input.filter) : jsonOf(input.filter),
);

async function* csvOf(filter: AuditFilter): AsyncGenerator<string> {
  yield `${csvHead}\r\n`;
  for await (const one of exportEvents(filter)) yield `${csvLine(one)}\r\n`;
}

async function* jsonOf(filter: AuditFilter): AsyncGenerator<string> {
  let before = '[\n';
  for await (const one of exportEvents(filter)) {
    yield `${before}${JSON.stringify(toWire(one))}`;
    before = ',\n';
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}
