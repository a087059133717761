// Route: address, input, output, permissions, operation. The operation checks permission again; `actions` are checked
// first, so unauthorized callers learn nothing about other faults.
import { z } from 'zod';
import type { Method } from '#lib/http/endpoint.ts';
import type { PathParams } from '#lib/http/message.ts';
import { requireStorable } from '#lib/kit/text.ts';
import { camel, fromWire } from '#lib/kit/wire.ts';
import { inEnglish } from '#lib/language/words.ts';
import type { Consequences } from '#lib/management/consequences.ts';
import { LIST_ORDERS, type ListName } from '#lib/management/lists.ts';
import type { Action, Actor } from '#lib/management/policy.ts';
import { parseInput } from '#lib/management/refused.ts';

/** Request with wire names. */
type Call = {
  actor: Actor;
  params: PathParams;
  query: unknown;
  body: unknown;
  /** of If-Match; undefined: any version */
  version: number | undefined;
};

/** Name of the response schema in the OpenAPI document: a single object, a page, or all objects as `rows`. */
type Answers = { schema: string; as: 'one' | 'page' | 'list' };

type Takes = {
  /** If-Match: `required` for edits of objects that several people may edit at once */
  readonly version?: 'required' | 'optional';
  /** absent: 204 */
  readonly answers?: Answers;
  /** request or response body is a picture */
  readonly picture?: 'taken' | 'given';
  /** response is a streamed JSON file */
  readonly inPieces?: true;
  /** status 201; a text is the URL pattern of the new object, for the Location header */
  readonly creates?: true | `/${string}`;
};

export type Route = Takes & {
  readonly method: Method;
  /** under /api/v1: `/clients/:client_id` */
  readonly path: string;
  readonly summary: string;
  /** any of them lets in */
  readonly actions: readonly Action[];
  readonly query: z.ZodObject | null;
  readonly body: z.ZodObject | null;
  /** Throws `Refused` if query or body does not match the route. */
  readonly run: (call: Call) => Promise<Result>;
};

/** `version` goes into the ETag, `address` into Location. */
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
 * Creates routes permitted by any of these actions. The operation receives path, query, body and version as a single
 * input with camelCase names.
 */
export function routesFor(...actions: Action[]) {
  return <
    const Address extends `${Method} /${string}`,
    Query extends z.ZodObject = Nothing,
    Body extends z.ZodObject = Nothing,
    const Version extends Takes['version'] = undefined,
  >(
    address: Address,
    summary: string,
    run: (actor: Actor, input: Input<Address, Query, Body, Version>) => Promise<unknown>,
    takes: Omit<Takes, 'version'> & { query?: Query; body?: Body; version?: Version } = {},
  ): Route => {
    const [method, path] = address.split(' ') as [Method, string];
    const { query = null, body = null, version, ...rest } = takes;
    return {
      ...rest,
      ...{ method, path, summary, actions, query, body },
      ...(version && { version }),
      run: async (call) => {
        const input = {
          ...read(query, call.query),
          ...read(body, call.body),
          ...fromWire(call.params),
          ...(version && { version: version === 'required' ? (call.version ?? 0) : call.version }),
        };
        const made = await run(call.actor, input as Input<Address, Query, Body, Version>);
        return resultOf(rest, made, { ...input, ...(made as object) });
      },
    };
  };
}

/** Parses wire input into the schema’s camelCase names. */
function read(schema: z.ZodObject | null, given: unknown): Record<string, unknown> {
  if (schema === null) return {};
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  return parseInput(schema, isObject ? fromWire(requireStorable(given)) : given);
}

function resultOf({ answers, creates }: Takes, made: unknown, named: Record<string, unknown>): Result {
  const version = answers?.as === 'one' ? (made as { version?: unknown }).version : undefined;
  const address =
    typeof creates === 'string' &&
    creates.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(named[camel(name)])));
  return {
    body: answers?.as === 'list' ? { rows: made } : made,
    ...(typeof version === 'number' && { version }),
    ...(address && { address }),
  };
}

// Shared route parameters. Validates shape only; the operation validates values.

export const paging = {
  cursor: z
    .string()
    .max(1000)
    .optional()
    .describe('`next` or `previous` of another page, with the order and filters of that page'),
  limit: z.coerce.number().int().min(1).max(200).default(50),
};
/** `own`: default order, if it differs from the list’s default. */
export function pageQuery(list: ListName, own = LIST_ORDERS[list][0]) {
  const orders = LIST_ORDERS[list];
  const order = z.enum(orders, `must be one of ${orders.join(', ')}`);
  return { ...paging, order: order.optional().describe(`\`-\` reverses the order; default: \`${own}\``) };
}
export const search = { search: z.string().max(200).optional() };
const day = (what: string) => z.string().max(20).optional().describe(what);
/** `from` and `to` parameters, each a whole day in the caller’s time zone. */
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

/** Change preview for programs, with text warnings. */
export const breaks =
  <Input>(preview: (actor: Actor, input: Input) => Promise<Consequences>) =>
  async (actor: Actor, input: Input) => {
    const consequences = await preview(actor, input);
    return { ...consequences, warnings: consequences.warnings.map(inEnglish) };
  };
