// Code that all second factors share: the level of a proof, the limits on guesses, and codes as people type them.

import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { readableLine } from '#lib/kit/text.ts';
import type { AcrLevel } from '#lib/registry/claims.ts';
import { attemptLimit, callerLimits, type Limit } from '#lib/store/hot/limits.ts';
import { recordRefusal } from '#lib/store/refusals.ts';

export type FactorProof = {
  kind: 'totp' | 'passkey' | 'recovery_code';
  /** the level of the sign-in after this proof */
  level: Exclude<AcrLevel, 1>;
  /** RFC 8176 values to add to the sign-in. A passkey with user verification is two factors, so `mfa` is included. */
  amr: string[];
};

/** The proof by a code of an authenticator app. */
export const TOTP_PROOF: FactorProof = { kind: 'totp', level: 2, amr: ['otp'] };

// Limits on guessing codes, shared by all instances. They are strict because the caller already knows the
// password: ten wrong one-time codes per person. Recovery codes have no such limit, because their 80 bits
// cannot be guessed. Because recovery codes are not limited, strangers cannot lock the owner out.

/** Facts about the request that contains a proof. The limits and the audit log use them. */
export type FactorContext = { requestId: string; ip: string | null };

/**
 * Kinds of codes that can be guessed. `enrolment`: codes that confirm a new app. Their limit is separate from the
 * limit of an existing app.
 */
type Guessed = Exclude<FactorProof['kind'], 'passkey'> | 'enrolment';

/**
 * Limits for checks of codes. `each`: limit per address. A check needs little computation, so `all` only limits floods
 * of requests.
 */
const FACTORS = { what: 'factors', each: 60, windowSeconds: 900, all: 1_000, allSeconds: 5 };
const WRONG_ONES = 10;

function factorLimits(kind: Guessed, personId: string, address: string | null): Limit[] {
  const ofCaller = callerLimits(FACTORS, address);
  if (kind === 'recovery_code') return ofCaller;
  return [...ofCaller, attemptLimit('factor', `${kind} ${personId}`, WRONG_ONES)];
}

export type MustWait = { kind: 'slow-down'; waitSeconds: number };

/**
 * Runs a check within its limits. If the check returns `null`, the attempt has failed and `factor.refused` is
 * recorded.
 */
export async function underFactorLimits<Proved>(
  kind: Guessed,
  { personId, requestId, ip }: { personId: string } & FactorContext,
  check: () => Promise<Proved | null>,
): Promise<Proved | 'wrong' | MustWait> {
  const context = { requestId, ip };
  try {
    const limits = factorLimits(kind, personId, ip);
    const proved = await underLimits(limits, context, check, (result) => result === null);
    if (proved !== null) return proved;
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
  const details = kind === 'enrolment' ? { factor: 'totp', reason: 'setting it up' } : { factor: kind };
  await recordRefusal({ event: 'factor.refused', actor: personId, ...context, details });
  return 'wrong';
}

// Parses typed codes and names: removes spaces and dashes that were copied from a display or inserted by a phone.

/** Matches spaces, invisible characters, and the dashes of all keyboards. */
const GAPS = /[\s\p{Cf}\p{Pd}\u2212]+/gu;

export const withoutGaps = (typed: string): string => typed.replaceAll(GAPS, '');

/** Splits text into groups of four characters, for reading and typing. */
export const inGroups = (text: string, between: string): string =>
  (text.match(/.{1,4}/g) ?? []).join(between);

const LONGEST_NAME = 60;

/** Returns the name that a person gave a factor. `null`: the name contains nothing readable. */
export const factorName = (typedName: string): string | null =>
  readableLine([...(readableLine(typedName) ?? '')].slice(0, LONGEST_NAME).join(''));
