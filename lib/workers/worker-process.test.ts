// A worker as the supervisor sees it: start, liveness, metrics, exit.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '#testing/net/until.ts';
import { type End, WorkerProcess } from './worker-process.ts';

const PROGRAM = `
  process.on('message', ({ kind, id }) => {
    if (kind === 'ping') process.send({ kind: 'pong' });
    if (kind === 'metrics-wanted') process.send({ kind: 'metrics', id, metrics: [{ name: 'of ' + process.argv.slice(2), help: process.execArgv.join(' ') }] });
    if (kind === 'duty') process.exit(7);
  });
  process.send('what Next might say');
  process.send({ kind: 'ready' });`;

let folder: string;
let worker: WorkerProcess;
let ends: End[];
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-workers-'));
  const program = path.join(folder, 'worker.mjs');
  writeFileSync(program, PROGRAM);
  // the worker of the previous test may exit later
  const own: End[] = [];
  ends = own;
  const said: string[] = [];
  worker = new WorkerProcess(
    { program, number: 3, prepares: true, env: { ...process.env }, heapMegabytes: 200 },
    (_, { kind }) => said.push(kind),
    (_, end) => own.push(end),
  );
  expect(await until(() => said.length > 0)).toBe(true);
  expect(said).toEqual(['ready']);
});
afterEach(() => {
  worker.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('a worker process receives its number, the supervisor’s pid and the preparation flag, and returns metrics', async () => {
  expect(await worker.metrics(5_000)).toMatchObject([{ name: `of worker,3,${process.pid},prepare` }]);
});

test('the heap limit of a worker is its share of memory, unless the operator set a limit', async () => {
  const [{ help = '' } = {}] = await worker.metrics(5_000);
  const isOwn = /max.old.space.size/.test(
    `${process.env['NODE_OPTIONS'] ?? ''}${process.execArgv.join(' ')}`,
  );
  expect(help.includes('--max-old-space-size=200')).toBe(!isOwn);
});

test('a responding worker counts as alive, and a hanging worker accumulates unanswered pings and keeps its metrics', async () => {
  const known = await worker.metrics(5_000);
  expect(worker.ask()).toBe(0);
  expect(await until(() => worker.ask() === 0)).toBe(true);
  worker.kill('SIGSTOP');
  await until(() => worker.ask() > 3, { everyMs: 1 });
  expect(worker.ask()).toBeGreaterThan(3);
  expect(await worker.metrics(50)).toBe(known);
});

test('the exit of a worker is reported once, with its status or signal', async () => {
  worker.say({ kind: 'duty' });
  expect(await until(() => ends.length > 0)).toBe(true);
  // messages to a worker that has ended have no effect
  worker.say({ kind: 'duty' });
  expect(await worker.metrics(10)).toEqual([]);
  expect(ends).toEqual([{ code: 7, signal: null }]);
});
