// A route: address, input, output, operation. The right of the operation is checked before the input, so that
// unauthorized callers learn nothing about other faults.
import type { z } from 'zod';
import type { Method } from '#lib/http/endpoint.ts';
import type { PathParams } from '#lib/http/message.ts';
import { requireStorable } from '#lib/kit/text.ts';
import { camel, fromWire } from '#lib/kit/wire.ts';
import type { Answers, NoFields, Terms } from '#lib/management/operations.ts';
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

type Takes = {
  /** If-Match: `required` if several people may edit the object at the same time */
  readonly version?: 'required' | 'optional';
  /** the body of the request (`taken`) or of the response (`given`) is a picture */
  readonly picture?: 'taken' | 'given';
  /** the response has status 201; a text is the URL pattern of the new object, for the header Location */
  readonly creates?: true | `/${string}`;
};

export type Route = Takes & {
  /** missing: the response is 204 */
  readonly answers?: Answers;
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

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type NamesIn<Address extends string> = Address extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Address extends `${string}:${infer Name}`
    ? Name
    : never;
type Input<Address extends string, Shape extends z.ZodObject, Version> = {
  [Name in NamesIn<Address> as Camel<Name>]: string;
} & z.output<Shape> &
  (Version extends 'required'
    ? { version: number }
    : Version extends 'optional'
      ? { version: number | undefined }
      : unknown);

type Runs<Given, Shape extends z.ZodObject> = {
  (actor: Actor, input: Given): Promise<unknown>;
  readonly terms: Terms & { shape?: Shape; output?: Answers };
};
type TakesOf<Version> = Omit<Takes, 'version'> & { version?: Version };

/**
 * Creates a route of one operation, which states its right, its query or body, and its response. The operation receives
 * path, query, body and version as one input, with names in camelCase. `given` turns this input into the input of the
 * operation.
 */
export function route<
  const Address extends `${Method} /${string}`,
  Given,
  Shape extends z.ZodObject = NoFields,
  const Version extends Takes['version'] = undefined,
>(
  address: Address,
  summary: string,
  operation: Runs<Given, Shape>,
  takes: TakesOf<Version> & { given: (input: Input<Address, Shape, Version>) => NoInfer<Given> },
): Route;
export function route<
  const Address extends `${Method} /${string}`,
  Shape extends z.ZodObject = NoFields,
  const Version extends Takes['version'] = undefined,
>(
  address: Address,
  summary: string,
  operation: Runs<Input<Address, Shape, Version>, Shape>,
  takes?: TakesOf<Version>,
): Route;
export function route<Given>(
  address: string,
  summary: string,
  operation: Runs<Given, z.ZodObject>,
  takes: TakesOf<Takes['version']> & { given?: (input: Record<string, unknown>) => Given } = {},
): Route {
  const [method, path] = address.split(' ') as [Method, string];
  const { version, given = (input) => input as Given, ...rest } = takes;
  const { shape = null, output } = operation.terms;
  const response = { ...rest, ...(output && { answers: output }) };
  const [query, body] = method === 'GET' ? [shape, null] : [null, shape];
  return {
    ...response,
    ...{ method, path, summary, actions: actionsOf(operation), query, body },
    ...(version && { version }),
    run: async (call) => {
      const input = {
        ...read(query, call.query),
        ...read(body, call.body),
        ...fromWire(call.params),
        ...(version && { version: version === 'required' ? (call.version ?? 0) : call.version }),
      };
      const result = await operation(call.actor, given(input));
      return resultOf(response, result, input);
    },
  };
}

/** The rights of which a caller needs one. */
export function actionsOf({ terms }: { terms: Terms }): readonly Action[] {
  if (!terms.right) throw new Error('a route needs an operation with a right');
  return [terms.right].flat();
}

/** Parses input whose names are in snake_case, as in the interface, into the camelCase names of the schema. */
function read(schema: z.ZodObject | null, value: unknown): Record<string, unknown> {
  if (schema === null) return {};
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return parseInput(schema, isObject ? fromWire(requireStorable(value)) : value);
}

function resultOf(
  { answers, creates }: Pick<Route, 'answers' | 'creates'>,
  result: unknown,
  input: Record<string, unknown>,
): Result {
  const body = answers?.toResponse ? answers.toResponse(result) : result;
  const named = { ...input, ...(body as object) };
  const version = answers?.as === 'one' ? (body as { version?: unknown }).version : undefined;
  const address =
    typeof creates === 'string' &&
    creates.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(named[camel(name)])));
  return {
    body: answers?.as === 'list' ? { rows: body } : body,
    ...(typeof version === 'number' && { version }),
    ...(address && { address }),
  };
}

/** Summary of a preview of a change. */
export const CHANGE_BREAKS = 'Preview the effects of a change; nothing is saved';
