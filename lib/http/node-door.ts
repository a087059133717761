// The Node server (the "Node door"), which handles sockets: deadlines, limits, request ids, malformed requests, and a
// shutdown that loses no response. It only transports data; handlers create the response.
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isDraining } from '#lib/kit/process.ts';
import { newRequestId } from '#lib/kit/random.ts';
import { headOf, type Malformed, type MalformedStatus, type Refuse, refuseMalformed } from './malformed.ts';
import { type Answer, BODY_LIMIT_BYTES, giveUpBytes, type HttpRequest } from './message.ts';
import { createServer } from './node-http.ts';
import { UnreadableParams } from './params.ts';
import { ownSockets } from './peer-context.ts';

export type NodeDoor = {
  server: Server;
  /** Serves a connection that another process accepted. Used instead of listening. */
  adopt: (socket: Socket) => void;
  /** Closes this number of connections, each after its next response, so that their clients connect again. */
  shed: (connections: number) => void;
  /** Stops accepting connections, and waits at most `milliseconds` for responses that are in progress. */
  drain: (milliseconds: number) => Promise<void>;
};

export type NodeDoorOptions = {
  /** Returns the response; `null`: `handle` does not serve the address, so the request goes to `otherwise`. */
  handle: (request: HttpRequest) => Promise<Answer | null>;
  otherwise: (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
  /**
   * true for paths whose handler rejects repeated Authorization headers itself; the handler receives all values,
   * joined by commas
   */
  takesAllTokens?: (path: string) => boolean;
  onFault: (error: unknown) => void;
  /** creates the answer to a malformed or slow request */
  onMalformed: (status: MalformedStatus, request: Malformed) => Answer;
  /** milliseconds that replace the default deadlines */
  deadlines?: Partial<typeof DEADLINES>;
};

const DEADLINES = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  // how often Node checks the two timeouts above
  connectionsCheckingInterval: 1_000,
  // longer than proxies keep connections open (60 s in nginx and most balancers), so a proxy never sends a request on
  // a connection that the server is closing
  keepAliveTimeout: 75_000,
};
/** Connections without traffic are closed after this time, even during a response. */
const SILENCE_MS = 120_000;

export function createNodeDoor(options: NodeDoorOptions): NodeDoor {
  const { handle, otherwise, takesAllTokens, onFault, onMalformed, deadlines } = options;
  const refuse: Refuse = (status, head) => {
    const requestId = newRequestId();
    const answer = onMalformed(status, { ...head, requestId });
    Object.assign(answer.headers, { connection: 'close', 'x-request-id': requestId });
    return answer;
  };

  const adopted = new Set<Socket>();
  let toShed = 0;

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    if (isDraining()) outgoing.shouldKeepAlive = false;
    if (toShed > 0) {
      toShed -= 1;
      outgoing.shouldKeepAlive = false;
    }
    const request = readRequest(incoming);
    const repeated = repeatedFields(incoming.rawHeaders);
    const tokens = repeated === 'authorization' && takesAllTokens?.(request.path) === true;
    if (repeated !== null && !tokens) return send(outgoing, refuse(400, headOf(incoming)));
    const answer = await handle(tokens ? withAllTokens(request, incoming) : request);
    if (!answer) return otherwise(incoming, outgoing);
    // the rest of a body that is too large is not read
    if (isDraining() || incoming.isPaused()) outgoing.shouldKeepAlive = false;
    if (answer.pieces) await sendPieces(outgoing, answer, answer.pieces);
    else send(outgoing, answer);
  }

  ownSockets();
  const server = createServer({ ...DEADLINES, ...deadlines }, (incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => {
      if (!hasLeft(incoming)) onFault(error);
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });
  server.timeout = SILENCE_MS;
  // After its first page, Next listens for upgrades and would close each connection whose client offers HTTP/2, as
  // clients in Java do. The server may ignore such an offer (RFC 9110 §7.8).
  server.on('newListener', (event, listener) => {
    if (event === 'upgrade')
      queueMicrotask(() => server.removeListener('upgrade', listener as (...args: unknown[]) => void));
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseMalformed(error, socket, refuse));

  return {
    server,
    adopt: (socket) => {
      // this event makes Node watch the deadlines. Node emits it when a server listens, which a server that
      // only adopts connections never does
      if (adopted.size === 0) server.emit('listening');
      adopted.add(socket);
      socket.once('close', () => adopted.delete(socket));
      // like the sockets of a listening server: a client that has closed its sending half still receives the response
      socket.allowHalfOpen = true;
      server.emit('connection', socket);
    },
    shed: (connections) => {
      toShed = connections;
    },
    drain: async (milliseconds) => {
      const closed = Promise.all([
        new Promise<void>((resolve) => server.close(() => resolve())),
        ...[...adopted].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      ]);
      server.closeIdleConnections();
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, milliseconds).unref());
      await Promise.race([closed, deadline]);
      server.closeAllConnections();
    },
  };
}

/** True if the connection was closed or timed out during the request. Later errors are then not Gatehouse's fault. */
const hasLeft = (incoming: IncomingMessage): boolean => incoming.destroyed && !incoming.complete;

function readRequest(incoming: IncomingMessage): HttpRequest {
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  let body: Promise<Uint8Array | 'too-large'> | undefined;
  return {
    method: incoming.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: incoming.headers as Record<string, string | undefined>,
    body: (limit) => {
      body ??= readNodeBody(incoming, limit);
      return body;
    },
    peerAddress: incoming.socket.remoteAddress,
    requestId: newRequestId(),
  };
}

/**
 * Reads at most 64 KiB unless the handler allows more. Discards the rest of a larger body, up to `giveUpBytes`, so
 * that a client that is still sending receives the response. If the body is even larger, closes the connection.
 */
function readNodeBody(
  incoming: IncomingMessage,
  limit = BODY_LIMIT_BYTES,
): Promise<Uint8Array | 'too-large'> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else if (size > giveUpBytes(limit)) {
        resolve('too-large');
        incoming.pause();
      }
    });
    incoming.on('end', () => {
      if (size > limit) resolve('too-large');
      else resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks));
    });
    // the client has closed the connection
    incoming.on('error', () => reject(new UnreadableParams('the body broke off')));
  });
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  // without a content length, Node would send an empty body in chunks
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (status !== 204 && status !== 304) headers['content-length'] ??= String(length);
  outgoing.writeHead(status, headers);
  outgoing.end(body);
}

async function sendPieces(
  outgoing: ServerResponse,
  { status, headers }: Answer,
  pieces: AsyncGenerator<string>,
): Promise<void> {
  outgoing.writeHead(status, headers);
  try {
    await pipeline(Readable.from(pieces), outgoing);
  } catch (error) {
    // the client has closed the connection
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/**
 * Header fields that must not be repeated. Node uses the first value, but a proxy may have used the second
 * (RFC 9110 §5.3, RFC 9112 §3.2).
 */
const ONCE = ['host', 'authorization', 'content-type'];

/** Names of fields that are repeated, joined by commas; `null`: none. */
function repeatedFields(rawHeaders: readonly string[]): string | null {
  const seen = new Set<string>();
  let repeated: Set<string> | null = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    if (seen.has(name)) {
      repeated ??= new Set();
      repeated.add(name);
    } else if (ONCE.includes(name)) seen.add(name);
  }
  return repeated && [...repeated].join();
}

const withAllTokens = (request: HttpRequest, { headersDistinct }: IncomingMessage): HttpRequest => ({
  ...request,
  headers: { ...request.headers, authorization: headersDistinct['authorization']?.join(', ') },
});
