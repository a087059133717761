// Converts between a web Request and Response and the plain values of the core. No rule of the protocol lives here, and
// no address is built from the request (its host can be forged).
import { after } from 'next/server';
import { foreignHost } from '#lib/http/called-host.ts';
import { type Answer, BODY_LIMIT_BYTES, giveUpBytes, type HttpRequest } from '#lib/http/message.ts';
import { UnreadableParams } from '#lib/http/params.ts';
import { callerAddress } from '#lib/http/peer-address.ts';
import { peerOfThisRequest } from '#lib/http/peer-context.ts';
import { log } from '#lib/kit/log.ts';
import { settleBackground } from '#lib/kit/process.ts';
import { equalDigests, newRequestId, sha256 } from '#lib/kit/random.ts';
import { settings } from '#lib/settings/settings.ts';

/** Of a mail server. */
const PATIENCE_MS = 30_000;

/** Every method, so that the core answers 405 with its Allow, and HEAD as it wants. */
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
    // Next has no socket: the Node door sends the address along; elsewhere it comes from trusted proxies
    peerAddress: peerOfThisRequest(),
    requestId: newRequestId(),
  };
}

/** The facts of a request for the audit log. */
export function requestFacts(request: Pick<HttpRequest, 'headers' | 'peerAddress' | 'requestId'>) {
  return { id: request.requestId, ip: callerAddress(request, settings().trustProxy) };
}

/** The same for the proxy and pages, which have only headers; the proxy sets the request id. */
export function factsOfHeaders(headers: Headers) {
  const requestId = headers.get('x-request-id') ?? '';
  return requestFacts({ headers: Object.fromEntries(headers), peerAddress: peerOfThisRequest(), requestId });
}

export function webResponse(answer: Answer): Response {
  // a host without lasting processes stops them with the answer, unless it is asked to wait
  if (!settings().lasting) after(() => settleBackground(PATIENCE_MS));
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  const body = answer.pieces ? streamOf(answer.pieces) : ((answer.body as BodyInit | undefined) ?? null);
  return new Response(body, { status: answer.status, headers });
}

/** A download that breaks off is no JSON, so that no program takes it for the whole. */
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
 * At most 64 KiB are kept, where the handler takes no more. What is larger is read on for a while and thrown away: with
 * a part of it unread, Next resets the connection, and the next request on it.
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

// Pages and routes of Next are not served at an issuer's own host, which has only the issuer. What answers
// is loaded when a request comes to a host that is neither BASE_URL's nor AUTH_URL's.

/** The issuer's answer; null: the request came to no such host. */
export async function answerAtHost(request: HttpRequest): Promise<Answer | null> {
  if (foreignHost(request.headers) === null) return null;
  const { handleAtHost } = await import('#lib/oauth/endpoints.ts');
  return handleAtHost(request);
}

type Handler = (request: Request) => Response | Promise<Response>;

/** A route handler of ours that is nothing of an issuer's. */
export function besideIssuers(handle: Handler): (request: Request) => Promise<Response> {
  return async (request) => {
    const answered = await answerAtHost(plainRequest(request));
    return answered ? webResponse(answered) : handle(request);
  };
}

// Guards addresses whose caller sends a token of the settings (METRICS_TOKEN, CRON_SECRET).

export const NO_STORE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/** A 401 for a wrong or missing token; null: the token is right. */
export function refuseWithout(token: string | null, request: Request): Response | null {
  const shown = request.headers.get('authorization') ?? '';
  if (token !== null && equalDigests(sha256(shown), sha256(`Bearer ${token}`))) return null;
  const headers = { ...NO_STORE, 'www-authenticate': 'Bearer' };
  return Response.json({ error: 'unauthorized' }, { status: 401, headers });
}
