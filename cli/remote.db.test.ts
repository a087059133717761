import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { givenPerson, givenToken } from '#testing/data/registry.ts';
import { givenManagementApi } from '#testing/in-process/management.ts';
import { type Listening, listen, textOf } from '#testing/net/listen.ts';
import { takeRemote } from './service.ts';

const main = path.resolve(import.meta.dirname, 'main.ts');
let server: Listening;
let token: string;

beforeAll(async () => {
  await givenManagementApi();
  token = await givenToken(await givenPerson('admin', 'administrator'));
  const core = createServer(async (incoming, outgoing) => {
    const body = Buffer.from(await textOf(incoming));
    const [target = '', query = ''] = (incoming.url ?? '').split('?');
    const answer = await handleManagementApi({
      method: incoming.method ?? 'GET',
      path: target,
      query,
      headers: incoming.headers as Record<string, string>,
      body: async () => body,
      peerAddress: '127.0.0.1',
      requestId: randomUUID(),
    });
    outgoing.writeHead(answer?.status ?? 404, answer?.headers).end(answer?.body);
  });
  server = await listen(core);
});
afterAll(() => server.close());

/** Runs the command without a database; the remote service does all work. */
function run(
  args: string[],
  { input = '', env = {} }: { input?: string; env?: Record<string, string> } = {},
) {
  const own = {
    NODE_ENV: 'test' as const,
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
    GATEHOUSE_DATA_DIR: path.join(tmpdir(), randomUUID()),
  };
  const where = { GATEHOUSE_SERVER: server.url, GATEHOUSE_TOKEN: token };
  return new Promise<{ status: number; stdout: string; stderr: string }>((resolve) => {
    const options = { encoding: 'utf8', env: { ...own, ...where, ...env } } as const;
    const child = execFile(process.execPath, [main, ...args], options, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

const A_WHILE = 120_000;

it('users, clients and subscriptions of a remote service can be managed', { timeout: A_WHILE }, async () => {
  const created = await run(['user', 'create', 'dev@example.com', '--role', 'developer'], {
    input: 'long-enough-1\n',
  });
  expect(created).toEqual({ status: 0, stdout: 'created dev@example.com\n', stderr: '' });
  expect((await run(['user', 'grant-role', 'dev@example.com', 'approver'])).status).toBe(0);
  expect((await run(['user', 'list'])).stdout).toMatch(/dev@example\.com +- +developer,approver +active/);
  expect((await run(['user', 'disable', 'dev@example.com'])).stdout).toBe('disabled dev@example.com\n');

  const client = [
    'shop',
    '--name',
    'Shop',
    '--type',
    'confidential',
    '--redirect-uri',
    'https://shop.example/cb',
  ];
  expect((await run(['client', 'create', ...client])).stdout).toMatch(/^created shop\nclient_secret: ghcs_/);
  expect((await run(['client', 'rotate-secret', 'shop'])).stdout).toMatch(/^client_secret: ghcs_/);
  expect((await run(['client', 'list'])).stdout).toMatch(/shop +Shop +confidential/);

  const pair = ['shop', 'orders'];
  const asked = await run(['subscription', 'request', ...pair, '--trusted', '--reason', 'please']);
  expect(asked.stdout).toBe('shop to orders: pending\n');
  const own = await run(['subscription', 'approve', ...pair]);
  expect(own.status).toBe(1);
  expect(own.stderr).toContain('another person must approve it');
  expect((await run(['subscription', 'list'])).stdout).toMatch(/shop +orders +pending +trusted/);
  expect((await run(['subscription', 'undo', ...pair])).stderr).toContain('shop');

  const why = ['explain', '--client', 'shop', '--api', 'orders'];
  const waits = await run([...why, '--person', 'admin@example.com']);
  expect(waits.status).toBe(1);
  expect(waits.stdout).toMatch(/subscription +refused +The subscription is pending approval/);
  const { steps } = JSON.parse((await run([...why, '--machine', '--json'])).stdout) as { steps: object[] };
  expect(steps.at(-1)).toMatchObject({ step: 'subscription', ok: false });
  const mine = await run(why);
  expect(mine).toEqual(waits);
});

it('the --json output is identical locally and with --server: names, values, order', {
  timeout: A_WHILE,
}, async () => {
  const { DATABASE_URL = '', GATEHOUSE_SECRET = '' } = process.env;
  for (const list of ['user', 'client', 'subscription']) {
    const there = await run([list, 'list', '--json']);
    const here = await run([list, 'list', '--json'], {
      env: { GATEHOUSE_SERVER: '', GATEHOUSE_TOKEN: '', DATABASE_URL, GATEHOUSE_SECRET },
    });
    expect(here).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(here.stdout)).toEqual(JSON.parse(there.stdout));
    const [first] = JSON.parse(here.stdout) as object[];
    expect(Object.keys(first ?? {}).filter((name) => /[A-Z]/.test(name))).toEqual([]);
    expect(Object.keys(first ?? {}).length).toBeGreaterThan(5);
  }
});

it('lists support ordering and cursors in both directions', { timeout: A_WHILE }, async () => {
  const emails = async (...args: string[]) => {
    const { stdout, stderr, status } = await run(['user', 'list', '--json', ...args]);
    expect(status, stderr).toBe(0);
    const [previous, next] = ['previous', 'next'].map(
      (name) => new RegExp(`^${name} page: (--cursor=.+)$`, 'm').exec(stderr)?.[1],
    );
    return { emails: (JSON.parse(stdout) as { email: string }[]).map(({ email }) => email), previous, next };
  };
  const all = await emails('--order=-name');
  expect(all.emails.length).toBeGreaterThan(1);
  expect((await emails('--order', 'name')).emails).toEqual(all.emails.toReversed());
  const first = await emails('--order=-name', '--limit', '1');
  expect(first).toMatchObject({ emails: all.emails.slice(0, 1), previous: undefined });
  const second = await emails('--order=-name', '--limit', '1', first.next ?? '');
  expect(second.emails).toEqual(all.emails.slice(1, 2));
  expect((await emails('--order=-name', '--limit', '1', second.previous ?? '')).emails).toEqual(first.emails);
  const unknown = await run(['client', 'list', '--order', 'age']);
  expect(unknown).toMatchObject({ status: 1, stdout: '' });
  expect(unknown.stderr).toContain('order must be one of id, -id, name, -name, -created, created');
  const other = await run(['user', 'list', '--order', 'name', first.next ?? '']);
  expect(other.stderr).toContain('is for the order -name, but name was requested');
  const loose = await run(['user', 'list', '--order', '-name']);
  expect(loose).toMatchObject({ status: 2, stdout: '' });
  expect(loose.stderr).toContain('--option=-value');
});

it('a remote error prints one line, and a host-only command is a usage error', {
  timeout: A_WHILE,
}, async () => {
  const wrong = await run(['user', 'list'], { env: { GATEHOUSE_TOKEN: 'nonsense' } });
  expect(wrong).toMatchObject({ status: 1, stdout: '' });
  expect(wrong.stderr.trim().split('\n')).toEqual([
    'The token is malformed, expired, revoked, or not for this API.',
  ]);
  const nowhere = await run(['user', 'list'], { env: { GATEHOUSE_SERVER: 'http://127.0.0.1:1' } });
  expect(nowhere.stderr).toMatch(/^http:\/\/127\.0\.0\.1:1 is not reachable: .+\n$/);
  expect((await run(['keys', 'list', '--server', server.url, '--token', token])).status).toBe(2);
  expect((await run(['subscription', 'revoke', 'shop', 'orders', '--by', 'x@example.com'])).status).toBe(2);
  expect((await run(['user', 'list', '--help'])).stdout).toContain('--server URL --token TOKEN');
});

it('--token requires https or a loopback server', () => {
  expect(() => takeRemote(['--server', 'http://login.example', '--token', 't'], {})).toThrow('https');
  expect(() => takeRemote(['--token', 't'], {})).toThrow('--server');
  expect(takeRemote(['--server=https://login.example/', 'user', 'list'], { GATEHOUSE_TOKEN: 't' })).toEqual({
    rest: ['user', 'list'],
    elsewhere: { server: 'https://login.example', token: 't' },
    asked: true,
  });
  // options take precedence over the environment
  const both = { GATEHOUSE_SERVER: 'https://other.example', GATEHOUSE_TOKEN: 'other' };
  expect(takeRemote(['--server', 'https://login.example', '--token', 't'], both).elsewhere).toEqual({
    server: 'https://login.example',
    token: 't',
  });
  expect(takeRemote([], {}).elsewhere).toEqual({ server: null, token: null });
});
