// The audit log. A few statements on busy paths insert their event themselves. All other code calls recordEvent() in
// the transaction of the change, so that both are committed or neither is.

import type { AuditEvent } from '#lib/registry/audit-event.ts';
import { type AuditFilter, type AuditRecord, insertAuditEvent, selectAuditEvents } from '#lib/store/audit.ts';
import type { Db } from '#lib/store/prisma.ts';

// Values of a change event: each changed field, before and after. Secrets are removed. If the values exceed the size
// limit, only the names of the fields are stored.

/** Size limit of `before` and `after` together, as JSON in UTF-8. */
export const MAX_DIFF_BYTES = 8_192;

/** Fields whose values are never stored. */
const SECRETS = new Set([
  ...['secret', 'clientSecret', 'client_secret', 'configSecret', 'introspectionSecret', 'verify_token'],
  ...['password', 'passwordHash', 'configHash', 'configPassword', 'sealedSecret', 'sealed_secret'],
]);
/** Private members of a JWK (RFC 7518 §6). */
const PRIVATE = new Set(['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth']);

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns details whose `before` and `after` values can be stored. `leftOut` lists the names of values that were too
 * long.
 */
export function boundedDetails(details: Values): Values {
  const { before, after } = details;
  const sides = Object.entries({ before, after }).flatMap(([side, values]) =>
    isValues(values) ? [{ side, values: withoutSecrets(values) }] : [],
  );
  if (sides.length === 0) return details;
  const fieldNames = new Set(sides.flatMap(({ values }) => Object.keys(values)));
  const withKept = () =>
    Object.fromEntries(
      sides.map(({ side, values }) => [
        side,
        Object.fromEntries(Object.entries(values).filter(([name]) => fieldNames.has(name))),
      ]),
    );
  const length = (name: string) =>
    Buffer.byteLength(JSON.stringify(sides.map(({ values }) => values[name] ?? null)));
  const longest = [...fieldNames].toSorted((a, b) => length(b) - length(a));
  const leftOut: string[] = [];
  for (const name of longest) {
    if (Buffer.byteLength(JSON.stringify(withKept())) <= MAX_DIFF_BYTES) break;
    fieldNames.delete(name);
    leftOut.push(name);
  }
  return { ...details, ...withKept(), ...(leftOut.length > 0 && { leftOut }) };
}

const withoutSecrets = (fields: Values): Values =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      SECRETS.has(name) ? [] : [[name, withoutPrivateKeys(value)]],
    ),
  );

function withoutPrivateKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrivateKeys);
  if (!isValues(value)) return value;
  const isKey = 'kty' in value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, one]) =>
      isKey && PRIVATE.has(name) ? [] : [[name, withoutPrivateKeys(one)]],
    ),
  );
}

export async function recordEvent(event: AuditEvent, tx?: Db): Promise<void> {
  await insertAuditEvent({ ...event, details: boundedDetails({ ...event.details }) }, tx);
}

/**
 * Returns events, oldest first: the next `limit` events after `afterId`. Without `afterId`, returns the newest
 * `limit` events.
 */
export function listEvents(
  options: AuditFilter & { limit?: number; afterId?: string } = {},
): Promise<AuditRecord[]> {
  const { limit = 100, afterId = null, ...filter } = options;
  return selectAuditEvents({ ...filter, limit, afterId });
}

const PAGE = 1_000;

/** Yields all matching events, oldest first. It reads page by page, so an export of any length fits into memory. */
export async function* exportEvents(filter: AuditFilter): AsyncGenerator<AuditRecord> {
  for (let afterId = '0'; ; ) {
    const page = await listEvents({ ...filter, afterId, limit: PAGE });
    yield* page;
    afterId = page.at(-1)?.id ?? afterId;
    if (page.length < PAGE) return;
  }
}

/**
 * Milliseconds by which an event can become visible late: an event gets its id before its transaction commits. The
 * value is longer than any transaction.
 */
const LATE_MS = 15_000;

/**
 * Each call returns the events since the previous call; the first call returns the events since `from`. Events of a
 * long transaction become visible late, so each call reads the last seconds again. Each event is returned once.
 */
export function followEvents(filter: AuditFilter, from: Date): () => Promise<AuditRecord[]> {
  const returned = new Map<string, Date>();
  let newest = from;
  return async () => {
    const late = new Date(newest.getTime() - LATE_MS);
    const since = late > from ? late : from;
    const fresh: AuditRecord[] = [];
    for await (const auditRecord of exportEvents({ ...filter, since }))
      if (!returned.has(auditRecord.id)) fresh.push(auditRecord);
    for (const event of fresh) {
      returned.set(event.id, event.at);
      if (event.at > newest) newest = event.at;
    }
    for (const [id, at] of returned) if (at.getTime() < newest.getTime() - LATE_MS) returned.delete(id);
    return fresh;
  };
}

// An event as a line of CSV (RFC 4180). Spreadsheets run cells that begin with = + - @ as formulas, so an apostrophe
// is put in front of such a cell.

const COLUMNS = {
  id: (auditRecord: AuditRecord) => auditRecord.id,
  at: (event: AuditRecord) => event.at.toISOString(),
  event: (event: AuditRecord) => event.event,
  actor: (event: AuditRecord) => event.actor,
  person_id: (event: AuditRecord) => event.personId,
  client_id: (event: AuditRecord) => event.clientId,
  api_id: (event: AuditRecord) => event.apiId,
  auth_method_id: (event: AuditRecord) => event.authMethodId,
  request_id: (event: AuditRecord) => event.requestId,
  ip: (event: AuditRecord) => event.ip,
  details: (event: AuditRecord) => JSON.stringify(event.details),
};

export const csvHead = Object.keys(COLUMNS).join(',');

export function csvLine(auditRecord: AuditRecord): string {
  return Object.values(COLUMNS)
    .map((read) => cell(read(auditRecord) ?? ''))
    .join(',');
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
