export { addressChanges } from './address-changes.ts';
export {
  type AgentValues,
  countWaitingAgents,
  findAgentRequest,
  insertAgent,
  insertAgentRequest,
  updateAgent,
  type WaitingAgents,
} from './agents.ts';
export {
  APIS,
  type CatalogueRow,
  findApi,
  isApiUrlTaken,
  selectCatalogue,
  selectHolderOfHosts,
  setApiUrlsAside,
  setIntrospectionSecret,
  setIssuerHostsAside,
  upsertApi,
  upsertLocalCombinations,
} from './apis.ts';
export { createAssertedFamily } from './asserted-families.ts';
export {
  AUDIT_EVENTS,
  type AuditFilter,
  type AuditRecord,
  type AuditRow,
  insertAuditEvent,
  SIGN_INS,
  type SignInRow,
  selectAuditEvents,
} from './audit.ts';
export {
  AUTH_METHODS,
  findAuthMethod,
  forgetIdentities,
  hasOtherLocalMethod,
  selectUnknownMethods,
  upsertAuthMethod,
} from './auth-methods.ts';
export { type Authorization, type Authorized, type AuthorizedBy, authorize } from './authorize.ts';
export { findBrokerState, keepBrokerState, takeBrokerState } from './broker-states.ts';
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
  CLIENTS,
  findClient,
  insertClient,
  isClientIdTaken,
  isPairwiseSomewhere,
  setClientDisabled,
  updateClient,
} from './clients.ts';
export { type CodeRefusal, redeemCode, refuseCode } from './codes.ts';
export { type ConsentRow, deleteConsent, grantConsent, isRelied, selectConsents } from './consents.ts';
export {
  findLocalCredential,
  hasPersonEpoch,
  touchClientSecret,
  upgradePasswordHash,
} from './credentials.ts';
export { type DatabaseFacts, inspectDatabase, refusePooler } from './database.ts';
export {
  type AgentRow,
  countDelegations,
  type DelegationRow,
  deleteDelegation,
  findDelegatedScopes,
  saveDelegation,
  selectAgents,
  selectDelegations,
} from './delegations.ts';
export {
  type ClientRevocation,
  countAllOfClient,
  endAllOfClient,
  endSignIns,
  endTokens,
  endTokensOfSubjects,
} from './endings.ts';
export { exchangeToken } from './exchange.ts';
export { listFactors, removePasskey, renamePasskey, takeFactors } from './factors.ts';
export { countTokens } from './families.ts';
export { findOrCreateIdentity, type Identity } from './identities.ts';
export { type Invalidated, invalidateBefore, invalidateMost } from './invalidate.ts';
export {
  addKey,
  createFirstKey,
  ID_TOKEN_SECONDS,
  type KeyAuthor,
  MAX_PUBLISHED_KEYS,
  markKeyRetired,
  type NewKey,
  oldestDueKey,
} from './keys.ts';
export { isLetIn } from './let-in.ts';
export { attemptLimit, callerLimits, kindOfLimit, type Limit } from './limits.ts';
export { isHash, isUuid, type List } from './list.ts';
export { findLiveToken, type LiveToken } from './live-tokens.ts';
export { type Logo, logos } from './logos.ts';
export {
  claimLogoutDeliveries,
  dropLogoutDelivery,
  giveUpLogoutDelivery,
  isLogoutDeliveryWanted,
  type LogoutDelivery,
  postponeLogoutDelivery,
} from './logout-deliveries.ts';
export { findLiveMachineToken, giveMachineToken, revokeMachineToken } from './machine-tokens.ts';
export {
  createMailToken,
  findMailToken,
  type MailPurpose,
  markEmailVerified,
  takeMailToken,
} from './mail-tokens.ts';
export { emailForms, grantServiceRole, MigrationError, migrate, readMigrations } from './migrate.ts';
export { selectMyIdentities, selectMyRequests } from './my-data.ts';
export { findPersonClaims, type OpenIdFacts, type OpenIdRequest, type PersonClaims } from './openid.ts';
export { acceptPasskey, addPasskey, countOldPasskeys, findPasskey, selectPasskeyNames } from './passkeys.ts';
export { createFamily } from './password-families.ts';
export {
  changeRole,
  countWithoutFactor,
  endInvitations,
  findPersonByEmail,
  findPersonById,
  findPersonView,
  findProfile,
  hasOtherAdministrator,
  insertPerson,
  type OwnedClient,
  PEOPLE,
  type PersonView,
  type ProfileRow,
  removePerson,
  selectConfigPasswords,
  selectOwnedClients,
  selectReadersOf,
  setPasswordHash,
  setPersonDisabled,
  updatePerson,
  updateProfile,
} from './people.ts';
export { personRegistrations } from './person-registrations.ts';
export { closePool, DatabaseUnavailable, poolStats, whyUnreachable } from './pool.ts';
export { type Holdings, lockOwner, selectHoldings } from './quotas.ts';
export { raiseSessionRow } from './raised-sessions.ts';
export { beginAttempt, failAttempt, type ReliedOn, takeBackAttempt } from './rate-limits.ts';
export { isDatabaseReady, readiness } from './ready.ts';
export { countRecoveryCodes, replaceRecoveryCodes, spendRecoveryCode } from './recovery-codes.ts';
export {
  explainRefreshToken,
  type RefreshRefusal,
  revokeFamily,
  rotateRefreshToken,
} from './refresh-tokens.ts';
export { recordRefusal } from './refusals.ts';
export { noteRefusedRequest, REQUESTS, type RequestRow } from './refused-requests.ts';
export { insertRegistration } from './registrations.ts';
export {
  countRegistry,
  loadRegistry,
  lockRegistry,
  markManaged,
  type RegistryCounts,
  type RegistryRows,
} from './registry.ts';
export { removeFromRegistry } from './removal.ts';
export { revokeAccessToken, revokeByRefreshToken } from './revocations.ts';
export { isSealedByOlder, openFromRow, resealRow, type SealedTable, sealForRow } from './sealed.ts';
export type { SecondFactorFacts } from './second-factor.ts';
export { beginGrace, findSecondFactorFacts, isSameSignIn, noteOffered } from './second-factor.ts';
export {
  endPersonSessions,
  endSessionRow,
  findConsoleSession,
  SESSIONS,
  type SessionRow,
} from './session-list.ts';
export {
  createSession,
  describeSessions,
  endSessions,
  findSignedInLabel,
  findSignInSession,
  type SignInSession,
} from './sessions.ts';
export {
  catchUp,
  currentSnapshot,
  hasChanged,
  knownSnapshot,
  RegistryChanged,
  recentSnapshot,
  refreshSnapshot,
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
export type { SignInStrength, StrengthAsked, StrengthFacts } from './strength.ts';
export { createSubjectSalt, SUBJECT_SALT_ID } from './subject-salt.ts';
export {
  countPending,
  findSubscription,
  OLDEST_SUBSCRIPTIONS,
  removeSubscription,
  type Step,
  SUBSCRIPTIONS,
  type SubscriptionStep,
  selectClaimsAt,
  selectSubscriptionSteps,
  selectSubscriptionsOf,
  setSubscriptionMessage,
  stepSubscription,
} from './subscriptions.ts';
export { findTotpSecret, insertTotpSecret, removeTotp, spendTotpStep, wrongCodes } from './totp.ts';
export { countTotpSeals, resealTotpSecrets } from './totp-seals.ts';
export {
  afterCommit,
  currentConnection,
  type Db,
  inTransaction,
  lockName,
  ownConnection,
} from './transaction.ts';
export { forgetTrustedBrowsers, listTrustedBrowsers } from './trusted-browsers.ts';
export { addUsage, CALL_MS, OTHERS, type UsageCount } from './usage.ts';
export {
  type EndingSecret,
  type UsageCalls,
  type UsageOf,
  type UsageRange,
  type UsageRefusal,
  type UsageStep,
  usageSums,
} from './usage-sums.ts';
export { spendAssertion } from './used-assertions.ts';
export { deleteUsedForm, insertUsedForm } from './used-forms.ts';
export { type Vouching, vouchForSignIn } from './vouched.ts';
export { type BeganToWait, type WaitingPerson, waitingPeople } from './waiting-people.ts';
export { findIdentityOwner, holdForJoin, moveIdentities, removeIdentity } from './ways.ts';
export { advanceWebhook, leaseWebhook, postponeWebhook, releaseWebhook } from './webhook.ts';
