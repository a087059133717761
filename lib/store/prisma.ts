// Prisma's client for the cold statements, on the same pool as the prepared ones. It costs 0.3 s and 60 MB, so it is
// loaded at its first use; the token path never uses it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlDriverAdapter, SqlQueryable } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { DatabaseUnavailable, isOvertaken, outage, pool } from './pool.ts';

/** Longer than the pool waits for a connection, so that the pool's error is the one that is thrown. */
const MAX_WAIT_MS = 5_000;
/** Each statement has its own limit; this one ends a transaction that waits for something else. */
const MAX_TRANSACTION_MS = 60_000;

/** What a cold statement runs on: Prisma's client, or a transaction of it. */
export type Db = Prisma.TransactionClient;

// not processWide: its errors have to be of the classes that the callers of this copy of the module know
const slot: { value?: { pool: pg.Pool; client: Promise<PrismaClient> } } = {};

/**
 * The client, outside of any transaction. What it throws is DatabaseUnavailable or UnstorableValue where `query` says
 * so.
 */
export function database(): Promise<PrismaClient> {
  const current = pool();
  if (slot.value?.pool !== current) slot.value = { pool: current, client: open(current) };
  return slot.value.client;
}

async function open(current: pg.Pool): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('./generated/client.ts'),
    import('@prisma/adapter-pg'),
  ]);
  const factory = new PrismaPg(current);
  const connect = async () => withOurErrors(await factory.connect(), true);
  return new PrismaClient({
    adapter: { provider: factory.provider, adapterName: factory.adapterName, connect },
    transactionOptions: { maxWait: MAX_WAIT_MS, timeout: MAX_TRANSACTION_MS },
  });
}

/** An adapter, or a transaction of it, that throws our errors. `retries`: a statement by itself is tried again. */
function withOurErrors<T extends SqlQueryable & { startTransaction?: SqlDriverAdapter['startTransaction'] }>(
  adapter: T,
  retries: boolean,
): T {
  const queryRaw = adapter.queryRaw.bind(adapter);
  const executeRaw = adapter.executeRaw.bind(adapter);
  adapter.queryRaw = (statement) => ask(() => queryRaw(statement), retries);
  adapter.executeRaw = (statement) => ask(() => executeRaw(statement), retries);
  const start = adapter.startTransaction?.bind(adapter);
  if (start)
    adapter.startTransaction = async (level) => withOurErrors(await ask(() => start(level), false), false);
  return adapter;
}

/** A statement by itself that another transaction got in the way of has done nothing, and finds what that one left. */
async function ask<T>(statement: () => Promise<T>, retries: boolean, triesLeft = 2): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    if (retries && triesLeft > 0 && isOvertaken(error)) return ask(statement, retries, triesLeft - 1);
    throw outage(error);
  }
}

type Running = { db: Db | null; committed: (() => void)[]; failure?: { error: unknown } };

// once in the process: either copy of this module may have begun it
const transactions = processWide<AsyncLocalStorage<Running>>('transaction');
transactions.value ??= new AsyncLocalStorage();
const running = transactions.value;

/**
 * All or nothing: an error in `work` rolls all of it back. Within another transaction it is a part of that one, so
 * that operations can be put together.
 */
export async function inTransaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const outer = running.getStore()?.db;
  if (outer) return work(outer);
  const here: Running = { db: null, committed: [] };
  const client = await database();
  try {
    const result = await inPlace(() =>
      running.run(here, () =>
        client.$transaction(async (db) => {
          here.db = db;
          try {
            return await work(db);
          } catch (error) {
            here.failure = { error };
            throw error;
          } finally {
            // what `work` left running is no part of it any more
            here.db = null;
          }
        }),
      ),
    );
    runCommitted(here.committed);
    return result;
  } catch (error) {
    // an error of `work`, such as a refused connection to another service, says nothing about the database
    throw here.failure?.error === error && !isPrismaError(error) ? error : outage(error);
  }
}

const isPrismaError = (error: unknown): boolean =>
  error instanceof Error && /^(?:Prisma|Driver)/.test(error.name);

/** The transaction is committed: a failing callback stops neither the caller nor the callbacks after it. */
function runCommitted(committed: readonly (() => void)[]): void {
  for (const work of committed) {
    try {
      work();
    } catch (error) {
      log().error({ err: error }, 'work after a commit failed');
    }
  }
}

/** How long a transaction waits for its turn. */
const MAX_TURN_MS = 10_000;

/**
 * Transactions take turns before they take a connection: one that waits for a lock keeps its connection, and with many
 * of them the pool has none left for single statements.
 */
type Places = { taken: number; waiting: (() => void)[] };

// once in the process, like the pool
const turns = processWide<Places>('transaction.places');
turns.value ??= { taken: 0, waiting: [] };
const places = turns.value;

/** One connection of the pool is left for single statements. */
const limit = (): number => Math.max(1, pool().options.max - 1);

/** Throws DatabaseUnavailable where no place becomes free in time. */
async function inPlace<T>(work: () => Promise<T>): Promise<T> {
  if (places.taken < limit()) places.taken += 1;
  else await turn();
  try {
    return await work();
  } finally {
    const next = places.waiting.shift();
    if (next) next();
    else places.taken -= 1;
  }
}

/** A transaction that ends hands its place to the one that has waited longest. */
function turn(): Promise<void> {
  return new Promise((resolve, reject) => {
    const enter = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      places.waiting.splice(places.waiting.indexOf(enter), 1);
      reject(new DatabaseUnavailable('the transactions before it take too long'));
    }, MAX_TURN_MS);
    places.waiting.push(enter);
  });
}

/** Calls `work` once the transaction that the caller is a part of is committed; at once where there is none. */
export function afterCommit(work: () => void): void {
  const here = running.getStore();
  if (here?.db) here.committed.push(work);
  else work();
}

/** The transaction that the caller is a part of, or the client. */
export const currentConnection = async (): Promise<Db> => running.getStore()?.db ?? (await database());

/** Until the transaction ends no other one gets the lock of this name. */
export async function lockName(db: Db, name: string): Promise<void> {
  await db.$executeRaw`select pg_advisory_xact_lock(hashtext(${`gatehouse.${name}`}))`;
}

/** The lock of `lockName`, where it is free. */
export async function tryLockName(db: Db, name: string): Promise<boolean> {
  const [row] = await db.$queryRaw<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(hashtext(${`gatehouse.${name}`})) as locked`;
  return row?.locked ?? false;
}

/** The first row, or null. */
export const first = async <Row>(rows: PromiseLike<Row[]>): Promise<Row | null> => (await rows)[0] ?? null;

/** Does it give or change a row? */
export const some = async (rows: PromiseLike<unknown[] | number>): Promise<boolean> => {
  const found = await rows;
  return typeof found === 'number' ? found > 0 : found.length > 0;
};
