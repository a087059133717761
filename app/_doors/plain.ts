// Converts web Request and Response to plain core values. Contains no protocol rules, and never builds addresses from
// the request, whose host can be forged.
import { after } from 'next/server';
import { callerAddress, foreignHost } from '#lib/http/forwarding.ts';
import { type Answer, BODY_LIMIT_BYTES, giveUpBytes, type HttpRequest } from '#lib/http/message.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { peerOfThisRequest } from '#lib/http/peer-context.ts';
import { log } from '#lib/kit/log.ts';
import { settleBackground } from '#lib/kit/process.ts';
import { equalDigests, newRequestId, sha256 } from '#lib/kit/random.ts';
import { settings } from '#lib/settings/settings.ts';

/** Of a mail server. */
const PATIENCE_MS = 30_000;

/** Handles every method, so the core answers 405 with Allow, and HEAD. */
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
    // Next has no socket: the Node door passes the address; on other hosts it comes from trusted proxies
    peerAddress: peerOfThisRequest(),
    requestId: newRequestId(),
  };
}

/** Request facts for the audit log. */
export function requestFacts(request: Pick<HttpRequest, 'headers' | 'peerAddress' | 'requestId'>) {
  return { id: request.requestId, ip: callerAddress(request, settings().trustProxy) };
}

/** Request facts for proxy and pages, which only see headers; the proxy sets the request id. */
export function factsOfHeaders(headers: Headers) {
  const requestId = headers.get('x-request-id') ?? '';
  return requestFacts({ headers: Object.fromEntries(headers), peerAddress: peerOfThisRequest(), requestId });
}

export function webResponse(answer: Answer): Response {
  // hosts without long-running processes stop them after the response, unless `after` waits
  if (!settings().lasting) after(() => settleBackground(PATIENCE_MS));
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  const body = answer.pieces ? streamOf(answer.pieces) : ((answer.body as BodyInit | undefined) ?? null);
  return new Response(body, { status: answer.status, headers });
}

/** An interrupted download is invalid JSON, so that programs reject the partial data. */
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
 * Keeps at most 64 KiB, or the handler's limit. Reads and discards larger bodies for a while: unread data makes Next
 * reset the connection, including its next request.
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

// Next pages and routes are not served at an issuer's separate host, which serves only the issuer. The handler is
// loaded on the first request for a host other than BASE_URL's or AUTH_URL's.

/** Issuer response; null: no issuer host. */
export async function answerAtHost(request: HttpRequest): Promise<Answer | null> {
  if (foreignHost(request.headers) === null) return null;
  const { handleAtHost } = await import('#lib/oauth/endpoints.ts');
  return handleAtHost(request);
}

type Handler = (request: Request) => Response | Promise<Response>;

/** Wraps a route handler unrelated to issuers. */
export function besideIssuers(handle: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const answered = await answerAtHost(plainRequest(request));
    return answered ? webResponse(answered) : handle(request);
  };
}

// Protects addresses whose caller must send a token from the settings (METRICS_TOKEN, CRON_SECRET).

export const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** A 401 for a wrong or missing token; null: the token is right. */
export function refuseWithout(token: string | null, request: Request): Response | null {
  const shown = request.headers.get('authorization') ?? '';
  if (token !== null && equalDigests(sha256(shown), sha256(`Bearer ${token}`))) return null;
  const headers = { ...NO_STORE, 'www-authenticate': 'Bearer' };
  return Response.json({ error: 'unauthorized' }, { status: 401, headers });
}
