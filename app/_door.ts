// The Next door: turns a web Request into the plain request that the core takes, and its answer into a Response.
// No rule of the protocol lives here, and no address is built from the request (its host can be forged).
import { randomUUID } from 'node:crypto';
import { BODY_LIMIT_BYTES, type HttpRequest } from '#lib/http/index.ts';
import { handleManagementApi } from '#lib/management-api/index.ts';
import { handleHttp } from '#lib/oauth/index.ts';

async function handle(request: Request): Promise<Response> {
  const url = new URL(request.url);
  let body: Promise<Uint8Array | 'too-large'> | undefined;
  const plain: HttpRequest = {
    method: request.method,
    path: url.pathname,
    query: url.search.slice(1),
    headers: Object.fromEntries(request.headers),
    body: () => {
      body ??= readBody(request);
      return body;
    },
    // Next knows no socket; the address comes from believed proxies alone
    peerAddress: undefined,
    requestId: randomUUID(),
  };
  const answer = (await handleHttp(plain)) ?? (await handleManagementApi(plain));
  if (!answer) return new Response(null, { status: 404 });
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) {
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one);
  }
  return new Response((answer.body as BodyInit | undefined) ?? null, { status: answer.status, headers });
}

async function readBody(request: Request): Promise<Uint8Array | 'too-large'> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = request.body?.getReader();
  while (reader) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > BODY_LIMIT_BYTES) {
      await reader.cancel();
      return 'too-large';
    }
    chunks.push(value);
  }
  return Buffer.concat(chunks);
}

/** Every method, so that the core answers 405 with its Allow, and HEAD as it wants. */
export {
  handle as DELETE,
  handle as GET,
  handle as HEAD,
  handle as OPTIONS,
  handle as PATCH,
  handle as POST,
  handle as PUT,
};
