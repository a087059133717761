// One definition of each object: what it holds, its defaults, limits and words.
export {
  ACR_ALIASES,
  ACR_VALUES,
  type AcrLevel,
  acrOfLevel,
  levelOf,
  type SecondFactorPolicy,
  scopeAcr,
  secondFactorOf,
} from './acr.ts';
export {
  type AutoApproval,
  autoApproveFaults,
  type ClientOrigin,
  documentHost,
  hostMatches,
  returnsToLoopbackOnly,
} from './agents.ts';
export {
  API_LISTS,
  type ApiInput,
  type ApiRow,
  type ApiValues,
  api,
  apiRow,
  apiScopeName,
  BUILT_IN_API,
} from './api.ts';
export {
  type AuthMethodInput,
  type AuthMethodRow,
  type AuthMethodType,
  type AuthMethodValues,
  answersElse,
  authMethod,
  authMethodConfig,
  authMethodFaults,
  authMethodRow,
} from './auth-method.ts';
export {
  type BrandValues,
  hashOfLogo,
  logoAsData,
  logoFault,
  logoPath,
  MAX_LOGO_BYTES,
  sentLogo,
  shownBrand,
} from './brand.ts';
export { type BrandColours, brandColours } from './brand-colours.ts';
export { BROKER_CLAIMS } from './claims.ts';
export {
  addressFaults,
  applicationTypeOf,
  CLIENT_KIND_WORDS,
  CLIENT_KINDS,
  type ClientKind,
  type ClientRow,
  type ClientValues,
  checkedClient,
  checkedNewClient,
  client,
  clientRow,
  kindOf,
  type NewClient,
  newClient,
} from './client.ts';
export { authenticationFaults, authenticationFields, takesSecret } from './client-keys.ts';
export {
  type Change,
  changeOf,
  defaultsOf,
  type Fault,
  faultsOf,
  issueInWords,
  plainName,
  type Unchecked,
  wire,
  withoutDefault,
} from './definition.ts';
export {
  type DisplayText,
  displayText,
  isDisplayText,
  membersOfText,
  plainText,
  type Texts,
  textsByLanguage,
  textsOfMember,
} from './display-text.ts';
export { type ChoiceWords, type FormField, formFields } from './form-fields.ts';
export { type IdJagAudience, idJagAudienceOf } from './id-jag-audiences.ts';
export { hostOf, issuerHostFault, issuerHostFaults, issuerHostOf } from './issuer-hosts.ts';
export { OPENID_SCOPE_NAMES, OPENID_SCOPES, SCOPE_CLAIMS } from './openid-scopes.ts';
export {
  isHeldToSecondFactor,
  type PersonInput,
  type PersonRow,
  person,
  personRow,
  ROLE_WORDS,
  ROLES,
  type Role,
  SECOND_FACTOR_ROLES,
} from './person.ts';
export { asksApproval, isOpenToAll } from './person-registration.ts';
export { type ProfileChoices, profileChoices } from './profile.ts';
export { ASYMMETRIC_ALGS, hasPrivatePart, MAX_KEYS, type PublicKeySet, publicKey } from './public-keys.ts';
export { type ApplicationType, originFault, redirectUriFault, returnHost } from './redirect-rules.ts';
export { type RequiredClaim, requiredClaim, requiredClaimFault } from './required-claim.ts';
export { sectorOf } from './sector.ts';
export { isSubjectForm, PAIRWISE_SUB, PERSON_ID } from './subject-forms.ts';
export { type SubscriptionRow, subscription, subscriptionRow } from './subscription.ts';
export {
  type Approvable,
  DECISIONS,
  type Decision,
  decide,
  endsTrust,
  isAsApproved,
  isPowerful,
  machineFault,
  mayCancel,
  mayRequest,
  POWERS,
  type Powers,
  powersOf,
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
export {
  authMethodId,
  emailAddress,
  label,
  longText,
  passwordText,
  personName,
  secretText,
  sentence,
} from './values.ts';
export { issuerMetadataAddresses, resourceMetadataAddress } from './well-known.ts';
