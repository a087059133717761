// What a statement of the cold half runs on: the pool, or the transaction of the change that it belongs to. Prisma's
// typed client and SQL share one connection (docs/decisions/0004).
import { AsyncLocalStorage } from 'node:async_hooks';
import { processWide } from '#lib/kit/index.ts';
import { query, type Run } from './pool.ts';
import { type Orm, prismaTransaction, withPrisma } from './prisma.ts';

export type Db = {
  /** Prisma's typed client; `work` is for this one statement or few. */
  orm<T>(work: (client: Orm) => Promise<T>): Promise<T>;
  /** SQL on the same connection. Cold, so it is not prepared: it has no name. */
  query<Row = Record<string, unknown>>(statement: {
    text: string;
    values?: unknown[];
    giveUpMs?: number;
  }): Promise<Row[]>;
};

const sql =
  (run: Run): Db['query'] =>
  ({ values = [], ...statement }) =>
    run({ ...statement, values });

export const ownConnection: Db = { orm: withPrisma, query: sql(query) };

const slot = processWide<AsyncLocalStorage<{ db: Db | null }>>('transaction');
slot.value ??= new AsyncLocalStorage();
const running = slot.value;

/**
 * All or nothing: whatever `work` throws takes all of it back. Within another transaction it is a part of that one, so
 * that operations can be put together.
 */
export function inTransaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
  const outer = running.getStore()?.db;
  if (outer) return work(outer);
  const here: { db: Db | null } = { db: null };
  return running.run(here, () =>
    prismaTransaction(async (client, run) => {
      const db: Db = { orm: (statement) => statement(client), query: sql(run) };
      here.db = db;
      try {
        return await work(db);
      } finally {
        // what `work` left running is no part of it any more
        here.db = null;
      }
    }),
  );
}
