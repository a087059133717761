// The limit on wrong client secrets and assertions, by client and address: 60 in five minutes. The right secret from an
// address without wrong ones costs no statement: a process remembers where it saw a wrong one, and from then on counts
// before it checks, like every other limit. The database holds the numbers; each process adds one uncounted attempt at
// most. All unknown clients count as one, so that invented names fill no table.
import { underLimits } from '#lib/auth-methods/attempts.ts';
import { addressBlock } from '#lib/http/peer-address.ts';
import { now } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process-wide.ts';
import { attemptLimit, callerLimits } from '#lib/store/tokens/limits.ts';

const WINDOW_SECONDS = 300;
/** Of all clients together, so that a stranger cannot use up each one's limit in turn. */
const SECRETS = { what: 'secrets', each: 600, windowSeconds: WINDOW_SECONDS, all: 2_000, allSeconds: 5 };
const REMEMBERED_SECONDS = 4 * WINDOW_SECONDS;
const MAX_REMEMBERED = 10_000;

const slot = processWide<Map<string, number>>('suspects');

type Caller = {
  clientId: string;
  known: boolean;
  /** of the snapshot that the secret is compared with: where that has changed the attempt is not counted */
  version: string;
  address: string | null;
  requestId: string;
  /**
   * more than a hash: after a bad one, each further check for the same block is counted before it runs, for any client
   */
  costly?: boolean;
};

type Check<T> = () => T | null | Promise<T | null>;

/** Runs a check of a secret or an assertion, a failing one twice perhaps. Null from it is a failure, and the result. */
export async function underSecretLimit<T>(caller: Caller, check: Check<T>): Promise<T | null> {
  const { clientId, known, version, address, requestId, costly = false } = caller;
  const block = address === null ? '' : addressBlock(address);
  const limit = attemptLimit('secret', `${known ? clientId : ''} ${block}`, 60, WINDOW_SECONDS);
  const suspect = costly ? `costly ${block}` : limit.key;
  slot.value ??= new Map();
  const suspects = slot.value;
  const counted = () => {
    if (!suspects.has(suspect) && suspects.size >= MAX_REMEMBERED)
      suspects.delete(suspects.keys().next().value ?? '');
    suspects.set(suspect, now().getTime() + REMEMBERED_SECONDS * 1000);
    // an unknown client's name may be anything, so it stays out of the audit log
    const context = {
      ...(known ? { clientId } : {}),
      requestId,
      ip: address,
      reliedOn: { version, clientId },
    };
    return underLimits(
      [...callerLimits(SECRETS, address), limit],
      context,
      async () => check(),
      (result) => result === null,
    );
  };
  const until = suspects.get(suspect);
  // without addresses, a stranger's wrong secrets must not keep the right one out
  if (address !== null && until !== undefined && until > now().getTime()) return counted();
  return (await check()) ?? (await counted());
}
