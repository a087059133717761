// Prisma client for rare statements. It uses the connection pool of the prepared statements. Loading the client takes
// 0.3 s and 60 MB, so it is loaded at first use. The token path never uses it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { SqlDriverAdapter, SqlQueryable } from '@prisma/driver-adapter-utils';
import type pg from 'pg';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { DatabaseUnavailable, isOvertaken, outage, pool } from './pool.ts';
import { sql } from './sql.ts';
import type { ColdReturns, ColdRow } from './statement.ts';

/**
 * Maximum milliseconds to wait for a connection: longer than the pool's timeout, so that callers see the
 * pool's error.
 */
const MAX_WAIT_MS = 5_000;
/**
 * Maximum duration of a transaction in milliseconds. Each statement has its own timeout; this limit ends
 * transactions that wait for something else.
 */
const MAX_TRANSACTION_MS = 60_000;

/** Connection for rare statements: Prisma client or transaction. */
export type Db = Prisma.TransactionClient;

// not processWide, because errors must have the classes of this module instance
const slot: { value?: { pool: pg.Pool; client: Promise<PrismaClient> } } = {};

/** Returns the client outside any transaction. Throws DatabaseUnavailable or UnstorableValue, like `query`. */
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

/**
 * Wraps an adapter or a transaction, so that it throws Gatehouse's errors. `retries`: true repeats single statements.
 */
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

/**
 * A single statement that a concurrent transaction stopped has changed nothing, so a retry is safe and sees the new
 * state.
 */
async function ask<T>(statement: () => Promise<T>, retries: boolean, triesLeft = 2): Promise<T> {
  try {
    return await statement();
  } catch (error) {
    if (retries && triesLeft > 0 && isOvertaken(error)) return ask(statement, retries, triesLeft - 1);
    throw outage(error);
  }
}

type Running = { db: Db | null; committed: (() => void)[]; failure?: { error: unknown } };

// process-wide, because another instance of this module may have started the transaction
const transactions = processWide<AsyncLocalStorage<Running>>('transaction');
transactions.value ??= new AsyncLocalStorage();
const running = transactions.value;

/**
 * Runs `work` in a transaction. An error in `work` rolls the transaction back. Nested calls join the outer
 * transaction.
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
            // queries that `work` left running in the background run outside the transaction
            here.db = null;
          }
        }),
      ),
    );
    runCommitted(here.committed);
    return result;
  } catch (error) {
    // an error of `work`, such as a refused connection to another service, is not a database error
    throw here.failure?.error === error && !isPrismaError(error) ? error : outage(error);
  }
}

const isPrismaError = (error: unknown): boolean =>
  error instanceof Error && /^(?:Prisma|Driver)/.test(error.name);

/**
 * Runs the callbacks of a committed transaction. A callback that fails stops neither the caller nor the
 * callbacks after it.
 */
function runCommitted(committed: readonly (() => void)[]): void {
  for (const work of committed) {
    try {
      work();
    } catch (error) {
      log().error({ err: error }, 'work after a commit failed');
    }
  }
}

/** Maximum wait for a transaction slot. */
const MAX_TURN_MS = 10_000;

/**
 * Slots for which transactions queue before they take a connection. Lock waits hold connections, so many waiting
 * transactions would starve single statements.
 */
type Places = { taken: number; waiting: (() => void)[] };

// process-wide, because the pool is process-wide, too
const turns = processWide<Places>('transaction.places');
turns.value ??= { taken: 0, waiting: [] };
const places = turns.value;

/** Returns the number of slots: one less than the pool's connections, so that one remains for single statements. */
const limit = (): number => Math.max(1, pool().options.max - 1);

/** Throws DatabaseUnavailable if no slot becomes free in time. */
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

/** Waits for a slot. A finished transaction passes its slot to the longest waiter. */
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

/** Calls `work` after the current transaction commits, or immediately without one. */
export function afterCommit(work: () => void): void {
  const here = running.getStore();
  if (here?.db) here.committed.push(work);
  else work();
}

/** Returns the current transaction, or the client outside a transaction. */
export const currentConnection = async (): Promise<Db> => running.getStore()?.db ?? (await database());

/** Acquires the lock with this name until the transaction ends. */
export async function lockName(db: Db, name: string): Promise<void> {
  await db.$executeRaw`select pg_advisory_xact_lock(hashtext(${`gatehouse.${name}`}))`;
}

/** Tries to acquire the lock of `lockName`. */
export async function tryLockName(db: Db, name: string): Promise<boolean> {
  const row = await readRow(db, { locked: 'boolean' })`
    select pg_try_advisory_xact_lock(hashtext(${`gatehouse.${name}`})) as locked`;
  return row?.locked ?? false;
}

/**
 * Tag of a cold read. `_returns`: columns of its rows, which cold-statements.db.test.ts compares with PostgreSQL's
 * description.
 */
export const readRows =
  <const Returned extends ColdReturns>(db: Db, _returns: Returned) =>
  (text: readonly string[], ...values: unknown[]): Promise<ColdRow<Returned>[]> =>
    db.$queryRaw(sql(text, ...values));

/** Like `readRows`, for the first row; null without a row. */
export const readRow =
  <const Returned extends ColdReturns>(db: Db, returns: Returned) =>
  (text: readonly string[], ...values: unknown[]): Promise<ColdRow<Returned> | null> =>
    first(readRows(db, returns)(text, ...values));

/** Returns the first row, or null. */
export const first = async <Row>(rows: PromiseLike<Row[]>): Promise<Row | null> => (await rows)[0] ?? null;

/** Returns true if the statement returned or changed a row. */
export const some = async (rows: PromiseLike<unknown[] | number>): Promise<boolean> => {
  const result = await rows;
  return typeof result === 'number' ? result > 0 : result.length > 0;
};
