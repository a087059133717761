// An event as a line of CSV (RFC 4180). Spreadsheets run cells that begin with = + - @ as formulas: such a cell gets an
// apostrophe in front.
import type { AuditRecord } from '#lib/store/log/audit.ts';

const COLUMNS = {
  id: (one: AuditRecord) => one.id,
  at: (one: AuditRecord) => one.at.toISOString(),
  event: (one: AuditRecord) => one.event,
  actor: (one: AuditRecord) => one.actor,
  person_id: (one: AuditRecord) => one.personId,
  client_id: (one: AuditRecord) => one.clientId,
  api_id: (one: AuditRecord) => one.apiId,
  auth_method_id: (one: AuditRecord) => one.authMethodId,
  request_id: (one: AuditRecord) => one.requestId,
  ip: (one: AuditRecord) => one.ip,
  details: (one: AuditRecord) => JSON.stringify(one.details),
};

export const csvHead = Object.keys(COLUMNS).join(',');

export function csvLine(one: AuditRecord): string {
  return Object.values(COLUMNS)
    .map((read) => cell(read(one) ?? ''))
    .join(',');
}

function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
