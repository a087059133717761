// An authorize request whose person is at a broker: sealed in the database under the hash of the `state` that the
// broker hands back, for this browser, for one use, until the interaction's ten minutes are over.
import type { Expectation } from '#lib/auth-methods/index.ts';
import { equalDigests, now, seal, sha256, unseal } from '#lib/kit/index.ts';
import { TRANSACTION_SECONDS } from '#lib/sessions/index.ts';
import { settings } from '#lib/settings/index.ts';
import { findBrokerState, keepBrokerState, takeBrokerState } from '#lib/store/index.ts';
import type { Interaction } from './authorize/interaction.ts';

export type PendingSignIn = { interaction: Interaction; expectation: Expectation };

const PURPOSE = 'pending sign-in';

export async function keepPending({ interaction, expectation }: PendingSignIn): Promise<void> {
  const age = Math.floor((now().getTime() - interaction.startedAt) / 1000);
  await keepBrokerState({
    stateHash: sha256(expectation.state),
    authMethodId: interaction.authMethodId,
    browserHash: Buffer.from(interaction.browser, 'base64url'),
    sealedRequest: seal(JSON.stringify({ interaction, expectation }), PURPOSE, settings().secrets),
    seconds: TRANSACTION_SECONDS - age,
  });
}

/** What waits for this state, and whether somebody was here with it before; null: nothing. */
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

/** Uses the state: of two who come with it, one is told true. */
export function takePending(state: string): Promise<boolean> {
  return takeBrokerState(sha256(state));
}
