// The management API. Gatehouse's Node server and Next call it, like the endpoints of the protocol.
import {
  compileEndpoints,
  type Endpoint,
  type Method,
  MethodNotAllowed,
  plainEndpoint,
} from '#lib/http/endpoint.ts';
import { callerAddress } from '#lib/http/forwarding.ts';
import { type Answer, empty, type HttpRequest, json, type PathParams } from '#lib/http/message.ts';
import { parseForm, UnreadableParams } from '#lib/http/params.ts';
import { STRICT_TRANSPORT_SECURITY } from '#lib/http/security-headers.ts';
import { log } from '#lib/kit/log.ts';
import { keepMade } from '#lib/kit/process.ts';
import { requireStorable, UnstorableValue } from '#lib/kit/text.ts';
import { snake, toWire } from '#lib/kit/wire.ts';
import { KeyNotProved, managementUrl, readTokenActor, SignInTooWeak } from '#lib/management/built-in.ts';
import { enter } from '#lib/management/operations.ts';
import { type Actor, mayDo, missingScope } from '#lib/management/policy.ts';
import { Refused, type RefusedKind } from '#lib/management/refused.ts';
import { MAX_LOGO_BYTES } from '#lib/registry/brand.ts';
import { acrOfLevel } from '#lib/registry/claims.ts';
import { resourceMetadataAddress } from '#lib/registry/well-known.ts';
import { RECENT_SECONDS } from '#lib/sessions/page-state.ts';
import { settings } from '#lib/settings/settings.ts';
import { DatabaseUnavailable } from '#lib/store/pool.ts';
import { managementDocument } from './openapi.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';

// Problem responses (RFC 9457): every error has the same shape, a type that programs can distinguish, and a request
// id.

/** HTTP status and title of each kind of problem. */
export const PROBLEM_KINDS: Record<RefusedKind, [status: number, title: string]> = {
  invalid: [422, 'The request is not valid'],
  forbidden: [403, 'You are not allowed to do this'],
  'not-found': [404, 'Not found'],
  conflict: [409, 'The state of the object does not allow this'],
  stale: [412, 'It was changed in the meantime'],
  reauthenticate: [401, 'This requires a sign-in in the last 15 minutes'],
  'slow-down': [429, 'Too many attempts'],
};

type Problem = {
  kind: string;
  status: number;
  title: string;
  /** the exact reason of the error; equal to the kind if the management API itself detected the error */
  code?: string;
  detail?: string;
  errors?: { field: string; code: string; detail: string }[];
  headers?: Record<string, string>;
};

/** A problem that the management API itself detects before any operation runs. */
class ApiProblem extends Error {
  override name = 'ApiProblem';
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.title);
    this.problem = problem;
  }
}

/** Parameters of the WWW-Authenticate challenge, with the address of this API's metadata (RFC 9728 §5.1). */
const managementParameters = () =>
  `realm="Gatehouse management", resource_metadata="${resourceMetadataAddress(managementUrl())}"`;
const bearerChallenge = () => `Bearer ${managementParameters()}`;

function problemAnswer(thrown: unknown, request: HttpRequest): Answer {
  const { kind, code = kind, status, title, detail, errors, headers } = problemOf(thrown, request);
  const body = {
    type: `urn:gatehouse:problem:${kind}`,
    title,
    status,
    code,
    ...(detail === undefined ? {} : { detail }),
    ...(errors === undefined || errors.length === 0 ? {} : { errors }),
    request_id: request.requestId,
  };
  return json(status, body, { ...headers, 'content-type': 'application/problem+json' });
}

function problemOf(thrown: unknown, request: HttpRequest): Problem {
  if (thrown instanceof ApiProblem) return thrown.problem;
  if (thrown instanceof Refused) return refusal(thrown);
  if (thrown instanceof SignInTooWeak) return stepUp();
  if (thrown instanceof KeyNotProved) return keyNotProved(thrown);
  if (thrown instanceof MethodNotAllowed) {
    const { headers } = thrown;
    return { kind: 'method', status: 405, title: 'This address does not support this method', headers };
  }
  if (thrown instanceof UnreadableParams) {
    const { status, message: detail } = thrown;
    return { kind: 'unreadable', status, title: 'The request cannot be read', detail };
  }
  if (thrown instanceof UnstorableValue) return unstorable(thrown);
  const facts = { request_id: request.requestId, err: thrown, path: request.path };
  log().error(facts, 'a request to the management API failed');
  if (thrown instanceof DatabaseUnavailable) {
    const headers = { 'retry-after': '2' };
    return { kind: 'unavailable', status: 503, title: 'The service is not available', headers };
  }
  return { kind: 'server-error', status: 500, title: 'Something went wrong on our side' };
}

