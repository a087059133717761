// How costs grow with the number of stored tokens, clients and callers. Only refreshes at the Node server are
// measured.
import { type Measurement, measure } from './measure.ts';
import { pin } from './meters.ts';
import type { Options } from './options.ts';
import { say } from './report.ts';
import { resetScenarios, scenarioFor } from './scenarios.ts';
import { startTarget } from './targets.ts';
import { prepareWorld } from './world.ts';

export type GrowthPoint = { tokens: number; clients: number; callers: number } & Measurement;

const CALLERS = [1, 4, 16, 32, 64, 128, 256];

/**
 * Measures the cost for each number of tokens, clients or callers. `keep` is called after each size with the
 * results so far, because the largest size is slow.
 */
export async function measureGrowth(
  options: Options,
  pinned: boolean,
  keep: (points: GrowthPoint[]) => void,
): Promise<void> {
  const [small, middle, large] =
    options.tokens < 1_000_000 ? [2_000, 10_000, 50_000] : [10_000, 1_000_000, 10_000_000];
  const worlds = [
    { tokens: small, clients: 10, callers: [32] },
    { tokens: middle, clients: 10, callers: CALLERS },
    { tokens: middle, clients: 10_000, callers: [32] },
    { tokens: large, clients: 10, callers: [32] },
  ] as const;
  const points: GrowthPoint[] = [];
  for (const { tokens, clients, callers } of worlds) {
    say(`preparing ${tokens.toLocaleString('en')} tokens, ${clients} clients …`);
    const world = await prepareWorld(options.folder, tokens, clients, false);
    if (pinned) pin(world.postmaster, 1);
    resetScenarios();
    const where = { folder: options.folder, core: pinned ? 0 : null, profile: false };
    const target = await startTarget('node', world, where);
    try {
      const scenario = scenarioFor('refresh', 'node');
      if (!scenario) throw new Error('no refresh');
      // not measured: in the first seconds after a checkpoint, PostgreSQL writes whole pages to its log
      await measure(target, scenario, world, { callers: 32, seconds: options.seconds });
      for (const count of callers) {
        const measured = await measure(target, scenario, world, { callers: count, seconds: options.seconds });
        points.push({ tokens, clients, callers: count, ...measured });
        const { requestsPerSecond, p50, p99, cpuMs, databaseCpuMs, errors } = measured;
        say(
          `${String(tokens).padStart(9)} tokens ${String(clients).padStart(6)} clients ${String(count).padStart(4)} callers ${requestsPerSecond.toFixed(0).padStart(6)}/s  p50 ${p50.toFixed(1)}  p99 ${p99.toFixed(1)} ms  ideal queue ${((count * 1000) / requestsPerSecond).toFixed(1)} ms  CPU ${cpuMs.toFixed(3)} ms  database ${databaseCpuMs.toFixed(3)} ms  ${errors} errors`,
        );
      }
    } finally {
      await target.stop();
      await world.stop();
    }
    keep(points);
  }
}
