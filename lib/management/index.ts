// What people and the operator may do. Every operation takes the actor first; signing in and links in mails have none.

export { ownCallbackUris } from '#lib/auth-methods/index.ts';
export {
  type ConsentListing,
  changeMyPassword,
  changeMyProfile,
  endMySession,
  endMySessions,
  listMyConsents,
  listMySessions,
  listMySignIns,
  type Profile,
  readMyProfile,
  type SessionListing,
  type SignIn,
  withdrawConsent,
} from './account.ts';
export { finishAddressChange, readAddressChange, startAddressChange } from './address-change.ts';
export { ADDRESS_CHANGE_MINUTES } from './address-mails.ts';
export { type AgentAnswer, askForAgent } from './agents.ts';
export {
  type CatalogueEntry,
  changeApi,
  createApi,
  deleteApi,
  listCatalogue,
  pageApis,
  readApi,
  renewIntrospectionSecret,
} from './apis.ts';
export {
  type AuditEntry,
  type AuditFilter,
  EVENT_FAMILIES,
  EVENT_NAMES,
  eventsMeant,
  type Overview,
  pageAudit,
  readOverview,
  unknownEvent,
} from './audit.ts';
export { ensureManagementApi, MANAGEMENT_API, managementUrl } from './built-in.ts';
export { type ClientChange, changeClient, previewClientChange } from './client-change.ts';
export { deleteClient, previewClientDeletion } from './client-deletion.ts';
export { previewClientRevocation, revokeClient } from './client-revocation.ts';
export { addSecret, dropSecret, rotateClientSecret } from './client-secrets.ts';
export {
  type ClientDetail,
  createClient,
  disableClient,
  enableClient,
  pageClients,
  readClient,
} from './clients.ts';
export { settleSubscription } from './configured-subscriptions.ts';
export type { Consequences } from './consequences.ts';
export { changeTerms, decideSubscription } from './decisions.ts';
export {
  type Agent,
  type DelegationListing,
  endMyDelegation,
  giveDelegation,
  listMyAgents,
  listMyDelegations,
} from './delegations.ts';
export { examine } from './doctor.ts';
export { collisionSentence } from './doctor-emails.ts';
export type { Finding } from './doctor-finding.ts';
export { type EndingSoon, listEndingSoon } from './ending-soon.ts';
export { tellOfFactor } from './factor-mails.ts';
export { type FactorReset, readSecondFactors, resetFactors } from './factor-reset.ts';
export { type InspectedRequest, pageClientRequests } from './inspector.ts';
export { invalidateIssued } from './invalidate.ts';
export {
  type Invitation,
  type InvitationResult,
  invitePeople,
  listInvitingMethods,
  pageInvitations,
  readInvitation,
  withdrawInvitation,
} from './invitations.ts';
export {
  type KeyListing,
  listSigningKeys,
  previewKeyRetirement,
  resealSecrets,
  retireSigningKey,
  rotateSigningKeys,
} from './keys.ts';
export { readApiLogo, readClientLogo, setApiLogo, setClientLogo } from './logos.ts';
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
  type AuthMethodView,
  changeAuthMethod,
  createAuthMethod,
  deleteAuthMethod,
  pageAuthMethods,
  readAuthMethod,
} from './methods.ts';
export { readMyData, readPersonData } from './my-data.ts';
export { DELETION_WORD, type DeletionPreview, deleteMyAccount, previewMyDeletion } from './my-deletion.ts';
export {
  addMyPasskey,
  addMyTotp,
  forgetMyBrowsers,
  type MyFactors,
  readMyFactors,
  removeMyPasskey,
  removeMyTotp,
  renameMyPasskey,
  renewMyRecoveryCodes,
} from './my-factors.ts';
export { tellApprovers } from './notices.ts';
export { enter } from './operation.ts';
export { type Asked, MOST_COUNTED, type Page } from './page.ts';
export { askConsolePasskey, askPasskeyAgain, signInByPasskey } from './passkey-sign-in.ts';
export { ownWordFault, serviceHost } from './password-policy.ts';
export {
  createPerson,
  deletePerson,
  disablePerson,
  enablePerson,
  findPerson,
  grantRole,
  revokeRole,
  setPassword,
} from './people.ts';
export { changePerson, type PersonView, pagePeople, readPerson } from './people-view.ts';
export {
  type Action,
  type Actor,
  CONFIGURATION,
  type Decidable,
  decidesFor,
  isOwnSession,
  MANAGEMENT_SCOPES,
  mayDo,
  missingScope,
  OPERATOR,
  RECENT_SECONDS,
  ruleOf,
} from './policy.ts';
export { parseInput, Refused, type RefusedKind } from './refused.ts';
export {
  type AskedToRegister,
  askToRegister,
  finishRegistration,
  type NewAccount,
  proveAddress,
} from './registration.ts';
export { REGISTRATION_MINUTES } from './registration-mails.ts';
export {
  previewApiChange,
  previewApiDeletion,
  previewAuthMethodChange,
  previewAuthMethodDeletion,
} from './registry-preview.ts';
export { RESET_LINK_MINUTES } from './reset-link.ts';
export {
  confirmByCode,
  confirmByPasskey,
  graceOf,
  maySetUpNow,
  putOffSetUp,
  setUpFirst,
  viewNewFactor,
  viewSecondStep,
} from './second-step.ts';
export { listDevelopmentMail, settleNotices } from './service-mail.ts';
export { endSession, endSessionsOf, pageSessions, type SessionRow } from './sessions.ts';
export {
  type Browser,
  type ConsoleMethod,
  listConsoleMethods,
  signInToConsole,
} from './sign-in.ts';
export {
  pageInbox,
  pageSubscriptions,
  readSubscription,
  type SubscriptionView,
} from './subscription-view.ts';
export {
  cancelSubscription,
  changeSubscription,
  previewSubscriptionChange,
  requestSubscription,
} from './subscriptions.ts';
export { readTokenActor, SignInTooWeak } from './token-actor.ts';
export { readUsage, type Usage, type UsageChoice, type UsageStepView } from './usage.ts';
export {
  approvePerson,
  pageWaitingPeople,
  readWaitingPerson,
  rejectPerson,
  type WaitingPerson,
} from './waiting-people.ts';
export {
  type JoinView,
  joinWay,
  listMyWays,
  type MyWays,
  proveNewWay,
  readJoin,
  removeWay,
  startNewWay,
} from './ways.ts';
