// A route: address, input, output, operation. The right of the operation is checked before the input, so that
// unauthorized callers learn nothing about other faults.
import { z } from 'zod';
import type { Method } from '#lib/http/endpoint.ts';
import type { PathParams } from '#lib/http/message.ts';
import { requireStorable } from '#lib/kit/text.ts';
import { camel, fromWire } from '#lib/kit/wire.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { Consequences } from '#lib/management/consequences.ts';
import { LIST_ORDERS, type ListName } from '#lib/management/lists.ts';
import type { Terms } from '#lib/management/operations.ts';
import type { Action, Actor } from '#lib/management/policy.ts';
import { parseInput } from '#lib/management/refused.ts';

/** The parts of a request that a route reads. */
type Call = {
  actor: Actor;
  params: PathParams;
  query: unknown;
  body: unknown;
  /** version in If-Match; undefined: any version */
  version: number | undefined;
};

/**
 * Name of the response's schema in the OpenAPI document, and its form: one object, a page, or all objects as `rows`.
 */
type Answers = { schema: string; as: 'one' | 'page' | 'list' };

type Takes = {
  /** If-Match: `required` if several people may edit the object at the same time */
  readonly version?: 'required' | 'optional';
  /** missing: the response is 204 */
  readonly answers?: Answers;
  /** the body of the request (`taken`) or of the response (`given`) is a picture */
  readonly picture?: 'taken' | 'given';
  /** the response is a JSON file that is streamed */
  readonly inPieces?: true;
  /** the response has status 201; a text is the URL pattern of the new object, for the header Location */
  readonly creates?: true | `/${string}`;
};

export type Route = Takes & {
  readonly method: Method;
  /** path below /api/v1: `/clients/:client_id` */
  readonly path: string;
  readonly summary: string;
  /** the caller needs the right to one of these actions */
  readonly actions: readonly Action[];
  readonly query: z.ZodObject | null;
  readonly body: z.ZodObject | null;
  /** Runs the operation. Throws `Refused` if the query or the body does not match the route. */
  readonly run: (call: Call) => Promise<Result>;
};

/** `version`: for the header ETag. `address`: for the header Location. */
type Result = { body: unknown; version?: number; address?: string };

export const one = (schema: string): Answers => ({ schema, as: 'one' });
export const page = (schema: string): Answers => ({ schema, as: 'page' });
export const wholeList = (schema: string): Answers => ({ schema, as: 'list' });

type Nothing = z.ZodObject<Record<never, never>>;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type NamesIn<Address extends string> = Address extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Address extends `${string}:${infer Name}`
    ? Name
    : never;
type Input<Address extends string, Query extends z.ZodObject, Body extends z.ZodObject, Version> = {
  [Name in NamesIn<Address> as Camel<Name>]: string;
} & z.output<Query> &
  z.output<Body> &
  (Version extends 'required'
    ? { version: number }
    : Version extends 'optional'
      ? { version: number | undefined }
      : unknown);

/**
 * Creates a route for callers with a right of the operation. The operation receives path, query, body and version as
 * one input, with names in camelCase.
 */
export function route<
  const Address extends `${Method} /${string}`,
  Query extends z.ZodObject = Nothing,
  Body extends z.ZodObject = Nothing,
  const Version extends Takes['version'] = undefined,
  Result = unknown,
>(
  address: Address,
  summary: string,
  run: { (actor: Actor, input: Input<Address, Query, Body, Version>): Promise<Result>; terms?: Terms },
  takes: Omit<Takes, 'version'> & {
    query?: Query;
    body?: Body;
    version?: Version;
    /** the operation that `run` calls, if `run` is not an operation */
    operation?: { terms: Terms };
    /** turns the result into the response, for example texts into English */
    shown?: (result: Result) => unknown;
  } = {},
): Route {
  const [method, path] = address.split(' ') as [Method, string];
  const { query = null, body = null, version, operation = run, shown = (result) => result, ...rest } = takes;
  return {
    ...rest,
    ...{ method, path, summary, actions: actionsOf(operation), query, body },
    ...(version && { version }),
    run: async (call) => {
      const input = {
        ...read(query, call.query),
        ...read(body, call.body),
        ...fromWire(call.params),
        ...(version && { version: version === 'required' ? (call.version ?? 0) : call.version }),
      };
      const result = shown(await run(call.actor, input as Input<Address, Query, Body, Version>));
      return resultOf(rest, result, { ...input, ...(result as object) });
    },
  };
}

/** The rights of which a caller needs one. */
export function actionsOf({ terms }: { terms?: Terms }): readonly Action[] {
  if (!terms?.right) throw new Error('a route needs an operation with a right');
  return [terms.right].flat();
}

/** Parses input whose names are in snake_case, as in the interface, into the camelCase names of the schema. */
function read(schema: z.ZodObject | null, value: unknown): Record<string, unknown> {
  if (schema === null) return {};
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return parseInput(schema, isObject ? fromWire(requireStorable(value)) : value);
}

function resultOf({ answers, creates }: Takes, result: unknown, named: Record<string, unknown>): Result {
  const version = answers?.as === 'one' ? (result as { version?: unknown }).version : undefined;
  const address =
    typeof creates === 'string' &&
    creates.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(named[camel(name)])));
  return {
    body: answers?.as === 'list' ? { rows: result } : result,
    ...(typeof version === 'number' && { version }),
    ...(address && { address }),
  };
}

// Parameters that several routes share. Only their shape is validated here; the operation validates the values.

export const paging = {
  cursor: z
    .string()
    .max(1000)
    .optional()
    .describe('`next` or `previous` of another page, with the order and filters of that page'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};
/** `defaultOrder`: the default order of the route, if it differs from the default of the list. */
export function pageQuery(list: ListName, defaultOrder = LIST_ORDERS[list][0]) {
  const orders = LIST_ORDERS[list];
  const order = z.enum(orders, `must be one of ${orders.join(', ')}`);
  return {
    ...paging,
    order: order.optional().describe(`\`-\` reverses the order; default: \`${defaultOrder}\``),
  };
}
export const search = { search: z.string().max(200).optional() };
const day = (what: string) => z.string().max(20).optional().describe(what);
/** Parameters for ranges of whole days in the time zone of the caller: `from` and `to`. */
export const days = <Name extends string>(...names: Name[]) =>
  Object.fromEntries(
    names.flatMap((name) => [
      [`${name}From`, day('a day, such as 2026-01-31, in the time zone of the caller, or in UTC')],
      [`${name}To`, day('the last day, inclusive')],
    ]),
  ) as { [Side in `${Name}${'From' | 'To'}`]: z.ZodOptional<z.ZodString> };
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
export const words = z.array(z.string().max(2000)).max(500);
export const name = z.string().max(500);
export const activity = z.enum(['active', 'disabled']).optional();
export const moment = z.iso.datetime({ offset: true }).transform((value) => new Date(value));

/** Preview of a change for programs, with warnings as text. */
export const breaks = ({ warnings, ...consequences }: Consequences) => ({
  ...consequences,
  warnings: warnings.map(inEnglish),
});
