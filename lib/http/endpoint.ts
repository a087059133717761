// An endpoint: an address, its methods, and what they have in common: 405 with Allow, HEAD, CORS, the request id, and
// the place where what a handler throws becomes an answer.
import { type CorsPolicy, corsHeaders, preflight } from './cors.ts';
import type { Answer, HttpRequest, PathParams } from './message.ts';
import { isPrefetch } from './navigation.ts';
import { empty } from './respond.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The address exists and does not take this method (RFC 9110 §15.5.6). */
export class MethodNotAllowed extends Error {
  override name = 'MethodNotAllowed';
  readonly headers: Record<string, string>;
  constructor(allow: string) {
    super(`the methods of this address are ${allow}`);
    this.headers = { allow };
  }
}

type Handler<Context> = (context: Context, params: PathParams) => Promise<Answer>;

type Definition<Context> = {
  /** `/auth/:authMethodId/api/:apiId/token` */
  readonly pattern: string;
  readonly methods: Readonly<Partial<Record<Method, Handler<Context>>>>;
  /** HEAD answers like GET without its body; off where a GET has an effect */
  readonly head?: boolean;
  /** the handler of GET answers every method, OPTIONS too */
  readonly anyMethod?: boolean;
  readonly cors?: CorsPolicy<Context>;
  /**
   * Finds what handlers, CORS and errors work on, and calls `handle` with it; again where it must. What it throws comes
   * before the 405: an address that does not exist has no methods.
   */
  readonly open: (
    request: HttpRequest,
    params: PathParams,
    handle: (context: Context) => Promise<Answer>,
  ) => Promise<Answer>;
  /** `context` is null where `open` did not find it. */
  readonly onError: (error: unknown, request: HttpRequest, context: Context | null) => Answer;
};

export type Endpoint = {
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly answer: (request: HttpRequest, params: PathParams) => Promise<Answer>;
};

export function endpoint<Context>(definition: Definition<Context>): Endpoint {
  const { pattern, methods } = definition;
  return {
    pattern,
    methods: Object.keys(methods),
    answer: (request, params) => answer(definition, request, params),
  };
}

/** An endpoint whose handlers work on the request as it came. */
export function plainEndpoint(definition: Omit<Definition<HttpRequest>, 'open'>): Endpoint {
  return endpoint({ ...definition, open: (request, _params, handle) => handle(request) });
}

async function answer<Context>(
  definition: Definition<Context>,
  request: HttpRequest,
  params: PathParams,
): Promise<Answer> {
  const { cors } = definition;
  const allow = allowed(definition);
  // a preflight names no client, and is not told what exists
  const { context, result } =
    cors && isPreflight(request)
      ? { context: null, result: preflight(request, allow) }
      : await run(definition, request, params, allow);
  result.headers['x-request-id'] = request.requestId;
  if (cors && request.headers['origin'] !== undefined) {
    Object.assign(result.headers, await corsHeaders(cors, request, context));
  }
  return request.method === 'HEAD' ? withoutBody(result) : result;
}

/** With the length that the body would have (RFC 9110 §8.6). */
function withoutBody({ body, ...result }: Answer): Answer {
  if (body !== undefined) result.headers['content-length'] ??= String(Buffer.byteLength(body));
  return result;
}

async function run<Context>(
  definition: Definition<Context>,
  request: HttpRequest,
  params: PathParams,
  allow: string,
): Promise<{ context: Context | null; result: Answer }> {
  const { methods, head, anyMethod, open, onError } = definition;
  const method = anyMethod || (request.method === 'HEAD' && head) ? 'GET' : request.method;
  const handler = Object.hasOwn(methods, method) ? methods[method as Method] : undefined;
  // A prefetch must not use anything up. A browser asks again after a 403; it may keep a 204 as the page, and a 5xx
  // would tell a load balancer that this instance is ill.
  if (handler && method === 'GET' && !head && isPrefetch(request.headers))
    return { context: null, result: empty(403) };
  let context: Context | null = null;
  try {
    const result = await open(request, params, async (found) => {
      context = found;
      if (request.method === 'OPTIONS' && !anyMethod) return empty(204, { allow });
      if (!handler) throw new MethodNotAllowed(allow);
      return handler(found, params);
    });
    return { context, result };
  } catch (error) {
    return { context, result: onError(error, request, context) };
  }
}

function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers['origin'] !== undefined;
}

function allowed({ methods, head }: Pick<Definition<never>, 'methods' | 'head'>): string {
  return [...Object.keys(methods), ...(head ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
