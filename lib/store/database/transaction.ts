// What a statement of the cold half runs on: the pool, or the transaction of the change that it belongs to. Prisma's
// typed client and SQL share one connection (docs/decisions/0004).
import { AsyncLocalStorage } from 'node:async_hooks';
import { processWide } from '#lib/kit/index.ts';
import { query, type Run } from './pool.ts';
import { type Orm, prismaTransaction, withPrisma } from './prisma.ts';
import { sql } from './sql.ts';

export type Db = {
  /** Prisma's typed client; `work` is for this one statement or few. */
  orm<T>(work: (client: Orm) => Promise<T>): Promise<T>;
  /** SQL on the same connection. Cold, so it is not prepared: it has no name. */
  query<Row = Record<string, unknown>>(statement: ColdStatement): Promise<Row[]>;
  /** Its first row, or null. */
  one<Row = Record<string, unknown>>(statement: ColdStatement): Promise<Row | null>;
  /** Does it give a row? */
  any(statement: ColdStatement): Promise<boolean>;
};

type ColdStatement = { text: string; values?: unknown[]; giveUpMs?: number };

function database(orm: Db['orm'], run: Run): Db {
  const ask = <Row>({ text, values = [], giveUpMs }: ColdStatement) =>
    run<Row>({ text, values, ...(giveUpMs !== undefined && { giveUpMs }) });
  return {
    orm,
    query: ask,
    one: async <Row>(statement: ColdStatement) => (await ask<Row>(statement))[0] ?? null,
    any: async (statement) => (await ask(statement)).length > 0,
  };
}

export const ownConnection: Db = database(withPrisma, query);

type Running = { db: Db | null; committed: (() => void)[] };

const slot = processWide<AsyncLocalStorage<Running>>('transaction');
slot.value ??= new AsyncLocalStorage();
const running = slot.value;

/**
 * All or nothing: whatever `work` throws takes all of it back. Within another transaction it is a part of that one, so
 * that operations can be put together.
 */
export async function inTransaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const outer = running.getStore()?.db;
  if (outer) return work(outer);
  const here: Running = { db: null, committed: [] };
  const result = await running.run(here, () =>
    prismaTransaction(async (client, run) => {
      const db = database((statement) => statement(client), run);
      here.db = db;
      try {
        return await work(db);
      } finally {
        // what `work` left running is no part of it any more
        here.db = null;
      }
    }),
  );
  for (const work of here.committed) work();
  return result;
}

/** Calls `work` once the transaction that the caller is a part of is committed; at once where there is none. */
export function afterCommit(work: () => void): void {
  const here = running.getStore();
  if (here?.db) here.committed.push(work);
  else work();
}

/** The transaction that the caller is a part of, or the pool. */
export const currentConnection = (): Db => running.getStore()?.db ?? ownConnection;

/** Until the transaction ends nobody else gets the lock of this name. */
export async function lockName(db: Db, name: string, giveUpMs?: number): Promise<void> {
  const { text, values } = sql`select pg_advisory_xact_lock(hashtext(${`gatehouse.${name}`}))`;
  await db.query({ text, values, ...(giveUpMs !== undefined && { giveUpMs }) });
}
