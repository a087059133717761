// The limit on wrong client secrets, by client and address: 60 in five minutes. The right secret from an address without
// wrong ones costs no statement: a process keeps in mind where it saw a wrong one, and from then on counts before it
// checks, like every other limit. The numbers are the database's; each process adds one unseen attempt at most.
// Names that no client has count as one: whoever invents them fills nothing.
import { underLimits } from '#lib/auth-methods/index.ts';
import { addressBlock } from '#lib/http/index.ts';
import { now, processWide } from '#lib/kit/index.ts';
import { attemptLimit, callerLimits } from '#lib/store/index.ts';

const WINDOW_SECONDS = 300;
/** Of all clients, so that a stranger does not count under each of them; the right secret of another one still gets in. */
const SECRETS = { what: 'secrets', each: 600, windowSeconds: WINDOW_SECONDS, all: 2_000, allSeconds: 5 };
const REMEMBERED_SECONDS = 4 * WINDOW_SECONDS;
const MAX_REMEMBERED = 10_000;

const slot = processWide<Map<string, number>>('suspects');

type Caller = { clientId: string; known: boolean; address: string | null; requestId: string };

/** Runs a check of a secret; null from it is a failure, and stays one. */
export async function underSecretLimit<T>(caller: Caller, check: () => T | null): Promise<T | null> {
  const { clientId, known, address, requestId } = caller;
  const block = address === null ? '' : addressBlock(address);
  const limit = attemptLimit('secret', `${known ? clientId : ''} ${block}`, 60, WINDOW_SECONDS);
  slot.value ??= new Map();
  const suspects = slot.value;
  const counted = () => {
    if (!suspects.has(limit.key) && suspects.size >= MAX_REMEMBERED)
      suspects.delete(suspects.keys().next().value ?? '');
    suspects.set(limit.key, now().getTime() + REMEMBERED_SECONDS * 1000);
    // what a stranger typed as a name stays out of the audit log
    const context = { ...(known ? { clientId } : {}), requestId, ip: address };
    return underLimits(
      [...callerLimits(SECRETS, address), limit],
      context,
      async () => check(),
      (result) => result === null,
    );
  };
  const until = suspects.get(limit.key);
  // where nobody knows addresses, a stranger's wrong secrets must not keep the right one out
  if (address !== null && until !== undefined && until > now().getTime()) return counted();
  return check() ?? (await counted());
}
