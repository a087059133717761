export {
  findApi,
  isApiUrlTaken,
  selectApis,
  setApiUrlsAside,
  setIntrospectionSecret,
  upsertApi,
  upsertLocalCombinations,
} from './apis.ts';
export {
  type AuditFilter,
  type AuditRecord,
  type AuditRow,
  insertAuditEvent,
  type SignInRow,
  selectAuditEvents,
  selectAuditPage,
  selectSignIns,
} from './audit.ts';
export {
  findAuthMethod,
  forgetIdentities,
  hasOtherLocalMethod,
  lockAuthMethodId,
  selectAuthMethods,
  selectUnknownMethods,
  upsertAuthMethod,
} from './auth-methods.ts';
export { type Authorization, type Authorized, type AuthorizedBy, authorize } from './authorize.ts';
export { findBrokerState, keepBrokerState, takeBrokerState } from './broker-states.ts';
export { type CatalogueRow, selectCatalogue } from './catalogue.ts';
export { deleteExpired, type Swept } from './cleanup.ts';
export {
  addClientSecret,
  deleteSecret,
  dropClientSecrets,
  expireClientSecrets,
  type SecretRow,
  selectSecrets,
  setConfigSecret,
} from './client-secrets.ts';
export {
  findClient,
  insertClient,
  isClientIdTaken,
  selectClients,
  setClientDisabled,
  updateClient,
} from './clients.ts';
export { type CodeRefusal, redeemCode, refuseCode } from './codes.ts';
export { type ConsentRow, deleteConsent, selectConsents } from './consents.ts';
export { findLocalCredential, touchClientSecret, upgradePasswordHash } from './credentials.ts';
export { inspectDatabase } from './database.ts';
export { type EmbeddedDatabase, ensureEmbeddedDatabase, ensureLocalSecret } from './embedded.ts';
export { endSignIns, endTokens } from './endings.ts';
export { type Exchange, exchangeToken } from './exchange.ts';
export { countTokens } from './families.ts';
export { findOrCreateIdentity, type Identity } from './identities.ts';
export { type Invalidated, invalidateBefore, invalidateMost } from './invalidate.ts';
export { addKey, createFirstKey, type KeyAuthor, markKeyRetired, type NewKey, oldestDueKey } from './keys.ts';
export { type Allowance, attemptLimit, callerLimits, kindOfLimit, type Limit } from './limits.ts';
export { findLiveToken, type LiveToken, revokeAccessToken, revokeByRefreshToken } from './live-tokens.ts';
export {
  claimLogoutDeliveries,
  dropLogoutDelivery,
  giveUpLogoutDelivery,
  type LogoutDelivery,
  postponeLogoutDelivery,
} from './logout-deliveries.ts';
export {
  createMailToken,
  findMailToken,
  type MailPurpose,
  markEmailVerified,
  takeMailToken,
} from './mail-tokens.ts';
export { markManaged } from './managed.ts';
export { grantServiceRole, MigrationError, migrate, readMigrations } from './migrate.ts';
export { findPersonClaims, type OpenIdFacts, type OpenIdRequest, type PersonClaims } from './openid.ts';
export { countPending, countRegistry, type RegistryCounts } from './overview.ts';
export {
  changeRole,
  countActiveAdministrators,
  findPersonByEmail,
  findPersonById,
  findPersonView,
  insertPerson,
  lockAdministrators,
  type PersonView,
  removePerson,
  selectEmailsOfRoles,
  selectPeople,
  setPasswordHash,
  setPersonDisabled,
  updatePerson,
} from './people.ts';
export { closePool, DatabaseUnavailable, poolStats, whyUnreachable } from './pool.ts';
export { findProfile, type ProfileRow } from './profile.ts';
export { type Holdings, lockOwner, selectHoldings } from './quotas.ts';
export { type Admission, beginAttempt, failAttempt, type ReliedOn, takeBackAttempt } from './rate-limits.ts';
export { isDatabaseReady, readiness } from './ready.ts';
export {
  createFamily,
  explainRefreshToken,
  type RefreshRefusal,
  revokeFamily,
  rotateRefreshToken,
} from './refresh-tokens.ts';
export { type Refusal, recordRefusal } from './refusals.ts';
export {
  noteRefusedRequest,
  type RequestRow,
  selectRequests,
} from './refused-requests.ts';
export { loadRegistry, lockRegistry, type RegistryRows } from './registry.ts';
export { removeFromRegistry } from './removal.ts';
export { isSealedByOlder, openFromRow, resealRow, type SealedTable, sealForRow } from './sealed.ts';
export {
  type ConsoleSession,
  type EndedSession,
  endPersonSessions,
  endSessionRow,
  findConsoleSession,
  type SessionRow,
  selectSessions,
} from './session-list.ts';
export {
  createSession,
  describeSessions,
  endSessions,
  findSignedInLabel,
  findSignInSession,
  grantConsent,
  type SignInSession,
} from './sessions.ts';
export {
  catchUp,
  currentSnapshot,
  hasChanged,
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
  moveSubscription,
  removeSubscription,
  setSubscriptionMessage,
} from './subscription-steps.ts';
export {
  findSubscription,
  type SubscriptionStep,
  selectSubscriptionSteps,
  selectSubscriptions,
  selectSubscriptionsOf,
} from './subscriptions.ts';
export { type Db, inTransaction, ownConnection } from './transaction.ts';
export { deleteUsedForm, insertUsedForm } from './used-forms.ts';
export { advanceWebhook, leaseWebhook, postponeWebhook, releaseWebhook } from './webhook.ts';
