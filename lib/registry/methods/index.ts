export {
  PRESET_KEYS,
  PRESET_NAMES,
  PRESETS,
  type Preset,
  type PresetName,
  presetName,
  presetOf,
} from './broker/presets.ts';
export { isPrivateKey, signedSecretOf, signingKeyPem } from './broker/signed-secret.ts';
export { ISSUER_TEMPLATE, isTemplated, namedWithTid, tidOf } from './broker/tenants.ts';
export { basicCredentials, tokenAuthOf } from './broker/token-auth.ts';
export { type ClaimFault, claimFault, hasTenants, requiredClaimFaultAt } from './claim-authority.ts';
export { addressFault } from './config-fields.ts';
export { askVerifier } from './external/verify.ts';
export {
  type AskedMethod,
  CAPABILITIES,
  type Capability,
  type MethodConfig,
  type MethodKind,
  type Probe,
  type ProbeAnswer,
  type ProbeVerdict,
  type Recheck,
  type StandingFault,
  type TakenStep,
  type TriedPerson,
  type UnderLimit,
  type VerifierAnswer,
  type VerifyPassword,
} from './kind.ts';
export { type AuthMethodType, METHOD_KINDS } from './kinds.ts';
export { comparedName } from './ldap/distinguished-name.ts';
export { type Former, formerOf, isOver } from './local/former.ts';
export {
  asksApproval,
  asksElsewhere,
  isOpenToAll,
  keepsSecret,
  METHOD_TYPES,
  METHOD_TYPES_IN_WORDS,
  methodCan,
  methodKind,
  type SecondFactorPolicy,
  secondFactorOf,
  secretRestsOn,
  typesThat,
  wholeConfig,
} from './questions.ts';
