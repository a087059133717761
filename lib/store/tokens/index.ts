export { createAssertedFamily } from './asserted-families.ts';
export {
  type Authorization,
  type Authorized,
  type AuthorizedBy,
  authorize,
  type SignedIn,
} from './authorize.ts';
export { noteAssertionAudience } from './client-assertions.ts';
export { type CodeRefusal, redeemCode, refuseCode } from './codes.ts';
export { grantConsent } from './consent-grant.ts';
export { findConsoleSession } from './console-session.ts';
export {
  adoptPassword,
  findLocalCredential,
  hasPersonEpoch,
  type LocalCredential,
  type Reached,
  touchClientSecret,
  upgradePasswordHash,
} from './credentials.ts';
export { type Exchange, exchangeToken, findDelegatedScopes } from './exchange.ts';
export { findOrCreateIdentity, type Identity } from './identities.ts';
export { HAS_ACCOUNTS, isLetIn, LET_IN } from './let-in.ts';
export { attemptLimit, callerLimits, kindOfLimit, type Limit } from './limits.ts';
export { findLiveToken, findLiveTokenOnce, findToken, type LiveToken } from './live-tokens.ts';
export { LockedToken } from './locked-token.ts';
export {
  findLiveMachineToken,
  giveMachineToken,
  type LiveMachineToken,
  revokeMachineToken,
} from './machine-tokens.ts';
export { findPersonClaims, type OpenIdFacts, type OpenIdRequest, type PersonClaims } from './openid.ts';
export { createFamily } from './password-families.ts';
export { beginAttempt, failAttempt, type ReliedOn, takeBackAttempt } from './rate-limits.ts';
export {
  bindFamily,
  explainRefreshToken,
  keepRefreshToken,
  type RefreshFacts,
  type RefreshRefusal,
  revokeFamily,
  rotateRefreshToken,
} from './refresh-tokens.ts';
export { revokeAccessToken, revokeByRefreshToken } from './revocations.ts';
export {
  createSession,
  describeSessions,
  endSessions,
  findSignedInLabel,
  findSignInSession,
  labelBy,
  type SignInSession,
} from './sessions.ts';
export type { SignInStrength, StrengthAsked, StrengthFacts } from './strength.ts';
export { spendAssertion, spendProof } from './used-assertions.ts';
export { sessionLives } from './validity.ts';
export { type Vouching, vouchForSignIn } from './vouched.ts';
