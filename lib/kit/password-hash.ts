// argon2id with limited concurrency, because hashing can occupy all CPUs. A full queue rejects immediately; the
// protocol returns 503. Hashes of other services share the queue. While any exist, every check takes at least as long
// as the slowest kind, so timing does not reveal whose hash was checked.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { checkKept } from './kept-hashes/kept-hash.ts';
import { processWide } from './process.ts';
import { formsOf, MAX_PASSWORD_BYTES, type TypedPassword } from './typed-password.ts';

const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const MAX_RUNNING = Math.max(1, availableParallelism() - 1);
/** Each kind of requester has separate queue places, so kinds cannot lock each other out. */
const MAX_WAITING: Record<Asker, number> = { stranger: 128, known: 32, newcomer: 128, client: 32 };
/** Order of priority. After this number of consecutive checks of one kind, lower kinds get a turn. */
const ORDER = ['known', 'stranger', 'newcomer', 'client'] as const;
const IN_A_ROW = 3;

/**
 * Requester of a hash. `known`: browser that the account used before. `newcomer`: anonymous person choosing a new
 * password. `client`: client with another service's secret hash.
 */
export type Asker = 'stranger' | 'known' | 'newcomer' | 'client';

/**
 * `from`: address block or client of the request; `null`: unknown. Requests of one kind alternate by `from`, so a flood
 * from one place delays other callers by one check.
 */
export type HashRequest = { asker: Asker; from: string | null };
const ANY_STRANGER: HashRequest = { asker: 'stranger', from: null };

/** The queue of password checks is full. */
export class PasswordHashBusy extends Error {
  override name = 'PasswordHashBusy';
}

type Waiting = { start: () => void; refuse: (error: PasswordHashBusy) => void };

/** Waiting requests, grouped by origin. */
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

  /** Removes the next request in turn order. */
  take(): Waiting | undefined {
    const [turn] = this.#lanes;
    return turn && this.#remove(turn[0], turn[1][0], 'next turn last');
  }

  /**
   * Returns the longest lane if its last request must yield to a new request from `from`; `null`: no lane must yield.
   */
  longerThan(from: string | null): string | null {
    const own = this.#waitingFrom(from);
    const [longest] = [...this.#lanes].toSorted(([, one], [, other]) => other.length - one.length);
    return longest && longest[1].length > own + 1 ? longest[0] : null;
  }

  dropLast(lane: string): Waiting | undefined {
    return this.#remove(lane, this.#lanes.get(lane)?.at(-1), 'same turn');
  }

  #remove(key: string, gone: Waiting | undefined, turn: 'next turn last' | 'same turn'): Waiting | undefined {
    if (gone === undefined) return undefined;
    const left = (this.#lanes.get(key) ?? []).filter((one) => one !== gone);
    if (turn === 'next turn last' || left.length === 0) this.#lanes.delete(key);
    if (left.length > 0) this.#lanes.set(key, left);
    this.length -= 1;
    return gone;
  }
}

/**
 * The process has one queue, shared by both doors. `times`: the shortest check of each kind of hash, in milliseconds.
 */
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

/** Number of processes on this machine. Their combined capacity equals one process. */
export function sharePasswordChecks(workers: number): void {
  queue().workers = workers;
}

const share = (all: number) => Math.max(1, Math.floor(all / queue().workers));
const isFull = (asker: Asker) => queue()[asker].length >= share(MAX_WAITING[asker]);

/** For the metrics. */
export function passwordQueue(): { running: number; waiting: number } {
  const own = queue();
  return { running: own.running, waiting: ORDER.reduce((sum, asker) => sum + own[asker].length, 0) };
}

const tooMany = () => new PasswordHashBusy('too many passwords are being checked');

/** Throws PasswordHashBusy if a check would. */
export function refuseWhenBusy({ asker, from }: HashRequest): void {
  if (isFull(asker) && queue()[asker].longerThan(from) === null) throw tooMany();
}

