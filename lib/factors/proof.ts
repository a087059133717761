// What a proof is worth.
import type { AcrLevel } from '#lib/registry/fields/acr.ts';

export type FactorProof = {
  kind: 'totp' | 'passkey' | 'recovery_code';
  /** of a sign-in that has it */
  level: Exclude<AcrLevel, 1>;
  /**
   * RFC 8176, without what the sign-in has already; a passkey with user verification is two factors, so `mfa` is among
   * them
   */
  amr: string[];
};

/** Of a code that an authenticator app showed. */
export const TOTP_PROOF: FactorProof = { kind: 'totp', level: 2, amr: ['otp'] };
