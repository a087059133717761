export {
  AUDIT_EVENTS,
  type AuditFilter,
  type AuditRecord,
  type AuditRow,
  countLeftOut,
  insertAuditEvent,
  SIGN_INS,
  selectAuditEvents,
} from './audit.ts';
export { deleteExpired, type Swept } from './cleanup.ts';
export {
  claimLogoutDeliveries,
  dropLogoutDelivery,
  giveUpLogoutDelivery,
  isLogoutDeliveryWanted,
  type LogoutDelivery,
  postponeLogoutDelivery,
} from './logout-deliveries.ts';
export { recordRefusal } from './refusals.ts';
export { noteRefusedRequest, REQUESTS, type RequestRow } from './refused-requests.ts';
export {
  addRequestMails,
  claimRequestMails,
  dropRequestMails,
  finishRequestMail,
  postponeRequestMail,
  queueRequestMails,
  type RequestMailTurn,
  type RequestToMail,
  releaseRequestMail,
  requestsToMail,
} from './request-mails.ts';
export { addUsage, CALL_MS, OTHERS, type UsageCount } from './usage.ts';
export {
  type UsageCalls,
  type UsageOf,
  type UsageRange,
  type UsageRefusal,
  type UsageStep,
  usageSums,
} from './usage-sums.ts';
export { advanceWebhook, leaseWebhook, postponeWebhook, releaseWebhook } from './webhook.ts';
