// Operations on the audit log: pages of events, a single event, and the complete log as a file.
import { z } from 'zod';
import { csvHead, csvLine, exportEvents } from '#lib/audit/audit-log.ts';
import { searchPeople } from '#lib/catalogue/people/rows.ts';
import { toWire } from '#lib/kit/wire.ts';
import { eventsMeant, unknownEvent } from '#lib/registry/audit-event.ts';
import { AUDIT_EVENTS, type AuditFilter, type AuditRow } from '#lib/store/audit.ts';
import { isUuid } from '#lib/store/list.ts';
import { type ListInput, type Page, pageQuery, readPage } from './lists.ts';
import { operation, page } from './operations.ts';
import { faulty, Refused, wrongAt } from './refused.ts';

export type AuditEntry = AuditRow;

type Like = { [Name in 'actor' | 'person' | 'client' | 'api']?: string };
/** A filter of events; a missing member matches every event. `like`: parts of ids, names and addresses, as typed. */
export type AuditAsked = Omit<AuditFilter, 'like'> & { like?: Like | undefined };

/**
 * Resolves names to ids, with a search for people as in the list of users. In a large installation only prefixes
 * match, because an index is used.
 */
async function resolveFilter({ like = {}, ...filter }: AuditAsked): Promise<AuditFilter> {
  const { actor: by, person: of, client, api } = like;
  const [actor, person] = await Promise.all([searchPeople(by ?? null), searchPeople(of ?? null)]);
  const named = {
    ...(client !== undefined && { client: client.toLowerCase() }),
    ...(api !== undefined && { api: api.toLowerCase() }),
  };
  return { ...filter, like: { ...named, ...(actor && { actor }), ...(person && { person }) } };
}

const text = z.string().max(300).optional();
const moment = z.iso
  .datetime({ offset: true })
  .transform((value) => new Date(value))
  .optional();
const auditQuery = z.strictObject({
  ...pageQuery('audit'),
  event: text,
  actor: text,
  personId: text,
  clientId: text,
  apiId: text,
  requestId: text,
  since: moment,
  until: moment,
});

const nullable = z.string().nullable();
const texts = z.array(z.string());
const values = z.record(z.string(), z.unknown()).optional();
/** Details of an event. The members below are set for changes; further members depend on the event. */
const eventDetails = z
  .looseObject({
    changed: texts.optional().describe('for a change: the fields that changed, by their names in the code'),
    // also a text, because `before` of one event is a time
    before: z
      .union([values, z.string().optional()])
      .describe('their values before the change, without secrets'),
    after: values.describe('their values after the change, without secrets'),
    leftOut: texts.optional().describe('fields without values: both sides together have at most 8 KiB'),
  })
  .describe('the fields of the event; their names are data');
const auditEvent = z.strictObject({
  id: z.string(),
  at: z.date(),
  event: z.string(),
  actor: nullable.describe(
    'a person’s id, client:ID for a client in its own name, operator, config or system',
  ),
  actorEmail: nullable,
  personId: nullable,
  personEmail: nullable,
  clientId: nullable,
  apiId: nullable,
  authMethodId: nullable,
  requestId: nullable,
  ip: nullable,
  details: eventDetails,
});

export const pageAudit = operation(
  { name: 'pageAudit', right: 'audit.read', shape: auditQuery, output: page('AuditEvent', auditEvent) },
  async (_, input: ListInput<typeof auditQuery> & AuditAsked = {}): Promise<Page<AuditEntry>> => {
    if (input.personId !== undefined && !isUuid(input.personId))
      return { rows: [], next: null, previous: null };
    const { event, ...asked } = input;
    const filter = await resolveFilter(asked);
    if (event === undefined) return readPage(AUDIT_EVENTS, input, filter);
    const events = eventsMeant(event);
    if (events.length === 0) throw faulty([wrongAt('event', 'audit.unknown_event', unknownEvent(event))]);
    return readPage(AUDIT_EVENTS, input, { ...filter, events });
  },
);

/** Returns one event. */
export const readAuditEvent = operation(
  { name: 'readAuditEvent', right: 'audit.read' },
  async (_, { id }: { id: string }): Promise<AuditEntry> => {
    const [found] = /^\d{1,18}$/.test(id) ? await AUDIT_EVENTS.select({ id }, { after: null, limit: 1 }) : [];
    if (!found) throw new Refused('audit.unknown_id');
    return found.row;
  },
);

/** Streams all matching events as chunks of JSON or CSV, oldest first, so that exports have no size limit. */
export const exportAudit = operation(
  { name: 'exportAudit', right: 'audit.read' },
  async (_, input: { filter: AuditAsked; form: 'csv' | 'json' }): Promise<AsyncGenerator<string>> =>
    (input.form === 'csv' ? csvOf : jsonOf)(await resolveFilter(input.filter)),
);

async function* csvOf(filter: AuditFilter): AsyncGenerator<string> {
  yield `${csvHead}\r\n`;
  for await (const auditRecord of exportEvents(filter)) yield `${csvLine(auditRecord)}\r\n`;
}

async function* jsonOf(filter: AuditFilter): AsyncGenerator<string> {
  let before = '[\n';
  for await (const auditRecord of exportEvents(filter)) {
    yield `${before}${JSON.stringify(toWire(auditRecord))}`;
    before = ',\n';
  }
  yield before === ',\n' ? '\n]\n' : '[]\n';
}
