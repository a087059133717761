export { acrOfIdToken, supportedAcrs } from './acr.ts';
export { connectsDevices, DEVICES_OFF } from './devices.ts';
export { formerKeys, knowFormerKeys } from './former-keys.ts';
export {
  AUTHORIZATION_CODE,
  CLIENT_CREDENTIALS,
  DEVICE_CODE,
  GRANT_TYPES,
  grantTypesFor,
  JWT_BEARER,
  PASSWORD,
  REFRESH_TOKEN,
  TOKEN_EXCHANGE,
} from './grant-types.ts';
export {
  atHost,
  browserAddress,
  findIssuer,
  formerAddress,
  hasAddress,
  hasIssuer,
  type Issuer,
  type IssuerEndpoints,
  isAnswered,
  isIssuer,
  issuerEndpoints,
  issuerUrl,
  startingAddress,
} from './issuer.ts';
export { CODE_CHALLENGE, CODE_VERIFIER, challengeOf, codeChallengeOf, isCodeVerifier } from './pkce.ts';
export {
  FAPI2_ALGS,
  followsFapi2,
  followsOAuth21,
  idTokenAlg,
  pkceDemandedBy,
  requireProfiledClient,
} from './profile.ts';
export { NO_AUTH_TIME, PROMPTS, type Prompt, parseMaxAge, parsePrompt } from './prompt.ts';
export { appendParameters, isRegisteredRedirectUri } from './redirect-uri.ts';
export { isAbsolute, namesApi, RESOURCE, requireOwnResource } from './resource.ts';
export { isScope, parseScope, withoutOfflineAccess } from './scope.ts';
export {
  acrTold,
  hasStrictScopes,
  highest,
  isPossible,
  levelOfApi,
  policyOf,
  requiredLevel,
  scopesAbove,
  strengthClaims,
  strictnessOf,
  tellsAcr,
} from './strength.ts';
export {
  actorsHeardBy,
  heardBy,
  isPairwise,
  isPossibleSub,
  personMeant,
  personOfSub,
  sessionHeardBy,
  subjectTypesAt,
} from './subject.ts';
