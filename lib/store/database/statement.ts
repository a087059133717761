// Prepared statements whose values have names: the number and the type of each parameter follow from one list, and a
// value that is missing or of another type does not compile.
import { query, type Run } from './pool.ts';

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
  /** as text */
  jsonb: string;
};
type Scalar = keyof Scalars;
type Type = Scalar | `${Scalar}[]`;

/** The name of each value and its type in PostgreSQL; with `?` it may be null. */
export type Takes = Readonly<Record<string, Type | `${Type}?`>>;

type Value<Declared> = Declared extends `${infer Same}?`
  ? Value<Same> | null
  : Declared extends `${infer Each extends Scalar}[]`
    ? readonly Scalars[Each][]
    : Declared extends Scalar
      ? Scalars[Declared]
      : never;
export type Given<Taken extends Takes> = { readonly [Name in keyof Taken]: Value<Taken[Name]> };

/** SQL: each value by its name. */
type Placed<Taken extends Takes> = { readonly [Name in keyof Taken]: string };

const typeOf = (declared: string): string => declared.replace('?', '');

/** A statement that is prepared under `name` in each connection. `text` is made once; `giveUpMs` as in pool.ts. */
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
  const placed = names.map((one, at) => [one, `$${at + 1}::${typeOf(takes[one] ?? '')}`] as const);
  const prepared = {
    name,
    text: text(Object.fromEntries(placed) as Placed<Taken>),
    ...(giveUpMs && { giveUpMs }),
  };
  // PostgreSQL could not tell its type
  for (const [one, place] of placed)
    if (!prepared.text.includes(place)) throw new Error(`${name} does not use ${one}`);
  return <Row = Record<string, unknown>>(given: Given<Taken>, run: Run = query): Promise<Row[]> =>
    run<Row>({ ...prepared, values: names.map((one) => given[one]) });
}

const columnOf = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** SQL: a row `q` for each item, with its number `n` from 1; a parameter holds one column of all items. */
export function rowsOf(takes: Takes): string {
  const names = Object.keys(takes);
  const columns = names.map((name, at) => `$${at + 1}::${typeOf(takes[name] ?? '')}[]`);
  return `unnest(${columns.join(', ')}) with ordinality as q(${names.map(columnOf).join(', ')}, n)`;
}
