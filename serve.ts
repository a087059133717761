// A process that serves requests, alone or as a worker of a supervisor. The core answers requests for protocol
// addresses. Next, in the same process, answers every other request.
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stopAbandonedDatabase } from '#lib/embedded-database/embedded.ts';
import { listenAt } from '#lib/http/listen.ts';
import { type Answer, aliveAnswer, type HttpRequest, json } from '#lib/http/message.ts';
import { createNodeDoor, type NodeDoor } from '#lib/http/node-door.ts';
import { withPeer } from '#lib/http/peer-context.ts';
import { STRICT_TRANSPORT_SECURITY } from '#lib/http/security-headers.ts';
import { log, nameWorker } from '#lib/kit/log.ts';
import { sharePasswordChecks } from '#lib/kit/password-hash.ts';
import { beginDraining, isDraining } from '#lib/kit/process.ts';
import { COMMIT, checkedOutCommit, nameCommit } from '#lib/kit/version.ts';
import { environment, giveNext } from '#lib/settings/environment.ts';
import type { Settings } from '#lib/settings/settings.ts';
import { startWarnings } from '#lib/settings/start-warnings.ts';
import type { WorkerSide } from '#lib/workers/worker-side.ts';
import { endMap } from './core-map.ts';
import { config } from './proxy.ts';

/** Patterns of addresses that the proxy handles: pages, and addresses that do not exist. */
const PAGES = config.matcher.map((matcher) => new RegExp(`^${matcher}$`));

type PageHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;
type Stop = () => unknown;

/** Milliseconds of a pause in loading: long enough to accept a connection, read its request and send the response. */
const LOADING_PAUSE_MS = 10;

/** Milliseconds from readiness to the loading of Next, unless a request for a page arrives earlier. */
const NEXT_DELAY_MS = 1_000;

let sheet: string | undefined;
const styleSheet = () => {
  sheet ??= readFileSync(new URL('public/gatehouse.css', import.meta.url), 'utf8');
  return sheet;
};

/** Starts serving. `stop`: stops the embedded database. `worker`: null without a supervisor. */
export async function serve(settings: Settings, stop: Stop, worker: WorkerSide | null): Promise<void> {
  if (worker) {
    nameWorker(worker.number);
    sharePasswordChecks(settings.workers ?? 1);
  }
  // From this point on, liveness requests are answered. Protocol requests wait until the core is loaded and the
  // database schema is ready, and requests for pages until Next is loaded.
  let core: Core | undefined;
  const prepared = Promise.withResolvers<Core>();
  const pages = Promise.withResolvers<PageHandler>();
  const pageRequested = Promise.withResolvers<void>();
  const door = createNodeDoor({
    handle: async (request) => {
      if (core === undefined && isLivenessCheck(request)) return alive(request, settings);
      // a service that can not show its pages is not ready
      if (request.path === '/ready' && !isDraining()) {
        pageRequested.resolve();
        await pages.promise;
      }
      const { oauth, managementApi } = await (request.path === '/health' ? loadCore() : prepared.promise);
      const answer = (await oauth.handleHttp(request)) ?? (await managementApi.handleManagementApi(request));
      if (answer || !PAGES.some((page) => page.test(request.path))) return answer;
      // answered without Next, which would read the body first, and would print an error if the connection closes
      return oauth.refuseMethodOfPage(request);
    },
    takesAllTokens: (path) => core?.oauth.takesAllTokens(path) ?? false,
    otherwise: async (incoming, outgoing) => {
      pageRequested.resolve();
      const handler = await pages.promise;
      await withPeer(incoming.socket.remoteAddress, () => handler(incoming, outgoing));
    },
    onFault: (error) => log().error({ err: error }, 'a request failed outside its handler'),
    onMalformed: (status, request) =>
      core?.oauth.malformedRequest(status, request, styleSheet()) ?? unreadable(status, request.requestId),
  });
  try {
    if (worker === null) await listenAt(door.server, settings.port, settings.host);
    else if (worker.prepares) worker.open(door);
    if (COMMIT === null) nameCommit(checkedOutCommit(import.meta.dirname));
    const warnings = worker === null ? startWarnings(settings) : [];
    for (const warning of warnings) log().warn(warning);
    const stops: Stop[] = [async () => (await loadCore()).store.closePool(), stop];
    const end = endOf(door, settings, stops, worker);
    process.on('SIGTERM', end);
    process.on('SIGINT', end);
    worker?.whenAbandoned(() => {
      log().error('the supervisor has died: this worker ends');
      // without a supervisor, the process stops, because no more connections arrive
      void end('SIGINT');
    });
    core = await loadCore();
    const { store, management, oauth } = core;
    if (worker === null || worker.prepares) {
      await store.refusePooler(settings);
      await requireBuild();
      await store.migrate(settings.directUrl);
      await management.ensureManagementApi(undefined, { atStart: true });
    }
    stops.unshift(...(await startOurs(core, settings, worker)));
    prepared.resolve(core);
    endMap();
    // the loading of Next blocks the process, so that protocol requests that have waited are answered before
    const delay = worker === null ? NEXT_DELAY_MS : LOADING_PAUSE_MS;
    await Promise.race([pageRequested.promise, sleep(delay, undefined, { ref: false })]);
    if (isDraining()) return;
    pages.resolve(await loadPages(settings));
    if (isDraining()) return;
    const begin = () => stops.unshift(management.startMaintenance(), oauth.startBackChannel());
    if (worker === null) begin();
    else {
      // a worker that prepares the database has opened its port earlier; until this point, the other workers have
      // answered all requests
      if (!worker.prepares) worker.open(door);
      worker.whenOnDuty(begin);
      worker.ready();
    }
  } catch (error) {
    // otherwise an embedded database that this process started would keep running
    await stop();
    throw error;
  }
  log().info({ address: settings.baseUrl, port: settings.port }, 'serving');
}

