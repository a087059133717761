// Counters, and how they reach the table. Each test uses a separate API.
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { setLogLevel } from '#lib/kit/log.ts';
import { settings } from '#lib/settings/settings.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { closePool } from '#lib/store/pool.ts';
import { addUsage, type UsageCount } from '#lib/store/usage.ts';
import { sql } from '#testing/data/registry.ts';
import {
  countCall,
  countRefusal,
  countSignIn,
  countToken,
  readMetrics,
  startMetrics,
  startUsage,
  storeUsage,
  storeUsageIfDue,
} from './metrics.ts';

type Row = { minutes: number; kind: string; what: string; detail: string; n: number };
let apiId: string;

setLogLevel('silent');
beforeEach(() => {
  apiId = randomUUID();
});
afterEach(() => {
  vi.restoreAllMocks();
});

const where = () => ({ apiId, authMethodId: 'pw' });
const rows = (minutes = 60): Promise<Row[]> =>
  sql<Row>(
    `select minutes, kind, what, detail, sum(n)::int as n from usage_counts where api_id = $1 and minutes = $2
     group by 1, 2, 3, 4 order by 2, 3, 4`,
    [apiId, minutes],
  );
const tokens = async () => (await rows()).find(({ kind }) => kind === 'token')?.n ?? 0;

test('usage counts are added to matching five-minute and hour rows', async () => {
  countSignIn(where(), 'succeeded');
  countSignIn(where(), 'succeeded');
  countToken(where(), 'password');
  countRefusal(where(), 'invalid_grant', 'code-used');
  await storeUsage();
  countSignIn(where(), 'succeeded');
  await storeUsage();
  for (const minutes of [5, 60])
    expect(await rows(minutes)).toEqual([
      { minutes, kind: 'refusal', what: 'invalid_grant', detail: 'code-used', n: 1 },
      { minutes, kind: 'sign-in', what: 'succeeded', detail: '', n: 3 },
      { minutes, kind: 'token', what: 'password', detail: '', n: 1 },
    ]);
});

test('a call to a remote service is counted in the bucket of its duration, and the maximum duration is recorded', async () => {
  const methodId = randomUUID();
  countCall(methodId, 'answered', performance.now() - 60);
  countCall(methodId, 'answered', performance.now() - 9_000);
  countCall(methodId, 'failed', performance.now() - 700);
  await storeUsage();
  const found = await sql(
    `select what, detail, sum(n)::int as n, max(longest) >= 9000 as worst from usage_counts
     where auth_method_id = $1 and minutes = 5 group by 1, 2 order by 1, 2`,
    [methodId],
  );
  expect(found).toEqual([
    { what: 'answered', detail: '100', n: 1, worst: false },
    { what: 'answered', detail: 'more', n: 1, worst: true },
    { what: 'failed', detail: '1000', n: 1, worst: false },
  ]);
});

test('if eight processes store usage counts concurrently, none is lost or counted twice', async () => {
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 50; count += 1) {
        countToken(where(), 'password');
        await storeUsage();
      }
    }),
  );
  expect(await tokens()).toBe(400);
});

test('eight concurrent processes add counts to equal rows in any order without deadlock or loss', async () => {
  const at = new Date();
  const one: UsageCount = { at, kind: 'token', what: 'password', detail: '', ...where(), n: 1, longest: 0 };
  const batch = Array.from({ length: 40 }, (_, number) => ({ ...one, detail: String(number) }));
  const added = await Promise.all(
    Array.from({ length: 8 }, (_, number) => addUsage(number % 2 === 0 ? batch : batch.toReversed())),
  );
  expect(added).toEqual(Array.from({ length: 8 }, () => true));
  const [sum] = await sql<{ n: number }>(
    'select sum(n)::int as n from usage_counts where api_id = $1 and minutes = 5',
    [apiId],
  );
  expect(sum?.n).toBe(320);
});

