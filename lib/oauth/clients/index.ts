export { isFirstUse, requireFirstProof } from './assertion-use.ts';
export { underSecretLimit } from './attempts.ts';
export {
  type AuthenticatedClient,
  authenticated,
  type NamedClient,
  type ProvedClient,
  renewClient,
  requireProvedClient,
} from './authenticated-client.ts';
export {
  codeGrantGivesRefreshToken,
  isAllowedOrigin,
  isApprovedSomewhere,
  PERSON_REFUSED,
  personDenied,
  personRefused,
  requireSubscription,
  requireTrust,
  requireTrustOfUser,
  scopeCeiling,
  subscriptionTo,
} from './client.ts';
export {
  CHALLENGE,
  type ClientCredentials,
  type ClientRequest,
  failedAssertion,
  type IssuerRequest,
  namedClient,
  readClientRequest,
  readSingleParams,
  requireGrantType,
} from './client-request.ts';
export { scopesOfPerson } from './person-scopes.ts';
export { nonceHeader, optionalProof, proofError, readProof, requireProof } from './proof.ts';
export { checkAtGateway } from './proof-at-gateway.ts';
export { findTokenOfProof } from './proof-once.ts';
