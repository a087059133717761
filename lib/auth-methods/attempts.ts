// Limits on guessing, over pages, token address and command of all instances together. Counted before the check, taken
// back by a success. Over everything, by address (/48 and /64 for IPv6) or client, and by account; a browser that the
// account was signed in with before has a limit of its own, so that a stranger's guesses do not keep its owner out.
import { setTimeout as sleep } from 'node:timers/promises';
import { refuseWhenBusy } from '#lib/kit/index.ts';
import {
  attemptLimit,
  beginAttempt,
  callerLimits,
  failAttempt,
  kindOfLimit,
  type Limit,
  type ReliedOn,
  recordRefusal,
  takeBackAttempt,
} from '#lib/store/index.ts';

/** Over a limit: nothing was checked. */
export class TooManyAttempts extends Error {
  override name = 'TooManyAttempts';
  readonly waitSeconds: number;
  constructor(waitSeconds: number) {
    super('too many attempts');
    this.waitSeconds = waitSeconds;
  }
}

/** What an account is called: all local methods share one store, so they share its limit too. */
export const accountName = (method: { id: string; type: string }, username: string): string =>
  `${method.type === 'local' ? '(local)' : method.id} ${username.toLowerCase()}`;

/** Contract section 5; all together about what two cores can hash. */
const PASSWORDS = { what: 'passwords', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

export function passwordLimits(from: {
  /** as `accountName` gives it */
  account: string;
  address: string | null;
  /** the client of a password grant, where it has authenticated with a secret */
  confidentialClientId: string | null;
  /** a browser that this account was signed in with before */
  device: string | null;
}): Limit[] {
  if (from.device !== null) return [attemptLimit('device', `${from.device} ${from.account}`, 10)];
  const client = from.confidentialClientId;
  return [
    ...callerLimits(PASSWORDS, client === null ? from.address : null),
    ...(client === null ? [] : [attemptLimit('client', client, 600)]),
    attemptLimit('account', from.account, 10),
  ];
}

export type AttemptContext = {
  /** where it has changed nothing is counted, and RegistryChanged is thrown */
  reliedOn?: ReliedOn;
  authMethodId?: string;
  clientId?: string;
  apiId?: string;
  requestId: string;
  ip: string | null;
};

/**
 * Runs a check under its limits, or TooManyAttempts without running it. With `takesBack` the caller's own statement takes
 * a success back.
 */
export async function underLimits<T>(
  limits: readonly Limit[],
  context: AttemptContext,
  check: () => Promise<T>,
  isFailure: (result: T) => boolean,
  takesBack: (result: T) => boolean = () => false,
): Promise<T> {
  await admission(limits, context.reliedOn ?? null);
  let result: T;
  try {
    result = await check();
  } catch (error) {
    await takeBackAttempt(limits);
    throw error;
  }
  if (isFailure(result)) await noteUsedUp(await failAttempt(limits), context);
  else if (!takesBack(result)) await takeBackAttempt(limits);
  return result;
}

/** Is it the limit of one account? */
const isOwn = (key: string) => ['account', 'device'].includes(kindOfLimit(key));

const MAX_WAITING = 128;
const MAX_WAIT_MS = 5_000;
let waiting = 0;

/**
 * Where attempts in flight fill the limit of an account, waits for them: twenty right passwords at once are no attack. In a
 * storm nobody waits, and where the queue of hashes is full nobody is even counted: a refusal must cost next to nothing.
 */
async function admission(limits: readonly Limit[], relied: ReliedOn | null): Promise<void> {
  const kinds = limits.map(({ key }) => kindOfLimit(key));
  if (kinds.includes('device')) refuseWhenBusy('known');
  else if (kinds.includes('account')) refuseWhenBusy('stranger');
  const deadline = performance.now() + MAX_WAIT_MS;
  while (true) {
    const outcome = await beginAttempt(limits, relied);
    if (outcome.kind === 'admitted') return;
    if (outcome.kind === 'used-up') throw new TooManyAttempts(outcome.waitSeconds);
    const patient = outcome.keys.every(isOwn) && waiting < MAX_WAITING && performance.now() < deadline;
    if (!patient) throw new TooManyAttempts(2);
    waiting += 1;
    await sleep(50 + 50 * Math.random()).finally(() => {
      waiting -= 1;
    });
  }
}

/** One event where a limit begins to bite, not one for each attempt after it. */
async function noteUsedUp(
  keys: readonly string[],
  { reliedOn: _, ...context }: AttemptContext,
): Promise<void> {
  for (const key of keys) {
    const limit = kindOfLimit(key);
    // of a limit that many share one event is enough, whoever of them met it first
    const place = ['all', 'wide'].includes(limit) ? key : undefined;
    await recordRefusal({ event: 'attempts.limited', ...context, details: { limit }, place });
  }
}

/**
 * For what nothing is checked of, and what leaves a row behind all the same: counts it, or TooManyAttempts. Gives the keys
 * with which it is taken back.
 */
export async function countAttempt(limits: readonly Limit[], context: AttemptContext): Promise<string[]> {
  const outcome = await beginAttempt(limits, context.reliedOn ?? null);
  if (outcome.kind === 'admitted') return limits.map((limit) => limit.key);
  await noteUsedUp(outcome.keys, context);
  throw new TooManyAttempts(outcome.waitSeconds);
}
