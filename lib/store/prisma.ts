// The one function that begins transactions, and the statements outside of them. Raw statements run on `pg`, and typed
// calls of Prisma's client run on the same connections. Loading the client takes 0.3 s and 60 MB, so it is loaded at the
// first typed call. The token path never uses it.
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { log } from '#lib/kit/log.ts';
import { processWide } from '#lib/kit/process.ts';
import type { Prisma, PrismaClient } from './generated/client.ts';
import { DatabaseUnavailable, outage, pool, type Run, type Statement, send, timedStatement } from './pool.ts';
import { sql } from './sql.ts';
import type { ColdReturns, ColdRow } from './statement.ts';

type Send = (statement: pg.QueryConfig) => Promise<pg.QueryResult>;
type Typed = Omit<Prisma.TransactionClient, `$${string}`>;

/** Statements on the pool or in a transaction: raw ones, and typed calls such as `db.person.count()`. */
export type Db = Typed & {
  run: Run;
  /** Returns the number of rows. */
  $executeRaw: (statement: Statement) => Promise<number>;
};

/** Typed calls load Prisma's client. Errors are the same as those of `query`. */
function dbOn(on: Send, typed: () => Promise<Typed>): Db {
  const raw = {
    run: async (statement: Statement) => (await on(timedStatement(statement))).rows,
    $executeRaw: async (statement: Statement) => (await on(timedStatement(statement))).rowCount ?? 0,
  };
  const call = (name: string, method: string) => async (input: unknown) => {
    const calls = Reflect.get(await typed(), name);
    return calls[method](input);
  };
  const model = (name: string) => new Proxy({}, { get: (_, method: string) => call(name, method) });
  const get = (_: Db, name: string) => Reflect.get(raw, name) ?? model(name);
  return new Proxy({} as Db, { get });
}

/** Returns the pool. A statement that a concurrent transaction stopped is retried. */
export const database = (): Db => onPool;
const onPool = dbOn(send, prisma);

// not processWide, because errors must have the classes of this module instance
let client: Promise<PrismaClient> | undefined;

function prisma(): Promise<PrismaClient> {
  client ??= open();
  return client;
}

async function open(): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('./generated/client.ts'),
    import('@prisma/adapter-pg'),
  ]);
  const adapterOn = (query: Send) => {
    const connection = Object.create(pg.Pool.prototype, { options: { value: {} }, query: { value: query } });
    return new PrismaPg(connection).connect();
  };
  const connect = async () => {
    const adapter = await adapterOn(send);
    // Prisma's transaction is a part of the running one, which `inTransaction` commits
    adapter.startTransaction = async () => {
      const store = running.getStore();
      if (!store?.send) throw new Error('only inTransaction begins a transaction');
      const end = async () => {};
      return Object.assign(await adapterOn(store.send), {
        options: { usePhantomQuery: true },
        ...{ commit: end, rollback: end },
      });
    };
    return adapter;
  };
  return new PrismaClient({
    adapter: { provider: 'postgres', adapterName: '@prisma/adapter-pg', connect },
    transactionOptions: { maxWait: MAX_TRANSACTION_MS, timeout: 2 * MAX_TRANSACTION_MS },
  });
}

/** Maximum duration of a transaction in milliseconds, because each statement has a separate timeout. */
const MAX_TRANSACTION_MS = 60_000;

type Running = {
  db: Db | null;
  send: Send | null;
  committed: (() => void)[];
  /** error after the time limit of the transaction; null: no limit passed */
  late: DatabaseUnavailable | null;
};

// process-wide, because another instance of this module may have started the transaction
const transactions = processWide<AsyncLocalStorage<Running>>('transaction');
transactions.value ??= new AsyncLocalStorage();
const running = transactions.value;

/**
 * Returns the transaction that the caller runs in. Throws DatabaseUnavailable if its limit ended it: work that continues
 * must not commit its remaining steps one by one.
 */
function currentTransaction(): Running | undefined {
  const here = running.getStore();
  if (here?.late) throw here.late;
  return here;
}

