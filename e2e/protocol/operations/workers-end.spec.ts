// GATEHOUSE_WORKERS with the embedded database: which processes remain after the supervisor, a worker or PostgreSQL
// has ended.
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { freePort } from '#testing/net/free-port.ts';
import { isOk, Program } from '#testing/net/program.ts';
import { until } from '#testing/net/until.ts';
import { isRunning, logLines, runningWorkers } from '#testing/service/workers.ts';

let folder: string;
let alone: Program;
let address: string;
test.beforeEach(async () => {
  test.setTimeout(150_000);
  folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-workers-'));
  const port = await freePort();
  address = `http://localhost:${port}`;
  const none = { DATABASE_URL: '', DIRECT_URL: '', BASE_URL: '', GATEHOUSE_SECRET: '' };
  alone = await new Program({
    command: [process.execPath, 'server.ts'],
    env: {
      ...process.env,
      ...none,
      NODE_ENV: 'production',
      GATEHOUSE_DATA_DIR: folder,
      GATEHOUSE_WORKERS: '2',
      DRAIN_SECONDS: '0',
      PORT: String(port),
    },
    log: path.join(folder, 'log'),
    answers: () => isOk(`${address}/ready`),
  }).start();
  await until(() => runningWorkers(path.join(folder, 'log')).filter(({ isReady }) => isReady).length === 2);
});
test.afterEach(async () => {
  await alone.kill();
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const left = () => {
  const pids = runningWorkers(path.join(folder, 'log')).map(({ pid }) => pid);
  return {
    workers: pids.filter(isRunning).length,
    database: existsSync(path.join(folder, 'postgres', 'postmaster.pid')),
  };
};

test('with workers, every startup line is JSON, including the output of Next', () => {
  const lines = readFileSync(path.join(folder, 'log'), 'utf8').trim().split('\n');
  const others = lines.filter((line) => !line.startsWith('{'));
  expect(others).toEqual([]);
  for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: expect.any(Number) });
  expect(lines.filter((line) => line.includes('next.config.mjs'))).toHaveLength(2);
});

test('a killed supervisor leaves neither workers nor a database', async () => {
  expect(left()).toEqual({ workers: 2, database: true });
  await alone.kill();
  expect(await until(() => left().workers === 0 && !left().database, { seconds: 15 })).toBe(true);
  expect(readFileSync(path.join(folder, 'log'), 'utf8')).toContain('the supervisor has died');
});

test('after the supervisor is killed, the service can restart even while a busy worker is ending', async () => {
  const { port } = new URL(address);
  const lasting = net.connect(Number(port), '127.0.0.1');
  await once(lasting, 'connect');
  lasting.on('error', () => {});
  await alone.kill();
  await alone.start();
  lasting.destroy();
  expect(await isOk(`${address}/ready`)).toBe(true);
});

test('a supervisor that is killed while its first worker starts leaves no process', async () => {
  await alone.stop();
  expect(left()).toEqual({ workers: 0, database: false });
  const starts = () =>
    logLines(path.join(folder, 'log')).filter(({ msg }) => msg === 'a worker starts').length;
  const before = starts();
  alone.spawn();
  expect(await until(() => starts() > before)).toBe(true);
  await alone.kill();
  expect(await until(() => left().workers === 0 && !left().database, { seconds: 15 })).toBe(true);
});

test('SIGINT for the process group, like Ctrl-C, stops everything', async () => {
  const began = performance.now();
  for (const { pid } of runningWorkers(path.join(folder, 'log'))) process.kill(pid, 'SIGINT');
  process.kill(alone.pid, 'SIGINT');
  expect(await until(() => alone.hasExited, { seconds: 10 })).toBe(true);
  // the stop does not wait for the drain delay
  expect(performance.now() - began).toBeLessThan(9_000);
  expect(left()).toEqual({ workers: 0, database: false });
  expect(alone.exitCode).toBe(0);
});
