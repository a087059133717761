// argon2id with limited concurrency, because hashing can occupy all CPUs. If the queue is full, a request is rejected
// immediately with 503. Checks of hashes that other services made use the same queue. While such hashes exist, every
// check takes at least as long as the slowest kind of hash, so that timing does not reveal whose hash was checked.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { checkKept } from './kept-hashes/kept-hash.ts';
import { processWide } from './process.ts';
import { formsOf, MAX_PASSWORD_BYTES, type TypedPassword } from './typed-password.ts';

const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const MAX_RUNNING = Math.max(1, availableParallelism() - 1);
/** Each kind of requester has its own places in the queue, so that no kind can lock out another. */
const MAX_WAITING: Record<Asker, number> = { stranger: 128, known: 32, newcomer: 128, client: 32 };
/** Kinds in order of priority. After a number of consecutive checks of one kind, the kinds after it get a turn. */
const ORDER = ['known', 'stranger', 'newcomer', 'client'] as const;
const IN_A_ROW = 3;

/**
 * The requester of a hash. `known`: a browser that the account used before. `newcomer`: an anonymous person who
 * chooses a new password. `client`: a client whose secret hash was made by another service.
 */
export type Asker = 'stranger' | 'known' | 'newcomer' | 'client';

/**
 * `from`: address block or client of the request; `null`: unknown. Requests of one kind take turns by `from`, so a
 * flood from one address block or client delays each other caller by only one check.
 */
export type HashRequest = { asker: Asker; from: string | null };
const ANY_STRANGER: HashRequest = { asker: 'stranger', from: null };

/** Thrown if the queue for password checks is full. */
export class PasswordHashBusy extends Error {
  override name = 'PasswordHashBusy';
}

type Waiting = { start: () => void; refuse: (error: PasswordHashBusy) => void };

/** Waiting requests: one queue (lane) for each value of `from`. */
class Lanes {
  readonly #lanes = new Map<string, Waiting[]>();
  length = 0;

  #waitingFrom(from: string | null): number {
    return this.#lanes.get(from ?? '')?.length ?? 0;
  }

  add(from: string | null, waiting: Waiting): void {
    const key = from ?? '';
    this.#lanes.set(key, [...(this.#lanes.get(key) ?? []), waiting]);
    this.length += 1;
  }

  /** Removes and returns the request whose turn is next. */
  take(): Waiting | undefined {
    const [turn] = this.#lanes;
    return turn && this.#remove(turn[0], turn[1][0], 'next turn last');
  }

  /**
   * Returns the key of the longest lane if its last waiting request must be dropped in favor of a new request from
   * `from`; `null` if no request must be dropped.
   */
  longerThan(from: string | null): string | null {
    const waitingCount = this.#waitingFrom(from);
    const [longest] = [...this.#lanes].toSorted(([, one], [, other]) => other.length - one.length);
    return longest && longest[1].length > waitingCount + 1 ? longest[0] : null;
  }

  dropLast(lane: string): Waiting | undefined {
    return this.#remove(lane, this.#lanes.get(lane)?.at(-1), 'same turn');
  }

  #remove(key: string, gone: Waiting | undefined, turn: 'next turn last' | 'same turn'): Waiting | undefined {
    if (gone === undefined) return undefined;
    const left = (this.#lanes.get(key) ?? []).filter((waiter) => waiter !== gone);
    if (turn === 'next turn last' || left.length === 0) this.#lanes.delete(key);
    if (left.length > 0) this.#lanes.set(key, left);
    this.length -= 1;
    return gone;
  }
}

/** The queue of the process. `times`: the shortest measured check for each kind of hash, in milliseconds. */
type Queue = {
  running: number;
  workers: number;
  leastMs: number;
  times: Map<string, number>;
  measuring: { kinds: string; leastMs: Promise<number> } | null;
  served: Record<Asker, number>;
} & Record<Asker, Lanes>;
const slot = processWide<Queue>('password-queue');

