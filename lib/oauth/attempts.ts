// The limits on wrong passwords, over the sign-in page and the token address together. Counted before the check;
// a success is taken back.
import { addressBlock, callerAddress, type HttpRequest } from '#lib/http/index.ts';
import { sha256 } from '#lib/kit/index.ts';
import { settings } from '#lib/settings/index.ts';
import { countAttempt, type Limit, uncountAttempt } from '#lib/store/index.ts';
import { SlowDown } from './errors.ts';

const WINDOW_SECONDS = 900;

const limit = (kind: string, name: string, max: number): Limit => ({
  // hashed: what somebody typed as a name may be a password
  key: `${kind}:${sha256(name).toString('base64url')}`,
  max,
  windowSeconds: WINDOW_SECONDS,
});

export function passwordLimits(
  request: HttpRequest,
  input: { authMethodId: string; username: string; confidentialClientId: string | null },
): Limit[] {
  const limits = [limit('account', `${input.authMethodId} ${input.username.toLowerCase()}`, 10)];
  const address = callerAddress(request, settings().trustProxy);
  if (input.confidentialClientId !== null) limits.push(limit('client', input.confidentialClientId, 600));
  else if (address !== null) limits.push(limit('address', addressBlock(address), 60));
  return limits;
}

/** Runs a check under its limits: SlowDown without running it; a result that `counts` says is no failure is free. */
export async function underLimits<T>(
  limits: Limit[],
  check: () => Promise<T>,
  counts: (result: T) => boolean,
): Promise<T> {
  const wait = await countAttempt(limits);
  if (wait !== null) throw new SlowDown(wait);
  let failed = false;
  try {
    const result = await check();
    failed = counts(result);
    return result;
  } finally {
    if (!failed) await uncountAttempt(limits);
  }
}
