// One request to the management API: its token, its right, what it carries, its operation, its answer.
import type { Answer, HttpRequest, PathParams } from '#lib/http/message.ts';
import { parseForm } from '#lib/http/params.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { empty, json } from '#lib/http/respond.ts';
import { requireStorable } from '#lib/kit/text/storable.ts';
import { toWire } from '#lib/kit/wire.ts';
import { enter } from '#lib/management/core/operation.ts';
import { type Actor, mayDo, missingScope, ruleOf } from '#lib/management/core/policy.ts';
import { readTokenActor } from '#lib/management/core/token-actor.ts';
import { MAX_LOGO_BYTES } from '#lib/registry/brand/brand.ts';
import { settings } from '#lib/settings/settings.ts';
import { ApiProblem, bearerChallenge } from './problem.ts';
import type { Route } from './route.ts';

export const PREFIX = '/api/v1';

export async function handle(route: Route, request: HttpRequest, params: PathParams): Promise<Answer> {
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
  if (route.inPieces) return fileAnswer(result.body as AsyncGenerator<string>);
  if (!route.answers) return empty(204, headers);
  return json(route.creates ? 201 : 200, toWire(result.body), headers);
}

/** RFC 6750 §2.1, RFC 9449 §7.1: the token comes in the Authorization header, and nowhere else. */
async function authenticate(request: HttpRequest): Promise<Actor> {
  const header = request.headers['authorization'];
  const problem = { kind: 'unauthenticated', status: 401, title: 'A token of this API is needed' };
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
 * A want of right is noted by `enter`; where only the token's scope is missing, the answer names it (RFC 6750 §3.1).
 */
async function requireAny(actor: Actor, actions: Route['actions']): Promise<void> {
  if (actions.some((action) => mayDo(actor, action))) return;
  const near = actions.find((action) => missingScope(actor, action) !== null);
  const action = near ?? actions[0];
  if (action === undefined) throw new Error('a route asks for no right');
  await enter(actor, { action }).catch((error: unknown) => {
    if (near === undefined) throw error;
    const { scope } = ruleOf(near);
    throw new ApiProblem({
      kind: 'forbidden',
      status: 403,
      title: 'The token does not reach so far',
      detail: `It has no scope ${scope}.`,
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

/** RFC 9110 §13.1.1: an edit says which version it saw. */
function readVersion(route: Route, request: HttpRequest): number | undefined {
  const header = request.headers['if-match']?.trim();
  if (header === undefined) {
    if (route.version !== 'required') return undefined;
    const detail = 'Send the ETag that you read in If-Match, so that nobody else’s change is lost.';
    throw new ApiProblem({ kind: 'version-missing', status: 428, title: 'If-Match is missing', detail });
  }
  const version = /^"(\d{1,9})"$/.exec(header)?.[1];
  // a weak or foreign tag matches nothing
  return version === undefined ? -1 : Number(version);
}

function readBodyOf(route: Route, request: HttpRequest): Promise<unknown> {
  if (route.picture === 'taken') return readPicture(request);
  return route.body ? readJson(request) : Promise.resolve(undefined);
}

/** What it is, its bytes say: its media type is not asked. */
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
  new ApiProblem({ kind: 'unreadable', status: 400, title: 'The request can not be read', detail });
