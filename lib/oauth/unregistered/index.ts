export { requestApproval } from './ask.ts';
export { UnregisteredClientRefused } from './client-refused.ts';
export { consentSince, isStranger, standingOf } from './client-subscription.ts';
export { refreshDocumentClient } from './refresh.ts';
export { issuerUnread, ruleFor, withUnregisteredClient } from './resolve-client.ts';
