// GATEHOUSE_WORKERS: a supervisor with two workers behaves as one service. Real processes and their signals.
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { fixtureApi, fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { attempt, send } from '#testing/net/http.ts';
import { isOk, type Program } from '#testing/net/program.ts';
import { until } from '#testing/net/until.ts';
import { applyFixtures, type OwnDatabase, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { basic, passwordGrant, tokensOf } from '#testing/service/token.ts';
import { isRunning, logLines, runningWorkers } from '#testing/service/workers.ts';

test.describe.configure({ mode: 'serial' });

const TOKEN = 'a-token-that-reads-metrics';
let own: OwnDatabase;
let server: Program;
let door: { url: string };
let log: string;
let metricsPort: number;

test.beforeAll(async () => {
  test.setTimeout(90_000);
  const port = await freePort();
  metricsPort = await freePort();
  door = { url: `http://localhost:${port}` };
  own = await startOwnDatabase({
    BASE_URL: door.url,
    GATEHOUSE_WORKERS: '2',
    DRAIN_SECONDS: '3',
    LOG_LEVEL: 'debug',
    METRICS_PORT: String(metricsPort),
    METRICS_TOKEN: TOKEN,
  });
  applyFixtures(own.env);
  log = path.join(own.folder, 'node.log');
  server = await startDoor('node', port, own);
  expect(await bothServe()).toBe(true);
});
test.afterAll(async () => {
  await server.stop();
  await own.stop();
});

const workers = () => runningWorkers(log);
/** True if two workers are ready. The worker `gone` is not counted, because the log may not show its exit yet. */
const bothServe = (gone?: number) =>
  until(() => workers().length === 2 && workers().every(({ isReady, pid }) => isReady && pid !== gone));
function someWorker(number = 1): number {
  const found = workers().find((worker) => worker.number === number);
  if (!found) throw new Error(`there is no worker ${number}`);
  return found.pid;
}
/** Options of a request with a separate connection. */
const separately = () => ({ agent: new http.Agent({ keepAlive: false }) });
/** Sends a request that is rejected. The log of the worker that responds contains its request id. */
const refuse = (sent = {}) =>
  send(`${door.url}/auth/pw/api/orders/token`, { form: { grant_type: 'x' }, ...sent });

async function workerOf(requestId: string): Promise<number | undefined> {
  let found: number | undefined;
  const isLogged = () => {
    found = logLines(log).find((line) => JSON.stringify(line).includes(requestId))?.worker;
    return found !== undefined;
  };
  await until(isLogged, { seconds: 5 });
  return found;
}

const count = (text: string, name: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
const metrics = async () => (await send(`http://localhost:${metricsPort}/metrics`)).text;
const REFUSED =
  'gatehouse_requests_total\\{endpoint="/auth/:authMethodId/api/:apiId/token",method="POST",status="400",error="[a-z_]+"\\}';

test('both workers serve one port in turn, and accept each other’s tokens', async () => {
  const answered = new Set<number | undefined>();
  for (let turn = 0; turn < 4; turn += 1) {
    const { json } = await refuse(separately());
    answered.add(await workerOf(String(json()['request_id'])));
  }
  expect(answered).toEqual(new Set([1, 2]));
  const given = tokensOf(await passwordGrant(door, fixtureClient('tru'), fixturePerson('alice')));
  const { id, secret } = fixtureApi('orders');
  for (let turn = 0; turn < 4; turn += 1) {
    const answer = await send(`${door.url}/auth/pw/api/orders/introspect`, {
      form: { token: given.accessToken },
      headers: basic(id, secret),
      ...separately(),
    });
    expect(answer.json()).toMatchObject({ active: true });
  }
});

test('/metrics sums both workers, on METRICS_PORT and with METRICS_TOKEN', async () => {
  const before = count(await metrics(), REFUSED);
  for (let turn = 0; turn < 6; turn += 1) await refuse(separately());
  // slow workers (no response within a second) contribute their last known values
  await expect.poll(async () => count(await metrics(), REFUSED)).toBe(before + 6);
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (let turn = 0; turn < 2; turn += 1) {
    const { text } = await send(`${door.url}/metrics`, { headers, ...separately() });
    expect(count(text, REFUSED)).toBe(before + 6);
    expect(count(text, 'gatehouse_workers')).toBe(2);
    expect(text).toMatch(/^process_resident_memory_bytes \d+/m);
  }
});

test('worker: a slow request returns 408, and a half-closed request gets a response', async () => {
  const port = Number(new URL(door.url).port);
  const exchange = (bytes: string, end: boolean) =>
    new Promise<string>((resolve, reject) => {
      const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      let text = '';
      socket.setEncoding('utf8');
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('end', () => resolve(text));
      socket.on('close', () => resolve(text));
      socket.on('error', reject);
      if (end) socket.end(bytes);
      else socket.write(bytes);
    });
  test.setTimeout(40_000);
  expect(await exchange('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n', true)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await exchange('GET /health HTTP/1.1\r\nHost: loc', false)).toMatch(/^HTTP\/1\.1 408 /);
});

test('a killed worker is replaced, the other responds meanwhile, and the counters remain', async () => {
  const before = count(await metrics(), REFUSED);
  for (const number of [1, 2]) {
    const pid = someWorker(number);
    process.kill(pid, 'SIGKILL');
    expect(await until(() => !isRunning(pid))).toBe(true);
    expect((await attempt(`${door.url}/ready`, separately())).status).toBe(200);
    expect(await bothServe(pid)).toBe(true);
  }
  const text = await metrics();
  expect(count(text, REFUSED)).toBe(before);
  expect(count(text, 'gatehouse_workers_replaced_total')).toBe(2);
});

test('a restarted worker receives its share of keep-alive connections', async () => {
  // six of twelve connections must move; a client reaching its old worker again receives another request to reconnect
  const agents = Array.from({ length: 12 }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
  const all = () => Promise.all(agents.map((agent) => refuse({ agent })));
  try {
    await all();
    const pid = someWorker();
    process.kill(pid, 'SIGKILL');
    expect(await until(() => !isRunning(pid))).toBe(true);
    for (const agent of agents) await attempt(`${door.url}/health`, { agent });
    expect(await bothServe(pid)).toBe(true);
    let by: (number | undefined)[] = [];
    const isShared = async () => {
      by = await Promise.all((await all()).map(({ json }) => workerOf(String(json()['request_id']))));
      return [1, 2].every((number) => by.filter((one) => one === number).length >= 5);
    };
    expect(await until(isShared), by.join()).toBe(true);
  } finally {
    for (const agent of agents) agent.destroy();
  }
});

test('a worker drains after SIGTERM and is replaced', async () => {
  const pid = someWorker();
  process.kill(pid, 'SIGTERM');
  expect(await until(() => !isRunning(pid), { seconds: 12 })).toBe(true);
  expect(await bothServe(pid)).toBe(true);
});

test('exactly one worker runs maintenance, and another one takes over after a kill', async () => {
  const DUTY = 'a worker maintains the database';
  const duties = () => logLines(log).filter(({ msg }) => msg === DUTY);
  /**
   * Workers that have completed maintenance since the list was last emptied. An earlier run may have died with its
   * worker.
   */
  const maintained = () => {
    const lines = logLines(log);
    const given = lines.findLastIndex(({ msg }) => msg === DUTY);
    const ends = lines.slice(given).filter(({ msg }) => msg === 'maintenance done');
    return new Set(ends.map(({ worker }) => worker));
  };
  const before = duties();
  expect(before[0]?.worker).toBe(1);
  const on = before.at(-1);
  expect(workers().map(({ pid }) => pid)).toContain(on?.pid);
  if (!on?.pid) throw new Error('nobody maintains');
  process.kill(on.pid, 'SIGKILL');
  expect(await until(() => duties().length === before.length + 1)).toBe(true);
  const next = duties().at(-1);
  expect(next?.worker).not.toBe(on.worker);
  expect(await until(() => maintained().size > 0)).toBe(true);
  expect(await bothServe(on.pid)).toBe(true);
  expect(maintained()).toEqual(new Set([next?.worker]));
  expect(duties()).toHaveLength(before.length + 1);
});

test('SIGTERM drains both workers: /ready returns 503, the port closes, and all processes exit with status 0', async () => {
  const pids = workers().map(({ pid }) => pid);
  expect(pids.every(isRunning)).toBe(true);
  process.kill(server.pid, 'SIGTERM');
  process.kill(server.pid, 'SIGTERM');
  expect(await until(async () => (await attempt(`${door.url}/ready`, separately())).status === 503)).toBe(
    true,
  );
  expect((await attempt(`${door.url}/auth/pw/api/orders/jwks`, separately())).status).toBe(200);
  expect(await until(() => server.hasExited, { seconds: 12 })).toBe(true);
  expect(pids.some(isRunning)).toBe(false);
  expect(await isOk(`${door.url}/health`)).toBe(false);
  expect(server.exitCode).toBe(0);
});
