// The management API: both doors call it, beside the protocol's own addresses.
import { type Endpoint, type Method, plainEndpoint } from '#lib/http/endpoint.ts';
import { compileEndpoints } from '#lib/http/match.ts';
import type { Answer, HttpRequest } from '#lib/http/message.ts';
import { json } from '#lib/http/respond.ts';
import { STRICT_TRANSPORT_SECURITY } from '#lib/http/security-headers.ts';
import { keepMade } from '#lib/kit/kept.ts';
import { toWire } from '#lib/kit/wire.ts';
import type { Actor } from '#lib/management/core/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { handle, PREFIX } from './handle.ts';
import { managementDocument } from './openapi.ts';
import { ApiProblem, problemAnswer } from './problem.ts';
import type { Route } from './route.ts';
import { routes } from './routes/routes.ts';

const onError = (error: unknown, request: HttpRequest) => problemAnswer(error, request);

function endpointsOf(all: readonly Route[]): Endpoint[] {
  const byPath = new Map<string, Parameters<typeof plainEndpoint>[0]['methods']>();
  for (const route of all) {
    const path = `${PREFIX}${route.path}`;
    const methods = { ...byPath.get(path) };
    methods[route.method] = (request, params) => handle(route, request, params);
    byPath.set(path, methods);
  }
  return [...byPath].map(([pattern, methods]) => plainEndpoint({ pattern, methods, onError }));
}

const kept = keepMade<ReturnType<typeof managementDocument>>('management openapi.json', 2);
const document = plainEndpoint({
  pattern: `${PREFIX}/openapi.json`,
  methods: {
    GET: async () =>
      json(
        200,
        kept(settings().baseUrl, () => managementDocument(routes)),
      ),
  },
  head: true,
  onError,
});

const match = compileEndpoints([document, ...endpointsOf(routes)]);

/** The same operation without HTTP, as JSON: for the command line on this host. Refused as the operation refuses. */
export async function callRoute(
  actor: Actor,
  method: Method,
  target: string,
  body: object = {},
): Promise<Record<string, unknown>> {
  const [path = '', query = ''] = target.split('?');
  const found = match(`${PREFIX}${path}`);
  const route = routes.find(
    (one) => one.method === method && `${PREFIX}${one.path}` === found?.endpoint.pattern,
  );
  if (!found || !route) throw new Error(`the management API has no ${method} ${path}`);
  const result = await route.run({
    actor,
    params: found.params,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: JSON.parse(JSON.stringify(body)),
    version: undefined,
  });
  return toWire(result.body ?? {}) as Record<string, unknown>;
}

/** Null: the address is not under the API's. */
export async function handleManagementApi(request: HttpRequest): Promise<Answer | null> {
  if (request.path !== PREFIX && !request.path.startsWith(`${PREFIX}/`)) return null;
  const given = await answerTo(request);
  if (settings().secureCookies) given.headers['strict-transport-security'] ??= STRICT_TRANSPORT_SECURITY;
  return given;
}

async function answerTo(request: HttpRequest): Promise<Answer> {
  const found = match(request.path);
  if (found) return found.endpoint.answer(request, found.params);
  const nothing = new ApiProblem({
    kind: 'not-found',
    status: 404,
    title: 'There is nothing at this address',
  });
  return problemAnswer(nothing, request);
}
