export {
  type AccessTokenClaims,
  accessTokenPayload,
  machineTokenPayload,
  mintOpaque,
  signAccessToken,
  signMachineToken,
} from './access-token.ts';
export { isJoseType, unchecked } from './assertion-parts.ts';
export { type AssertionFault, checkAssertion, claimedSubject } from './client-assertion.ts';
export { findCredential, NO_CREDENTIAL_PATTERN } from './credential-text.ts';
export {
  checkedProof,
  checkPresented,
  type PresentedToken,
  proofChallenge,
  type ResourceFault,
} from './dpop-at-resource.ts';
export { currentNonce } from './dpop-nonce.ts';
export {
  type CheckedProof,
  checkProof,
  DPOP_ALGS,
  NONCE_HEALS,
  type Proof,
  type ProofFault,
} from './dpop-proof.ts';
export { readForeignToken } from './foreign-token.ts';
export { credentialKind, hashPresented, hashRefresh, type Minted, mint, type TokenKind } from './formats.ts';
export { ID_JAG_TYPE, type IdJagClaims, type IdJagFault, readIdJag } from './id-jag.ts';
export { decodeCompact, signCompact, verifyCompact } from './jws.ts';
export {
  type MachineToken,
  mintMachineToken,
  type PresentedMachine,
  readMachineToken,
} from './machine-token.ts';
export { claimedIssuer, type PresentedAccess, readAccessToken, whyUnread } from './read-access-token.ts';
