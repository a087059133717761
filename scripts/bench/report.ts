// Report at the end of a run: medians over rounds, ratios to the floor and to node-oidc-provider.
import { cpus } from 'node:os';
import type { Measurement } from './measure.ts';
import type { Options } from './options.ts';
import { type TargetName, TITLES } from './targets.ts';

export type Run = { scenario: string; target: TargetName; round: number; callers: number } & Measurement;
export type Results = {
  options: Options;
  runs: Run[];
  memory: Record<string, number>;
  start: Record<string, number>;
  hashesPerSecond: number | null;
  pinned: boolean;
  commit: string;
};
export type Summary = Pick<
  Measurement,
  'requestsPerSecond' | 'p50' | 'p95' | 'p99' | 'cpuMs' | 'databaseCpuMs' | 'errors'
> & { scenario: string; target: TargetName; toFloor: number; toProvider: number };

export const machine = () =>
  `${cpus()[0]?.model ?? 'unknown CPU'} × ${cpus().length}, Node ${process.versions.node}`;

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Rotates a list, so that in no two rounds the same element comes first. */
export function rotateList<T>(list: T[], round: number): T[] {
  const at = (round - 1) % Math.max(list.length, 1);
  return [...list.slice(at), ...list.slice(0, at)];
}

const FIGURES = ['requestsPerSecond', 'p50', 'p95', 'p99', 'cpuMs', 'databaseCpuMs'] as const;

/**
 * Computes the medians per scenario and target. `toFloor` is the ratio to the same server's floor: same scenario, or
 * else refresh.
 */
export function summarise(runs: Run[]): Summary[] {
  const groups = Map.groupBy(runs, ({ scenario, target }) => `${scenario} ${target}`);
  const rate = (scenario: string, target: string) =>
    median((groups.get(`${scenario} ${target}`) ?? []).map((run) => run.requestsPerSecond));
  return [...groups.values()].map((group) => {
    const { scenario, target } = group[0] as Run;
    const figures = Object.fromEntries(
      FIGURES.map((name) => [name, median(group.map((run) => run[name]))]),
    ) as Record<(typeof FIGURES)[number], number>;
    const floor = target === 'next' || target === 'floor-next' ? 'floor-next' : 'floor';
    const ownFloor = rate(scenario, floor);
    return {
      scenario,
      target,
      ...figures,
      errors: group.reduce((sum, run) => sum + run.errors, 0),
      toFloor: figures.requestsPerSecond / (Number.isNaN(ownFloor) ? rate('refresh', floor) : ownFloor),
      toProvider: figures.requestsPerSecond / rate(scenario, 'oidc-provider'),
    };
  });
}

const ofServer = (run: Run) => run.cpuMs;
const ofBoth = (run: Run) => run.cpuMs + run.databaseCpuMs;

/** Scenario, reference scenario, maximum CPU ratio, and CPU source. */
export const COMPARED = [
  ['dpop', 'refresh', 1.75, ofServer],
  ['pushed', 'authorize', 1.5, ofServer],
  ['refresh-groups', 'refresh', 1.1, ofBoth],
] as const;

/** Reports CPU ratios. They are computed in each round, because the machine's speed changes between rounds. */
function reportCpu(runs: Run[]): void {
  for (const [scenario, to, most, cpuOf] of COMPARED) {
    const cpu = (name: string, { target, round }: Run) => {
      const same = runs.find((run) => run.scenario === name && run.target === target && run.round === round);
      return same ? cpuOf(same) : NaN;
    };
    const own = runs.filter((run) => run.scenario === scenario && !Number.isNaN(cpu(to, run)));
    for (const [target, rounds] of Map.groupBy(own, (run) => run.target)) {
      const ratio = median(rounds.map((run) => cpuOf(run) / cpu(to, run)));
      const whose = cpuOf === ofBoth ? 'CPU, PostgreSQL’s too,' : 'CPU';
      say(
        `${TITLES[target]}: ${whose} of ${scenario} to ${to}: ${ratio.toFixed(2)} (wanted: at most ${most})`,
      );
    }
  }
}

const LEAST_FORWARD_AUTH = 0.8;

/** Compares forward auth with introspection in each round. Returns true if forward auth is fast enough. */
export function reportForwardAuth(runs: Run[]): boolean {
  const rate = (scenario: string, round: number) =>
    runs.find((run) => run.scenario === scenario && run.round === round)?.requestsPerSecond ?? Number.NaN;
  const rounds = [...new Set(runs.map((run) => run.round))];
  const ratio = median(rounds.map((round) => rate('forward-auth', round) / rate('introspect', round)));
  say(`\nforward auth to introspection: ${ratio.toFixed(2)} (at least ${LEAST_FORWARD_AUTH})`);
  return ratio >= LEAST_FORWARD_AUTH;
}

export const say = (line: string) => void process.stdout.write(`${line}\n`);

export function report(results: Results): void {
  say(
    `\n${machine()}; server on ${results.pinned ? 'one core' : 'any core'}; medians of ${results.options.rounds}\n`,
  );
  say(
    `${'scenario'.padEnd(14)}${'server'.padEnd(27)}${[' req/s', 'p50 ms', 'p95 ms', 'p99 ms', 'CPU ms', '× floor', '× provider'].map((title) => title.padStart(11)).join('')}`,
  );
  for (const one of summarise(results.runs)) {
    const figures = [
      one.requestsPerSecond.toFixed(0),
      ...[one.p50, one.p95, one.p99].map((value) => value.toFixed(1)),
      one.cpuMs.toFixed(3),
      ...[one.toFloor, one.toProvider].map((value) => (Number.isNaN(value) ? '' : value.toFixed(2))),
    ];
    const errors = one.errors > 0 ? `  ${one.errors} errors` : '';
    say(
      `${one.scenario.padEnd(14)}${TITLES[one.target].padEnd(27)}${figures.map((figure) => figure.padStart(11)).join('')}${errors}`,
    );
  }
  reportCpu(results.runs);
  if (results.hashesPerSecond !== null) {
    const hashMs = 1_000 / results.hashesPerSecond;
    say(`\nargon2id alone: ${results.hashesPerSecond.toFixed(1)}/s, ${hashMs.toFixed(1)} ms of CPU each`);
    for (const one of summarise(results.runs).filter(({ scenario }) => scenario === 'sign-in'))
      say(`${TITLES[one.target]}: ${(one.cpuMs - hashMs).toFixed(1)} ms of CPU a sign-in beyond it`);
  }
  say('');
  for (const [name, megabytes] of Object.entries(results.memory)) {
    const start = results.start[name]?.toFixed(0);
    say(
      `${TITLES[name as TargetName].padEnd(27)} ${megabytes.toFixed(0)} MB resident after the load, first answer ${start} ms after its start`,
    );
  }
}
