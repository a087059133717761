// Converts the web's Request and Response to plain values of the core. This file contains no protocol rules. It never
// builds an address from the request, because the host of a request can be forged.
import { after } from 'next/server';
import { callerAddress, foreignHost } from '#lib/http/forwarding.ts';
import { type Answer, BODY_LIMIT_BYTES, giveUpBytes, type HttpRequest } from '#lib/http/message.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { peerOfThisRequest } from '#lib/http/peer-context.ts';
import { log } from '#lib/kit/log.ts';
import { settleBackground } from '#lib/kit/process.ts';
import { equalDigests, newRequestId, sha256 } from '#lib/kit/random.ts';
import { settings } from '#lib/settings/settings.ts';

/** Maximum milliseconds to wait for background work, such as sending mails. */
const PATIENCE_MS = 30_000;

/**
 * Creates one route handler for every method, so that the core answers HEAD, and returns 405 with `Allow` for unknown
 * methods.
 */
export function doorTo(handle: (request: HttpRequest) => Promise<Answer | null>) {
  const answer = async (request: Request): Promise<Response> => {
    const answered = await handle(plainRequest(request));
    return answered ? webResponse(answered) : new Response(null, { status: 404 });
  };
  return {
    DELETE: answer,
    GET: answer,
    HEAD: answer,
    OPTIONS: answer,
    PATCH: answer,
    POST: answer,
    PUT: answer,
  };
}

export function plainRequest(request: Request): HttpRequest {
  const url = new URL(request.url);
  let body: Promise<Uint8Array | 'too-large'> | undefined;
  return {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: (limit) => {
      body ??= readBody(request, limit);
      return body;
    },
    // Next has no access to the socket: Gatehouse's Node server passes the address of the caller; on other hosts,
    // trusted proxies send it
    peerAddress: peerOfThisRequest(),
    requestId: newRequestId(),
  };
}

/** Facts about the request, for the audit log. */
export function requestFacts(request: Pick<HttpRequest, 'headers' | 'peerAddress' | 'requestId'>) {
  return { id: request.requestId, ip: callerAddress(request, settings().trustProxy) };
}

/** Facts about the request for the proxy and for pages, which see only headers. The proxy sets the request id. */
export function factsOfHeaders(headers: Headers) {
  const requestId = headers.get('x-request-id') ?? '';
  return requestFacts({ headers: Object.fromEntries(headers), peerAddress: peerOfThisRequest(), requestId });
}

export function webResponse(answer: Answer): Response {
  // a host without long-running processes stops the process after the response, unless `after` registers work to wait
  // for
  if (!settings().lasting) after(() => settleBackground(PATIENCE_MS));
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const headerValue of Array.isArray(value) ? value : [value]) headers.append(name, headerValue);
  }
  const body = answer.pieces ? streamOf(answer.pieces) : ((answer.body as BodyInit | undefined) ?? null);
  return new Response(body, { status: answer.status, headers });
}

/** Encodes the pieces as a stream. An interrupted download is invalid JSON, so programs reject the partial data. */
function streamOf(pieces: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        log().error({ err: error }, 'an answer in pieces broke off');
        controller.error(error);
      }
    },
    async cancel() {
      await pieces.return(undefined);
    },
  });
}

/**
 * Keeps at most 64 KiB of the body, or the limit of the handler. For a while it reads and discards the rest
 * of a larger body, because Next resets a connection with unread data, and the next request on this
 * connection would fail.
 */
async function readBody(request: Request, limit = BODY_LIMIT_BYTES): Promise<Uint8Array | 'too-large'> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read().catch(() => {
      throw new UnreadableParams('the body broke off');
    });
    if (done) break;
    size += value.byteLength;
    if (size <= limit) chunks.push(value);
    else if (size > giveUpBytes(limit)) {
      await reader.cancel();
      break;
    }
  }
  return size > limit ? 'too-large' : Buffer.concat(chunks);
}

// An issuer's separate host serves only the issuer; pages and routes of Next return 404 at this host. The handler is
// loaded on the first request whose host is not the host of BASE_URL or AUTH_URL.

/** The response of the issuer; null: the host is not an issuer's host. */
export async function answerAtHost(request: HttpRequest): Promise<Answer | null> {
  if (foreignHost(request.headers) === null) return null;
  const { handleAtHost } = await import('#lib/oauth/endpoints.ts');
  return handleAtHost(request);
}

type Handler = (request: Request) => Response | Promise<Response>;

/**
 * Wraps the handler of a route that belongs to no issuer. At the host of an issuer, the wrapper returns the issuer's
 * response.
 */
export function besideIssuers(handle: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const answered = await answerAtHost(plainRequest(request));
    return answered ? webResponse(answered) : handle(request);
  };
}

// Protects routes whose callers must send a token from the settings (METRICS_TOKEN, CRON_SECRET).

export const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** Returns a 401 for a wrong or missing token; null if the token is right. */
export function refuseWithout(token: string | null, request: Request): Response | null {
  const authorization = request.headers.get('authorization') ?? '';
  if (token !== null && equalDigests(sha256(authorization), sha256(`Bearer ${token}`))) return null;
  const headers = { ...NO_STORE, 'www-authenticate': 'Bearer' };
  return Response.json({ error: 'unauthorized' }, { status: 401, headers });
}