/** Response to a missing or invalid DPoP proof (RFC 9449 §7.1, §9). */
function keyNotProved({ challenge }: KeyNotProved): Problem {
  const { error, nonce, algs } = challenge;
  return {
    kind: 'unauthenticated',
    status: 401,
    title: 'A proof of the key of this token is required',
    detail:
      'The token is bound to a key: send it with the DPoP scheme, and a proof of that key for this request.',
    headers: {
      'www-authenticate': `DPoP ${managementParameters()}, algs="${algs}", error="${error}"`,
      ...(nonce === null ? {} : { 'dpop-nonce': nonce }),
    },
  };
}

/**
 * Response for a sign-in that is too weak: the client must send the user to the authorization endpoint (RFC
 * 9470 §3).
 */
function stepUp(): Problem {
  const error = `error="insufficient_user_authentication", acr_values="${acrOfLevel(2)}"`;
  return {
    kind: 'second-factor',
    status: 401,
    title: 'This requires a sign-in with a second factor',
    detail: 'Your role requires a second factor. Request a token with these acr_values.',
    headers: { 'www-authenticate': `${bearerChallenge()}, ${error}` },
  };
}

/** Response to a value that cannot be stored. It names the field, unless the database reported the fault. */
function unstorable({ path, message: detail }: UnstorableValue): Problem {
  const title = 'The request contains data that cannot be stored';
  if (path === null) return { kind: 'unreadable', status: 400, title };
  return {
    kind: 'invalid',
    status: 422,
    title,
    errors: [{ field: path.join('.'), code: 'input.unstorable', detail }],
  };
}

function refusal(refused: Refused): Problem {
  const [status, title] = PROBLEM_KINDS[refused.kind];
  const errors = refused.faults.map(({ field, code, message: detail }) => ({
    field: snake(field),
    code,
    detail,
  }));
  const { kind, code } = refused;
  const problem: Problem = { kind, code, status, title, detail: refused.message, errors };
  if (refused.kind === 'reauthenticate') {
    // challenge of RFC 9470 §3
    const error = `error="insufficient_user_authentication", max_age="${RECENT_SECONDS}"`;
    return { ...problem, headers: { 'www-authenticate': `${bearerChallenge()}, ${error}` } };
  }
  if (refused.retryAfterSeconds !== null) {
    return { ...problem, headers: { 'retry-after': String(refused.retryAfterSeconds) } };
  }
  return problem;
}

// Handling of a request: token, right, input, operation, response.

const PREFIX = '/api/v1';

async function handle(route: Route, request: HttpRequest, params: PathParams): Promise<Answer> {
  const actor = await authenticate(request);
  await requireAny(actor, route.actions);
  requireStorable(params);
  const query = readQuery(request);
  const version = readVersion(route, request);
  const body = await readBodyOf(route, request);
  const result = await route.run({ actor, params, query, body, version });
  const headers: Record<string, string> = {};
  if (result.version !== undefined) headers['etag'] = `"${result.version}"`;
  if (result.address !== undefined) headers['location'] = `${PREFIX}${result.address}`;
  if (route.picture === 'given') return pictureAnswer(result.body as Buffer);
  if (route.answers?.as === 'file') return fileAnswer(result.body as AsyncGenerator<string>);
  if (!route.answers) return empty(204, headers);
  return json(route.creates ? 201 : 200, toWire(result.body), headers);
}

/**
 * Returns the actor of the token in the Authorization header. No other place is accepted (RFC 6750 §2.1, RFC
 * 9449 §7.1).
 */
async function authenticate(request: HttpRequest): Promise<Actor> {
  const header = request.headers['authorization'];
  const problem = { kind: 'unauthenticated', status: 401, title: 'A token of this API is required' };
  if (header === undefined)
    throw new ApiProblem({ ...problem, headers: { 'www-authenticate': bearerChallenge() } });
  const [, scheme = '', token] = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*)$/i.exec(header.trim()) ?? [];
  const actor =
    token === undefined
      ? null
      : await readTokenActor(
          {
            scheme: scheme.toLowerCase() === 'dpop' ? 'dpop' : 'bearer',
            token,
            proof: request.headers['dpop'],
            method: request.method,
            addresses: [`${settings().baseUrl}${request.path}`],
            request,
          },
          factsOf(request),
        );
  if (actor) return actor;
  const detail = 'The token is malformed, expired, revoked, or not for this API.';
  const headers = { 'www-authenticate': `${bearerChallenge()}, error="invalid_token"` };
  throw new ApiProblem({ ...problem, detail, headers });
}

function factsOf(request: HttpRequest) {
  return { id: request.requestId, ip: callerAddress(request, settings().trustProxy) };
}

/**
 * Requires a right to at least one of the actions. `enter` audits that a right is missing. If only the token lacks
 * the scope, the response names the scope (RFC 6750 §3.1).
 */
async function requireAny(actor: Actor, actions: Route['actions']): Promise<void> {
  if (actions.some((action) => mayDo(actor, action))) return;
  await enter(actor, { action: actions }).catch((error: unknown) => {
    const scope = missingScope(actor, ...actions);
    if (scope === null) throw error;
    throw new ApiProblem({
      kind: 'forbidden',
      status: 403,
      title: 'The token lacks a scope',
      detail: `The token does not have the scope ${scope}.`,
      headers: { 'www-authenticate': `${bearerChallenge()}, error="insufficient_scope", scope="${scope}"` },
    });
  });
}