function queue(): Queue {
  slot.value ??= {
    ...{ running: 0, workers: 1, leastMs: 0, times: new Map(), measuring: null },
    served: { known: 0, stranger: 0, newcomer: 0, client: 0 },
    ...{ known: new Lanes(), stranger: new Lanes(), newcomer: new Lanes(), client: new Lanes() },
  };
  return slot.value;
}

/** Sets the number of processes on this machine. Together they have the capacity of one process. */
export function sharePasswordChecks(workers: number): void {
  queue().workers = workers;
}

const share = (all: number) => Math.max(1, Math.floor(all / queue().workers));
const isFull = (asker: Asker) => queue()[asker].length >= share(MAX_WAITING[asker]);

/** Size of the queue, for the metrics. */
export function passwordQueue(): { running: number; waiting: number } {
  const hashQueue = queue();
  return {
    running: hashQueue.running,
    waiting: ORDER.reduce((sum, asker) => sum + hashQueue[asker].length, 0),
  };
}

const tooMany = () => new PasswordHashBusy('too many passwords are being checked');

/** Throws PasswordHashBusy if the queue is now full for this kind of requester. */
export function refuseWhenBusy({ asker, from }: HashRequest): void {
  if (isFull(asker) && queue()[asker].longerThan(from) === null) throw tooMany();
}

