// What a new password costs when the person who chooses it is not signed in: a hash, and a call to PASSWORD_RANGE_URL
// where one is set. Both are counted before they are made, by the link or handle and by the caller. A password that was
// stored does not count.
import { networkOf, TooManyAttempts, underLimits } from '#lib/auth-methods/attempts.ts';
import { type HashRequest, hashPassword } from '#lib/kit/password-hash.ts';
import { readTypedPassword, type TypedPassword } from '#lib/kit/typed-password.ts';
import type { From } from '#lib/mail/mail-limits.ts';
import { attemptLimit, callerLimits } from '#lib/store/tokens/limits.ts';
import {
  breachFaults,
  type PasswordFault,
  type PasswordOwner,
  plainPasswordFaults,
} from './password-policy.ts';

/** `all`: less than half of what two cores can hash. */
const NEW_PASSWORDS = { what: 'new passwords', each: 60, windowSeconds: 900, all: 100, allSeconds: 5 };
const OF_ONE_LINK = 10;

type Chosen<Result> =
  | { kind: 'used'; result: Result }
  | { kind: 'faulty'; faults: PasswordFault[] }
  | { kind: 'slow-down'; waitSeconds: number };

/** What `use` is given: the password, and its hash, which is made once nothing else can refuse. */
type ReadPassword = { typed: TypedPassword; asking: HashRequest; hash: () => Promise<string> };

/** `stored` says for which results the password was stored. */
export async function withNewPassword<Result>(
  input: { link: Buffer; password: string; owner: PasswordOwner } & From,
  use: (password: ReadPassword) => Promise<Result>,
  stored: (result: Result) => boolean,
): Promise<Chosen<Result>> {
  const { link, password, owner, ip, requestId } = input;
  const plain = await plainPasswordFaults(password, owner);
  const typed = readTypedPassword(password);
  if (plain.length > 0 || typed === null) return { kind: 'faulty', faults: plain };
  const limits = [
    ...callerLimits(NEW_PASSWORDS, ip),
    attemptLimit('link', `new password ${link.toString('base64url')}`, OF_ONE_LINK),
  ];
  const check = async (): Promise<Chosen<Result>> => {
    const faults = await breachFaults({ requestId, ip: ip ?? undefined }, typed);
    if (faults.length > 0) return { kind: 'faulty', faults };
    const asking: HashRequest = { asker: 'newcomer', from: networkOf(ip) };
    return {
      kind: 'used',
      result: await use({ typed, asking, hash: () => hashPassword(typed, asking) }),
    };
  };
  try {
    return await underLimits(
      limits,
      { requestId, ip },
      check,
      (chosen) => chosen.kind !== 'used' || !stored(chosen.result),
    );
  } catch (error) {
    if (error instanceof TooManyAttempts) return { kind: 'slow-down', waitSeconds: error.waitSeconds };
    throw error;
  }
}
