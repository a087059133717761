// Lists that are read in pages by key: a page begins after the key of the row before it (lib/management/page.ts).
import { canonicalSearch } from '#lib/kit/index.ts';
import { joined, raw, type Sql, sql } from './sql.ts';
import { ownConnection } from './transaction.ts';

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

/** At most `limit` rows; `after`: a row's key, null: from the first row. */
export type Slice = { after: readonly string[] | null; limit: number };

export type List<Row, Asked> = {
  /** of each part of a key */
  shapes: readonly RegExp[];
  select: (asked: Asked, slice: Slice) => Promise<{ row: Row; key: string[] }[]>;
};

/**
 * `rows`: SQL between `select` and `where`. `key`: the unique columns that order the rows, with their types. `where`: one
 * condition for each part of the filter; null: none.
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
  const from = (after: readonly string[]) => {
    const values = of.key.map(([, part], at) => PARTS[part].read(after[at] ?? ''));
    return sql`(${raw(columns.join(', '))}) ${raw(order === 'asc' ? '>' : '<')} (${joined(values, ', ')})`;
  };
  return {
    shapes: of.key.map(([, part]) => PARTS[part].shape),
    async select(asked, { after, limit }) {
      const where = [...of.where(asked), after && from(after)];
      const rows = await ownConnection.query<Record<string, unknown> & { key: string[] }>(
        sql`select array[${raw(texts.join(', '))}] as key, ${of.rows} where ${joined(where, ' and ', 'true')}
          order by ${raw(columns.map((column) => `${column} ${order}`).join(', '))} limit ${limit}`,
      );
      return rows.map(({ key, ...row }) => ({ key, row: row as Row }));
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

/** A condition: the column of addresses contains this text, or what it is as an address or a domain. Null without a text. */
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
