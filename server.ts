// The Node door behind `npm start`: owns the socket, answers the protocol's addresses by the core itself, and hands
// every other request to Next in the same process.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import next from 'next';
import { type Answer, BODY_LIMIT_BYTES, type HttpRequest } from '#lib/http/index.ts';
import { beginDraining, isDraining, log, setLogLevel } from '#lib/kit/index.ts';
import { ensureManagementApi, settleNotices, startMaintenance } from '#lib/management/index.ts';
import { handleHttp } from '#lib/oauth/index.ts';
import { serveMetrics, startMetrics, startTracing } from '#lib/observability/index.ts';
import { closePool, migrate, start, watchDirectory } from '#lib/store/index.ts';

async function main(): Promise<void> {
  const { settings, stop } = await start();
  setLogLevel(settings.logLevel);
  await migrate(settings.directUrl);
  await ensureManagementApi(undefined, { atStart: true });

  const { port, host } = settings;
  const app = next({ dev: false, port, hostname: 'localhost' });
  const handlePage = app.getRequestHandler();
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (incoming, outgoing) => {
    serve(incoming, outgoing, handlePage).catch((error: unknown) => {
      log().error({ err: error }, 'a request failed outside its handler');
      if (!outgoing.headersSent) outgoing.writeHead(500);
      outgoing.end();
    });
  });

  const stopTracing = await startTracing();
  const stopMetrics =
    settings.metricsPort === null ? null : await serveMetrics(settings.metricsPort, settings.host);
  if (settings.metricsToken !== null) await startMetrics();
  const stopWatching = watchDirectory();
  const stopMaintenance = startMaintenance();
  let ending: Promise<void> | undefined;
  const end = (signal: NodeJS.Signals) => {
    ending ??= (async () => {
      beginDraining();
      stopMaintenance();
      if (signal === 'SIGTERM') await sleep(settings.drainSeconds * 1000);
      const drained = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const left = Math.max(1_000, 9_500 - settings.drainSeconds * 1_000);
      const deadline = new Promise((resolve) => setTimeout(resolve, left).unref());
      await Promise.race([drained, deadline]);
      server.closeAllConnections();
      stopMetrics?.();
      await stopTracing();
      await settleNotices();
      await stopWatching();
      await closePool();
      await stop();
      process.exit(0);
    })();
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch(async (error: NodeJS.ErrnoException) => {
    await stop();
    throw error.code === 'EADDRINUSE' ? new Error(`port ${port} is taken; set PORT to another one`) : error;
  });
  await app.prepare();
  log().info({ address: settings.baseUrl, port }, 'serving');
}

type PageHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

async function serve(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handlePage: PageHandler,
): Promise<void> {
  if (isDraining()) outgoing.setHeader('connection', 'close');
  const target = incoming.url ?? '/';
  const mark = target.indexOf('?');
  let body: Promise<Uint8Array | 'too-large'> | undefined;
  const request: HttpRequest = {
    method: incoming.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? '' : target.slice(mark + 1),
    headers: incoming.headers as Record<string, string | undefined>,
    body: () => {
      body ??= readBody(incoming);
      return body;
    },
    peerAddress: incoming.socket.remoteAddress,
    requestId: randomUUID(),
  };
  const answer = await handleHttp(request);
  if (answer) return send(outgoing, answer);
  await handlePage(incoming, outgoing);
}

function send(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  if (body !== undefined) outgoing.setHeader('content-length', Buffer.byteLength(body));
  outgoing.writeHead(status, headers);
  outgoing.end(body);
}

async function readBody(incoming: IncomingMessage): Promise<Uint8Array | 'too-large'> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    size += chunk.length;
    // the rest is read and thrown away, so that the answer reaches whoever is still sending
    if (size <= BODY_LIMIT_BYTES) chunks.push(chunk);
  }
  return size > BODY_LIMIT_BYTES ? 'too-large' : Buffer.concat(chunks);
}

main().catch((error: unknown) => {
  process.stderr.write(`gatehouse: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
