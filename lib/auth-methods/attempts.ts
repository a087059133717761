// The limits on wrong passwords, over the sign-in page, the token address and the console together. Counted before the
// check; a success is taken back.
import { addressBlock } from '#lib/http/index.ts';
import { sha256 } from '#lib/kit/index.ts';
import { countAttempt, type Limit, uncountAttempt } from '#lib/store/index.ts';

const WINDOW_SECONDS = 900;

export type PasswordAttempt = {
  authMethodId: string;
  username: string;
  /** the caller's; null where the door knows none */
  address: string | null;
  /** of a password grant whose client authenticated: its own limit stands in for the address's */
  confidentialClientId: string | null;
};

const limit = (kind: string, name: string, max: number): Limit => ({
  // hashed: what somebody typed as a name may be a password
  key: `${kind}:${sha256(name).toString('base64url')}`,
  max,
  windowSeconds: WINDOW_SECONDS,
});

export function passwordLimits(attempt: PasswordAttempt): Limit[] {
  const { authMethodId, username, address, confidentialClientId } = attempt;
  const limits = [limit('account', `${authMethodId} ${username.toLowerCase()}`, 10)];
  if (confidentialClientId !== null) limits.push(limit('client', confidentialClientId, 600));
  else if (address !== null) limits.push(limit('address', addressBlock(address), 60));
  return limits;
}

export type Counted<Result> =
  | { kind: 'checked'; result: Result }
  | { kind: 'slow-down'; waitSeconds: number };

/** Runs a check under its limits; over one of them it is not run. A result that `counts` says is no failure is free. */
export async function countedCheck<Result>(
  limits: readonly Limit[],
  check: () => Promise<Result>,
  counts: (result: Result) => boolean,
): Promise<Counted<Result>> {
  const waitSeconds = await countAttempt(limits);
  if (waitSeconds !== null) return { kind: 'slow-down', waitSeconds };
  let failed = false;
  try {
    const result = await check();
    failed = counts(result);
    return { kind: 'checked', result };
  } finally {
    if (!failed) await uncountAttempt(limits);
  }
}
