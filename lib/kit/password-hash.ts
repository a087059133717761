// argon2id with bounded concurrency, since hashing can take all CPUs of a machine. A full queue refuses at once; the
// protocol answers 503. Hashes of other services are checked in the same queue; while there are any, no check is
// answered sooner than the dearest of them and of ours takes, so that the time does not tell whose hash was checked.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { checkKept } from './kept-hashes/kept-hash.ts';
import { processWide } from './process.ts';
import { formsOf, MAX_PASSWORD_BYTES, type TypedPassword } from './typed-password.ts';

const PARAMETERS = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
const MAX_RUNNING = Math.max(1, availableParallelism() - 1);
/** Each kind of asker has places of its own in the queue: none locks out another. */
const MAX_WAITING: Record<Asker, number> = { stranger: 128, known: 32, newcomer: 128, client: 32 };
/** In this order; but after so many in a row of one kind it is the turn of those behind. */
const ORDER = ['known', 'stranger', 'newcomer', 'client'] as const;
const IN_A_ROW = 3;

/**
 * Who asks for a hash. `known`: a browser where the account signed in before. `newcomer`: a person who chooses a new
 * password without being signed in. `client`: a client with the secret of another service.
 */
export type Asker = 'stranger' | 'known' | 'newcomer' | 'client';

/**
 * `from`: the block of addresses or the client that the request came from; null: unknown. Those of one kind take
 * turns by it, so that a flood from one place delays a caller from another place by one check.
 */
export type HashRequest = { asker: Asker; from: string | null };
const ANY_STRANGER: HashRequest = { asker: 'stranger', from: null };

/** The queue of password checks is full. */
export class PasswordHashBusy extends Error {
  override name = 'PasswordHashBusy';
}

type Waiting = { start: () => void; refuse: (error: PasswordHashBusy) => void };

/** Those who wait, by where they came from. */
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

  /** Of the place whose turn it is. */
  take(): Waiting | undefined {
    const [turn] = this.#lanes;
    return turn && this.#remove(turn[0], turn[1][0], 'next turn last');
  }

  /** The lane in which so many wait that a caller from there is more in place than its last one; null: none. */
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

/** One queue for the process, shared by both doors. `times`: the shortest check of each kind of hash, in milliseconds. */
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

/** The number of processes on the machine: together they run and queue as many as one process would. */
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

async function bounded<T>(work: () => Promise<T>, { asker, from }: HashRequest): Promise<T> {
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

/** The next to run. Each kind gets a share: a flood of one does not keep the others out. */
function nextOf(own: Queue): Waiting | undefined {
  for (const [at, asker] of ORDER.entries()) {
    const waitBehind = ORDER.slice(at + 1).some((other) => own[other].length > 0);
    if (own[asker].length > 0 && (own.served[asker] < IN_A_ROW || !waitBehind)) {
      own.served[asker] += 1;
      return own[asker].take();
    }
    own.served[asker] = 0;
  }
  return undefined;
}

/** Of its NFC form: the same password is typed in several forms of Unicode. */
export function hashPassword(password: TypedPassword, asking: HashRequest = ANY_STRANGER): Promise<string> {
  return bounded(() => hash(formsOf(password)[0], PARAMETERS), asking);
}

export async function verifyPassword(
  hashed: string,
  password: TypedPassword,
  asking: HashRequest = ANY_STRANGER,
): Promise<boolean> {
  const forms = formsOf(password);
  let began = 0;
  const right = await bounded(async () => {
    began = performance.now();
    let found = false;
    // each form is compared, so that the time tells of what was typed alone
    for (const form of forms) found = (await checked(hashed, form)) || found;
    return found;
  }, asking);
  await restOfTime(performance.now() - began, forms.length);
  return right;
}

async function checked(hashed: string, password: string): Promise<boolean> {
  try {
    return await (needsRehash(hashed) ? checkKept(hashed, password) : verify(hashed, password));
  } catch {
    return false;
  }
}

/** Outside of the queue. A check that took longer, on a busy machine, is answered at the next multiple. */
async function restOfTime(tookMs: number, checks: number): Promise<void> {
  const leastMs = queue().leastMs * checks;
  // a timer cuts off parts of a millisecond
  if (leastMs > 0) await sleep(Math.ceil(Math.ceil(tookMs / leastMs) * leastMs - tookMs));
}

/** How much longer than measured a check may take before it is answered later than others. */
const MARGIN = 1.5;
const MEASURED = 3;
/** A check that takes this long is measured once at a time. */
const LONG_MS = 200;
/** No sign-in is delayed by more: a dearer hash can be told by its time. */
const MAX_LEAST_MS = 1_000;

/** `kind`: the name and cost of a hash; `hash`: one of this kind. */
export type KeptSample = { kind: string; hash: string };

/** Where all kept hashes are cheaper than ours, the dummy check of unknown people is the slowest. */
export const measuredBeside = async (kept: readonly KeptSample[]): Promise<readonly KeptSample[]> =>
  kept.length === 0 ? [] : [...kept, { kind: 'own', hash: await dummyHash() }];

/**
 * Measures a check of each kind of kept hash, and of one of today's; from then on all take as long as the slowest,
 * which it returns. A kind keeps the shortest time that was ever measured: a busy machine lengthens each. None kept: as
 * long as they take. A call during a measurement returns its result if the kinds are the same; other kinds are
 * measured afterwards.
 */
export async function paceChecks(kept: readonly KeptSample[]): Promise<number> {
  const own = queue();
  const kinds = kept.map(({ kind }) => kind).join(' ');
  while (own.measuring !== null && own.measuring.kinds !== kinds)
    await own.measuring.leastMs.catch(() => undefined);
  own.measuring ??= {
    kinds,
    leastMs: measured(own, kept).finally(() => {
      own.measuring = null;
    }),
  };
  return own.measuring.leastMs;
}

async function measured(own: Queue, kept: readonly KeptSample[]): Promise<number> {
  const samples = await measuredBeside(kept);
  for (const { kind, hash: sample } of samples) {
    for (let n = 0; n < MEASURED; n += 1) {
      const tookMs = await bounded(() => timed(sample), { asker: 'known', from: 'pace' });
      own.times.set(kind, Math.min(own.times.get(kind) ?? Number.POSITIVE_INFINITY, tookMs));
      if (tookMs > LONG_MS) break;
    }
  }
  const slowest = Math.max(0, ...samples.map(({ kind }) => own.times.get(kind) ?? 0));
  own.leastMs = Math.min(MAX_LEAST_MS, Math.ceil(slowest * MARGIN));
  return own.leastMs;
}

async function timed(sample: string): Promise<number> {
  const began = performance.now();
  // some kinds take longer for a longer password, which a guess may be
  await checked(sample, 'x'.repeat(MAX_PASSWORD_BYTES));
  return performance.now() - began;
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  // a full queue at the first one must not be remembered
  dummy ??= bounded(() => hash('nobody', PARAMETERS), { asker: 'known', from: 'pace' }).catch(
    (error: unknown) => {
      dummy = undefined;
      throw error;
    },
  );
  return dummy;
}

/** Dummy check, so that unknown people take the same time. */
export async function verifyNobody(
  password: TypedPassword,
  asking: HashRequest = ANY_STRANGER,
): Promise<false> {
  refuseWhenBusy(asking);
  await verifyPassword(await dummyHash(), password, asking);
  return false;
}

/** Whether the hash was made with other parameters than today's. */
export function needsRehash(hashed: string): boolean {
  return !hashed.startsWith(
    `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`,
  );
}