function readQuery(request: HttpRequest): object {
  const { values, repeated } = parseForm(request.query);
  const [twice] = repeated;
  if (twice !== undefined) throw unreadable(`the parameter ${twice.slice(0, 60)} is repeated`);
  return Object.fromEntries(values);
}

/** Reads the version that the caller saw from If-Match (RFC 9110 §13.1.1). */
function readVersion(route: Route, request: HttpRequest): number | undefined {
  const header = request.headers['if-match']?.trim();
  if (header === undefined) {
    if (route.version !== 'required') return undefined;
    const detail =
      'Send the ETag that you read in If-Match, so that you do not overwrite the change of another person.';
    throw new ApiProblem({ kind: 'version-missing', status: 428, title: 'If-Match is missing', detail });
  }
  const version = /^"(\d{1,9})"$/.exec(header)?.[1];
  // a weak tag, or a tag in another format, matches no version
  return version === undefined ? -1 : Number(version);
}

function readBodyOf(route: Route, request: HttpRequest): Promise<unknown> {
  if (route.picture === 'taken') return readPicture(request);
  return route.body ? readJson(request) : Promise.resolve(undefined);
}

/** The bytes determine the format of the picture; the media type is ignored. */
async function readPicture(request: HttpRequest): Promise<Buffer> {
  const bytes = await request.body(MAX_LOGO_BYTES);
  if (bytes === 'too-large')
    throw new ApiProblem({
      kind: 'too-large',
      status: 413,
      title: `The picture is larger than ${MAX_LOGO_BYTES} bytes`,
    });
  return Buffer.from(bytes);
}

function pictureAnswer(body: Buffer): Answer {
  const headers = {
    'content-type': 'image/webp',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return { status: 200, headers, body };
}

function fileAnswer(pieces: AsyncGenerator<string>): Answer {
  const headers = {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  };
  return { status: 200, headers, pieces };
}

async function readJson(request: HttpRequest): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  const bytes = await request.body();
  if (bytes === 'too-large') {
    throw new ApiProblem({ kind: 'too-large', status: 413, title: 'The body is larger than 64 KiB' });
  }
  if (bytes.length === 0) return {};
  if (!/^application\/(merge-patch\+)?json\s*(;|$)/i.test(type)) {
    throw new ApiProblem({ kind: 'media-type', status: 415, title: 'The body must be application/json' });
  }
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw unreadable('the body is not valid JSON');
  }
}

const unreadable = (detail: string) =>
  new ApiProblem({ kind: 'unreadable', status: 400, title: 'The request cannot be read', detail });

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

const documentCache = keepMade<ReturnType<typeof managementDocument>>('management openapi.json', 2);
const document = plainEndpoint({
  pattern: `${PREFIX}/openapi.json`,
  methods: {
    GET: async () =>
      json(
        200,
        documentCache(settings().baseUrl, () => managementDocument(routes)),
      ),
  },
  head: true,
  onError,
});

const match = compileEndpoints([document, ...endpointsOf(routes)]);

/**
 * Runs a route without HTTP, with JSON input and output, for the local command line. Throws the errors of the
 * operation.
 */
export async function callRoute(
  actor: Actor,
  method: Method,
  target: string,
  body: object = {},
): Promise<Record<string, unknown>> {
  const [path = '', query = ''] = target.split('?');
  const routeMatch = match(`${PREFIX}${path}`);
  const route = routes.find(
    (candidate) =>
      candidate.method === method && `${PREFIX}${candidate.path}` === routeMatch?.endpoint.pattern,
  );
  if (!routeMatch || !route) throw new Error(`the management API has no ${method} ${path}`);
  const result = await route.run({
    actor,
    params: routeMatch.params,
    query: Object.fromEntries(new URLSearchParams(query)),
    body: JSON.parse(JSON.stringify(body)),
    version: undefined,
  });
  return toWire(result.body ?? {}) as Record<string, unknown>;
}

/** Returns the response to a request; null: the address does not belong to the management API. */
export async function handleManagementApi(request: HttpRequest): Promise<Answer | null> {
  if (request.path !== PREFIX && !request.path.startsWith(`${PREFIX}/`)) return null;
  const answer = await answerTo(request);
  if (settings().secureCookies) answer.headers['strict-transport-security'] ??= STRICT_TRANSPORT_SECURITY;
  return answer;
}

async function answerTo(request: HttpRequest): Promise<Answer> {
  const routeMatch = match(request.path);
  if (routeMatch) return routeMatch.endpoint.answer(request, routeMatch.params);
  const nothing = new ApiProblem({
    kind: 'not-found',
    status: 404,
    title: 'This address does not exist',
  });
  return problemAnswer(nothing, request);
}
