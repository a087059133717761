// The five cookies, as they are set by a service behind https.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { environment } from '#lib/settings/environment.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { query } from '#lib/store/pool.ts';
import { startConsoleSession } from './console.ts';
import { rememberDevice } from './known-device.ts';
import { startSession } from './sign-in.ts';
import { openTransaction } from './transaction.ts';
import { trustBrowser } from './trusted-browser.ts';

const before = settings();
const personId = randomUUID();
const browser = {
  cookieHeader: undefined,
  authMethodId: 'local',
  personId,
  personEpoch: '0',
  methodEpoch: null,
  ip: null,
  userAgent: null,
  requestId: randomUUID(),
};
const cookies: Record<string, string> = {};

beforeAll(async () => {
  loadSettings({
    ...environment(),
    DATABASE_URL: before.databaseUrl,
    GATEHOUSE_SECRET: before.secrets.join(','),
    BASE_URL: 'https://login.example',
  });
  await query({ text: 'insert into people (id) values ($1)', values: [personId] });
  await query({
    text: `insert into auth_methods (id, type, name) values ('local', 'local', 'Local')`,
    values: [],
  });
  cookies['sign-in'] = (await startSession(browser))?.cookie ?? '';
  cookies['console'] = (await startConsoleSession(browser))?.cookie ?? '';
  cookies['transaction'] = openTransaction(undefined).cookie;
  cookies['trusted'] = trustBrowser(undefined, personId, 'local')?.cookie ?? '';
  cookies['device'] = rememberDevice(undefined, ['local alice@example.com'], { personId, personEpoch: '1' });
});
afterAll(() => {
  loadSettings({
    ...environment(),
    DATABASE_URL: before.databaseUrl,
    GATEHOUSE_SECRET: before.secrets.join(','),
  });
});

test('SF-08: every cookie has the __Host- prefix, so other hosts of the domain cannot set it', () => {
  for (const cookie of Object.values(cookies)) {
    expect(cookie).toMatch(/^__Host-gatehouse-[a-z-]+=/);
    expect(cookie).toMatch(/; Path=\/(;|$)/);
    expect(cookie).toMatch(/; Secure(;|$)/);
    expect(cookie).toMatch(/; HttpOnly(;|$)/);
    expect(cookie).not.toMatch(/Domain=/i);
  }
  expect(new Set(Object.values(cookies).map((cookie) => cookie.split('=')[0])).size).toBe(5);
});

test('SN-08: cross-site frames receive the sign-in cookie, and never the console cookie', () => {
  expect(cookies['sign-in']).toMatch(/; SameSite=None(;|$)/);
  expect(cookies['sign-in']).not.toMatch(/Partitioned/);
  expect(cookies['console']).toMatch(/; SameSite=Strict(;|$)/);
  expect(cookies['transaction']).toMatch(/; SameSite=Lax(;|$)/);
  expect(cookies['device']).toMatch(/; SameSite=Lax(;|$)/);
});

test('LG-13: a fresh database contains no users: the configuration or the command line creates the first user', async () => {
  const rows = await query({ text: 'select 1 from people where id <> $1', values: [personId] });
  expect(rows).toEqual([]);
});

test('a method with the id "constructor" is valid, and its sign-in replaces no other session', async () => {
  await query({
    text: `insert into auth_methods (id, type, name) values ('constructor', 'local', 'Constructor')`,
    values: [],
  });
  const session = await startSession({ ...browser, authMethodId: 'constructor' });
  expect(session?.cookie).toMatch(/^__Host-gatehouse-sign-in=/);
});
