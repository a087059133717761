// Lists that are read in pages by key: a page begins after the last row of the previous page
// (lib/management/lists.ts).
import { canonicalSearch } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { database, readRow, readRows } from './prisma.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';
import { type ColdReturns, type ColdRow, narrowTo } from './statement.ts';

/**
 * Types of the columns in a list's key. For each: the format of the column's part of the cursor, and the SQL that
 * parses this part.
 */
export const PARTS = {
  text: { shape: /^[^\0]{0,500}$/s, read: (part: string) => sql`${part}::text` },
  uuid: { shape: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, read: (part: string) => sql`${part}::uuid` },
  number: { shape: /^\d{1,18}$/, read: (part: string) => sql`${part}::bigint` },
  /** PostgreSQL text of a timestamp, in microseconds */
  time: {
    shape: /^(-infinity|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?)$/,
    read: (part: string) => sql`${part}::timestamptz`,
  },
  hash: { shape: /^[0-9a-f]{64}$/, read: (part: string) => sql`decode(${part}, 'hex')` },
};
type Part = keyof typeof PARTS;

/** SQL suffix for the sort order that users expect: upper and lower case together, and 2 before 10. */
export const BY_NAME = 'collate by_name';

export const isUuid = (text: string): boolean => PARTS.uuid.shape.test(text);
/** True for SHA-256 in hexadecimal. */
export const isHash = (text: string): boolean => PARTS.hash.shape.test(text);

/**
 * At most `limit` rows. `order`: name of a sort order, reversed by a leading `-`. If the name is missing or unknown,
 * the list's first order applies. `after`, `before`: key of a row in that order. Without both, the page begins at the
 * first row.
 */
type Slice = {
  order?: string | undefined;
  after?: readonly string[] | null;
  before?: readonly string[] | null;
  limit: number;
};

type Direction = 'asc' | 'desc';
/** A parsed name of a sort order: `name`, or `-name` for descending order. */
type OrderName = { name: string; direction: Direction };

export type List<Row, Asked> = {
  /** names of the sort orders with their initial direction, such as `-created`; the first is the default */
  orders: readonly string[];
  /** returns the sort order with this name, or the default order; `shapes`: the text formats of the parts of its key */
  order: (name: string | undefined) => { name: string; shapes: readonly RegExp[] };
  select: (asked: Asked, slice: Slice) => Promise<{ row: Row; key: string[] }[]>;
  /** number of rows, counted up to `most` */
  count: (asked: Asked, most: number) => Promise<number>;
  /** the planner's estimate of the number of rows, for lists with more rows than `count` counts */
  estimate: (asked: Asked) => Promise<number>;
};

type KeyPart = readonly [column: string, part: Part];
/**
 * A sort order. Its key is a list of columns, with their types, that are unique together. `begins`: its initial
 * direction.
 */
type Order = {
  key: readonly [KeyPart, ...KeyPart[]];
  begins?: Direction | undefined;
};

const orderNamed = (name: string): OrderName =>
  name.startsWith('-') ? { name: name.slice(1), direction: 'desc' } : { name, direction: 'asc' };

type ListOf<Asked, Returned = ColdReturns> = {
  /** SQL of the rows, between `select` and `where` */
  rows: Sql;
  /** columns of `rows` */
  returns: Returned;
  /** orders by name; the first is the default. Each has an index (lists.db.test.ts) */
  orders: Readonly<Record<string, Order>>;
  /** a condition for each part of the filter; null: the part is not set */
  where: (asked: Asked) => (Sql | null)[];
};

/** SQL of the limit. It is a literal, because a generic plan for any limit would sort the table. */
const limitSql = (most: number) => raw(`limit ${Math.trunc(most)}`);

function pageStatement<Asked>(of: ListOf<Asked>, filter: Asked, slice: Slice): Sql {
  const { after = null, before = null, limit } = slice;
  const { key, direction } = orderOf(of.orders, slice.order);
  const columns = key.map(([column]) => column);
  const texts = key.map(([column, part]) =>
    part === 'hash' ? `encode(${column}, 'hex')` : `${column}::text`,
  );
  const beyond = (from: readonly string[], to: Direction) => {
    const values = key.map(([, part], at) => PARTS[part].read(from[at] ?? ''));
    return sql`(${raw(columns.join(', '))}) ${raw(to === 'asc' ? '>' : '<')} (${joinSql(values, ', ')})`;
  };
  const back = direction === 'asc' ? 'desc' : 'asc';
  const place = before ?? after;
  const where = [
    ...of.where(filter),
    place && beyond(place, before ? back : direction),
    place && isOfSeveralTables(columns) ? nearTo(key[0], place[0], before ? back : direction) : null,
  ];
  const to = before ? back : direction;
  return sql`select array[${raw(texts.join(', '))}] as key, ${of.rows} where ${joinSql(where, ' and ', 'true')}
    order by ${raw(columns.map((column) => `${column} ${to}`).join(', '))} ${limitSql(limit)}`;
}

