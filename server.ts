// The Node door behind `npm start`: owns the socket, answers the protocol's addresses by the core itself, and hands
// every other request to Next in the same process.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createNodeDoor, type NodeDoor, withPeer } from '#lib/http/index.ts';
import { beginDraining, log, setLogLevel } from '#lib/kit/index.ts';
import { ensureManagementApi, settleNotices, startMaintenance } from '#lib/management/index.ts';
import { handleManagementApi } from '#lib/management-api/index.ts';
import { handleHttp, malformedRequest, startBackChannel } from '#lib/oauth/index.ts';
import { serveMetrics, startMetrics, startTracing } from '#lib/observability/index.ts';
import { reachWarning, type Settings } from '#lib/settings/index.ts';
import { closePool, migrate, start, watchRegistry, whyUnreachable } from '#lib/store/index.ts';

type PageHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
type Stop = () => unknown;

async function main(): Promise<void> {
  const { settings, stop } = await start();
  setLogLevel(settings.logLevel);

  // Liveness is answered from here on; whatever else comes waits until the schema is there and the pages are loaded.
  let pages: PageHandler | undefined;
  const loading = Promise.withResolvers<PageHandler>();
  const door = createNodeDoor({
    handle: async (request) => {
      if (!pages && request.path !== '/health') await loading.promise;
      return (await handleHttp(request)) ?? handleManagementApi(request);
    },
    otherwise: async (incoming, outgoing) => {
      const handler = pages ?? (await loading.promise);
      await withPeer(incoming.socket.remoteAddress, () => handler(incoming, outgoing));
    },
    onFault: (error) => log().error({ err: error }, 'a request failed outside its handler'),
    onMalformed: malformedRequest,
  });
  try {
    await listen(door, settings);
    const warning = reachWarning(settings);
    if (warning !== null) log().warn(warning);
    const stops: Stop[] = [closePool, stop];
    endOnSignals(door, settings, stops);
    await migrate(settings.directUrl);
    await ensureManagementApi(undefined, { atStart: true });
    const [ours, handler] = await Promise.all([startOurs(settings), loadPages(settings)]);
    stops.unshift(...ours);
    pages = handler;
    loading.resolve(handler);
  } catch (error) {
    // the embedded database, where it is ours, would outlive us
    await stop();
    throw error;
  }
  log().info({ address: settings.baseUrl, port: settings.port }, 'serving');
}

async function listen({ server }: NodeDoor, { port, host }: Settings): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    const why: Record<string, string> = {
      EADDRINUSE: `port ${port} is taken; set PORT to another one`,
      EACCES: `port ${port} is not for this user; set PORT to another one`,
      ENOTFOUND: `HOST ${host} is not an address`,
      EADDRNOTAVAIL: `HOST ${host} is not an address of this machine`,
    };
    throw new Error(why[error.code ?? ''] ?? error.message, { cause: error });
  });
}

/** What runs beside the requests; gives the ways to stop it. */
async function startOurs({ metricsPort, metricsHost, metricsToken }: Settings): Promise<Stop[]> {
  const stopTracing = await startTracing();
  const stopMetrics = metricsPort === null ? () => {} : await serveMetrics(metricsPort, metricsHost);
  if (metricsToken !== null) await startMetrics();
  return [startMaintenance(), startBackChannel(), stopMetrics, stopTracing, settleNotices, watchRegistry()];
}

/** Next takes longer to load than everything else together. */
async function loadPages({ port }: Settings): Promise<PageHandler> {
  const { default: next } = await import('next');
  const pages = next({ dev: false, port, hostname: 'localhost' });
  const handler = pages.getRequestHandler();
  await pages.prepare().catch((error: Error) => {
    const unbuilt = error.message.startsWith('Could not find a production build');
    throw unbuilt ? new Error('the pages are not built: run `npm run build` first', { cause: error }) : error;
  });
  return handler;
}

function endOnSignals(door: NodeDoor, { drainSeconds }: Settings, stops: Stop[]): void {
  let ending: Promise<void> | undefined;
  const end = (signal: NodeJS.Signals) => {
    ending ??= (async () => {
      beginDraining();
      if (signal === 'SIGTERM') await sleep(drainSeconds * 1_000);
      await door.drain(Math.max(1_000, 9_500 - drainSeconds * 1_000));
      for (const stop of stops) await stop();
      process.exit(0);
    })();
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

main().catch((error: unknown) => {
  const unreachable = whyUnreachable(error);
  const said = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    `gatehouse: ${unreachable === null ? said : `the database is not reachable: ${unreachable}`}\n`,
  );
  process.exit(1);
});
