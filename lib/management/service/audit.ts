// The audit log in pages, and the numbers of the console's first pages.

import { eventsMeant, unknownEvent } from '#lib/audit/index.ts';
import {
  AUDIT_EVENTS,
  type AuditFilter,
  type AuditRow,
  countPending,
  countRegistry,
  isUuid,
  type RegistryCounts,
  waitingPeople,
} from '#lib/store/index.ts';
import {
  type Asked,
  decidableBy,
  faultAt,
  faulty,
  mayDo,
  operation,
  type Page,
  readPage,
} from '../core/index.ts';

export { EVENT_FAMILIES, EVENT_NAMES, eventsMeant, unknownEvent } from '#lib/audit/index.ts';
export type { AuditFilter } from '#lib/store/index.ts';
export type AuditEntry = AuditRow;

export const pageAudit = operation(
  'pageAudit',
  async (
    _,
    input: Omit<Asked, 'search'> & AuditFilter & { event?: string | undefined } = {},
  ): Promise<Page<AuditEntry>> => {
    if (input.personId !== undefined && !isUuid(input.personId)) return { rows: [], next: null };
    const { event, ...filter } = input;
    if (event === undefined) return readPage(AUDIT_EVENTS, input, filter);
    const events = eventsMeant(event);
    if (events.length === 0)
      throw faulty([faultAt('event', 'audit.unknown_event', { why: unknownEvent(event) })]);
    return readPage(AUDIT_EVENTS, input, { ...filter, events });
  },
);

export type Overview = {
  /** requests that wait for this actor's decision; 0 for who may not decide */
  pending: number;
  /** for administrators, where they are asked for */
  counts: RegistryCounts | null;
};

export const readOverview = operation(
  'readOverview',
  async ({ actor, db }, input: { counts?: boolean } = {}): Promise<Overview> => ({
    pending:
      (mayDo(actor, 'subscriptions.decide') ? await countPending(db, decidableBy(actor)) : 0) +
      (mayDo(actor, 'people.decide') ? await waitingPeople.count(db) : 0),
    counts: input.counts === true && mayDo(actor, 'registry.read') ? await countRegistry() : null,
  }),
);