/**
 * Runs `work` in a transaction (read committed). An error in `work` rolls it back, and is thrown again unchanged. Nested
 * calls join the outer transaction. `rollback`: a separate transaction that changes nothing, also inside another one.
 * Throws DatabaseUnavailable after `mostMs`, even if `work` waits for another service; only tests set another value.
 */
export async function inTransaction<T>(
  work: (db: Db) => Promise<T>,
  ending: 'commit' | 'rollback' = 'commit',
  mostMs = MAX_TRANSACTION_MS,
): Promise<T> {
  const outer = currentTransaction()?.db;
  if (outer && ending === 'commit') return work(outer);
  const here: Running = { db: null, send: null, committed: [], late: null };
  // holders of all places can wait for a separate transaction, so it needs no place
  if (ending === 'rollback') return begin(here, work, ending, mostMs);
  const result = await inPlace(() => begin(here, work, ending, mostMs));
  runCommitted(here.committed);
  return result;
}

async function begin<T>(
  here: Running,
  work: (db: Db) => Promise<T>,
  ending: string,
  mostMs: number,
): Promise<T> {
  const connection = await pool().connect().catch(throwOutage);
  let broken = false;
  // without this listener, a connection that is lost between two statements would end the process
  const breakOff = () => {
    broken = true;
  };
  connection.on('error', breakOff);
  const late = Promise.withResolvers<never>();
  // the limit can pass before the work begins, without a waiting caller
  late.promise.catch(() => {});
  const timer = setTimeout(() => {
    breakOff();
    if (connection instanceof pg.Client) connection.end().catch(() => {});
    here.late = new DatabaseUnavailable(`the transaction takes longer than ${mostMs} ms`);
    late.reject(here.late);
  }, mostMs);
  try {
    await connection.query('begin').catch(throwOutage);
    const result = await workOn(connection, here, (db) => Promise.race([work(db), late.promise]));
    if (here.late) throw here.late;
    // a cut commit could have changed the database
    clearTimeout(timer);
    const { command } = await connection.query(ending).catch(throwOutage);
    if (command.toLowerCase() !== ending) throw new Error('a failed statement has ended the transaction');
    return result;
  } catch (error) {
    await connection.query('rollback').catch(breakOff);
    throw error;
  } finally {
    clearTimeout(timer);
    connection.off('error', breakOff);
    connection.release(broken);
  }
}

const throwOutage = (error: unknown): never => {
  throw outage(error);
};

async function workOn<T>(connection: pg.PoolClient, here: Running, work: (db: Db) => Promise<T>): Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  // each statement waits for the previous one, and a statement after the end of the transaction is rejected
  here.send = (statement) => {
    const result = last.then(() => {
      if (here.db === null) throw new Error('the transaction has ended');
      return connection.query(statement).catch(throwOutage);
    });
    last = result.catch(() => {});
    return result;
  };
  const ended = Promise.withResolvers<void>();
  let typed: Promise<Typed> | undefined;
  let typedEnded: Promise<unknown> | undefined;
  const openTyped = async (): Promise<Typed> => {
    const opened = Promise.withResolvers<Typed>();
    const prismaClient = await prisma();
    const hold = (inside: Typed) => {
      opened.resolve(inside);
      return ended.promise;
    };
    typedEnded = running.run(here, () => prismaClient.$transaction(hold).catch(opened.reject));
    return opened.promise;
  };
  const db = dbOn(here.send, () => {
    typed ??= openTyped();
    return typed;
  });
  here.db = db;
  try {
    return await running.run(here, () => work(db));
  } finally {
    // statements that `work` left running in the background are rejected
    here.db = null;
    ended.resolve();
    await last;
    await typedEnded;
  }
}

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
  const here = currentTransaction();
  if (here?.db) here.committed.push(work);
  else work();
}

/** Returns the current transaction, or the pool outside a transaction. */
export const currentConnection = (): Db => currentTransaction()?.db ?? database();

/** Acquires the lock with this name until the transaction ends. */
export async function lockName(db: Db, name: string): Promise<void> {
  await db.$executeRaw(sql`select pg_advisory_xact_lock(hashtext(${`gatehouse.${name}`}))`);
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
    db.run(sql(text, ...values));

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
