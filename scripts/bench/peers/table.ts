// The table of peers, for the console and docs/project/performance.md.
import { markdownTable } from '../../markdown-table.ts';
import type { Measurement } from '../measure.ts';
import type { PeerName } from '../options.ts';
import { median } from '../report.ts';
import { PEER_SCENARIOS, type PeerScenario } from './peer.ts';

export type PeerResults = {
  rounds: number;
  seconds: number;
  pinned: boolean;
  commit: string;
  servers: {
    peer: PeerName;
    title: string;
    version: string;
    startMs: number;
    /** megabytes after the start, and after the last round */
    memory: { atRest: number; loaded: number };
    warmUpSeconds: number;
  }[];
  /** `scenario`: null if the whole peer was skipped */
  skipped: { peer: PeerName; title: string; scenario: PeerScenario | null; reason: string }[];
  runs: ({ peer: PeerName; scenario: PeerScenario; callers: number; round: number } & Measurement)[];
};

type Row = string[];
type Figure = 'requestsPerSecond' | 'p50' | 'p99' | 'cpuMs' | 'databaseCpuMs';

export const PEER_HEAD = [
  'server',
  'request',
  'p50, one caller',
  'requests',
  'p50',
  'p99',
  'CPU of the server',
  'CPU of PostgreSQL',
  'start',
  'memory at rest',
  'memory loaded',
];

const REQUESTS: Record<PeerScenario, string> = {
  refresh: 'refresh',
  code: 'authorize and code',
  'client-credentials': 'client credentials',
  introspect: 'introspection',
};

const whole = (value: number) => Math.round(value).toLocaleString('en');
export const milliseconds = (value: number): string => `${value < 10 ? value.toFixed(2) : whole(value)} ms`;

/** Returns a row for each server and request. Skipped requests and peers have a row with the reason. */
export function peerRows(results: Pick<PeerResults, 'servers' | 'skipped' | 'runs'>): Row[] {
  const measured = results.servers.flatMap((server) => {
    const rows = PEER_SCENARIOS.map((scenario) => requestRow(results, server.peer, scenario));
    const own = [
      `${(server.startMs / 1_000).toFixed(1)} s`,
      ...[server.memory.atRest, server.memory.loaded].map((megabytes) => `${whole(megabytes)} MB`),
    ];
    return rows.map((row, at) => [
      at === 0 ? `${server.title} ${server.version}`.trim() : server.title,
      ...row,
      ...(at === 0 ? own : ['', '', '']),
    ]);
  });
  const missing = results.skipped
    .filter(({ scenario }) => scenario === null)
    .map(({ title, reason }) => padRow([title, `not measured: ${oneLine(reason)}`]));
  return [...measured, ...missing];
}

function requestRow(
  { runs, skipped }: Pick<PeerResults, 'skipped' | 'runs'>,
  peer: PeerName,
  scenario: PeerScenario,
): Row {
  const request = REQUESTS[scenario];
  const own = runs.filter((run) => run.peer === peer && run.scenario === scenario);
  const reason = skipped.find((one) => one.peer === peer && one.scenario === scenario)?.reason;
  if (own.length === 0) return [`${request}: ${oneLine(reason ?? 'not measured')}`, '', '', '', '', '', ''];
  const most = Math.max(...own.map(({ callers }) => callers));
  const figure = (callers: number, name: Figure) =>
    median(own.filter((run) => run.callers === callers).map((run) => run[name]));
  const usual = Math.max(...runs.map(({ callers }) => callers));
  return [
    most === usual ? request : `${request} (${most} callers)`,
    milliseconds(figure(1, 'p50')),
    `${whole(figure(most, 'requestsPerSecond'))}/s`,
    ...(['p50', 'p99', 'cpuMs', 'databaseCpuMs'] as const).map((name) => milliseconds(figure(most, name))),
  ];
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
const padRow = (row: Row): Row => [...row, ...PEER_HEAD.slice(row.length).map(() => '')];

export const peerTable = (results: PeerResults): string => markdownTable(PEER_HEAD, peerRows(results));
