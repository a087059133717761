// An endpoint: its address, its methods, and the behaviour that all endpoints share: 405 with `Allow`, HEAD, CORS,
// the request id, and conversion of exceptions to responses.
import { type Answer, empty, type HttpRequest, type PathParams } from './message.ts';
import { isPrefetch } from './navigation.ts';

// Cross-origin reads. Preflights name no client, so any origin may send them; the policy decides which origins can
// read responses. Responses never allow credentials, and the authorize endpoint never allows cross-origin reads (RFC
// 9700 §2.6).

/** Origins that may read the response. `context` is `null` if the endpoint did not find it. */
type CorsPolicy<Context> =
  | 'any-origin'
  | ((origin: string, context: Context | null) => boolean | Promise<boolean>);

const EXPOSED = 'WWW-Authenticate, X-Request-Id, Retry-After, DPoP-Nonce';

function preflight(request: HttpRequest, allow: string): Answer {
  const headers: Record<string, string> = {
    allow,
    'access-control-allow-origin': request.headers['origin'] ?? '*',
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allowedHeaders(request),
    'access-control-max-age': '600',
    vary: 'Origin, Access-Control-Request-Headers',
  };
  return empty(204, headers);
}

/** Matches a list of field names (RFC 9110 §5.6.2) that is not longer than any client needs. */
const FIELD_NAMES = /^[\w!#$%&'*+.^`|~-]+(?:[ \t]*,[ \t]*[\w!#$%&'*+.^`|~-]+)*$/;
const MAX_FIELD_NAMES = 2_048;

/**
 * Allows all headers that the browser asks for: clients add headers for tracing and MCP, and the headers are harmless
 * because responses allow no credentials (Fetch §3.3.2).
 */
function allowedHeaders({ headers }: HttpRequest): string {
  const usual = 'content-type, authorization';
  const requestedHeaders = (headers['access-control-request-headers'] ?? '').trim();
  return requestedHeaders.length <= MAX_FIELD_NAMES && FIELD_NAMES.test(requestedHeaders)
    ? `${usual}, ${requestedHeaders}`
    : usual;
}

async function corsHeaders<Context>(
  policy: CorsPolicy<Context>,
  request: HttpRequest,
  context: Context | null,
): Promise<Record<string, string>> {
  if (request.method === 'OPTIONS') return {};
  if (policy === 'any-origin')
    return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
  const origin = request.headers['origin'] ?? '';
  const readable = origin !== 'null' && (await policy(origin, context));
  return readable
    ? { 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED, vary: 'Origin' }
    : { vary: 'Origin' };
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Thrown if the address does not support this method (RFC 9110 §15.5.6). */
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
  /** pattern of the path, for example `/auth/:authMethodId/api/:apiId/token` */
  readonly pattern: string;
  readonly methods: Readonly<Partial<Record<Method, Handler<Context>>>>;
  /** true: HEAD returns the headers of GET without a body. False if a GET has an effect */
  readonly head?: boolean;
  /** the GET handler answers every method, including OPTIONS */
  readonly anyMethod?: boolean;
  readonly cors?: CorsPolicy<Context>;
  /**
   * Finds the context for handlers, CORS and errors, then calls `handle`, several times if necessary. An error of
   * `open` takes precedence over 405, because an unknown address has no methods.
   */
  readonly open: (
    request: HttpRequest,
    params: PathParams,
    handle: (context: Context) => Promise<Answer>,
  ) => Promise<Answer>;
  /** `context`: `null` if `open` did not find it. */
  readonly onError: (error: unknown, request: HttpRequest, context: Context | null) => Answer;
};

export type Endpoint = {
  readonly pattern: string;
  readonly methods: readonly string[];
  readonly handlers: Readonly<Partial<Record<Method, Handler<never>>>>;
  readonly answer: (request: HttpRequest, params: PathParams) => Promise<Answer>;
};

export function endpoint<Context>(definition: Definition<Context>): Endpoint {
  const { pattern, methods } = definition;
  return {
    pattern,
    methods: Object.keys(methods),
    handlers: methods,
    answer: (request, params) => answer(definition, request, params),
  };
}

/** An endpoint whose handlers receive the request unchanged. */
export function plainEndpoint(definition: Omit<Definition<HttpRequest>, 'open'>): Endpoint {
  return endpoint({ ...definition, open: (request, _params, handle) => handle(request) });
}

async function answer<Context>(
  definition: Definition<Context>,
  request: HttpRequest,
  params: PathParams,
): Promise<Answer> {
  const { cors } = definition;
  const allow = allowedMethods(definition);
  // a preflight request names no client, so its response must not reveal which objects exist
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

/** Returns the response without its body. Content-Length stays the length of the body (RFC 9110 §8.6). */
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
  // A prefetch must not consume anything, so it is rejected with 403, after which browsers retry. They might show a
  // cached 204, and a 5xx would make a load balancer treat this instance as unhealthy.
  if (handler && method === 'GET' && !head && isPrefetch(request.headers))
    return { context: null, result: empty(403) };
  let context: Context | null = null;
  try {
    const result = await open(request, params, async (openedContext) => {
      context = openedContext;
      if (request.method === 'OPTIONS' && !anyMethod) return empty(204, { allow });
      if (!handler) throw new MethodNotAllowed(allow);
      return handler(openedContext, params);
    });
    return { context, result };
  } catch (error) {
    return { context, result: onError(error, request, context) };
  }
}

function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers['origin'] !== undefined;
}

function allowedMethods({ methods, head }: Pick<Definition<never>, 'methods' | 'head'>): string {
  return [...Object.keys(methods), ...(head ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}

// Finds the endpoint for a path. Each segment is decoded separately, so an encoded slash stays inside its segment.

type Pattern = Pick<Endpoint, 'pattern'>;

export function compileEndpoints<E extends Pattern>(endpoints: readonly E[]) {
  const byLength = new Map<number, { endpoint: E; segments: string[] }[]>();
  for (const endpoint of endpoints) {
    const segments = endpoint.pattern.split('/').slice(1);
    const list = byLength.get(segments.length) ?? [];
    list.push({ endpoint, segments });
    byLength.set(segments.length, list);
  }
  return (path: string): { endpoint: E; params: PathParams } | null => {
    const pathSegments = path.split('/').slice(1);
    for (const { endpoint, segments } of byLength.get(pathSegments.length) ?? []) {
      const params = bind(segments, pathSegments);
      if (params) return { endpoint, params };
    }
    return null;
  };
}

function bind(segments: readonly string[], pathSegments: readonly string[]): PathParams | null {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = pathSegments[index] ?? '';
    if (!segment.startsWith(':')) {
      if (segment !== value) return null;
    } else if (value === '') {
      return null;
    } else {
      params[segment.slice(1)] = decodeSegment(value);
    }
  }
  return params;
}

/** Decodes a segment. A malformed escape becomes a value that equals no identifier. */
function decodeSegment(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return '\u0000';
  }
}
