export { deleteExpired } from './cleanup.ts';
export { isChallengeUsed, issueCode, type NewCode, redeemCode, revokeReusedCode } from './codes.ts';
export {
  findLocalCredential,
  recordRefusal,
  touchClientSecret,
  upgradePasswordHash,
} from './credentials.ts';
export {
  type Directory,
  type DirectoryApi,
  type DirectoryClient,
  type DirectoryKey,
  type DirectoryMethod,
  type DirectorySubscription,
  directory,
} from './directory.ts';
export { type EmbeddedDatabase, ensureEmbeddedDatabase, ensureLocalSecret } from './embedded.ts';
export { type Invalidated, invalidateBefore } from './invalidate.ts';
export { addKey, createFirstKey, markKeyRetired, type NewKey, oldestDueKey } from './keys.ts';
export { findLiveToken, revokeAccessToken, revokeByRefreshToken } from './live-tokens.ts';
export { grantServiceRole, MigrationError, migrate } from './migrate.ts';
export {
  changeRole,
  countActiveAdministrators,
  endSignIns,
  findPersonByEmail,
  findPersonById,
  insertPerson,
  listPeopleRows,
  type PersonListing,
  removePerson,
  setPasswordHash,
  setPersonDisabled,
  setPersonName,
  setPersonRoles,
} from './people.ts';
export { closePool, DatabaseUnavailable, poolState, UnstorableText } from './pool.ts';
export { type Admission, beginAttempt, failAttempt, type Limit, takeBackAttempt } from './rate-limits.ts';
export { isDatabaseReady } from './ready.ts';
export { createFamily, explainRefreshToken, revokeFamily, rotateRefreshToken } from './refresh-tokens.ts';
export { inspectDatabase, loadRegistry, lockRegistry, type MethodRow, type Registry } from './registry.ts';
export { insertAuditEvent, selectAuditEvents } from './registry-audit.ts';
export {
  addClientSecret,
  type ClientListing,
  type ClientValues,
  dropClientSecrets,
  endTokens,
  expireClientSecrets,
  isClientIdTaken,
  listClientRows,
  removeFromRegistry,
  setClientDisabled,
  setConfigSecret,
  upsertClient,
} from './registry-clients.ts';
export { type Db, inTransaction, ownConnection } from './registry-db.ts';
export {
  type ApiValues,
  adopt,
  forgetIdentities,
  replaceCombinations,
  replaceScopes,
  setApiUrlsAside,
  setIntrospectionSecret,
  upsertApi,
  upsertMethod,
} from './registry-methods.ts';
export {
  type AuthorizeFacts,
  createSession,
  describeSessions,
  endSessions,
  grantConsent,
  loadAuthorizeFacts,
} from './sessions.ts';
export { start } from './start.ts';
export {
  findSubscriptionTarget,
  insertSubscription,
  listSubscriptionEvents,
  listSubscriptionRows,
  moveSubscription,
  removeSubscription,
  type SubscriptionListing,
} from './subscriptions.ts';
