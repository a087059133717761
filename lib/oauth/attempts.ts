// The limits on wrong passwords, in this room's words: over a limit is SlowDown.
import { countedCheck, passwordLimits as limitsOf } from '#lib/auth-methods/index.ts';
import { callerAddress, type HttpRequest } from '#lib/http/index.ts';
import { settings } from '#lib/settings/index.ts';
import type { Limit } from '#lib/store/index.ts';
import { SlowDown } from './errors.ts';

export function passwordLimits(
  request: HttpRequest,
  input: { authMethodId: string; username: string; confidentialClientId: string | null },
): Limit[] {
  return limitsOf({ ...input, address: callerAddress(request, settings().trustProxy) });
}

/** Runs a check under its limits: SlowDown without running it; a result that `counts` says is no failure is free. */
export async function underLimits<T>(
  limits: Limit[],
  check: () => Promise<T>,
  counts: (result: T) => boolean,
): Promise<T> {
  const counted = await countedCheck(limits, check, counts);
  if (counted.kind === 'slow-down') throw new SlowDown(counted.waitSeconds);
  return counted.result;
}
