// Prisma's typed client for the cold statements, on the same pool as the prepared ones. Its WASM engine costs 0.2 s and 100 MB,
// so it is loaded at the first use; the token path never uses it.
import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { processWide } from '#lib/kit/index.ts';
import type { Prisma, PrismaClient } from '../generated/client.ts';
import { outage, pool, type Run, timed } from './pool.ts';

/** The client, inside or outside of a transaction. */
export type Orm = Prisma.TransactionClient;

/** Longer than the pool waits for a connection, so that the pool's error is the one that is thrown. */
const MAX_WAIT_MS = 5_000;
/** Each statement has its own limit; this one ends a transaction that waits for something else. */
const MAX_TRANSACTION_MS = 60_000;

const slot = processWide<{ pool: pg.Pool; client: Promise<PrismaClient> }>('prisma');
/** The connection of the current transaction; undefined after its end. */
type Joined = { connection?: pg.Client | undefined };
// once in the process, like the client: either copy of this module may have opened it
const transactions = processWide<AsyncLocalStorage<Joined>>('prisma.joined');
transactions.value ??= new AsyncLocalStorage<Joined>();
const joined = transactions.value;

export async function withPrisma<T>(work: (client: Orm) => Promise<T>): Promise<T> {
  try {
    return await work(await prisma());
  } catch (error) {
    throw outage(error);
  }
}

/** One transaction for Prisma's statements and our SQL: `run` uses the same connection. */
export async function prismaTransaction<T>(work: (client: Orm, run: Run) => Promise<T>): Promise<T> {
  const here: Joined = {};
  const run: Run = async (statement) => {
    if (!here.connection) throw new Error('the transaction has ended');
    return (await here.connection.query(timed(statement))).rows;
  };
  try {
    const client = await prisma();
    return await joined.run(here, () =>
      client.$transaction((tx) => work(tx, run), { maxWait: MAX_WAIT_MS, timeout: MAX_TRANSACTION_MS }),
    );
  } catch (error) {
    throw outage(error);
  }
}

function prisma(): Promise<PrismaClient> {
  const current = pool();
  if (slot.value?.pool !== current) slot.value = { pool: current, client: open(current) };
  return slot.value.client;
}

async function open(current: pg.Pool): Promise<PrismaClient> {
  const [{ PrismaClient }, { PrismaPg }] = await Promise.all([
    import('../generated/client.ts'),
    import('@prisma/adapter-pg'),
  ]);
  const factory = new PrismaPg(current);
  const connect = async () => joinable(await factory.connect());
  return new PrismaClient({
    adapter: { provider: factory.provider, adapterName: factory.adapterName, connect },
  });
}

type Adapter = Awaited<ReturnType<InstanceType<typeof import('@prisma/adapter-pg').PrismaPg>['connect']>>;

/** Makes the adapter put the connection of a transaction into `joined`. */
function joinable(adapter: Adapter): Adapter {
  const startTransaction = adapter.startTransaction.bind(adapter);
  adapter.startTransaction = async (isolationLevel) => {
    const transaction = await startTransaction(isolationLevel);
    const here = joined.getStore();
    if (!here) return transaction;
    here.connection = connectionOf(transaction);
    for (const end of ['commit', 'rollback'] as const) {
      const act = transaction[end].bind(transaction);
      transaction[end] = () => {
        here.connection = undefined;
        return act();
      };
    }
    return transaction;
  };
  return adapter;
}

/** The adapter keeps the connection in a private field: a version without it fails here. */
function connectionOf(transaction: object): pg.Client {
  if ('client' in transaction && transaction.client instanceof pg.Client) return transaction.client;
  throw new Error('the transaction of @prisma/adapter-pg does not tell its connection');
}