type Core = Awaited<ReturnType<typeof importCore>>;

let loaded: Promise<Core> | undefined;
const loadCore = () => (loaded ??= importCore());

/** Loads the core in parts (delivery/core.ts), so that liveness requests are answered between two parts. */
async function importCore() {
  await pause();
  const { handleHttp, refuseMethodOfPage, takesAllTokens } = await import('#lib/oauth/endpoints.ts');
  const { malformedRequest } = await import('#lib/oauth/refusals.ts');
  const { settleLogouts, startBackChannel } = await import('#lib/oauth/back-channel.ts');
  const oauth = {
    ...{ handleHttp, malformedRequest, refuseMethodOfPage, takesAllTokens },
    ...{ settleLogouts, startBackChannel },
  };
  const { readMetrics, startMetrics, startUsage } = await import('#lib/observability/metrics.ts');
  const { serveMetrics } = await import('#lib/observability/listener.ts');
  const { startTracing } = await import('#lib/observability/tracing.ts');
  const observability = { readMetrics, serveMetrics, startMetrics, startTracing, startUsage };
  await pause();
  const { handleManagementApi } = await import('#lib/management-api/management-api.ts');
  const managementApi = { handleManagementApi };
  const { ensureManagementApi } = await import('#lib/management/built-in.ts');
  const { startMaintenance } = await import('#lib/management/maintenance.ts');
  const management = { ensureManagementApi, startMaintenance };
  const { closePool } = await import('#lib/store/pool.ts');
  const { migrate } = await import('#lib/store/migrate.ts');
  const { refusePooler } = await import('#lib/store/database.ts');
  const { watchRegistry } = await import('#lib/store/snapshot-watch.ts');
  const store = { closePool, migrate, refusePooler, watchRegistry };
  const { settleNotices } = await import('#lib/mail/send.ts');
  return { store, observability, oauth, management, settleNotices, managementApi };
}

/**
 * Pauses the synchronous loading, because otherwise the process would accept no connection until everything is
 * loaded.
 */
const pause = () => sleep(LOADING_PAUSE_MS);

const isLivenessCheck = ({ method, path }: HttpRequest) => method === 'GET' && path === '/health';

/** Returns the same liveness response as `handleHttp`. */
function alive({ requestId }: HttpRequest, { secureCookies }: Settings): Answer {
  const answer = aliveAnswer();
  const secured = secureCookies ? { 'strict-transport-security': STRICT_TRANSPORT_SECURITY } : {};
  return { ...answer, headers: { ...answer.headers, 'x-request-id': requestId, ...secured } };
}

/** Response to a malformed request while the texts of pages are not loaded yet. */
const unreadable = (status: number, request_id: string): Answer =>
  json(status, {
    error: 'invalid_request',
    error_description: 'The request cannot be read, or took too long.',
    request_id,
  });

/** Starts the background work of every process. Returns the functions that stop it. */
async function startOurs(core: Core, settings: Settings, worker: WorkerSide | null): Promise<Stop[]> {
  const { metricsPort, metricsHost, metricsToken } = settings;
  const { readMetrics, serveMetrics, startMetrics, startTracing, startUsage } = core.observability;
  const stopTracing = await startTracing();
  if (metricsPort !== null || metricsToken !== null) await startMetrics();
  await worker?.shareMetrics();
  const isListener = metricsPort !== null && worker === null;
  const stopMetrics = isListener ? await serveMetrics(metricsPort, metricsHost, readMetrics) : () => {};
  return [
    ...[core.oauth.settleLogouts, stopMetrics, stopTracing, core.settleNotices],
    ...[startUsage(), core.store.watchRegistry()],
  ];
}

/** Loads Next, which takes longer than loading all other code together. */
async function loadPages({ port }: Settings): Promise<PageHandler> {
  if (COMMIT !== null) takeBuiltConfiguration();
  const { default: next } = await import('next');
  const pages = next({ dev: false, port, hostname: 'localhost' });
  const handler = pages.getRequestHandler();
  await pages.prepare();
  return handler;
}

/** Runs before the database is changed, so that a service without a current build changes nothing. */
async function requireBuild(): Promise<void> {
  const isPackaged = COMMIT !== null;
  const built = isPackaged ? '.next' : environment()['GATEHOUSE_DIST_DIR'] || '.next';
  const folder = path.resolve(isPackaged ? import.meta.dirname : '.', built);
  if (!existsSync(path.join(folder, 'BUILD_ID'))) throw new Error(isPackaged ? INCOMPLETE : UNBUILT);
  if (isPackaged) return;
  const { isCoreCurrent, OUTDATED_CORE } = await import('./scripts/core-sources.mjs');
  if (!isCoreCurrent(import.meta.dirname)) throw new Error(OUTDATED_CORE);
}

const UNBUILT = 'the pages are not built: run `npm run build` first';
const INCOMPLETE = 'the pages of this package are missing: install it again';

/**
 * Next uses its configuration as stored by the build, because the installed package does not contain what
 * next.config.mjs imports.
 */
function takeBuiltConfiguration(): void {
  const file = new URL('.next/required-server-files.json', import.meta.url);
  const { config } = JSON.parse(readFileSync(file, 'utf8')) as { config: object };
  giveNext(config);
}

/** Handles signals that stop the process. After the first signal, further signals have no effect. */
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
    for (const stop of [...stops]) await stop();
    if (worker?.isAbandoned) await stopAbandonedDatabase(dataDir, worker.supervisorPid);
    process.exit(0);
  };
}
