// Parts of SQL statements. Prisma's `sql` tag comes from the package that does not load its client. An interpolated
// value becomes a parameter, and an interpolated Sql becomes a part of the statement.
import { DbNull, join, raw, type Sql, sql } from '@prisma/client-runtime-utils';
import { z } from 'zod';
import { plainName, withoutDefault } from '#lib/registry/definition.ts';
import { type DisplayText, isDisplayText } from '#lib/registry/display-text.ts';
import type { Prisma } from './generated/client.ts';

export { raw, type Sql, sql };

/** SQL of the non-null parts, joined by `between`, or `otherwise` if there are none. */
export function joinSql(parts: readonly (Sql | null)[], between: string, otherwise = ''): Sql {
  const there = parts.filter((part) => part !== null);
  return there.length === 0 ? raw(otherwise) : join(there, between);
}

/** Values by column; SQL such as `now()` is allowed. */
export type Stored = Readonly<Record<string, unknown>>;

/** SQL: `(column, …) values (…)`. */
export const insertSql = (row: Stored): Sql =>
  sql`(${raw(Object.keys(row).join(', '))}) values (${joinSql(
    Object.values(row).map((value) => sql`${value ?? null}`),
    ', ',
  )})`;

/** SQL: `column = …, …`. */
export const assignSql = (row: Stored): Sql =>
  joinSql(
    Object.entries(row).map(([column, value]) => sql`${raw(column)} = ${value ?? null}`),
    ', ',
  );

export type Column = { name: string; column: string; isList: boolean; isText: boolean };

/** Returns the columns of a definition's fields. `except`: fields that are stored in another way. */
export const columnsOf = (definition: z.ZodObject, except: readonly string[]): Column[] =>
  Object.entries(definition.shape)
    .filter(([name]) => !except.includes(name))
    .map(([name, field]) => {
      const value = withoutDefault(field);
      return {
        name,
        column: plainName(name),
        isList: value instanceof z.ZodArray,
        isText: isDisplayText(value),
      };
    });

/**
 * SQL: DisplayText as JSON. The column contains plain text for sorting and search. A second column contains texts by
 * language, if several exist. The second column has the type text, because jsonb does not keep the order of keys.
 */
export const displayTextSql = (column: string): string =>
  `coalesce(${column}_texts::json, to_json(${column}))`;

/** Returns the value of a column. An object becomes JSON. */
export const columnText = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** Value of the column that stores the translations of a text; null for plain text. */
export const textsOf = (text: DisplayText): string | null =>
  typeof text === 'string' ? null : JSON.stringify(text);

/**
 * Returns a value of a JSON column for Prisma. Accepts plain data only, because Prisma interprets `$type` of objects
 * with `toJSON`.
 */
export const jsonValue = (value: object): Prisma.InputJsonValue => JSON.parse(JSON.stringify(value));

/** Like `jsonValue`; null becomes NULL. */
export const jsonOrNull = (value: object | null) => (value === null ? DbNull : jsonValue(value));

/** SQL: the columns of a table, each named like its field in the code. */
export const selectSql = (columns: readonly Column[], table: string): Sql =>
  raw(columns.map((column) => `${columnValue(column, table)} as "${column.name}"`).join(', '));

/** SQL: value of a field. */
export const columnValue = ({ column, isText }: Column, table: string): string =>
  isText ? displayTextSql(`${table}.${column}`) : `${table}.${column}`;
