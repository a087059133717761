// What a statement of the registry runs on: the pool, or the transaction of the change it belongs to. Prisma's typed
// client says most of them; SQL says those that compare and set, lock, or take the database's time.
import { query, type Run } from './pool.ts';
import { type Orm, prismaTransaction, withPrisma } from './prisma.ts';

export type Db = {
  /** Prisma's typed client; `work` is for this one statement or few. */
  orm<T>(work: (client: Orm) => Promise<T>): Promise<T>;
  /** SQL on the same connection. Cold, so it is not prepared: it has no name. */
  query<Row = Record<string, unknown>>(statement: { text: string; values?: unknown[] }): Promise<Row[]>;
};

const sql =
  (run: Run): Db['query'] =>
  ({ text, values = [] }) =>
    run({ text, values });

export const ownConnection: Db = { orm: withPrisma, query: sql(query) };

/** All or nothing, Prisma's statements and SQL alike; whatever `work` throws takes all of it back. */
export function inTransaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
  return prismaTransaction((client, run) => work({ orm: (statement) => statement(client), query: sql(run) }));
}
