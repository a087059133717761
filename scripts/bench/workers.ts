// Compares one worker with two workers. All cores are shared with PostgreSQL and the callers. Also measures the
// memory of an idle worker.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Measurement, measure } from './measure.ts';
import { residentOfEach } from './meters.ts';
import type { Options } from './options.ts';
import { median, say } from './report.ts';
import { resetScenarios, scenarioFor } from './scenarios.ts';
import { startTarget, type Target } from './targets.ts';
import { prepareWorld } from './world.ts';

const NUMBERS = [1, 2];
/** Milliseconds to wait until the memory that the start needed has been released. */
const IDLE_MS = 10_000;

export async function measureWorkers(options: Options): Promise<void> {
  const { folder, tokens, clients, callers, rounds, seconds } = options;
  const world = await prepareWorld(folder, tokens, clients, false);
  resetScenarios();
  const targets: { workers: number; target: Target }[] = [];
  try {
    for (const workers of NUMBERS) {
      const env = { GATEHOUSE_WORKERS: String(workers) };
      const target = await startTarget('node', world, { folder, core: null, profile: false, env });
      targets.push({ workers, target });
    }
    await sleep(IDLE_MS);
    for (const { workers, target } of targets) {
      const each = residentOfEach(target.pid).map((megabytes) => `${megabytes.toFixed(0)} MB`);
      say(`${workers} workers, idle: ${each.join(', ')}`);
    }
    const scenario = scenarioFor('refresh', 'node');
    if (!scenario) throw new Error('no refresh');
    const found = new Map<number, Measurement[]>(NUMBERS.map((workers) => [workers, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const { workers, target } of round % 2 === 0 ? targets : targets.toReversed())
        found.get(workers)?.push(await measure(target, scenario, world, { callers, seconds }));
    }
    for (const [workers, all] of found) {
      const of = (key: 'requestsPerSecond' | 'p50' | 'p99' | 'cpuMs' | 'databaseCpuMs') =>
        median(all.map((one) => one[key]));
      const errors = all.reduce((sum, one) => sum + one.errors, 0);
      say(
        `${workers} workers  ${of('requestsPerSecond').toFixed(0).padStart(6)}/s  p50 ${of('p50').toFixed(1)}  p99 ${of('p99').toFixed(1)} ms  CPU ${of('cpuMs').toFixed(3)} ms  database ${of('databaseCpuMs').toFixed(3)} ms  ${errors} errors`,
      );
    }
  } finally {
    await Promise.all(targets.map(({ target }) => target.stop()));
    await world.stop();
  }
}
