export {
  API_ROW,
  APIS,
  type CatalogueRow,
  findApi,
  isApiUrlTaken,
  selectAddressesAtHosts,
  selectCatalogue,
  selectHolderOfHosts,
  setApiUrlsAside,
  setFormerIssuersAside,
  setIntrospectionSecret,
  setIssuerHostsAside,
  upsertApi,
  upsertLocalCombinations,
} from './apis.ts';
export {
  AUTH_METHOD_ROW,
  AUTH_METHODS,
  findAuthMethod,
  forgetIdentities,
  hasOtherLocalMethod,
  selectUnknownMethods,
  upsertAuthMethod,
} from './auth-methods.ts';
export { type ClientAssertion, selectClientAssertion } from './client-assertions.ts';
export {
  addClientSecret,
  type ConfiguredSecret,
  configSecretHash,
  deleteSecret,
  dropClientSecrets,
  expireClientSecrets,
  replaceKeptSecret,
  type SecretRow,
  selectSecrets,
  setConfigSecret,
} from './client-secrets.ts';
export {
  CLIENT_ROW,
  CLIENT_TABLES,
  CLIENTS,
  findClient,
  insertClient,
  isClientIdTaken,
  isKeptSubject,
  isPairwiseSomewhere,
  setClientDisabled,
  updateClient,
} from './clients.ts';
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
export { deleteUnusedLogos, type Logo, logos } from './logos.ts';
export { type Holdings, lockOwner, selectHoldings } from './quotas.ts';
export { isDatabaseReady, readiness } from './ready.ts';
export { deleteUnapproved, insertRegistration } from './registrations.ts';
export { possibleClientId, stands } from './registry-changes.ts';
export {
  catchUp,
  confirmClient,
  confirmVersion,
  currentSnapshot,
  hasChanged,
  knownSnapshot,
  RegistryChanged,
  recentSnapshot,
  refreshSnapshot,
  type Seen,
  watchedSnapshot,
} from './snapshot.ts';
export type {
  AddressedIssuer,
  Snapshot,
  SnapshotApi,
  SnapshotClient,
  SnapshotKey,
  SnapshotMethod,
  SnapshotSubscription,
} from './snapshot-rows.ts';
export { watchRegistry } from './snapshot-watch.ts';
export { announceKept, createSubjectSalt, renewKept, SUBJECT_SALT_ID } from './subject-salt.ts';
export {
  countPending,
  isDecidable,
  SUBSCRIPTIONS,
  selectWaitingApis,
} from './subscription-lists.ts';
export {
  findSubscription,
  type RequiredClaimAt,
  removeSubscription,
  type Step,
  SUBSCRIPTION_ROWS,
  type SubscriptionStep,
  selectClaimsAt,
  selectMethodsAt,
  selectRequiredClaims,
  selectStepsOf,
  selectSubscriptionSteps,
  selectSubscriptionsOf,
  setSubscriptionMessage,
  stepSubscription,
} from './subscriptions.ts';
export { findLastStep, isUsedSince, undoStep } from './undo-decision.ts';
export {
  countUnregisteredWaiting,
  type DocumentValues,
  findApprovalRequest,
  insertApprovalRequest,
  insertDocumentClient,
  type UnregisteredWaiting,
  updateDocumentClient,
} from './unregistered.ts';
