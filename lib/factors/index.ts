// Second factors and passkeys.
export type { FactorContext } from './limits.ts';
export { hasPasskeyHere, hasPasskeys, passkeyOrigins, takesPasskeys } from './passkeys-place.ts';
export {
  type PasskeyProved,
  type PasskeyRefused,
  passkeyChallenge,
  passkeySignal,
  provePasskey,
} from './passkeys-proof.ts';
export { passkeyRegistration, registerPasskey } from './passkeys-registration.ts';
export { type FactorProof, TOTP_PROOF } from './proof.ts';
export { makeRecoveryCodes, proveRecoveryCode } from './recovery-codes.ts';
export {
  codeFault,
  describeTotp,
  enrollTotp,
  type NewTotp,
  newTotp,
  openPendingTotp,
  proveTotp,
  replaceTotp,
  sealPendingTotp,
  totpToReplace,
} from './totp.ts';
export { withoutGaps } from './typed.ts';
