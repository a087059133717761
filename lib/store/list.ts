// Lists in pages by key: a page begins after the key of the last row of the previous page (lib/management/lists.ts).
import { canonicalSearch } from '#lib/kit/text.ts';
import { ownValue } from '#lib/kit/wire.ts';
import { database } from './prisma.ts';
import { joinSql, raw, type Sql, sql } from './sql.ts';

/** Types of key columns: the format of a cursor part, and the SQL that reads it. */
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

/** SQL that follows a column in an order. It sorts as users expect: capitals beside small letters, and 2 before 10. */
export const BY_NAME = 'collate by_name';

export const isUuid = (text: string): boolean => PARTS.uuid.shape.test(text);
/** SHA-256 in hexadecimal. */
export const isHash = (text: string): boolean => PARTS.hash.shape.test(text);

/**
 * At most `limit` rows. `order`: the name of an order, reversed after `-`. If missing or unknown, the list's first
 * order applies. `after`, `before`: the key of a row in that order. Without either, the page begins at the first row.
 */
type Slice = {
  order?: string | undefined;
  after?: readonly string[] | null;
  before?: readonly string[] | null;
  limit: number;
};

type Direction = 'asc' | 'desc';
/** `name`, or `-name` for the last first. */
type OrderName = { name: string; direction: Direction };

export type List<Row, Asked> = {
  /** order names with initial direction, such as `-created`; default first */
  orders: readonly string[];
  /** returns the order with this name or the default order, plus text formats of key parts */
  order: (name: string | undefined) => { name: string; shapes: readonly RegExp[] };
  select: (asked: Asked, slice: Slice) => Promise<{ row: Row; key: string[] }[]>;
  /** number of rows, counted up to `most` */
  count: (asked: Asked, most: number) => Promise<number>;
  /** planner estimate, for lists above the count limit */
  estimate: (asked: Asked) => Promise<number>;
};

type KeyPart = readonly [column: string, part: Part];
/** Unique sort columns with types, and the initial direction. */
type Order = {
  key: readonly [KeyPart, ...KeyPart[]];
  begins?: Direction | undefined;
};

const orderNamed = (name: string): OrderName =>
  name.startsWith('-') ? { name: name.slice(1), direction: 'desc' } : { name, direction: 'asc' };

type ListOf<Asked> = {
  /** SQL between `select` and `where` */
  rows: Sql;
  /** orders by name; the first is the default. Each has an index (lists.db.test.ts) */
  orders: Readonly<Record<string, Order>>;
  /** one condition per filter part; null: none */
  where: (asked: Asked) => (Sql | null)[];
};

/** The limit is a literal, because a generic plan for any limit would sort the table. */
const limitSql = (most: number) => raw(`limit ${Math.trunc(most)}`);

function pageStatement<Asked>(of: ListOf<Asked>, asked: Asked, slice: Slice): Sql {
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
    ...of.where(asked),
    place && beyond(place, before ? back : direction),
    place && isOfSeveralTables(columns) ? nearTo(key[0], place[0], before ? back : direction) : null,
  ];
  const to = before ? back : direction;
  return sql`select array[${raw(texts.join(', '))}] as key, ${of.rows} where ${joinSql(where, ' and ', 'true')}
    order by ${raw(columns.map((column) => `${column} ${to}`).join(', '))} ${limitSql(limit)}`;
}

const isOfSeveralTables = (columns: readonly string[]) =>
  new Set(columns.map((column) => column.split('.')[0])).size > 1;

/** Repeats the bound on the first column, because no index covers columns of several tables. */
const nearTo = ([column, part]: Order['key'][number], value = '', to: Direction) =>
  sql`${raw(column)} ${raw(to === 'asc' ? '>=' : '<=')} ${PARTS[part].read(value)}`;

/** Order with this name; default: first order, initial direction. */
function orderOf(orders: ListOf<never>['orders'], asked: string | undefined) {
  const { name, direction } = orderNamed(asked ?? '');
  const order = ownValue(orders, name);
  if (order) return { name: asked as string, key: order.key, direction };
  const [[first, { key, begins = 'asc' }]] = Object.entries(orders) as [[string, Order]];
  return { name: begins === 'asc' ? first : `-${first}`, key, direction: begins };
}

/** `statement`: SQL of one page, for plan tests. */
type PlannedList<Row, Asked> = List<Row, Asked> & { statement: (asked: Asked, slice: Slice) => Sql };

export function list<Row, Asked>(of: ListOf<Asked>): PlannedList<Row, Asked> {
  const countSql = (asked: Asked) =>
    sql`select ${of.rows} where ${joinSql(of.where(asked), ' and ', 'true')}`;
  const statement = (asked: Asked, slice: Slice) => pageStatement(of, asked, slice);
  return {
    statement,
    orders: Object.entries(of.orders).map(([name, { begins }]) => (begins === 'desc' ? `-${name}` : name)),
    order(asked) {
      const { name, key } = orderOf(of.orders, asked);
      return { name, shapes: key.map(([, part]) => PARTS[part].shape) };
    },
    async select(asked, slice) {
      const rows = await (await database()).$queryRaw<(Record<string, unknown> & { key: string[] })[]>(
        statement(asked, slice),
      );
      const found = rows.map(({ key, ...row }) => ({ key, row: row as Row }));
      return slice.before ? found.reverse() : found;
    },
    async count(asked, most) {
      const [row] = await (await database()).$queryRaw<{ count: number }[]>(
        sql`select count(*)::int as count from (${countSql(asked)} ${limitSql(most)}) counted`,
      );
      return row?.count ?? 0;
    },
    async estimate(asked) {
      const [row] = await (await database()).$queryRaw<
        { 'QUERY PLAN': { Plan: { 'Plan Rows': number } }[] }[]
      >(sql`explain (format json) ${countSql(asked)}`);
      return row?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0;
    },
  };
}

/** A condition: one of these columns contains this lower-case text. Null without a text. */
export const contains = (text: string | null | undefined, ...columns: string[]): Sql | null =>
  text
    ? sql`(${joinSql(
        columns.map((column) => sql`position(${text} in ${raw(column)}) > 0`),
        ' or ',
      )})`
    : null;

/** After each other character. */
const LAST = '\u{10ffff}';

/** Condition: column starts with this text. Uses an index with `text_pattern_ops`. */
export const begins = (column: string, text: string): Sql =>
  sql`${raw(column)} ~>=~ ${text} and ${raw(column)} ~<~ ${text + LAST}`;

/** Condition: the email column contains this text or its canonical email or domain. Null for empty text. */
export const containsEmail = (text: string | null | undefined, column: string): Sql | null => {
  if (!text) return null;
  const wanted = canonicalSearch(text);
  return sql`(position(${text} in ${raw(column)}) > 0 or position(${wanted} in ${raw(column)}) > 0)`;
};

/** `from` is inclusive, `before` exclusive. */
export type DayRange = { from: Date | null; before: Date | null };

/** Condition: timestamp column within the range. Null without range. */
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
  const given = conditions.filter((condition) => condition !== null);
  return given.length === 0 ? null : sql`(${joinSql(given, ' or ')})`;
};

/** Condition: column equals this value. Null without value. */
export const equals = (column: string, value: unknown): Sql | null =>
  value === null || value === undefined ? null : sql`${raw(column)} = ${value}`;
