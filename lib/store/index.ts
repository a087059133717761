export { type AuthorizeAsk, authorizeWithSession } from './authorize.ts';
export { findBrokerState, keepBrokerState, takeBrokerState } from './broker-states.ts';
export { deleteExpired, type Swept } from './cleanup.ts';
export { isChallengeUsed, issueTrustedCode, type NewCode, redeemCode, revokeReusedCode } from './codes.ts';
export {
  type ConsentRow,
  deleteConsent,
  findProfile,
  type ProfileRow,
  type SignInRow,
  selectConsents,
  selectSignIns,
} from './console-account.ts';
export {
  type AuditRow,
  countPending,
  countRegistry,
  type RegistryCounts,
  selectAuditPage,
} from './console-audit.ts';
export {
  type ClientRow,
  countTokens,
  deleteSecret,
  findClient,
  type SecretRow,
  selectClients,
  selectSecrets,
  updateClient,
} from './console-clients.ts';
export {
  findPersonView,
  lockAdministrators,
  type PersonRow,
  type PersonView,
  selectEmailsOfRoles,
  selectPeople,
  updatePerson,
} from './console-people.ts';
export {
  type ApiRow,
  BUILT_IN_API,
  type CatalogueRow,
  findApi,
  findMethod,
  hasOtherLocalMethod,
  isApiUrlTaken,
  type MethodView,
  selectApis,
  selectCatalogue,
  selectMethods,
  upsertLocalCombinations,
} from './console-registry.ts';
export {
  type ConsoleSession,
  deleteUsedForm,
  type EndedSession,
  endSessionRow,
  endSessionsOf,
  findConsoleSession,
  insertUsedForm,
  type SessionRow,
  selectSessions,
} from './console-sessions.ts';
export {
  findSubscription,
  type SubscriptionRow,
  type SubscriptionStep,
  selectSubscriptionSteps,
  selectSubscriptions,
  selectSubscriptionsOf,
  setSubscriptionMessage,
} from './console-subscriptions.ts';
export {
  findLocalCredential,
  touchClientSecret,
  upgradePasswordHash,
} from './credentials.ts';
export { type EmbeddedDatabase, ensureEmbeddedDatabase, ensureLocalSecret } from './embedded.ts';
export { endSignIns, endTokens } from './endings.ts';
export { type Exchange, exchangeToken } from './exchange.ts';
export { findOrCreateIdentity, type Identity } from './identities.ts';
export { type Invalidated, invalidateBefore, invalidateMost } from './invalidate.ts';
export { addKey, createFirstKey, type KeyAuthor, markKeyRetired, type NewKey, oldestDueKey } from './keys.ts';
export {
  type Allowance,
  attemptLimit,
  callerLimits,
  kindOfLimit,
  type Limit,
} from './limits.ts';
export { findLiveToken, type LiveToken, revokeAccessToken, revokeByRefreshToken } from './live-tokens.ts';
export {
  createMailToken,
  findMailToken,
  type MailPurpose,
  markEmailVerified,
  takeMailToken,
} from './mail-tokens.ts';
export { grantServiceRole, MigrationError, migrate, readMigrations } from './migrate.ts';
export {
  changeRole,
  countActiveAdministrators,
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
export { closePool, DatabaseUnavailable, poolStats, whyUnreachable } from './pool.ts';
export { type Holdings, lockOwner, selectHoldings } from './quotas.ts';
export { type Admission, beginAttempt, failAttempt, takeBackAttempt } from './rate-limits.ts';
export { isDatabaseReady, readiness } from './ready.ts';
export { createFamily, explainRefreshToken, revokeFamily, rotateRefreshToken } from './refresh-tokens.ts';
export { type Refusal, recordRefusal } from './refusals.ts';
export {
  type CodeFacts,
  explainCode,
  explainRefresh,
  noteRefusedRequest,
  type RequestRow,
  selectRequests,
} from './refused-requests.ts';
export { inspectDatabase, loadRegistry, lockRegistry, type MethodRow, type Registry } from './registry.ts';
export { type AuditFilter, type AuditRecord, insertAuditEvent, selectAuditEvents } from './registry-audit.ts';
export {
  addClientSecret,
  type ClientListing,
  type ClientValues,
  dropClientSecrets,
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
export { isSealedByOlder, openFromRow, resealRow, type SealedTable, sealForRow } from './sealed.ts';
export {
  type AuthorizeFacts,
  createSession,
  describeSessions,
  endSessions,
  grantConsent,
  loadAuthorizeFacts,
} from './sessions.ts';
export {
  assertCurrent,
  catchUp,
  currentSnapshot,
  hasMovedSince,
  markSnapshot,
  RegistryChanged,
  recentSnapshot,
  watchedSnapshot,
} from './snapshot.ts';
export type {
  Snapshot,
  SnapshotApi,
  SnapshotClient,
  SnapshotKey,
  SnapshotMethod,
  SnapshotSubscription,
} from './snapshot-rows.ts';
export { watchRegistry } from './snapshot-watch.ts';
export { start } from './start.ts';
export {
  findSubscriptionTarget,
  insertSubscription,
  listSubscriptionRows,
  moveSubscription,
  removeSubscription,
  type SubscriptionListing,
} from './subscriptions.ts';
export { advanceWebhook, leaseWebhook, postponeWebhook, releaseWebhook } from './webhook.ts';
