// Lists that are read in pages by key: a page begins after the key of the row before it (lib/management/core/page.ts).
import { canonicalSearch } from '#lib/kit/index.ts';
import { database } from './prisma.ts';
import { joined, raw, type Sql, sql } from './sql.ts';

/** The types of key columns: their form as text, and the SQL of a value. */
export const PARTS = {
  text: { shape: /^[^\0]{0,500}$/s, read: (part: string) => sql`${part}::text` },
  uuid: { shape: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, read: (part: string) => sql`${part}::uuid` },
  number: { shape: /^\d{1,18}$/, read: (part: string) => sql`${part}::bigint` },
  /** PostgreSQL's own text of a timestamp, to the microsecond */
  time: {
    shape: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/,
    read: (part: string) => sql`${part}::timestamptz`,
  },
  hash: { shape: /^[0-9a-f]{64}$/, read: (part: string) => sql`decode(${part}, 'hex')` },
};
type Part = keyof typeof PARTS;

export const isUuid = (text: string): boolean => PARTS.uuid.shape.test(text);
/** SHA-256 in hexadecimal. */
export const isHash = (text: string): boolean => PARTS.hash.shape.test(text);

/**
 * At most `limit` rows, in the order of the list. `after`, `before`: a row's key; without either from the first row.
 */
export type Slice = { after?: readonly string[] | null; before?: readonly string[] | null; limit: number };

export type List<Row, Asked> = {
  /** of each part of a key */
  shapes: readonly RegExp[];
  select: (asked: Asked, slice: Slice) => Promise<{ row: Row; key: string[] }[]>;
  /** how many there are, of which no more than `most` are counted */
  count: (asked: Asked, most: number) => Promise<number>;
};

/**
 * `rows`: SQL between `select` and `where`. `key`: the unique columns that order the rows, with their types. `where`:
 * one condition for each part of the filter; null: none.
 */
export function list<Row, Asked>(of: {
  rows: Sql;
  key: readonly (readonly [column: string, part: Part])[];
  order?: 'asc' | 'desc';
  where: (asked: Asked) => (Sql | null)[];
}): List<Row, Asked> {
  const { order = 'asc' } = of;
  const columns = of.key.map(([column]) => column);
  const texts = of.key.map(([column, part]) =>
    part === 'hash' ? `encode(${column}, 'hex')` : `${column}::text`,
  );
  const beyond = (key: readonly string[], to: 'asc' | 'desc') => {
    const values = of.key.map(([, part], at) => PARTS[part].read(key[at] ?? ''));
    return sql`(${raw(columns.join(', '))}) ${raw(to === 'asc' ? '>' : '<')} (${joined(values, ', ')})`;
  };
  const back = order === 'asc' ? 'desc' : 'asc';
  return {
    shapes: of.key.map(([, part]) => PARTS[part].shape),
    async select(asked, { after = null, before = null, limit }) {
      const where = [...of.where(asked), after && beyond(after, order), before && beyond(before, back)];
      const to = before ? back : order;
      const rows = await (await database()).$queryRaw<(Record<string, unknown> & { key: string[] })[]>(
        sql`select array[${raw(texts.join(', '))}] as key, ${of.rows} where ${joined(where, ' and ', 'true')}
          order by ${raw(columns.map((column) => `${column} ${to}`).join(', '))} limit ${limit}`,
      );
      const found = rows.map(({ key, ...row }) => ({ key, row: row as Row }));
      return before ? found.reverse() : found;
    },
    async count(asked, most) {
      const [row] = await (await database()).$queryRaw<
        { count: number }[]
      >(sql`select count(*)::int as count from (
        select ${of.rows} where ${joined(of.where(asked), ' and ', 'true')} limit ${most}) counted`);
      return row?.count ?? 0;
    },
  };
}

/** A condition: one of these columns contains this lower-case text. Null without a text. */
export const contains = (text: string | null | undefined, ...columns: string[]): Sql | null =>
  text
    ? sql`(${joined(
        columns.map((column) => sql`position(${text} in ${raw(column)}) > 0`),
        ' or ',
      )})`
    : null;

/**
 * A condition: the column of addresses contains this text, or what it is as an address or a domain. Null without a
 * text.
 */
export const containsEmail = (text: string | null | undefined, column: string): Sql | null => {
  if (!text) return null;
  const wanted = canonicalSearch(text);
  return sql`(position(${text} in ${raw(column)}) > 0 or position(${wanted} in ${raw(column)}) > 0)`;
};

/** A condition: any of these. Null without one. */
export const anyOf = (...conditions: (Sql | null)[]): Sql | null => {
  const given = conditions.filter((one) => one !== null);
  return given.length === 0 ? null : sql`(${joined(given, ' or ')})`;
};

/** A condition: the column has this value. Null without a value. */
export const equals = (column: string, value: unknown): Sql | null =>
  value === null || value === undefined ? null : sql`${raw(column)} = ${value}`;
