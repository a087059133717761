// The limits on guessing a code, over all instances. They are narrow, since the caller has the password already: ten
// wrong one-time codes for a person. Recovery codes have no limit: 80 bits are not guessed, and no one can lock their
// owner out.
import { TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { recordRefusal } from '#lib/store/log/refusals.ts';
import { attemptLimit, callerLimits, type Limit } from '#lib/store/tokens/limits.ts';
import type { FactorProof } from './proof.ts';

/** The request that a proof comes with, for the limits and the audit log. */
export type FactorContext = { requestId: string; ip: string | null };

/**
 * `enrolment`: the codes that a new app is tried with. They guess nothing, so they use up nothing of the app's own
 * limit.
 */
type Guessed = Exclude<FactorProof['kind'], 'passkey'> | 'enrolment';

/** `each`: from one address. A check costs next to nothing, so `all` only bounds a storm. */
const FACTORS = { what: 'factors', each: 60, windowSeconds: 900, all: 1_000, allSeconds: 5 };
const WRONG_ONES = 10;

function factorLimits(kind: Guessed, personId: string, address: string | null): Limit[] {
  const ofCaller = callerLimits(FACTORS, address);
  if (kind === 'recovery_code') return ofCaller;
  return [...ofCaller, attemptLimit('factor', `${kind} ${personId}`, WRONG_ONES)];
}

export type MustWait = { kind: 'slow-down'; waitSeconds: number };

/** Runs a check under its limits. Null from it is a failure: it counts, and `factor.refused` is written. */
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