async function runBounded<T>(work: () => Promise<T>, { asker, from }: HashRequest): Promise<T> {
  const hashQueue = queue();
  if (hashQueue.running >= share(MAX_RUNNING)) {
    refuseWhenBusy({ asker, from });
    if (isFull(asker)) hashQueue[asker].dropLast(hashQueue[asker].longerThan(from) ?? '')?.refuse(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    hashQueue[asker].add(from, { start: resolve, refuse: reject });
    await promise;
  } else {
    hashQueue.running += 1;
  }
  try {
    return await work();
  } finally {
    const next = nextOf(hashQueue);
    if (next) next.start();
    else hashQueue.running -= 1;
  }
}

/**
 * Picks the next request. Each kind gets a share of the checks, so that a flood of one kind cannot block the others.
 */
function nextOf(queue: Queue): Waiting | undefined {
  for (const [at, asker] of ORDER.entries()) {
    const waitBehind = ORDER.slice(at + 1).some((other) => queue[other].length > 0);
    if (queue[asker].length > 0 && (queue.served[asker] < IN_A_ROW || !waitBehind)) {
      queue.served[asker] += 1;
      return queue[asker].take();
    }
    queue.served[asker] = 0;
  }
  return undefined;
}

/** Hashes the NFC form, because the same password can be typed in several forms of Unicode. */
export function hashPassword(password: TypedPassword, asking: HashRequest = ANY_STRANGER): Promise<string> {
  return runBounded(() => hash(formsOf(password)[0], PARAMETERS), asking);
}

export async function verifyPassword(
  hashed: string,
  password: TypedPassword,
  asking: HashRequest = ANY_STRANGER,
): Promise<boolean> {
  const forms = formsOf(password);
  let began = 0;
  const right = await runBounded(async () => {
    began = performance.now();
    let isMatch = false;
    // compares every form, so that timing depends only on the typed text
    for (const form of forms) isMatch = (await verifyHash(hashed, form)) || isMatch;
    return isMatch;
  }, asking);
  await restOfTime(performance.now() - began, forms.length);
  return right;
}

async function verifyHash(hashed: string, password: string): Promise<boolean> {
  try {
    return await (needsRehash(hashed) ? checkKept(hashed, password) : verify(hashed, password));
  } catch {
    return false;
  }
}

/**
 * Waits outside the queue until the fixed time of a check has passed. If a check took longer, as on a busy machine,
 * the answer waits for the next multiple of that time.
 */
async function restOfTime(tookMs: number, checks: number): Promise<void> {
  const leastMs = queue().leastMs * checks;
  // a timer ignores fractions of a millisecond
  if (leastMs > 0) await sleep(Math.ceil(Math.ceil(tookMs / leastMs) * leastMs - tookMs));
}

/**
 * Factor by which the measured time is multiplied for tolerance. A check that takes even longer is answered
 * at a later multiple.
 */
const MARGIN = 1.5;
const MEASURED = 3;
/** Kinds that are slower than this are measured only once per round. */
const LONG_MS = 200;
/** Longest delay of a sign-in, in milliseconds. For hashes that take longer, timing can reveal them. */
const MAX_LEAST_MS = 1_000;

/** `kind`: algorithm and cost of a hash. `hash`: an example of this kind. */
export type KeptSample = { kind: string; hash: string };

/** Adds a hash of the current kind, because the dummy check for unknown people may be the slowest. */
export const measuredBeside = async (storedSamples: readonly KeptSample[]): Promise<readonly KeptSample[]> =>
  storedSamples.length === 0 ? [] : [...storedSamples, { kind: 'own', hash: await dummyHash() }];

/**
 * Measures a check of each kind of imported hash and of the current kind. Afterwards every check lasts as long as the
 * slowest kind, whose time is returned. For each kind the shortest time is used, because measurements on a busy
 * machine are too long. Without imported hashes there is no delay. A call during a measurement gets its result if the
 * kinds are the same; otherwise the kinds are measured afterwards.
 */
export async function paceChecks(storedSamples: readonly KeptSample[]): Promise<number> {
  const hashQueue = queue();
  const kinds = storedSamples.map(({ kind }) => kind).join(' ');
  while (hashQueue.measuring !== null && hashQueue.measuring.kinds !== kinds)
    await hashQueue.measuring.leastMs.catch(() => undefined);
  hashQueue.measuring ??= {
    kinds,
    leastMs: measureSamples(hashQueue, storedSamples).finally(() => {
      hashQueue.measuring = null;
    }),
  };
  return hashQueue.measuring.leastMs;
}

async function measureSamples(queue: Queue, storedSamples: readonly KeptSample[]): Promise<number> {
  const samples = await measuredBeside(storedSamples);
  for (const { kind, hash: sample } of samples) {
    for (let n = 0; n < MEASURED; n += 1) {
      const tookMs = await runBounded(() => timeSample(sample), { asker: 'known', from: 'pace' });
      queue.times.set(kind, Math.min(queue.times.get(kind) ?? Number.POSITIVE_INFINITY, tookMs));
      if (tookMs > LONG_MS) break;
    }
  }
  const slowest = Math.max(0, ...samples.map(({ kind }) => queue.times.get(kind) ?? 0));
  queue.leastMs = Math.min(MAX_LEAST_MS, Math.ceil(slowest * MARGIN));
  return queue.leastMs;
}

async function timeSample(sample: string): Promise<number> {
  const began = performance.now();
  // for some kinds, longer passwords take more time, and a guess may be long
  await verifyHash(sample, 'x'.repeat(MAX_PASSWORD_BYTES));
  return performance.now() - began;
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  // a rejection by a full queue is not cached
  dummy ??= runBounded(() => hash('nobody', PARAMETERS), { asker: 'known', from: 'pace' }).catch(
    (error: unknown) => {
      dummy = undefined;
      throw error;
    },
  );
  return dummy;
}

/** Performs a dummy check, so that sign-ins of unknown and known people take the same time. */
export async function verifyNobody(
  password: TypedPassword,
  asking: HashRequest = ANY_STRANGER,
): Promise<false> {
  refuseWhenBusy(asking);
  await verifyPassword(await dummyHash(), password, asking);
  return false;
}

/** True if the hash was made with outdated parameters. */
export function needsRehash(hashed: string): boolean {
  return !hashed.startsWith(
    `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`,
  );
}
