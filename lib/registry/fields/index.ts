export {
  ACR_ALIASES,
  ACR_VALUES,
  ACR_WORDS,
  type AcrLevel,
  acrOfLevel,
  apiSecondFactor,
  defaultAcrValues,
  levelOf,
  methodSecondFactor,
  requiredAcr,
  SECOND_FACTOR_WORDS,
  SECOND_FACTORS,
  type SecondFactor,
  scopeAcr,
} from './acr.ts';
export { BROKER_CLAIMS, claimList, claimMap, claimMapFaults, claimName } from './claims.ts';
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
  displayTextRead,
  isDisplayText,
  membersOfText,
  plainText,
  type Texts,
  textsByLanguage,
  textsOfMember,
} from './display-text.ts';
export { type ChoiceWords, type FormField, field, formFields } from './form-fields.ts';
export { type ProfileChoices, profileChoices } from './profile.ts';
export { type RequiredClaim, requiredClaim, requiredClaimFault } from './required-claim.ts';
export {
  atMost,
  authMethodId,
  clientId,
  emailAddress,
  groupIdText,
  groupPattern,
  keyOrSecretText,
  label,
  longText,
  oneLineKey,
  optionalAddress,
  optionalContact,
  passwordText,
  personName,
  readable,
  registryId,
  scopeName,
  seconds,
  secretText,
  sentence,
  webAddress,
} from './values.ts';
export { issuerMetadataAddresses, resourceMetadataAddress } from './well-known.ts';
