// Missing or hanging database: errors never blame the client, requests never wait forever. Uses a separate service and
// database.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { ensureEmbeddedDatabase } from '#lib/embedded-database/embedded.ts';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { send } from '#testing/net/http.ts';
import type { Answer } from '#testing/net/sent.ts';
import { type Browser, signIn } from '#testing/service/browser.ts';
import { type OwnService, startOwnService } from '#testing/service/service.ts';

test.describe.configure({ mode: 'serial' });

const conf = fixtureClient('conf');
const alice = fixturePerson('alice');
let service: OwnService;
let postmaster: number;

const form = () => ({
  grant_type: 'password',
  client_id: 'tru',
  client_secret: fixtureClient('tru').secret as string,
  username: alice.email,
  password: alice.password,
});
const token = () => send(`${service.url}/auth/pw/api/orders/token`, { form: form() });
let browser: Browser;
const silent = () => browser.ask(conf, { prompt: 'none' });

/** Expects a response that is allowed during a database outage. */
function expectOutage(answer: Answer, code: 503 | 302): void {
  if (code === 302 && answer.status === 302) {
    expect(answer.location).toMatch(/[?&]error=(temporarily_unavailable|server_error)&/);
    expect(answer.location).toContain('state=S');
  } else expect(answer.status, answer.text.slice(0, 300)).toBe(503);
  expect(answer.text).not.toMatch(/select |ECONN|postgres|at \w+ \(/i);
}

test.beforeAll(async () => {
  test.setTimeout(90_000);
  service = await startOwnService();
  const { folder } = service;
  postmaster = Number(readFileSync(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
});
test.afterAll(() => service.stop());

/** Runs `body` while every process of the database is paused. The sockets of these processes stay open. */
async function whileFrozen(body: () => Promise<void>): Promise<void> {
  const all = [postmaster];
  const tell = (pid: number, signal: 'SIGSTOP' | 'SIGCONT') => {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // database processes may have ended
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  // the postmaster is first, because it starts new processes
  tell(postmaster, 'SIGSTOP');
  try {
    const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
    all.push(...children.trim().split(/\s+/).map(Number));
    for (const pid of all) tell(pid, 'SIGSTOP');
    await body();
  } finally {
    for (const pid of all) tell(pid, 'SIGCONT');
  }
}

test('SN-05: if the database hangs, the service responds within its time limit', async () => {
  browser = await signIn(service, alice, conf);
  expect((await token()).status).toBe(200);
  await whileFrozen(async () => {
    const [silently, asked, health] = await Promise.all([silent(), token(), send(`${service.url}/health`)]);
    expectOutage(silently, 302);
    expectOutage(asked, 503);
    expect(asked.json()['error']).toBe('temporarily_unavailable');
    expect(health.status).toBe(200);
  });
  await expect.poll(async () => (await token()).status, { timeout: 10_000 }).toBe(200);
});

test('SN-05: if the database is stopped, the service responds, and recovery needs no restart', async () => {
  process.kill(postmaster, 'SIGKILL');
  await expect.poll(async () => (await send(`${service.url}/ready`)).status).toBe(503);
  expectOutage(await silent(), 302);
  const asked = await token();
  expectOutage(asked, 503);
  expect(asked.json()['error']).toBe('temporarily_unavailable');
  expect(asked.headers['retry-after']).toBeDefined();
  expect((await send(`${service.url}/health`)).status).toBe(200);
  await ensureEmbeddedDatabase(service.folder);
  await expect.poll(async () => (await token()).status, { timeout: 10_000 }).toBe(200);
});
