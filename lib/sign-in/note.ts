// What the counts and the audit log have of a sign-in.
import { countSignIn, type SignInOutcome } from '#lib/observability/tally.ts';
import { recordRefusal } from '#lib/store/log/refusals.ts';

/** `at`: of the console; left out: of an authorize request. */
export type SignInPlace = {
  authMethodId: string;
  apiId?: string;
  at?: 'console';
  requestId: string;
  ip: string | null;
};

const COUNTED_AS = {
  'signed-in': 'succeeded',
  refused: 'refused',
  'must-change': 'refused',
  'not-let-in': 'refused',
  unavailable: 'unavailable',
  'slow-down': 'limited',
} as const satisfies Record<string, SignInOutcome>;

/**
 * `reason`, `because`: for the audit log; `because` is what another service said. Over a limit nothing was checked, and
 * the limit has an event of its own.
 */
export async function noteSignIn(
  { authMethodId, apiId, at, requestId, ip }: SignInPlace,
  outcome: keyof typeof COUNTED_AS,
  reason: string = outcome,
  because?: string,
): Promise<void> {
  countSignIn({ authMethodId, ...(apiId !== undefined && { apiId }) }, COUNTED_AS[outcome]);
  if (outcome === 'signed-in' || outcome === 'slow-down') return;
  const details = { reason, ...(because && { because }), ...(at && { kind: at }) };
  const facts = { clientId: null, apiId: apiId ?? null, authMethodId, requestId, ip };
  await recordRefusal({ event: 'sign_in.refused', ...facts, details });
}
