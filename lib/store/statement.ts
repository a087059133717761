// Prepared statements with named values. The numbers and types of parameters derive from one list, so a missing or
// mistyped value is a compile error. The types of rows derive from a second list, which statements.db.test.ts compares
// with the columns that PostgreSQL describes.

import type { z } from 'zod';
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
  /** a JSON value, passed as text */
  jsonb: string;
};
type Scalar = keyof Scalars;
type Type = Scalar | `${Scalar}[]`;

/** Names of values with their PostgreSQL types; `?` allows null. */
export type Takes = Readonly<Record<string, Type | `${Type}?`>>;

type Value<Declared> = Declared extends `${infer Same}?`
  ? Value<Same> | null
  : Declared extends `${infer Each extends Scalar}[]`
    ? readonly Scalars[Each][]
    : Declared extends Scalar
      ? Scalars[Declared]
      : never;
type Given<Taken extends Takes> = { readonly [Name in keyof Taken]: Value<Taken[Name]> };

/** For each value of a statement, by its name: the placeholder that the SQL contains. */
type Placed<Taken extends Takes> = { readonly [Name in keyof Taken]: string };

/** For each type of a column: the TypeScript type of the values that `pg` returns. */
type Columns = {
  uuid: string;
  text: string;
  bytea: Buffer;
  timestamptz: Date;
  boolean: boolean;
  smallint: number;
  int: number;
  bigint: string;
  float8: number;
  json: unknown;
  jsonb: unknown;
};
type ColumnType = keyof Columns | `${keyof Columns}[]`;

declare const narrowed: unique symbol;
type Narrowed<T> = string & { readonly [narrowed]: T };

/** PostgreSQL types whose values can have the narrower TypeScript type `T`. */
type TypeOf<T> = {
  [Name in keyof Columns]: [T] extends [Columns[Name]]
    ? Name
    : [T] extends [Columns[Name][]]
      ? `${Name}[]`
      : never;
}[keyof Columns];

/**
 * Declares a column with a narrower type than PostgreSQL knows: the content of JSON, or the values that a constraint or
 * the statement permits. The database checks only the PostgreSQL type.
 */
export function narrowTo<T>(type: TypeOf<T>): Narrowed<T>;
export function narrowTo<T>(type: `${TypeOf<T>}?`): Narrowed<T | null>;
export function narrowTo(type: string): unknown {
  return type;
}

/** Columns of a row with PostgreSQL types; `?` allows null. */
export type Returns = Readonly<Record<string, ColumnType | `${ColumnType}?` | Narrowed<unknown>>>;

type ColumnOf<Declared> =
  Declared extends Narrowed<infer T>
    ? T
    : Declared extends `${infer Same}?`
      ? ColumnOf<Same> | null
      : Declared extends `${infer Each extends keyof Columns}[]`
        ? Columns[Each][]
        : Declared extends keyof Columns
          ? Columns[Declared]
          : never;
export type Row<Returned> = { -readonly [Name in keyof Returned]: ColumnOf<Returned[Name]> };

/** SQL: the texts as literals, separated by commas. They are constants of the code, without quotes. */
export const listSql = (texts: readonly string[]): string => texts.map((text) => `'${text}'`).join(', ');

/** Columns of a row that Prisma returns: PostgreSQL types, or zod schemas of the fields. */
export type ColdReturns = Readonly<Record<string, Returns[string] | z.ZodType>>;
export type ColdRow<Returned> = {
  -readonly [Name in keyof Returned]: Returned[Name] extends z.ZodType
    ? z.output<Returned[Name]>
    : ColumnOf<Returned[Name]>;
};

/** Columns of a left join; `found`: a boolean column, which is true if the join finds a row. */
type LeftJoined = Readonly<Record<string, Returns[string] | 'found'>>;
type Joined<Returned> =
  | { -readonly [Name in keyof Returned]: Returned[Name] extends 'found' ? true : ColumnOf<Returned[Name]> }
  | { -readonly [Name in keyof Returned]: Returned[Name] extends 'found' ? false : null };

/** Type of a row that a statement or a batched statement returns. */
export type RowOf<Query extends (...parameters: never[]) => Promise<unknown>> =
  Awaited<ReturnType<Query>> extends (infer Each)[] ? Each : Awaited<ReturnType<Query>>;

type Defined = { name: string; text: string; takes: readonly string[]; returns: LeftJoined | null };

/** All statements that the loaded modules define. A test compares them with PostgreSQL's descriptions. */
export const definedStatements: Defined[] = [];

const typeOf = (declared: string): string => declared.replace('?', '');

/**
 * A statement that each connection prepares as `name`. `text` is built once. Without `returns`, the statement returns no
 * rows. `giveUpMs`: see pool.ts.
 */
export function statement<const Taken extends Takes, const Returned extends Returns | undefined = undefined>({
  name,
  takes,
  returns,
  text,
  giveUpMs,
}: {
  name: string;
  takes: Taken;
  returns?: Returned;
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
  for (const [parameter, place] of placed)
    if (!prepared.text.includes(place)) throw new Error(`${name} does not use ${parameter}`);
  const types = Object.values<string>(takes).map(typeOf);
  definedStatements.push({ name, text: prepared.text, takes: types, returns: returns ?? null });
  type Result = Returned extends Returns ? Row<Returned>[] : void;
  return (parameters: Given<Taken>, run: Run = query): Promise<Result> =>
    run({
      ...prepared,
      values: names.map((parameter) => parameters[parameter]),
    }) as Promise<unknown> as Promise<Result>;
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

type Shape<Item, Taken extends Takes, Returned, Optional> = {
  name: string;
  /** values of an item, with their types */
  takes: Taken;
  /** columns of the row that each item gets; `n`: number of the item */
  returns: Returned;
  /** further columns of the row: all of them are null if the left join finds no row */
  leftJoined?: Optional;
  /** `items`: SQL rows `q`, one for each item, with its values and its number `n` from 1 */
  text: (items: string) => string;
  values: (item: Item) => Given<Taken>;
  /** key of the row that an item locks; batches lock in key order, which prevents deadlocks */
  lockKey?: (item: Item) => Uint8Array;
};

type BatchRow<Returned, Optional> = Row<Returned> &
  (Optional extends LeftJoined ? Joined<Optional> : unknown);

/** Defines a statement that is run once for a batch of items and returns one row for each item. */
export function batchedStatement<
  Item,
  const Taken extends Takes,
  const Returned extends Returns & { n: 'int' },
  const Optional extends LeftJoined | undefined = undefined,
>(
  shape: Shape<Item, Taken, Returned, Optional>,
): (item: Item, run?: Run) => Promise<BatchRow<Returned, Optional>> {
  type Row = BatchRow<Returned, Optional>;
  const { name, takes } = shape;
  const text = shape.text(rowsOf(takes));
  const types = Object.values<string>(takes).map((declared) => `${typeOf(declared)}[]`);
  definedStatements.push({ name, text, takes: types, returns: { ...shape.returns, ...shape.leftJoined } });
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
