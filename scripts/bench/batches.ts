// Finds the best number of concurrent shared statements of one kind: compares Node servers that differ only in
// DATABASE_BATCHES, in alternation.
import { measure } from './measure.ts';
import { pin } from './meters.ts';
import type { Options } from './options.ts';
import { median, say } from './report.ts';
import { resetScenarios, scenarioFor } from './scenarios.ts';
import { startTarget } from './targets.ts';
import { prepareWorld } from './world.ts';

const NUMBERS = [1, 2, 3, 4, 8];
const CALLERS = [1, 32, 128];

export async function measureBatches(options: Options, pinned: boolean): Promise<void> {
  const { folder, tokens, clients, seconds, rounds } = options;
  say(`preparing ${tokens.toLocaleString('en')} tokens, ${clients} clients …`);
  const world = await prepareWorld(folder, tokens, clients, false);
  if (pinned) pin(world.postmaster, 1);
  resetScenarios();
  const core = pinned ? 0 : null;
  const targets = [];
  try {
    for (const number of NUMBERS) {
      const env = { DATABASE_BATCHES: String(number), DATABASE_POOL_MAX: String(10 + number) };
      targets.push({
        number,
        target: await startTarget('node', world, { folder, core, profile: false, env }),
      });
    }
    const names = options.scenarios.filter(
      (name) => name === 'refresh' || name === 'code' || name === 'authorize',
    );
    for (const name of names) {
      const scenario = scenarioFor(name, 'node');
      for (const callers of CALLERS) {
        const found = new Map<number, { rate: number; p99: number; cpu: number; database: number }[]>();
        for (let round = 0; round < rounds; round += 1) {
          for (const { number, target } of [...targets.slice(round), ...targets.slice(0, round)]) {
            if (!scenario) continue;
            await scenario.prepare?.(world, 7_000 * (seconds + 2), 'node');
            const measured = await measure(target, scenario, world, { callers, seconds });
            if (measured.errors > 0) throw new Error(measured.firstError ?? 'an error');
            const { requestsPerSecond: rate, p99, cpuMs: cpu, databaseCpuMs: database } = measured;
            found.set(number, [...(found.get(number) ?? []), { rate, p99, cpu, database }]);
          }
        }
        for (const [number, all] of found) {
          const of = (key: 'rate' | 'p99' | 'cpu' | 'database') => median(all.map((one) => one[key]));
          say(
            `${name.padEnd(10)} ${String(callers).padStart(4)} callers  ${number} at once  ${of('rate').toFixed(0).padStart(6)}/s  p99 ${of('p99').toFixed(1).padStart(6)} ms  CPU ${of('cpu').toFixed(3)} ms  database ${of('database').toFixed(3)} ms`,
          );
        }
      }
    }
  } finally {
    await Promise.all(targets.map(({ target }) => target.stop()));
    await world.stop();
  }
}
