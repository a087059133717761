// One measurement: a number of callers sends requests to one server for a number of seconds, and every response is
// checked.
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller } from './client.ts';
import { cpuSeconds } from './meters.ts';
import type { Request, Scenario, Walk } from './scenario.ts';
import type { Target } from './targets.ts';
import type { World } from './world.ts';

export type Measurement = {
  requestsPerSecond: number;
  p50: number;
  p95: number;
  p99: number;
  /** CPU time of the server, in milliseconds per request */
  cpuMs: number;
  /** CPU time of PostgreSQL, in milliseconds per request */
  databaseCpuMs: number;
  requests: number;
  errors: number;
  firstError: string | null;
};

const WARM_UP_SECONDS = 1;
/** Maximum wait for the last responses. */
const MAX_WAIT_SECONDS = 10;

export async function measure(
  target: Pick<Target, 'port' | 'pid'>,
  scenario: Scenario<Request | Walk>,
  world: World,
  options: { callers: number; seconds: number; warmUpSeconds?: number },
): Promise<Measurement> {
  const callers = await Promise.all(
    Array.from({ length: options.callers }, () => Caller.connect(target.port)),
  );
  const latencies: number[] = [];
  let errors = 0;
  let firstError: string | null = null;
  let recording = false;
  let running = true;

  const work = async (caller: Caller): Promise<void> => {
    while (running) {
      const asked = scenario.next(world);
      const started = performance.now();
      const answered =
        'walk' in asked ? asked.walk((text) => caller.send(text)) : caller.send(asked.text).then(asked.check);
      const fault = await answered.catch((error: Error) => error.message);
      if (fault !== null) {
        errors += 1;
        firstError ??= fault;
        if (errors > 100) running = false;
      }
      if (recording && running && fault === null) latencies.push(performance.now() - started);
    }
  };

  const all = callers.map(work);
  await seconds(options.warmUpSeconds ?? WARM_UP_SECONDS);
  const before = {
    cpu: cpuSeconds(target.pid),
    database: cpuSeconds(world.postmaster),
    at: performance.now(),
  };
  recording = true;
  await seconds(options.seconds);
  recording = false;
  const elapsed = (performance.now() - before.at) / 1000;
  const cpu = cpuSeconds(target.pid) - before.cpu;
  const database = cpuSeconds(world.postmaster) - before.database;
  running = false;
  // a server whose requests wait for each other never answers: then their connections are closed, which counts as errors
  await Promise.race([Promise.all(all), seconds(MAX_WAIT_SECONDS)]);
  for (const caller of callers) caller.close();
  await Promise.all(all);

  latencies.sort((a, b) => a - b);
  const at = (share: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? NaN;
  return {
    requestsPerSecond: latencies.length / elapsed,
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    cpuMs: (cpu * 1000) / latencies.length,
    databaseCpuMs: (database * 1000) / latencies.length,
    requests: latencies.length,
    errors,
    firstError,
  };
}

const seconds = (count: number) => sleep(count * 1000);
