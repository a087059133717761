// The shape of a route: what it takes, what it answers, which right it asks for first. The right is asked for once more
// by the operation that acts; here it only decides that a stranger learns nothing about what else is wrong.
import type { z } from 'zod';
import type { HttpRequest, Method, PathParams } from '#lib/http/index.ts';
import type { FromWire } from '#lib/kit/index.ts';
import type { Action, Actor } from '#lib/management/index.ts';

export type Result = {
  body?: unknown;
  /** goes into the ETag */
  version?: number;
  location?: string;
};

export type Call<Query, Body> = {
  actor: Actor;
  params: PathParams;
  query: Query;
  body: Body;
  /** of If-Match */
  version: number | undefined;
  request: HttpRequest;
};

export type Route = {
  readonly method: Method;
  /** under /api/v1: `/clients/:client_id` */
  readonly path: string;
  readonly summary: string;
  /** any of them lets in */
  readonly actions: readonly Action[];
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** If-Match is required: an edit of what somebody may have changed meanwhile */
  readonly versioned?: boolean;
  readonly status: 200 | 201 | 204;
  /** the answer's schema, by its name in the document; `page` where it is a page of them */
  readonly answers?: { schema: string; as?: 'page' | 'list' };
  readonly run: (call: Call<never, never>) => Promise<Result>;
};

type Typed<Query extends z.ZodObject, Body extends z.ZodObject> = Omit<Route, 'run' | 'query' | 'body'> & {
  query?: Query;
  body?: Body;
  run: (call: Call<FromWire<z.output<Query>>, FromWire<z.output<Body>>>) => Promise<Result>;
};

export function route<Query extends z.ZodObject, Body extends z.ZodObject>(typed: Typed<Query, Body>): Route {
  return typed as unknown as Route;
}