test('usage counts wait during a database outage and are stored once afterwards', async () => {
  const { databaseUrl } = settings();
  countToken(where(), 'password');
  await closePool();
  settings().databaseUrl = 'postgres://nobody@127.0.0.1:1/none';
  await storeUsage();
  countToken(where(), 'password');
  await storeUsage();
  await closePool();
  settings().databaseUrl = databaseUrl;
  await storeUsage();
  await storeUsage();
  expect(await tokens()).toBe(2);
});

test('usage counts are never sent again if their commit is uncertain', async () => {
  const { default: pg } = await import('pg');
  const { query } = pg.Client.prototype;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: unknown, ...asked: unknown[]) {
    const answer = Reflect.apply(query, this, asked) as Promise<unknown>;
    if (asked[0] !== 'commit') return answer as never;
    // the commit succeeds, but its response is lost
    return answer.then(() => Promise.reject(new Error('Connection terminated unexpectedly'))) as never;
  });
  countToken(where(), 'password');
  await storeUsage();
  vi.restoreAllMocks();
  await storeUsage();
  expect(await tokens()).toBe(1);
});

test('a full time bucket still counts in its existing rows, and adds new objects to one row without an id', async () => {
  // a time that other tests do not use
  const at = new Date('2001-01-01T00:00:00Z');
  const one: UsageCount = { at, kind: 'token', what: 'password', detail: '', ...where(), n: 1, longest: 0 };
  await addUsage(Array.from({ length: 1_000 }, (_, number) => ({ ...one, apiId: `full-${number}` })));
  await addUsage([{ ...one, apiId: 'full-7' }, one, { ...one, apiId: 'another' }]);
  const found = await sql<{ id: string; n: number }>(
    `select api_id as id, n::int from usage_counts where minutes = 60 and at = $1
     and (n > 1 or api_id not like 'full-%') order by 1`,
    [at],
  );
  expect(found).toEqual([
    { id: '*', n: 2 },
    { id: 'full-7', n: 2 },
  ]);
});

test('a stopping process stores remaining usage counts, and per-request storage runs at most once a minute', async () => {
  const stop = startUsage();
  expect(startUsage()).toBe(stop);
  countToken(where(), 'password');
  await stop();
  expect(await tokens()).toBe(1);
  countToken(where(), 'password');
  await storeUsageIfDue();
  expect(await tokens()).toBe(1);
  await storeUsage();
});

test('the cleanup deletes usage rows that are older than the displayed period', async () => {
  const add = (minutes: number, ago: string) =>
    sql(
      `insert into usage_counts (minutes, at, kind, what, detail, api_id, auth_method_id, n)
       values ($1, now() - $2::text::interval, 'token', 'password', $2, $3, '', 1)`,
      [minutes, ago, apiId],
    );
  for (const ago of ['2 hours', '4 hours', '7 days', '9 days']) {
    await add(5, ago);
    await add(60, ago);
  }
  await deleteExpired();
  expect((await rows(5)).map(({ detail }) => detail)).toEqual(['2 hours']);
  expect((await rows(60)).map(({ detail }) => detail)).toEqual(['2 hours', '4 hours', '7 days']);
});

test('a process stores a limited number of usage sums, however many APIs are called', async () => {
  for (let count = 0; count < 5_000; count += 1) countToken({ apiId: `${apiId}-${count}` }, 'password');
  await storeUsage();
  const [sum] = await sql<{ rows: number; n: number }>(
    `select count(*)::int as rows, sum(n)::int as n from usage_counts
     where minutes = 5 and at > now() - interval '10 minutes' and (api_id like $1 or api_id = '*') and auth_method_id in ('', '*')`,
    [`${apiId}-%`],
  );
  expect(sum?.rows).toBeLessThanOrEqual(1_002);
  expect(sum?.n).toBe(5_000);
});

test('the metrics name a hundred sign-in methods, and count the others together', async () => {
  await startMetrics();
  for (let count = 0; count < 150; count += 1) countCall(`method-${count}`, 'answered', performance.now());
  const { text } = await readMetrics();
  const of = (name: string) =>
    text.match(new RegExp(`duration_seconds_count\\{auth_method="${name}"`, 'g'))?.length;
  expect((of('[^"]+') ?? 0) <= 101 && of('\\*') === 1).toBe(true);
});
