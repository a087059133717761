// The tables of docs/project/performance.md, from the last published run: `npm run bench -- --publish`.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { GrowthPoint } from './bench/growth.ts';
import { milliseconds, PEER_HEAD, type PeerResults, peerRows } from './bench/peers/table.ts';
import type { Results, Summary } from './bench/report.ts';
import { TITLES } from './bench/targets.ts';

type Published = {
  results: Pick<Results, 'options' | 'memory' | 'hashesPerSecond' | 'commit' | 'pinned'> & {
    at: string;
    machine: string;
    summary: (Omit<Summary, 'toFloor' | 'toProvider'> & Record<'toFloor' | 'toProvider', number | null>)[];
  };
  growth: { at: string; machine: string; points: GrowthPoint[] };
  peers?: PeerResults & { at: string; machine: string };
};

const file = fileURLToPath(new URL('../bench/results.json', import.meta.url));
const published = (): Published => JSON.parse(readFileSync(file, 'utf8'));

const whole = (value: number) => Math.round(value).toLocaleString('en');
const perSecond = (value: number) => `${whole(value)}/s`;
const ratio = (value: number | null) => (value === null ? '' : value.toFixed(2));

/** Returns rows with the date, machine and options of the run. */
export function benchRun(): string[][] {
  const { results, growth, peers } = published();
  const { tokens, clients, callers, rounds, seconds } = results.options;
  const errors = results.summary.reduce((sum, one) => sum + one.errors, 0);
  return [
    ['date', results.at.slice(0, 10)],
    ['commit', `\`${results.commit}\``],
    ['machine', results.machine],
    ['stored refresh tokens, clients', `${whole(tokens)}, ${whole(clients)}`],
    ['callers', whole(callers)],
    ['rounds', `${rounds} of ${seconds} s each`],
    ['cores', results.pinned ? 'the server on one core, PostgreSQL and the callers on the other' : 'shared'],
    ['failed responses', whole(errors)],
    ['argon2id hashes alone', results.hashesPerSecond === null ? '' : perSecond(results.hashesPerSecond)],
    ...Object.entries(results.memory).map(([target, megabytes]) => [
      `memory after the run: ${TITLES[target as keyof typeof TITLES]}`,
      `${whole(megabytes)} MB`,
    ]),
    ...(peers ? [['other products, below', peerRun(peers)]] : []),
    ['growth, below', `${growth.at.slice(0, 10)}, ${growth.machine}`],
  ];
}

/** Returns a row for each kind of request at each server. */
export const benchResults = (): string[][] =>
  published().results.summary.map((one) => [
    one.scenario,
    TITLES[one.target],
    perSecond(one.requestsPerSecond),
    milliseconds(one.p50),
    milliseconds(one.p99),
    milliseconds(one.cpuMs),
    milliseconds(one.databaseCpuMs),
    ratio(one.toFloor),
    ratio(one.toProvider),
  ]);

export const benchGrowth = (): string[][] =>
  published().growth.points.map((one) => [
    whole(one.tokens),
    whole(one.clients),
    whole(one.callers),
    perSecond(one.requestsPerSecond),
    milliseconds(one.p99),
    milliseconds(one.cpuMs),
    milliseconds(one.databaseCpuMs),
  ]);

const peerRun = ({ at, machine, commit, rounds, seconds, runs }: NonNullable<Published['peers']>) => {
  const errors = runs.reduce((sum, run) => sum + run.errors, 0);
  return `${at.slice(0, 10)}, \`${commit}\`, ${machine}, ${rounds} rounds of ${seconds} s, ${whole(errors)} failed responses`;
};

/** Returns a row for each kind of request at each product. */
export function benchPeers(): string[][] {
  const { peers } = published();
  if (peers) return peerRows(peers);
  return [PEER_HEAD.map((_, at) => (at === 0 ? 'not measured yet' : ''))];
}
