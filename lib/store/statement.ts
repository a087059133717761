// Prepared statements with named values. The numbers and types of parameters derive from one list, so a missing or
// mistyped value is a compile error.

import { settings } from '#lib/settings/settings.ts';
import { DatabaseUnavailable, isTimeout, query, queryLane, type Run, type Statement } from './pool.ts';

type Scalars = {
  uuid: string;
  text: string;
  bytea: Uint8Array;
  timestamptz: Date | string;
  boolean: boolean;
  smallint: number;
  int: number;
  bigint: string | number;
  float8: number;
  /** JSON, passed as text */
  jsonb: string;
};
type Scalar = keyof Scalars;
type Type = Scalar | `${Scalar}[]`;

/** Value names with PostgreSQL types; `?` allows null. */
export type Takes = Readonly<Record<string, Type | `${Type}?`>>;

type Value<Declared> = Declared extends `${infer Same}?`
  ? Value<Same> | null
  : Declared extends `${infer Each extends Scalar}[]`
    ? readonly Scalars[Each][]
    : Declared extends Scalar
      ? Scalars[Declared]
      : never;
type Given<Taken extends Takes> = { readonly [Name in keyof Taken]: Value<Taken[Name]> };

/** SQL: the placeholder of each value, by its name. */
type Placed<Taken extends Takes> = { readonly [Name in keyof Taken]: string };

const typeOf = (declared: string): string => declared.replace('?', '');

/** A statement that each connection prepares as `name`. `text` is built once. `giveUpMs`: see pool.ts. */
export function statement<const Taken extends Takes>({
  name,
  takes,
  text,
  giveUpMs,
}: {
  name: string;
  takes: Taken;
  text: (value: Placed<Taken>) => string;
  giveUpMs?: number;
}) {
  const names = Object.keys(takes);
  const placed = names.map(
    (parameter, at) => [parameter, `$${at + 1}::${typeOf(takes[parameter] ?? '')}`] as const,
  );
  const prepared = {
    name,
    text: text(Object.fromEntries(placed) as Placed<Taken>),
    ...(giveUpMs && { giveUpMs }),
  };
  // PostgreSQL could not infer the type of an unused parameter
  for (const [one, place] of placed)
    if (!prepared.text.includes(place)) throw new Error(`${name} does not use ${one}`);
  return <Row = Record<string, unknown>>(parameters: Given<Taken>, run: Run = query): Promise<Row[]> =>
    run<Row>({ ...prepared, values: names.map((parameter) => parameters[parameter]) });
}

const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** SQL: a row `q` for each item, with its number `n` from 1. Each parameter contains one column of all items. */
export function rowsOf(takes: Takes): string {
  const names = Object.keys(takes);
  const columns = names.map((name, at) => `$${at + 1}::${typeOf(takes[name] ?? '')}[]`);
  return `unnest(${columns.join(', ')}) with ordinality as q(${names.map(columnOf).join(', ')}, n)`;
}

// While the database is busy, arriving requests share the next statement: one round trip, one commit and one disk flush
// (docs/project/decisions/0004). Items stay independent: the statement joins each item to its own rows, and a failed
// batch is retried item by item.

const MAX_ITEMS = 64;

type Waiting<Item, Row> = {
  item: Item;
  resolve: (row: Row) => void;
  reject: (error: unknown) => void;
};

type Shape<Item, Taken extends Takes> = {
  name: string;
  /** values of an item, with their types */
  takes: Taken;
  /** `items`: SQL rows `q`, one for each item, with its values and its number `n` from 1 */
  text: (items: string) => string;
  values: (item: Item) => Given<Taken>;
  /** key of the row that an item locks; batches lock in key order, which prevents deadlocks */
  lockKey?: (item: Item) => Uint8Array;
};

/** The statement returns one row for each item, with the number `n` and the columns of `Row`. */
export const batchedStatement =
  <Item, Row extends { n: number }>() =>
  <const Taken extends Takes>(shape: Shape<Item, Taken>) =>
    batching<Item, Row, Taken>(shape);

function batching<Item, Row extends { n: number }, Taken extends Takes>(
  shape: Shape<Item, Taken>,
): (item: Item, run?: Run) => Promise<Row> {
  const { name, takes } = shape;
  const text = shape.text(rowsOf(takes));
  const columns = Object.keys(takes);
  const waiting: Waiting<Item, Row>[] = [];
  let running = 0;
  let scheduled = false;

  function start(): void {
    scheduled = false;
    while (waiting.length > 0 && running < settings().databaseBatches) {
      running += 1;
      void run(inLockOrder(waiting.splice(0, MAX_ITEMS))).then(() => {
        running -= 1;
        start();
      });
    }
  }

  function inLockOrder(batch: Waiting<Item, Row>[]): Waiting<Item, Row>[] {
    const { lockKey } = shape;
    return lockKey ? batch.sort((a, b) => Buffer.compare(lockKey(a.item), lockKey(b.item))) : batch;
  }

  function statementFor(batch: readonly Waiting<Item, Row>[]): Statement {
    const items = batch.map(({ item }) => shape.values(item));
    return { name, text, values: columns.map((column) => items.map((item) => item[column])) };
  }

  async function run(batch: Waiting<Item, Row>[]): Promise<void> {
    try {
      const rows = await queryLane<Row>(statementFor(batch));
      for (const row of rows) batch[row.n - 1]?.resolve(row);
    } catch (error) {
      // the batch may have been committed before the connection was lost, so nothing is retried
      if (error instanceof DatabaseUnavailable) {
        // after a timeout, waiting items fail immediately, because their statement would time out too
        const over = isTimeout(error) ? [...batch, ...waiting.splice(0)] : batch;
        for (const { reject } of over) reject(error);
      } else await Promise.all(batch.map((entry) => alone(entry)));
    }
  }

  async function alone(entry: Waiting<Item, Row>, ask: Run = query): Promise<void> {
    try {
      const [row] = await ask<Row>(statementFor([entry]));
      if (!row) throw new Error(`${name} gave no row`);
      entry.resolve(row);
    } catch (error) {
      entry.reject(error);
    }
  }

  return (item, ask) =>
    new Promise<Row>((resolve, reject) => {
      // inside a caller's transaction, the item runs alone
      if (ask) return void alone({ item, resolve, reject }, ask);
      waiting.push({ item, resolve, reject });
      if (scheduled || running >= settings().databaseBatches) return;
      // waits for every request of this turn of the event loop
      scheduled = true;
      setImmediate(start);
    });
}
