// One process that serves: alone, or as a worker of a supervisor. Answers the protocol's addresses by the core itself, and hands
// every other request to Next in the same process.
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopAbandonedDatabase } from '#lib/embedded-database/index.ts';
import { createNodeDoor, listenAt, type NodeDoor, withPeer } from '#lib/http/index.ts';
import { beginDraining, log, nameWorker, sharePasswordChecks } from '#lib/kit/index.ts';
import { ensureManagementApi, settleNotices, startMaintenance } from '#lib/management/index.ts';
import { handleManagementApi } from '#lib/management-api/index.ts';
import { handleHttp, malformedRequest, settleLogouts, startBackChannel } from '#lib/oauth/index.ts';
import {
  readMetrics,
  serveMetrics,
  startMetrics,
  startTracing,
  startUsage,
} from '#lib/observability/index.ts';
import { reachWarning, type Settings } from '#lib/settings/index.ts';
import { closePool, migrate, refusePooler, watchRegistry } from '#lib/store/index.ts';
import type { WorkerSide } from '#lib/workers/index.ts';

type PageHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
type Stop = () => unknown;

let sheet: string | undefined;
const styleSheet = () => {
  sheet ??= readFileSync(new URL('public/gatehouse.css', import.meta.url), 'utf8');
  return sheet;
};

/** `stop`: of the embedded database. `worker`: null where this process is alone. */
export async function serve(settings: Settings, stop: Stop, worker: WorkerSide | null): Promise<void> {
  if (worker) {
    nameWorker(worker.number);
    sharePasswordChecks(settings.workers ?? 1);
  }
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
    onMalformed: (status, request) => malformedRequest(status, request, styleSheet()),
  });
  try {
    if (worker === null) await listenAt(door.server, settings.port, settings.host);
    else if (worker.prepares) worker.open(door);
    const warning = worker === null ? reachWarning(settings) : null;
    if (warning !== null) log().warn(warning);
    const stops: Stop[] = [closePool, stop];
    const end = endOf(door, settings, stops, worker);
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
    worker?.whenAbandoned(() => {
      log().error('the supervisor has died: this worker ends');
      // nobody sends more connections
      void end('SIGINT');
    });
    if (worker === null || worker.prepares) {
      await refusePooler(settings);
      await migrate(settings.directUrl);
      await ensureManagementApi(undefined, { atStart: true });
    }
    const [ours, handler] = await Promise.all([startOurs(settings, worker), loadPages(settings)]);
    stops.unshift(...ours);
    pages = handler;
    loading.resolve(handler);
    const begin = () => stops.unshift(startMaintenance(), startBackChannel());
    if (worker === null) begin();
    else {
      // the others answer until now
      if (!worker.prepares) worker.open(door);
      worker.whenOnDuty(begin);
      worker.ready();
    }
  } catch (error) {
    // the embedded database, where it is ours, would outlive us
    await stop();
    throw error;
  }
  log().info({ address: settings.baseUrl, port: settings.port }, 'serving');
}

/** What runs beside the requests in every process; gives the ways to stop it. */
async function startOurs(settings: Settings, worker: WorkerSide | null): Promise<Stop[]> {
  const { metricsPort, metricsHost, metricsToken } = settings;
  const stopTracing = await startTracing();
  if (metricsPort !== null || metricsToken !== null) await startMetrics();
  const isListener = metricsPort !== null && worker === null;
  const stopMetrics = isListener ? await serveMetrics(metricsPort, metricsHost, readMetrics) : () => {};
  return [settleLogouts, stopMetrics, stopTracing, settleNotices, startUsage(), watchRegistry()];
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

/** What a signal does; the first one decides. */
function endOf(door: NodeDoor, settings: Settings, stops: Stop[], worker: WorkerSide | null) {
  const { drainSeconds, dataDir } = settings;
  let isEnding = false;
  return async (signal: NodeJS.Signals): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    beginDraining();
    if (signal === 'SIGTERM') await sleep(drainSeconds * 1_000);
    await worker?.close();
    await door.drain(Math.max(1_000, 9_500 - drainSeconds * 1_000));
    for (const stop of stops) await stop();
    if (worker?.isAbandoned) await stopAbandonedDatabase(dataDir, worker.supervisorPid);
    process.exit(0);
  };
}