async function runBounded<T>(work: () => Promise<T>, { asker, from }: HashRequest): Promise<T> {
  const own = queue();
  if (own.running >= share(MAX_RUNNING)) {
    refuseWhenBusy({ asker, from });
    if (isFull(asker)) own[asker].dropLast(own[asker].longerThan(from) ?? '')?.refuse(tooMany());
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    own[asker].add(from, { start: resolve, refuse: reject });
    await promise;
  } else {
    own.running += 1;
  }
  try {
    return await work();
  } finally {
    const next = nextOf(own);
    if (next) next.start();
    else own.running -= 1;
  }
}

/** Picks the next request. Each kind gets a share, so a flood of one kind cannot block others. */
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
    let found = false;
    // compares every form, so timing depends only on the typed text
    for (const form of forms) found = (await verifyHash(hashed, form)) || found;
    return found;
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

/** Waits outside the queue. On a busy machine, slower checks are answered at the next multiple. */
async function restOfTime(tookMs: number, checks: number): Promise<void> {
  const leastMs = queue().leastMs * checks;
  // a timer cuts off parts of a millisecond
  if (leastMs > 0) await sleep(Math.ceil(Math.ceil(tookMs / leastMs) * leastMs - tookMs));
}

/** Tolerance factor: longer checks are answered at a later multiple. */
const MARGIN = 1.5;
const MEASURED = 3;
/** Slower kinds are measured only once per round. */
const LONG_MS = 200;
/** Maximum delay of a sign-in. Timing reveals hashes that are slower. */
const MAX_LEAST_MS = 1_000;

/** `kind`: algorithm and cost of a hash; `hash`: a sample. */
export type KeptSample = { kind: string; hash: string };

/** Adds a current hash, because the dummy check of unknown people may be slowest. */
export const measuredBeside = async (kept: readonly KeptSample[]): Promise<readonly KeptSample[]> =>
  kept.length === 0 ? [] : [...kept, { kind: 'own', hash: await dummyHash() }];

/**
 * Measures a check of each kind of imported hash and of the current kind. Afterwards every check lasts as long as the
 * slowest kind, whose time is returned. Each kind keeps its shortest time, because a busy machine inflates
 * measurements. Without imported hashes there is no delay. A call during a measurement shares its result for equal
 * kinds; other kinds are measured afterwards.
 */
export async function paceChecks(kept: readonly KeptSample[]): Promise<number> {
  const own = queue();
  const kinds = kept.map(({ kind }) => kind).join(' ');
  while (own.measuring !== null && own.measuring.kinds !== kinds)
    await own.measuring.leastMs.catch(() => undefined);
  own.measuring ??= {
    kinds,
    leastMs: measureSamples(own, kept).finally(() => {
      own.measuring = null;
    }),
  };
  return own.measuring.leastMs;
}

async function measureSamples(queue: Queue, kept: readonly KeptSample[]): Promise<number> {
  const samples = await measuredBeside(kept);
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
  // some kinds need more time for longer passwords, such as guesses
  await verifyHash(sample, 'x'.repeat(MAX_PASSWORD_BYTES));
  return performance.now() - began;
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  // do not cache a full queue’s rejection
  dummy ??= runBounded(() => hash('nobody', PARAMETERS), { asker: 'known', from: 'pace' }).catch(
    (error: unknown) => {
      dummy = undefined;
      throw error;
    },
  );
  return dummy;
}

/** Performs a dummy check, so that unknown people take the same time. */
export async function verifyNobody(
  password: TypedPassword,
  asking: HashRequest = ANY_STRANGER,
): Promise<false> {
  refuseWhenBusy(asking);
  await verifyPassword(await dummyHash(), password, asking);
  return false;
}

/** Reports whether the hash uses outdated parameters. */
export function needsRehash(hashed: string): boolean {
  return !hashed.startsWith(
    `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`,
  );
}
