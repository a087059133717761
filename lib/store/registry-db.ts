// What a statement of the registry runs on: the pool, or the transaction of the change it belongs to.
// These are cold statements, so they are not prepared: they have no name.
import { query, type Statement, transaction } from './pool.ts';

export type Db = {
  query<Row = Record<string, unknown>>(statement: { text: string; values?: unknown[] }): Promise<Row[]>;
};

type Unnamed = Omit<Statement, 'name'>;
type RunUnnamed = (statement: Unnamed) => Promise<unknown[]>;

const on = (run: RunUnnamed): Db => ({
  query: <Row>({ text, values = [] }: { text: string; values?: unknown[] }) =>
    run({ text, values }) as Promise<Row[]>,
});

export const ownConnection: Db = on((statement) => query(statement as Statement));

export function inTransaction<T>(work: (db: Db) => Promise<T>): Promise<T> {
  return transaction((run) => work(on((statement) => run(statement as Statement))));
}
