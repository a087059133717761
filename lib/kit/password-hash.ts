// argon2id with bounded concurrency, since hashing can take all CPUs of a machine. A full queue refuses at once; the
// protocol answers 503. Hashes of other services are checked in the same queue; while there are any, no check is
// answered sooner than the dearest of them and of ours takes, so that the time does not tell whose hash was checked.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { hash, verify } from '@node-rs/argon2';
import { checkKept } from './kept-hashes/index.ts';
import { processWide } from './process-wide.ts';

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

/** The queue of password checks is full. */
export class PasswordHashBusy extends Error {
  override name = 'PasswordHashBusy';
}

/** One queue for the process, shared by both doors. */
type Queue = { running: number; workers: number; leastMs: number; served: Record<Asker, number> } & Record<
  Asker,
  (() => void)[]
>;
const slot = processWide<Queue>('password-queue');

function queue(): Queue {
  slot.value ??= {
    ...{ running: 0, workers: 1, leastMs: 0, served: { known: 0, stranger: 0, newcomer: 0, client: 0 } },
    ...{ known: [], stranger: [], newcomer: [], client: [] },
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

/** Throws PasswordHashBusy if a check would. */
export function refuseWhenBusy(asker: Asker): void {
  if (isFull(asker)) throw new PasswordHashBusy('too many passwords are being checked');
}

async function bounded<T>(work: () => Promise<T>, asker: Asker = 'stranger'): Promise<T> {
  const own = queue();
  if (own.running >= share(MAX_RUNNING)) {
    refuseWhenBusy(asker);
    await new Promise<void>((resolve) => own[asker].push(resolve));
  } else {
    own.running += 1;
  }
  try {
    return await work();
  } finally {
    const next = nextOf(own);
    if (next) next();
    else own.running -= 1;
  }
}

/** The next to run. Each kind gets a share: a flood of one does not keep the others out. */
function nextOf(own: Queue): (() => void) | undefined {
  for (const [at, asker] of ORDER.entries()) {
    const waitBehind = ORDER.slice(at + 1).some((other) => own[other].length > 0);
    if (own[asker].length > 0 && (own.served[asker] < IN_A_ROW || !waitBehind)) {
      own.served[asker] += 1;
      return own[asker].shift();
    }
    own.served[asker] = 0;
  }
  return undefined;
}

export function hashPassword(password: string, asker?: Asker): Promise<string> {
  return bounded(() => hash(password, PARAMETERS), asker);
}

export async function verifyPassword(hashed: string, password: string, asker?: Asker): Promise<boolean> {
  let began = 0;
  const right = await bounded(() => {
    began = performance.now();
    return checked(hashed, password);
  }, asker);
  await restOfTime(performance.now() - began);
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
async function restOfTime(tookMs: number): Promise<void> {
  const { leastMs } = queue();
  // a timer cuts off parts of a millisecond
  if (leastMs > 0) await sleep(Math.ceil(Math.ceil(tookMs / leastMs) * leastMs - tookMs));
}

/** How much longer than measured a check may take before it is answered later than others. */
const MARGIN = 1.5;
const MEASURED = 3;

/** Where all kept hashes are cheaper than ours, the dummy check of unknown people is the slowest. */
export const measuredBeside = async (kept: readonly string[]): Promise<string[]> =>
  kept.length === 0 ? [] : [...kept, await dummyHash()];

/**
 * Measures a check of each kept hash, and of one of today's; from then on all take as long as the slowest, which it
 * returns. None kept: as long as they take.
 */
export async function paceChecks(kept: readonly string[]): Promise<number> {
  let slowest = 0;
  for (const hashed of await measuredBeside(kept)) {
    const times: number[] = [];
    for (let n = 0; n < MEASURED; n += 1) {
      const began = performance.now();
      await checked(hashed, 'measured');
      times.push(performance.now() - began);
    }
    slowest = Math.max(slowest, Math.min(...times));
  }
  queue().leastMs = Math.ceil(slowest * MARGIN);
  return queue().leastMs;
}

let dummy: Promise<string> | undefined;

function dummyHash(): Promise<string> {
  // a full queue at the first one must not be remembered
  dummy ??= hashPassword('nobody').catch((error: unknown) => {
    dummy = undefined;
    throw error;
  });
  return dummy;
}

/** Dummy check, so that unknown people take the same time. */
export async function verifyNobody(password: string): Promise<false> {
  await verifyPassword(await dummyHash(), password);
  return false;
}

/** Whether the hash was made with other parameters than today's. */
export function needsRehash(hashed: string): boolean {
  return !hashed.startsWith(
    `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`,
  );
}
