// Parts of statements. The tag is Prisma's own, from the package that does not load its client: an interpolated value
// becomes a parameter, an interpolated Sql a part of the statement.
import { DbNull, join, raw, type Sql, sql } from '@prisma/client-runtime-utils';
import { z } from 'zod';
import { plainName, withoutDefault } from '#lib/registry/definition.ts';
import { type DisplayText, isDisplayText } from '#lib/registry/display-text.ts';
import type { Prisma } from './generated/client.ts';

export { raw, type Sql, sql };

/** SQL: the parts that are not null, with `between` between them; `otherwise` if there is none. */
export function joined(parts: readonly (Sql | null)[], between: string, otherwise = ''): Sql {
  const there = parts.filter((part) => part !== null);
  return there.length === 0 ? raw(otherwise) : join(there, between);
}

/** Values by column; one may be SQL, such as `now()`. */
export type Stored = Readonly<Record<string, unknown>>;

/** SQL: `(column, …) values (…)`. */
export const inserted = (row: Stored): Sql =>
  sql`(${raw(Object.keys(row).join(', '))}) values (${joined(
    Object.values(row).map((value) => sql`${value ?? null}`),
    ', ',
  )})`;

/** SQL: `column = …, …`. */
export const assigned = (row: Stored): Sql =>
  joined(
    Object.entries(row).map(([column, value]) => sql`${raw(column)} = ${value ?? null}`),
    ', ',
  );

export type Column = { name: string; column: string; isList: boolean; isText: boolean };

/** The columns that hold a definition's fields. `except`: the fields that are stored in another way. */
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
 * SQL: a DisplayText as JSON. The column holds the plain text, which lists are sorted and searched by, and the one
 * beside it the texts by language, if there are several, as text: jsonb would not keep their order.
 */
export const displayed = (column: string): string => `coalesce(${column}_texts::json, to_json(${column}))`;

/** What a column holds: an object is JSON. */
export const columnText = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value;

/** What the column beside the plain text holds. */
export const textsOf = (text: DisplayText): string | null =>
  typeof text === 'string' ? null : JSON.stringify(text);

/** A value of a JSON column, for Prisma's client. Never an object with `toJSON`, of which it would read a `$type`. */
export const jsonValue = (value: object): Prisma.InputJsonValue => JSON.parse(JSON.stringify(value));

/** The same; null: NULL. */
export const jsonOrNull = (value: object | null) => (value === null ? DbNull : jsonValue(value));

/** SQL: these columns of a table, under the names of the code. */
export const selected = (columns: readonly Column[], table: string): Sql =>
  raw(columns.map((one) => `${columnValue(one, table)} as "${one.name}"`).join(', '));

/** SQL: what a field holds. */
export const columnValue = ({ column, isText }: Column, table: string): string =>
  isText ? displayed(`${table}.${column}`) : `${table}.${column}`;
