// The shape of a route: what it takes, what it answers, which right it asks for first. The operation that acts asks for
// the right once more; here it only decides that a stranger learns nothing about what else is wrong.
import { z } from 'zod';
import type { Method, PathParams } from '#lib/http/index.ts';
import { fromWire, requireStorable } from '#lib/kit/index.ts';
import { type Action, type Actor, parseInput } from '#lib/management/index.ts';

export type Result = {
  body?: unknown;
  /** goes into the ETag */
  version?: number;
  location?: string;
};

export type Call<Query = unknown, Body = unknown> = {
  actor: Actor;
  params: PathParams;
  query: Query;
  body: Body;
  /** of If-Match; undefined: whatever it is now */
  version: number | undefined;
};

type Facts = {
  readonly method: Method;
  /** under /api/v1: `/clients/:client_id` */
  readonly path: string;
  readonly summary: string;
  /** any of them lets in */
  readonly actions: readonly Action[];
  /** If-Match is required: an edit of what somebody may have changed meanwhile */
  readonly versioned?: boolean;
  readonly status: 200 | 201 | 204;
  /** the answer's schema, by its name in the document; `page` where it is a page of them */
  readonly answers?: { schema: string; as?: 'page' | 'list' };
};

export type Route = Facts & {
  /** under the names of the code; on the wire they are snake_case */
  readonly query?: z.ZodObject | undefined;
  readonly body?: z.ZodObject | undefined;
  /** Refused where the query or the body is not what the route takes. */
  readonly run: (call: Call) => Promise<Result>;
};

type Typed<Query extends z.ZodObject, Body extends z.ZodObject> = Facts & {
  query?: Query;
  body?: Body;
  run: (call: Call<z.output<Query>, z.output<Body>>) => Promise<Result>;
};

export function route<Query extends z.ZodObject, Body extends z.ZodObject>(typed: Typed<Query, Body>): Route {
  return {
    ...typed,
    run: ({ query, body, ...call }) =>
      typed.run({ ...call, query: read(typed.query, query), body: read(typed.body, body) }),
  };
}

/** What came under the names of the wire, as the schema has it under those of the code. */
function read<Schema extends z.ZodObject>(schema: Schema | undefined, given: unknown): z.output<Schema> {
  const isObject = typeof given === 'object' && given !== null && !Array.isArray(given);
  const named = isObject ? fromWire(requireStorable(given)) : given;
  return parseInput(schema ?? NOTHING, schema ? named : {}) as z.output<Schema>;
}

const NOTHING = z.strictObject({});
