export {
  type AuditAsked,
  type AuditEntry,
  EVENT_FAMILIES,
  EVENT_NAMES,
  eventsMeant,
  exportAudit,
  pageAudit,
  readAuditEvent,
  unknownEvent,
} from './audit.ts';
