// Distribution of connections with real processes and sockets: workers that work, die or hang.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '#testing/net/until.ts';
import { Connections } from './supervisor.ts';
import { WorkerProcess } from './worker-process.ts';

/**
 * A worker that writes its number to each connection and keeps the connection open. Its second argument selects
 * further behaviour.
 */
const PROGRAM = `
  const [, number] = process.argv.slice(2);
  let open = 0;
  process.on('message', (message, socket) => {
    if (message.kind === 'ping') process.send({ kind: 'pong' });
    if (message.kind !== 'connection') return;
    if (process.env.MANNERS === 'dies') process.kill(process.pid, 'SIGKILL');
    if (process.env.MANNERS === 'hangs') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    process.send({ kind: 'taken' });
    open += 1;
    socket.on('close', () => process.send({ kind: 'connections', open: --open }));
    socket.on('data', (bytes) => socket.end(number + ' got ' + bytes));
    socket.write(number);
  });
  process.send({ kind: 'open' });`;

let folder: string;
let connections: Connections;
let workers: WorkerProcess[];
let callers: net.Socket[];
beforeEach(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'gatehouse-workers-'));
  writeFileSync(path.join(folder, 'worker.mjs'), PROGRAM);
  connections = new Connections();
  workers = [];
  callers = [];
  await new Promise<void>((resolve) => connections.server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  for (const socket of callers) socket.destroy();
  for (const worker of workers) worker.kill('SIGKILL');
  connections.server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** `over`: resolves when the worker has ended. */
async function worker(number: number, manners = 'takes') {
  const state = { isOpen: false, over: false };
  const launch = {
    program: path.join(folder, 'worker.mjs'),
    number,
    prepares: false,
    heapMegabytes: 200,
    env: { ...process.env, MANNERS: manners },
  };
  const made = new WorkerProcess(
    launch,
    (from, message) => {
      if (message.kind === 'taken') connections.noteTaken(from);
      if (message.kind === 'pong') connections.notePong(from);
      if (message.kind === 'connections') connections.noteConnections(from, message.open);
      if (message.kind !== 'open') return;
      connections.open(from);
      state.isOpen = true;
    },
    (from) => {
      connections.noteExit(from);
      state.over = true;
    },
  );
  workers.push(made);
  expect(await until(() => state.isOpen)).toBe(true);
  return { made, state };
}

/** Opens a connection, and returns the first data that arrives. */
function call(bytes = ''): { socket: net.Socket; first: Promise<string>; all: Promise<string> } {
  const { port } = connections.server.address() as net.AddressInfo;
  const socket = net.connect(port, '127.0.0.1', () => bytes && socket.write(bytes));
  socket.setEncoding('utf8');
  callers.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  const all = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
  return { socket, first: new Promise((resolve) => socket.once('data', resolve)), all };
}

test('a new connection goes to the least loaded worker, round robin among equals', async () => {
  await worker(1);
  await worker(2);
  const calls: Awaited<ReturnType<typeof call>>[] = [];
  const numbers: string[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const one = call();
    calls.push(one);
    numbers.push(await one.first);
  }
  expect(numbers.filter((number) => number === '2')).toHaveLength(3);
  for (const [at, { socket }] of calls.entries()) if (numbers[at] === '2') socket.destroy();
  expect(await until(() => workers[1]?.connections === 0)).toBe(true);
  for (let turn = 0; turn < 3; turn += 1) expect(await call().first).toBe('2');
});

test('a worker with more connections than its share closes connections until it has its share', async () => {
  const { made: first } = await worker(1);
  const calls = Array.from({ length: 5 }, () => call());
  await Promise.all(calls.map((one) => one.first));
  const { made: second } = await worker(2);
  const said: unknown[] = [];
  first.say = (message) => said.push(message);
  second.say = (message) => said.push(['second', message]);
  connections.share();
  // the share of the worker is three of five connections
  expect(said).toEqual([{ kind: 'shed', connections: 2 }]);
  for (const { socket } of calls.slice(0, 2)) socket.destroy();
  expect(await until(() => first.connections === 3)).toBe(true);
  for (let turn = 0; turn < 2; turn += 1) expect(await call().first).toBe('2');
  connections.share();
  expect(said.slice(1)).toEqual([{ kind: 'shed', connections: 0 }]);
  connections.share();
  expect(said).toHaveLength(2);
});

test('a connection that is being sent to a worker is counted, even if the worker reports its count meanwhile', async () => {
  const { made } = await worker(1);
  const kept = call();
  await kept.first;
  made.give = () => {};
  call();
  expect(await until(() => made.connections === 2)).toBe(true);
  kept.socket.destroy();
  expect(await until(() => made.connections === 1)).toBe(true);
});

test('connections in transit to a killed worker reach another worker unharmed', async () => {
  const { state } = await worker(1, 'dies');
  await worker(2);
  const calls = Array.from({ length: 8 }, () => call('hello'));
  const answers = await Promise.all(calls.map(({ all }) => all));
  expect(answers).toEqual(Array(8).fill('22 got hello'));
  expect(state.over).toBe(true);
});

test('a worker that hangs delays one connection, until the worker is killed', async () => {
  const { made } = await worker(1, 'hangs');
  await worker(2);
  const calls = Array.from({ length: 8 }, () => call('hello'));
  let answered = 0;
  for (const { all } of calls) void all.then(() => (answered += 1));
  expect(await until(() => answered === 7)).toBe(true);
  made.kill('SIGKILL');
  expect(await until(() => answered === 8)).toBe(true);
  expect(await Promise.all(calls.map(({ all }) => all))).toEqual(Array(8).fill('22 got hello'));
});

test('a connection that a worker did not receive goes to another worker after the first worker’s next ping response', async () => {
  const { made } = await worker(1);
  // the operating system drops a message that cannot be delivered, for example because the worker has no free file
  // descriptor
  made.give = () => {};
  await worker(2);
  const calls = Array.from({ length: 8 }, () => call('hello'));
  let answered = 0;
  for (const { all } of calls) void all.then(() => (answered += 1));
  expect(await until(() => answered === 7)).toBe(true);
  expect(made.connections).toBe(1);
  connections.notePing(made);
  made.ask();
  expect(await until(() => answered === 8)).toBe(true);
  expect(made.connections).toBe(0);
  expect(await Promise.all(calls.map(({ all }) => all))).toEqual(Array(8).fill('22 got hello'));
});

test('new connections wait while no worker runs', async () => {
  const waiting = call('early');
  await worker(1);
  expect(await waiting.all).toBe('11 got early');
});

test('if no worker accepts connections, the port closes and waiting connections are closed', async () => {
  const { made } = await worker(1);
  expect(await call().first).toBe('1');
  connections.stopWhenNobodyTakes();
  expect(connections.server.listening).toBe(true);
  connections.close(made);
  const waiting = call();
  await new Promise((resolve) => waiting.socket.once('connect', resolve));
  await until(() => false, { seconds: 0.1 });
  connections.stopWhenNobodyTakes();
  expect(await waiting.all).toBe('');
  expect(connections.server.listening).toBe(false);
});
