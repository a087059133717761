// Wraps an endpoint's handlers: 405 with Allow, HEAD, CORS preflight, request id, error to answer. A handler throws;
// only this file catches.
import { type CorsPolicy, corsHeaders, preflight } from './cors.ts';
import type { Answer, Handler, HttpRequest, PathParams } from './exchange.ts';
import { isPrefetch } from './navigation.ts';
import { empty } from './respond.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The address exists, and does not take this method; the answer says which it takes. */
export class MethodNotAllowed extends Error {
  override name = 'MethodNotAllowed';
  readonly headers: Record<string, string>;
  constructor(allow: string) {
    super(`the methods of this address are ${allow}`);
    this.headers = { allow };
  }
}

export type Endpoint = {
  /** `/auth/:authMethodId/api/:apiId/token` */
  readonly pattern: string;
  readonly methods: Readonly<Partial<Record<Method, Handler>>>;
  /** HEAD answers like GET without its body; off where a GET has an effect */
  readonly head?: boolean;
  readonly cors?: CorsPolicy;
  /** how an error of this endpoint looks to whoever called */
  readonly onError: (error: unknown, request: HttpRequest, params: PathParams) => Answer | Promise<Answer>;
  /** decides 404 before 405: an address that does not exist has no methods */
  readonly guard?: (params: PathParams) => Promise<void>;
  /** runs guard and handler, again where it must */
  readonly within?: (work: () => Promise<Answer>) => Promise<Answer>;
};

export async function answer(endpoint: Endpoint, request: HttpRequest, params: PathParams): Promise<Answer> {
  const result = await route(endpoint, request, params);
  result.headers['x-request-id'] = request.requestId;
  if (endpoint.cors && request.headers['origin'] !== undefined) {
    Object.assign(result.headers, await corsHeaders(endpoint.cors, request, result));
  }
  return request.method === 'HEAD' ? withoutBody(result) : result;
}

/** Its length is told, as if it came along (RFC 9110 §8.6). */
function withoutBody({ body, ...result }: Answer): Answer {
  if (body !== undefined) result.headers['content-length'] ??= String(Buffer.byteLength(body));
  return result;
}

async function route(endpoint: Endpoint, request: HttpRequest, params: PathParams): Promise<Answer> {
  const allow = allowed(endpoint);
  // a browser that asks whether it may ask names no client, and is not told what exists
  if (endpoint.cors && isPreflight(request)) return preflight(request, allow);
  const method = request.method === 'HEAD' && endpoint.head ? 'GET' : request.method;
  const handler = Object.hasOwn(endpoint.methods, method) ? endpoint.methods[method as Method] : undefined;
  // Nothing is used up before the click. What failed a browser asks for again then; a 204 it may keep as the page, and a
  // 5xx would tell a balancer that this instance is ill.
  if (handler && method === 'GET' && !endpoint.head && isPrefetch(request.headers)) return empty(403);
  const work = async () => {
    await endpoint.guard?.(params);
    if (request.method === 'OPTIONS') return empty(204, { allow });
    if (!handler) throw new MethodNotAllowed(allow);
    return handler(request, params);
  };
  try {
    return await (endpoint.within?.(work) ?? work());
  } catch (error) {
    return await endpoint.onError(error, request, params);
  }
}

function isPreflight({ method, headers }: HttpRequest): boolean {
  return method === 'OPTIONS' && headers['origin'] !== undefined;
}

function allowed(endpoint: Endpoint): string {
  const names = Object.keys(endpoint.methods);
  return [...names, ...(endpoint.head ? ['HEAD'] : []), 'OPTIONS'].join(', ');
}
