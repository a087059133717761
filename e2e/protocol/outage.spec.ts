// A database that is gone, or that hangs: never the client's fault, and never a wait without end. It has a service and a
// database of its own.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { ensureEmbeddedDatabase } from '../../lib/store/index.ts';
import { authorizeParams, type Browser, signIn } from '../support/browser.ts';
import { fixtureClient, fixturePerson } from '../support/fixtures.ts';
import { type Answer, send } from '../support/http.ts';
import { freePort, launch, ready, stop } from '../support/service.ts';

test.describe.configure({ mode: 'serial' });

const conf = fixtureClient('conf');
const alice = fixturePerson('alice');
let folder: string;
let undo: () => Promise<void>;
let url: string;
let postmaster: number;

const form = () => ({
  grant_type: 'password',
  client_id: 'tru',
  client_secret: fixtureClient('tru').secret as string,
  username: alice.email,
  password: alice.password,
});
const token = () => send(`${url}/auth/pw/api/orders/token`, { form: form() });
let browser: Browser;
const silent = () => browser.authorize(authorizeParams(conf, { prompt: 'none' }));

/** Everything that may be said while the database cannot be asked. */
function expectOutage(answer: Answer, code: 503 | 302): void {
  if (code === 302 && answer.status === 302) {
    expect(answer.location).toMatch(/[?&]error=(temporarily_unavailable|server_error)&/);
    expect(answer.location).toContain('state=S');
  } else expect(answer.status, answer.text.slice(0, 300)).toBe(503);
  expect(answer.text).not.toMatch(/select |ECONN|postgres|at \w+ \(/i);
}

test.beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-outage-'));
  const database = await ensureEmbeddedDatabase(folder);
  const port = await freePort();
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    DATABASE_URL: database.databaseUrl,
    GATEHOUSE_SECRET: randomBytes(32).toString('base64url'),
    GATEHOUSE_DATA_DIR: folder,
    NODE_ENV: 'production',
    PORT: String(port),
  };
  for (const verb of [['migrate'], ['apply', 'e2e/support/fixtures.yaml']])
    execFileSync('node_modules/.bin/node', ['cli/main.ts', ...verb], { env, stdio: 'ignore' });
  const server = launch('node_modules/.bin/node', ['server.ts'], env, path.join(folder, 'node.log'));
  await ready(port);
  url = `http://localhost:${port}`;
  postmaster = Number(readFileSync(path.join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  undo = async () => {
    await stop(server);
    await database.stop();
    rmSync(folder, { recursive: true, force: true });
  };
});
test.afterAll(() => undo());

/** Every process of the database stands still; its sockets stay open. */
async function whileFrozen(body: () => Promise<void>): Promise<void> {
  const children = execFileSync('ps', ['-o', 'pid=', '--ppid', String(postmaster)], { encoding: 'utf8' });
  const all = [postmaster, ...children.trim().split(/\s+/).map(Number)];
  for (const pid of all) process.kill(pid, 'SIGSTOP');
  try {
    await body();
  } finally {
    for (const pid of all) process.kill(pid, 'SIGCONT');
  }
}

test('SN-05: a database that hangs is answered for, by the service, within its own limit', async () => {
  browser = await signIn({ name: 'node', url }, alice, conf);
  expect((await token()).status).toBe(200);
  await whileFrozen(async () => {
    const [silently, asked, health] = await Promise.all([silent(), token(), send(`${url}/health`)]);
    expectOutage(silently, 302);
    expectOutage(asked, 503);
    expect(asked.json()['error']).toBe('temporarily_unavailable');
    expect(health.status).toBe(200);
  });
  await expect.poll(async () => (await token()).status, { timeout: 10_000 }).toBe(200);
});

test('SN-05: a database that is gone is answered for, and its return needs no restart', async () => {
  process.kill(postmaster, 'SIGKILL');
  await expect.poll(async () => (await send(`${url}/ready`)).status).toBe(503);
  expectOutage(await silent(), 302);
  const asked = await token();
  expectOutage(asked, 503);
  expect(asked.json()['error']).toBe('temporarily_unavailable');
  expect(asked.headers['retry-after']).toBeDefined();
  expect((await send(`${url}/health`)).status).toBe(200);
  await ensureEmbeddedDatabase(folder);
  await expect.poll(async () => (await token()).status, { timeout: 10_000 }).toBe(200);
});
