// An authorize request whose person is at a broker: sealed in the database under the hash of the `state` that the
// broker returns, for this browser, for one use, until the interaction's ten minutes are over. No one has authenticated
// yet, so the number of pending requests from one place is limited; a sign-in that succeeds does not count.
import { countAttempt } from '#lib/auth-methods/attempts.ts';
import type { Expectation } from '#lib/auth-methods/method.ts';
import { now } from '#lib/kit/clock.ts';
import { equalDigests, sha256 } from '#lib/kit/random.ts';
import { seal, unseal } from '#lib/kit/seal.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/transaction.ts';
import { settings } from '#lib/settings/settings.ts';
import { findBrokerState, keepBrokerState, takeBrokerState } from '#lib/store/sign-in/broker-states.ts';
import { callerLimits } from '#lib/store/tokens/limits.ts';
import { takeBackAttempt } from '#lib/store/tokens/rate-limits.ts';
import type { Interaction } from '../authorize-request/interaction.ts';

/** `counted`: the limits that it was counted under */
export type PendingSignIn = { interaction: Interaction; expectation: Expectation; counted: string[] };

/**
 * A whole campus may share one address. Where no address is known, only the limit of all together holds; its window is
 * five seconds, so that it ends with the storm that filled it.
 */
const STARTS = {
  what: 'broker sign-ins',
  each: 3_000,
  windowSeconds: TRANSACTION_SECONDS,
  all: 500,
  allSeconds: 5,
};

const PURPOSE = 'pending sign-in';

/** Counts a sign-in before it goes to the broker. The keys that it is counted under, or TooManyAttempts. */
export function countStart(from: {
  authMethodId: string;
  ip: string | null;
  requestId: string;
}): Promise<string[]> {
  return countAttempt(callerLimits(STARTS, from.ip), from);
}

/** The person is signed in, or was not sent to the broker: the start does not count. */
export async function takeBackStart(counted: readonly string[]): Promise<void> {
  await takeBackAttempt(counted.map((key) => ({ key })));
}

export async function keepPending(pending: PendingSignIn): Promise<void> {
  const { interaction, expectation } = pending;
  const age = Math.floor((now().getTime() - interaction.startedAt) / 1000);
  await keepBrokerState({
    stateHash: sha256(expectation.state),
    authMethodId: interaction.authMethodId,
    browserHash: Buffer.from(interaction.browser, 'base64url'),
    sealedRequest: seal(JSON.stringify(pending), PURPOSE, settings().secrets),
    seconds: TRANSACTION_SECONDS - age,
  });
}

/** The request that is pending under this state, and whether the state has been used; null: none. */
export async function findPending(
  state: string,
  browser: string | 'any',
): Promise<(PendingSignIn & { used: boolean }) | null> {
  const kept = await findBrokerState(sha256(state));
  if (!kept) return null;
  if (browser !== 'any' && !equalDigests(kept.browserHash, Buffer.from(browser, 'base64url'))) return null;
  const plain = unseal(kept.sealedRequest, PURPOSE, settings().secrets);
  return plain === null ? null : { ...(JSON.parse(plain) as PendingSignIn), used: kept.used };
}

/** Uses the state; false: it was used before. */
export function takePending(state: string): Promise<boolean> {
  return takeBrokerState(sha256(state));
}
