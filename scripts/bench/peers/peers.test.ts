// Parts of `npm run bench -- --peers` that need no server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { Cookies } from '../client.ts';
import { hydra } from './hydra.ts';
import { javaMajor, keycloak } from './keycloak.ts';
import { Missing } from './peer.ts';
import { isWarm } from './run.ts';
import { PEER_HEAD, type PeerResults, peerRows } from './table.ts';

afterEach(() => vi.unstubAllEnvs());

const figures = (p50: number, requestsPerSecond: number) => ({
  requestsPerSecond,
  p50,
  p95: p50,
  p99: 2 * p50,
  cpuMs: 0.25,
  databaseCpuMs: 0.125,
  requests: 100,
  errors: 0,
  firstError: null,
});

const results: Pick<PeerResults, 'servers' | 'skipped' | 'runs'> = {
  servers: [
    {
      peer: 'keycloak',
      title: 'Keycloak',
      version: '26',
      startMs: 12_340,
      memory: { atRest: 640.4, loaded: 1_234 },
      warmUpSeconds: 90,
    },
  ],
  skipped: [
    { peer: 'keycloak', title: 'Keycloak', scenario: 'introspect', reason: 'rejects\nJWTs' },
    { peer: 'hydra', title: 'Ory Hydra', scenario: null, reason: 'set HYDRA_BIN' },
  ],
  runs: [1, 2, 3].flatMap((round) => [
    { peer: 'keycloak', scenario: 'refresh', callers: 1, round, ...figures(round, 100) },
    { peer: 'keycloak', scenario: 'refresh', callers: 32, round, ...figures(10 * round, 1_000 * round) },
    { peer: 'keycloak', scenario: 'client-credentials', callers: 1, round, ...figures(1, 100) },
    { peer: 'keycloak', scenario: 'client-credentials', callers: 10, round, ...figures(4, 900) },
  ]),
};

test('peers: the table contains medians, fewer callers, and the reason of each skipped request and peer', () => {
  const rows = peerRows(results);
  expect(rows.map((row) => row.length)).toEqual(rows.map(() => PEER_HEAD.length));
  expect(rows.map((row) => row.filter((cell) => cell !== ''))).toEqual([
    [
      'Keycloak 26',
      'refresh',
      '2.00 ms',
      '2,000/s',
      '20 ms',
      '40 ms',
      '0.25 ms',
      '0.13 ms',
      '12.3 s',
      '640 MB',
      '1,234 MB',
    ],
    ['Keycloak', 'authorize and code: not measured'],
    [
      'Keycloak',
      'client credentials (10 callers)',
      '1.00 ms',
      '900/s',
      '4.00 ms',
      '8.00 ms',
      '0.25 ms',
      '0.13 ms',
    ],
    ['Keycloak', 'introspection: rejects JWTs'],
    ['Ory Hydra', 'not measured: set HYDRA_BIN'],
  ]);
});

test.each([
  { rates: [100, 100, 100], warm: false },
  { rates: [100, 180, 250, 255], warm: false },
  { rates: [100, 101, 102, 110], warm: false },
  { rates: [250, 252, 249, 251], warm: true },
  { rates: [100, 250, 240, 251, 249], warm: true },
])('peers: a server with the throughputs $rates is warm: $warm', ({ rates, warm }) => {
  expect(isWarm(rates)).toBe(warm);
});

test.each([
  { output: 'openjdk version "17.0.15" 2025-04-15', major: 17 },
  { output: 'java version "1.8.0_412"', major: 8 },
  { output: 'openjdk version "25" 2025-09-16', major: 25 },
  { output: 'command not found', major: null },
])('peers: the major version of $output is $major', ({ output, major }) => {
  expect(javaMajor(output)).toBe(major);
});

test('peers: a missing program is named with its remedy', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-no-programs-'));
  vi.stubEnv('PATH', folder);
  vi.stubEnv('JAVA_HOME', '');
  vi.stubEnv('HYDRA_BIN', '');
  await expect(keycloak.install()).rejects.toThrow(/Keycloak needs Java: install OpenJDK 17/);
  await expect(hydra.install()).rejects.toThrow(/set HYDRA_BIN/);
  vi.stubEnv('HYDRA_BIN', path.join(folder, 'hydra'));
  await expect(hydra.install()).rejects.toThrow(Missing);
  rmSync(folder, { recursive: true });
});

test('cookies: a browser keeps, replaces and deletes cookies, with "=" in values', () => {
  const browser = new Cookies('a=1; b=2');
  const head =
    'HTTP/1.1 200 OK\r\nSet-Cookie: a=x=; Path=/; HttpOnly\r\nset-cookie: b=; Max-Age=0\r\nSet-Cookie: c=3';
  browser.keep({ status: 200, head, body: '' });
  expect(browser.headers).toEqual({ Cookie: 'a=x=; c=3' });
});
