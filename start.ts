// Starts Gatehouse's Node server for server.ts. If the server may use several cores, this process supervises several
// workers; otherwise it serves requests itself. A worker runs the same program (docs/project/decisions/0027).

import path from 'node:path';
import { start } from '#lib/embedded-database/start.ts';
import { listenAt } from '#lib/http/listen.ts';
import { log, logConsole, setLogLevel } from '#lib/kit/log.ts';
import { environment, takeSecretFiles } from '#lib/settings/environment.ts';
import { startWarnings } from '#lib/settings/start-warnings.ts';
import {
  environmentOfWorkers,
  heapMegabytesOfEach,
  usableMachine,
  workersFor,
} from '#lib/settings/workers.ts';
import { redactCredentials } from '#lib/tokens/credential-text.ts';
import { supervise } from '#lib/workers/supervisor.ts';
import { workerSide } from '#lib/workers/worker-side.ts';

async function main(): Promise<void> {
  logConsole(redactCredentials);
  takeSecretFiles();
  const worker = workerSide();
  const { settings, stop } = await start();
  setLogLevel(settings.logLevel);
  const machine = usableMachine();
  const workers = settings.workers ?? workersFor(machine);
  if (worker !== null || workers === 1) {
    // imported only in a process that serves, because a supervisor needs none of this code
    const { serve } = await import('./serve.ts');
    return serve(settings, stop, worker);
  }
  const { port, host } = settings;
  for (const warning of startWarnings(settings)) log().warn(warning);
  await supervise({
    settings,
    workers,
    // `server.js` in a delivered package, where another program may have imported it
    program: path.join(import.meta.dirname, `server${path.extname(import.meta.filename)}`),
    heapMegabytes: heapMegabytesOfEach(workers, machine),
    env: environmentOfWorkers(environment(), settings, workers),
    listen: (server) => listenAt(server, port, host),
    stop,
  }).catch(async (error) => {
    // the embedded database, where it is ours, would outlive us
    await stop();
    throw error;
  });
}

main().catch(async (error: unknown) => {
  const { whyUnreachable } = await import('#lib/store/pool.ts');
  const unreachable = whyUnreachable(error);
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(
    `gatehouse: ${unreachable === null ? message : `the database is not reachable: ${unreachable}`}\n`,
  );
  process.exit(1);
});