const isOfSeveralTables = (columns: readonly string[]) =>
  new Set(columns.map((column) => column.split('.')[0])).size > 1;

/**
 * SQL: repeats the bound of the first sort column as a separate condition, because no index covers columns of
 * several tables.
 */
const nearTo = ([column, part]: Order['key'][number], value = '', to: Direction) =>
  sql`${raw(column)} ${raw(to === 'asc' ? '>=' : '<=')} ${PARTS[part].read(value)}`;

/** Finds the order with this name. Default: first order, initial direction. */
function orderOf(orders: ListOf<never>['orders'], orderName: string | undefined) {
  const { name, direction } = orderNamed(orderName ?? '');
  const order = ownValue(orders, name);
  if (order) return { name: orderName as string, key: order.key, direction };
  const [[first, { key, begins = 'asc' }]] = Object.entries(orders) as [[string, Order]];
  return { name: begins === 'asc' ? first : `-${first}`, key, direction: begins };
}

/** A list whose SQL tests can read. `statement`: SQL of one page, for tests of query plans. */
type PlannedList<Row, Asked> = List<Row, Asked> & { statement: (asked: Asked, slice: Slice) => Sql };

export function list<Asked, const Returned extends ColdReturns>(
  of: ListOf<Asked, Returned>,
): PlannedList<ColdRow<Returned>, Asked> {
  const countSql = (filter: Asked) =>
    sql`select ${of.rows} where ${joinSql(of.where(filter), ' and ', 'true')}`;
  const statement = (filter: Asked, slice: Slice) => pageStatement(of, filter, slice);
  return {
    statement,
    orders: Object.entries(of.orders).map(([name, { begins }]) => (begins === 'desc' ? `-${name}` : name)),
    order(orderName) {
      const { name, key } = orderOf(of.orders, orderName);
      return { name, shapes: key.map(([, part]) => PARTS[part].shape) };
    },
    async select(filter, slice) {
      const returns: ColdReturns & { key: 'text[]' } = { ...of.returns, key: 'text[]' };
      const rows = await readRows(database(), returns)`${statement(filter, slice)}`;
      const keyedRows = rows.map(({ key, ...row }) => ({ key, row: row as ColdRow<Returned> }));
      return slice.before ? keyedRows.reverse() : keyedRows;
    },
    async count(filter, most) {
      const row = await readRow(database(), { count: 'int' })`
        select count(*)::int as count from (${countSql(filter)} ${limitSql(most)}) counted`;
      return row?.count ?? 0;
    },
    async estimate(filter) {
      const returns = { 'QUERY PLAN': narrowTo<{ Plan: { 'Plan Rows': number } }[]>('json') };
      const row = await readRow(database(), returns)`explain (format json) ${countSql(filter)}`;
      return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
    },
  };
}

/** Condition: one of these columns contains this lower-case text. Null without a text. */
export const contains = (text: string | null | undefined, ...columns: string[]): Sql | null =>
  text
    ? sql`(${joinSql(
        columns.map((column) => sql`position(${text} in ${raw(column)}) > 0`),
        ' or ',
      )})`
    : null;

/** A character that sorts after every other character. */
const LAST = '\u{10ffff}';

/** Condition: column starts with this text. Uses an index with `text_pattern_ops`. */
export const begins = (column: string, text: string): Sql =>
  sql`${raw(column)} ~>=~ ${text} and ${raw(column)} ~<~ ${text + LAST}`;

/** Condition: the email column contains this text, its canonical email, or its domain. Null for an empty text. */
export const containsEmail = (text: string | null | undefined, column: string): Sql | null => {
  if (!text) return null;
  const wanted = canonicalSearch(text);
  return sql`(position(${text} in ${raw(column)}) > 0 or position(${wanted} in ${raw(column)}) > 0)`;
};

/** A range of days. `from` is inclusive, `before` is exclusive. */
export type DayRange = { from: Date | null; before: Date | null };

/** Condition: the timestamp column is within the range. Null without a range. */
export const inRange = (column: string, range: DayRange | undefined): Sql | null =>
  range
    ? joinSql(
        [
          range.from ? sql`${raw(column)} >= ${range.from}` : raw(`${column} is not null`),
          ...(range.before ? [sql`${raw(column)} < ${range.before}`] : []),
        ],
        ' and ',
      )
    : null;

/** Condition: at least one condition holds. Null for an empty list. */
export const anyOf = (...conditions: (Sql | null)[]): Sql | null => {
  const parts = conditions.filter((condition) => condition !== null);
  return parts.length === 0 ? null : sql`(${joinSql(parts, ' or ')})`;
};

/** Condition: the column equals this value. Null without a value. */
export const equals = (column: string, value: unknown): Sql | null =>
  value === null || value === undefined ? null : sql`${raw(column)} = ${value}`;
