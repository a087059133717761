// The one way out: every call that this service makes to somebody else goes through here. A fetch that calls https and
// public addresses only (unless the policy says otherwise), follows no redirect, and ends: by 5 s, by 64 KiB.
import http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress, namesPrivateHost, publicLookup } from './addresses.ts';
import { readBody } from './body.ts';
import { OutboundFailed } from './failed.ts';

const MAX_MILLISECONDS = 5_000;
const MAX_BYTES = 65_536;

export type OutboundPolicy = {
  /** private addresses and http: may be called */
  allowPrivateNetwork: boolean;
  /** for the whole call, at most 5,000 */
  timeoutMs?: number;
  /** of the decoded body, at most 65,536 */
  maxBytes?: number;
};

export function outboundFetch(policy: OutboundPolicy): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const body = new Uint8Array(await request.arrayBuffer());
    return call(request, body, policy, publicLookup());
  };
}

/** `lookup` is an argument so that a test can show that the socket's own check holds without it. */
export async function call(
  request: Request,
  body: Uint8Array,
  policy: OutboundPolicy,
  lookup: LookupFunction,
): Promise<Response> {
  const url = new URL(request.url);
  const strict = !policy.allowPrivateNetwork;
  if (url.protocol !== 'https:' && (strict || url.protocol !== 'http:')) throw new OutboundFailed('insecure');
  // a name goes through the lookup, an address would not
  if (strict && namesPrivateHost(url)) throw new OutboundFailed('private-address');
  request.signal.throwIfAborted();

  const { promise, resolve, reject } = Promise.withResolvers<Response>();
  const headers = Object.fromEntries(request.headers);
  if (body.length > 0 || request.method === 'POST') headers['content-length'] = String(body.length);
  headers['accept-encoding'] = 'identity';
  headers['user-agent'] ??= 'gatehouse';
  const send = url.protocol === 'https:' ? https.request : http.request;
  // one connection a call: nothing is kept open, and no other policy's connection is used again
  const outgoing = send(url, {
    agent: false,
    method: request.method,
    headers,
    ...(strict ? { lookup } : {}),
  });
  const end = (error: unknown) => {
    reject(error);
    outgoing.destroy();
  };
  const timer = setTimeout(
    () => end(new OutboundFailed('timeout')),
    Math.min(policy.timeoutMs ?? MAX_MILLISECONDS, MAX_MILLISECONDS),
  );
  const aborted = () => end(request.signal.reason);
  request.signal.addEventListener('abort', aborted, { once: true });

  outgoing.on('socket', (socket) =>
    socket.once('connect', () => {
      if (strict && !isPublicAddress(socket.remoteAddress ?? '')) end(new OutboundFailed('private-address'));
    }),
  );
  outgoing.on('error', (error) => end(failed(error)));
  let answered = false;
  outgoing.on('response', (incoming) => {
    answered = true;
    readBody(incoming, Math.min(policy.maxBytes ?? MAX_BYTES, MAX_BYTES))
      .then((bytes) => resolve(answer(incoming, bytes)))
      .catch((error: unknown) => end(failed(error)));
  });
  outgoing.on('close', () => {
    if (!answered) end(new OutboundFailed('unreachable'));
  });
  outgoing.end(body);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    request.signal.removeEventListener('abort', aborted);
    outgoing.destroy();
  }
}

/** A body that does not unpack and a status that is none are nonsense; the rest is the connection's. */
function failed(error: unknown): OutboundFailed {
  if (error instanceof OutboundFailed) return error;
  const nonsense = error instanceof RangeError || String((error as { code?: unknown }).code).startsWith('Z_');
  return new OutboundFailed(nonsense ? 'bad-answer' : 'unreachable', { cause: error });
}

const WITHOUT_BODY = new Set([204, 205, 304]);

function answer(incoming: http.IncomingMessage, bytes: Uint8Array<ArrayBuffer>): Response {
  const status = incoming.statusCode ?? 0;
  const headers = new Headers();
  for (const [name, values] of Object.entries(incoming.headersDistinct)) {
    // the body is decoded by now
    if (name === 'content-encoding' || name === 'content-length') continue;
    for (const value of values ?? []) headers.append(name, value);
  }
  return new Response(WITHOUT_BODY.has(status) ? null : bytes, { status, headers });
}
