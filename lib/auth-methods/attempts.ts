// Limits on guessing, shared by all instances, pages and endpoints. An attempt is counted before the check, and a
// success is subtracted again. There are limits for all callers together, per address (/48 and /64 for IPv6) or
// client, and per account. A browser known to the account has a separate limit, so strangers cannot lock the owner
// out.
import { setTimeout as sleep } from 'node:timers/promises';
import { methodCan, methodKind } from '#lib/catalogue/methods/questions.ts';
import { widestAddressBlock } from '#lib/http/forwarding.ts';
import { type Asker, refuseWhenBusy } from '#lib/kit/password-hash.ts';
import { canonicalEmail } from '#lib/kit/text.ts';
import {
  attemptLimit,
  beginAttempt,
  callerLimits,
  failAttempt,
  kindOfLimit,
  type Limit,
  type ReliedOn,
  takeBackAttempt,
} from '#lib/store/hot/limits.ts';
import { recordRefusal } from '#lib/store/refusals.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';

/** Thrown if a limit is used up. Nothing was checked. */
export class TooManyAttempts extends Error {
  override name = 'TooManyAttempts';
  readonly waitSeconds: number;
  constructor(waitSeconds: number) {
    super('too many attempts');
    this.waitSeconds = waitSeconds;
  }
}

/**
 * Key of an account for limits. All local methods share their accounts, so an account has one limit across these
 * methods.
 */
export const accountName = (method: { id: string; type: string }, username: string): string =>
  methodCan(method, 'hasAccounts')
    ? `(local) ${canonicalEmail(username)}`
    : `${method.id} ${foldedName(canonicalEmail(username))}`;

/**
 * Another service may treat different letters as equal, as many databases do. This function therefore removes marks,
 * invisible characters and doubled spaces, and uses compatible letters. So each person has one limit, however the
 * name is typed.
 */
const foldedName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[\p{M}\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .trim();

/**
 * `each`: limit per address. `all`: limit for all callers, about the number that two cores can hash. A password with
 * characters in several Unicode forms needs two hashes (`formsOf`).
 */
const PASSWORDS = { what: 'passwords', each: 60, windowSeconds: 900, all: 250, allSeconds: 5 };

/**
 * True if people of this method can have two names: user name and email address, or several attributes of a
 * directory. If the answer depended on the person, it would reveal accounts.
 */
export const haveTwoNames = (
  method: Pick<SnapshotMethod, 'type' | 'config'>,
  { usernames }: { usernames: boolean },
): boolean =>
  methodCan(method, 'hasAccounts')
    ? usernames
    : (methodKind(method.type).severalNames?.(method.config) ?? false);

/** Number of attempts that all known browsers of an account share. */
const OF_KNOWN_DEVICES = 100;
const OF_ACCOUNT = 10;

/**
 * Limits per account, in addition to the limits per typed name, if the method found the account by the typed name.
 */
export const foundLimits = (methodId: string, account: string, asker: Asker): Limit[] =>
  asker === 'known'
    ? [attemptLimit('account', `known found ${methodId} ${account}`, OF_KNOWN_DEVICES)]
    : [attemptLimit('account', `found ${methodId} ${account}`, OF_ACCOUNT)];

export function passwordLimits(from: {
  /** name of the account in the limits, as `accountName` returns it */
  account: string;
  address: string | null;
  /** password grant: the client, if it authenticated with a secret */
  confidentialClientId: string | null;
  /** id of a browser that this account used before */
  device: string | null;
  /** result of `haveTwoNames`; true: each name has half of the limit, so the total is the same */
  twoNames?: boolean;
}): Limit[] {
  const share = from.twoNames ? 2 : 1;
  if (from.device !== null)
    return [
      attemptLimit('account', `known ${from.account}`, OF_KNOWN_DEVICES / share),
      attemptLimit('device', `${from.device} ${from.account}`, 10 / share),
    ];
  const client = from.confidentialClientId;
  return [
    ...callerLimits(PASSWORDS, client === null ? from.address : null),
    ...(client === null ? [] : [attemptLimit('client', client, 600)]),
    attemptLimit('account', from.account, OF_ACCOUNT / share),
  ];
}

/** Returns the network of a caller, for the queue of password checks. `null`: not known. */
export const networkOf = (address: string | null): string | null =>
  address === null ? null : widestAddressBlock(address);

export type AttemptContext = {
  /**
   * the registry version on which the request relies; if the registry has changed since then, RegistryChanged
   * is thrown and the attempt is not counted
   */
  reliedOn?: ReliedOn;
  authMethodId?: string;
  clientId?: string;
  apiId?: string;
  requestId: string;
  ip: string | null;
};

/**
 * Runs a check within its limits, or throws TooManyAttempts without running it. A successful check is no longer
 * counted. If `takesBack` returns true, this function leaves that to an SQL statement of the caller.
 */
export async function underLimits<T>(
  limits: readonly Limit[],
  context: AttemptContext,
  check: () => Promise<T>,
  isFailure: (result: T) => boolean,
  takesBack: (result: T) => boolean = () => false,
): Promise<T> {
  await admission(limits, context);
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

const isOfAccount = (key: string) => ['account', 'device'].includes(kindOfLimit(key));

const MAX_WAITING = 128;
const MAX_WAIT_MS = 5_000;
let waiting = 0;

/**
 * Waits while attempts that are still being checked fill the limit of an account, because many correct passwords at
 * once are no attack. Rejects immediately if too many attempts already wait. If the queue for password hashes is
 * full, rejects without counting, so that rejections stay cheap.
 */
async function admission(
  limits: readonly Limit[],
  { reliedOn, ip }: Pick<AttemptContext, 'reliedOn' | 'ip'>,
): Promise<void> {
  const kinds = limits.map(({ key }) => kindOfLimit(key));
  if (kinds.includes('device')) refuseWhenBusy({ asker: 'known', from: networkOf(ip) });
  else if (kinds.includes('account')) refuseWhenBusy({ asker: 'stranger', from: networkOf(ip) });
  const deadline = performance.now() + MAX_WAIT_MS;
  while (true) {
    const outcome = await beginAttempt(limits, reliedOn ?? null);
    if (outcome.kind === 'admitted') return;
    if (outcome.kind === 'used-up') throw new TooManyAttempts(outcome.waitSeconds);
    const mayWait = outcome.keys.every(isOfAccount) && waiting < MAX_WAITING && performance.now() < deadline;
    if (!mayWait) throw new TooManyAttempts(2);
    waiting += 1;
    await sleep(50 + 50 * Math.random()).finally(() => {
      waiting -= 1;
    });
  }
}

/** Records one event when a limit is used up, and none for later attempts. */
async function noteUsedUp(
  keys: readonly string[],
  { reliedOn: _, ...context }: AttemptContext,
): Promise<void> {
  for (const key of keys) {
    const limit = kindOfLimit(key);
    // callers with the same limit cause one event together
    const place = ['all', 'wide'].includes(limit) ? key : undefined;
    await recordRefusal({ event: 'attempts.limited', ...context, details: { limit }, place });
  }
}

/**
 * Counts an action that has no check but stores a row, or throws TooManyAttempts. Returns the keys for
 * `takeBackAttempt`.
 */
export async function countAttempt(limits: readonly Limit[], context: AttemptContext): Promise<string[]> {
  const outcome = await beginAttempt(limits, context.reliedOn ?? null);
  if (outcome.kind === 'admitted') return limits.map((limit) => limit.key);
  await noteUsedUp(outcome.keys, context);
  throw new TooManyAttempts(outcome.waitSeconds);
}
