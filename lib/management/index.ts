// What people, and the operator at the command line, may do. Every operation takes the actor first; only those that
// make an actor (signing in, links in mails) have none.
export { ownCallbackUris } from '#lib/auth-methods/index.ts';
export {
  changeMyName,
  changeMyPassword,
  endMySession,
  endMySessions,
  listMySessions,
  listMySignIns,
  type Profile,
  readMyProfile,
  type SessionListing,
  type SignIn,
} from './account.ts';
export {
  type ApiChange,
  type ApiInput,
  type ApiRow,
  changeApi,
  createApi,
  deleteApi,
  pageApis,
  readApi,
  renewIntrospectionSecret,
} from './apis.ts';
export {
  type AuditFilter,
  type AuditRow,
  type Overview,
  pageAudit,
  readOverview,
} from './audit.ts';
export { ensureManagementApi, MANAGEMENT_API, managementUrl } from './built-in.ts';
export { type CatalogueEntry, listCatalogue } from './catalogue.ts';
export {
  type ClientChange,
  changeClient,
  deleteClient,
  previewClientChange,
  previewClientDeletion,
} from './client-change.ts';
export { addSecret, dropSecret, rotateClientSecret } from './client-secrets.ts';
export {
  type ClientRow,
  type ClientView,
  createClient,
  disableClient,
  enableClient,
  listClients,
  type NewClient,
  pageClients,
  readClient,
} from './clients.ts';
export { type ConsentListing, listMyConsents, withdrawConsent } from './consents.ts';
export type { Consequences } from './consequences.ts';
export { decideSubscription } from './decisions.ts';
export { examine } from './doctor.ts';
export { type InspectedRequest, pageClientRequests } from './inspector.ts';
export { invalidateIssued } from './invalidate.ts';
export {
  type KeyListing,
  listSigningKeys,
  previewKeyRetirement,
  resealSecrets,
  retireSigningKey,
  rotateSigningKeys,
} from './keys.ts';
export {
  readMailToken,
  requestEmailVerification,
  requestPasswordReset,
  resetPassword,
  sendPasswordReset,
  verifyEmail,
} from './mail-links.ts';
export { maintain, startMaintenance } from './maintenance.ts';
export {
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  type MethodChange,
  type MethodInput,
  type MethodView,
  pageAuthMethods,
  readAuthMethod,
} from './methods.ts';
export { enter } from './operation.ts';
export type { Asked, Page } from './page.ts';
export { ownWordFault, serviceHost } from './password-policy.ts';
export {
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  findPerson,
  grantRole,
  listPeople,
  type PersonRef,
  revokeRole,
  setPassword,
} from './people.ts';
export { changePerson, type PersonRow, type PersonView, pagePeople, readPerson } from './people-view.ts';
export {
  type Action,
  type Actor,
  type Decidable,
  decidesFor,
  isOwnSession,
  MANAGEMENT_SCOPES,
  mayDo,
  missingScope,
  OPERATOR,
  RECENT_SECONDS,
  ROLES,
  type Role,
  ruleOf,
} from './policy.ts';
export { listDevelopmentMail, settleNotices } from './post.ts';
export { type ApplicationType, originFault, redirectUriFault } from './redirect-rules.ts';
export { type Fault, Refused, type RefusedKind } from './refused.ts';
export {
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
} from './registry-preview.ts';
export {
  brokerShape,
  clientId,
  emailAddress,
  externalShape,
  label,
  longText,
  methodFaults,
  methodId,
  registryId,
  scopeName,
  seconds,
  secretText,
  signingAlg,
  tokenFormat,
  WHO_ANSWERS,
  webAddress,
} from './registry-rules.ts';
export { RESET_LINK_MINUTES } from './reset-link.ts';
export { endSession, endSessionsOf, pageSessions, type SessionRow } from './sessions.ts';
export {
  type Browser,
  type ConsoleMethod,
  listConsoleMethods,
  type SignInResult,
  signInToConsole,
} from './sign-in.ts';
export {
  DECISIONS,
  type Decision,
  endsTrust,
  SUBSCRIPTION_STATES,
  type SubscriptionState,
  stateWhenChanged,
  stateWhenRequested,
  stateWhenTrustEnds,
  type TrustedClient,
  trustFault,
} from './subscription-states.ts';
export {
  type Difference,
  pageInbox,
  pageSubscriptions,
  readSubscription,
  type SubscriptionItem,
  type SubscriptionView,
} from './subscription-view.ts';
export {
  cancelSubscription,
  changeSubscription,
  listSubscriptions,
  previewSubscriptionChange,
  requestSubscription,
} from './subscriptions.ts';
export { readTokenActor } from './token-actor.ts';
