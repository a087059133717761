export {
  API_LISTS,
  type ApiInput,
  type ApiRow,
  type ApiValues,
  api,
  apiRow,
  apiScopeName,
  BUILT_IN_API,
  type Decidable,
  decidesFor,
} from './api.ts';
export { asksGroups, groupsTold, namedGroups, rolesOf, scopeGroups, tellsGroups } from './api-groups.ts';
export { idTokenAlgs, profileExcludes, underProfile } from './api-tokens.ts';
export {
  type AuthMethodInput,
  type AuthMethodRow,
  type AuthMethodValues,
  answersElse,
  authMethod,
  authMethodFaults,
  authMethodRow,
} from './auth-method.ts';
export { type ConsentRow, consentRow, type DelegationRow, delegationRow } from './consent.ts';
export { MOST_COUNTED } from './counts.ts';
export {
  addressesOf,
  type FormerIssuer,
  formerIssuerFaults,
  formerIssuers,
  type IssuerAddress,
  isPast,
  type OldAddress,
} from './former-issuers.ts';
export {
  type GroupInput,
  type GroupMemberRow,
  type GroupRow,
  type GroupRule,
  type GroupUse,
  type GroupValues,
  group,
  groupId,
  groupMemberRow,
  groupRow,
  MOST_GROUPS,
  MOST_GROUPS_OF_PERSON,
  type PersonGroupRow,
  personGroupRow,
} from './group.ts';
export {
  type InvitationResult,
  type InvitationRow,
  invitationResult,
  invitationRow,
  type WaitingPersonRow,
  waitingPersonRow,
} from './invitation.ts';
export { hostOf, issuerHostFault, issuerHostFaults, issuerHostOf } from './issuer-hosts.ts';
export {
  answeredAt,
  formerIssuerBase,
  ISSUER_LAYOUTS,
  ISSUER_PATHS,
  type IssuerLayout,
  pathIn,
  sharedAddress,
} from './issuer-layouts.ts';
export { type KeyRow, keyRow } from './key.ts';
export { OPENID_SCOPE_NAMES, OPENID_SCOPES, SCOPE_CLAIMS } from './openid-scopes.ts';
export {
  editablePerson,
  hasSignInName,
  isHeldToSecondFactor,
  type PersonInput,
  type PersonRow,
  person,
  personLabel,
  personRow,
  ROLE_WORDS,
  ROLES,
  type Role,
  SECOND_FACTOR_ROLES,
  usernameText,
} from './person.ts';
export { type SessionRow, type SignInRow, sessionRow, signInRow } from './session.ts';
export {
  type SubscriptionRow,
  type SubscriptionTerms,
  subscription,
  subscriptionRow,
  subscriptionTerms,
  TERM_NAMES,
  type TermsChange,
  termsByColumn,
  termsNamed,
  termsOfColumns,
} from './subscription.ts';
export {
  type Approvable,
  apiScopesOf,
  DECISIONS,
  type Decision,
  decide,
  deviceFault,
  endsTrust,
  isAsApproved,
  isPowerful,
  machineFault,
  mayCancel,
  mayRequest,
  POWERS,
  type Powers,
  powersOf,
  reachOf,
  SUBSCRIPTION_STATES,
  type SubscriptionState,
  samePowers,
  sameSet,
  stateWhenChanged,
  stateWhenRequested,
  stateWhenTrustEnds,
  type TrustedClient,
  trustFault,
} from './subscription-states.ts';
