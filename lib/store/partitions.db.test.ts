// Partitions of the audit log and of refused requests: created ahead and dropped by age, without blocking other
// statements.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { sqlOn, withClient } from '#testing/data/sql.ts';
import { until } from '#testing/net/until.ts';
import { deleteExpired } from './cleanup.ts';

const databaseUrl = process.env['DATABASE_URL'] as string;
const sql = sqlOn(databaseUrl);
const PARENTS = ['audit_events', 'refused_requests'] as const;
const retention = settings().auditRetentionDays;

type Leaf = { leaf: string; since: Date | null; until: Date | null };
const leavesOf = (parent: string) =>
  sql<Leaf>('select leaf::text, since, until from partitions_of($1) order by since nulls first', [parent]);
/** Dated partitions. The default partition and the oldest partition have no start. */
const rangesOf = async (parent: string) => (await leavesOf(parent)).filter(({ since }) => since !== null);
/** Returns the partitions that contain rows of this event. */
const placesOf = async (event: string) =>
  (
    await sql<{ leaf: string }>(
      'select distinct tableoid::regclass::text as leaf from audit_events where event = $1 order by 1',
      [event],
    )
  ).map(({ leaf }) => leaf);
const insert = (event: string, at: string) =>
  sql(`insert into audit_events (event, at) values ($1, ${at})`, [event]);

async function withoutPartitions(): Promise<void> {
  for (const parent of PARENTS)
    for (const { leaf } of await rangesOf(parent)) await sql(`drop table ${leaf}`);
}

beforeEach(async () => {
  await withoutPartitions();
  await sql('truncate audit_events, refused_requests');
});
afterEach(() => {
  settings().auditRetentionDays = retention;
});

test('a maintenance run creates partitions without gaps for eight weeks, and the next run creates none', async () => {
  await deleteExpired();
  for (const parent of PARENTS) {
    const ranges = await rangesOf(parent);
    const [{ today, ahead } = { today: new Date(), ahead: new Date() }] = await sql<
      Record<'today' | 'ahead', Date>
    >("select date_trunc('day', now(), 'UTC') as today, now() + interval '8 weeks' as ahead");
    expect(ranges[0]?.since).toEqual(today);
    expect(ranges.slice(1).map(({ since }) => since)).toEqual(ranges.slice(0, -1).map(({ until }) => until));
    expect(ranges.at(-1)?.until?.getTime()).toBeGreaterThanOrEqual(ahead.getTime());
  }
  const made = await leavesOf('audit_events');
  await deleteExpired();
  expect(await leavesOf('audit_events')).toEqual(made);
});

test('eight concurrent instances create each partition once without errors', async () => {
  const turns = await Promise.all(Array.from({ length: 8 }, () => deleteExpired()));
  expect(turns.map(({ done }) => done)).toEqual(turns.map(() => true));
  for (const parent of PARENTS) {
    const ranges = await rangesOf(parent);
    expect(ranges.length).toBeGreaterThan(1);
    expect(new Set(ranges.map(({ since }) => since?.getTime())).size).toBe(ranges.length);
  }
});

test('rows without a matching partition stay in the default partition permanently', async () => {
  // a fixed noon, because the day may end during the test
  const [{ noon } = { noon: '' }] = await sql<{ noon: string }>(
    "select (date_trunc('day', now(), 'UTC') + interval '12 hours')::text as noon",
  );
  const from = (after: string) => `timestamptz '${noon}' + interval '${after}'`;
  for (const after of ['0 days', '-3 days', '20 days', '9 years']) await insert('key.created', from(after));
  expect(await placesOf('key.created')).toEqual(['audit_events_default']);
  // attaching reads the default partition, so each run attaches one partition
  const before = (await rangesOf('audit_events')).length;
  await deleteExpired();
  expect((await rangesOf('audit_events')).length).toBe(before + 1);
  for (let turn = 0; turn < 12; turn += 1) await deleteExpired();
  expect(await placesOf('key.created')).toEqual(['audit_events_default']);
  // today and the day with rows use the default partition; every other day has its partition
  await insert('key.retired', from('1 day'));
  await insert('key.retired', from('19 days'));
  await insert('key.retired', from('21 days'));
  expect(await placesOf('key.retired')).not.toContain('audit_events_default');
  expect(await sql('select 1 from audit_events')).toHaveLength(7);
});

test('after a month without maintenance, expired rows are deleted individually', async () => {
  settings().auditRetentionDays = 7;
  for (let day = 0; day < 30; day += 1) await insert('key.created', `now() - interval '${day} days'`);
  expect((await deleteExpired()).deleted['audit_events']).toBe(23);
  expect(await sql('select 1 from audit_events')).toHaveLength(7);
});

test('a partition is dropped after its newest day expires, and not earlier', async () => {
  settings().auditRetentionDays = 30;
  // weekly partitions for the last forty days: one ended more than thirty days ago
  await sql("select extend_partitions('audit_events', interval '1 week', now() - interval '40 days')");
  const [oldest] = await rangesOf('audit_events');
  for (const day of [40, 34, 33, 31, 29, 1]) await insert('key.created', `now() - interval '${day} days'`);
  const { deleted } = await deleteExpired();
  expect(deleted['audit_events']).toBe(0);
  expect((await leavesOf('audit_events')).map(({ leaf }) => leaf)).not.toContain(oldest?.leaf);
  expect(await sql('select 1 from audit_events')).toHaveLength(4);
  await deleteExpired();
  expect(await sql('select 1 from audit_events')).toHaveLength(4);
});

test('rejected requests from three weeks ago are dropped with their partition, and recent ones remain', async () => {
  await sql(`insert into clients (client_id, name, confidential, application_type) values ('shop', '', true, 'web')
    on conflict do nothing`);
  await sql("select extend_partitions('refused_requests', interval '1 week', now() - interval '22 days')");
  for (const day of [22, 16, 13, 0])
    await sql(`insert into refused_requests (client_id, endpoint, error, description, window_start, at)
      values ('shop', 'token', 'x', '', now() - interval '${day} days', now() - interval '${day} days')`);
  await deleteExpired();
  const ages = await sql('select extract(day from now() - at)::int as age from refused_requests order by 1');
  expect(ages).toEqual([{ age: 0 }, { age: 13 }]);
});

test('a long-running reader delays only the drop of the partition, but no writer and no maintenance run', async () => {
  settings().auditRetentionDays = 30;
  await sql("select extend_partitions('audit_events', interval '1 week', now() - interval '40 days')");
  const [oldest] = await rangesOf('audit_events');
  const there = async () => (await leavesOf('audit_events')).some(({ leaf }) => leaf === oldest?.leaf);
  await withClient(databaseUrl, async (reader) => {
    await reader.query('begin');
    await reader.query('select count(*) from audit_events');
    let writing = true;
    let rows = 0;
    const written = withClient(databaseUrl, async (writer) => {
      // maximum time that a refresh may wait for a lock
      await writer.query("set lock_timeout = '3s'");
      while (writing) {
        await writer.query("insert into audit_events (event) values ('key.created')");
        rows += 1;
      }
    });
    expect(await until(() => rows > 0)).toBe(true);
    const before = rows;
    expect((await deleteExpired()).done).toBe(true);
    writing = false;
    await written;
    expect(rows).toBeGreaterThan(before);
    expect(await there()).toBe(true);
    await reader.query('rollback');
  });
  expect(await until(async () => (await deleteExpired()) && !(await there()))).toBe(true);
});

test('the newest page and a much older page of a list read few rows per partition', async () => {
  await deleteExpired();
  await sql(
    `insert into audit_events (event, at) select 'key.created', now() + n * interval '1 minute' from generate_series(1, 20000) n`,
  );
  await sql('analyze audit_events');
  for (const where of ['true', "(at, id) < (now() + interval '3 days', 9)"]) {
    const plan = await sql<Record<'QUERY PLAN', unknown>>(
      `explain (analyze, format json) select * from audit_events where ${where} order by at desc, id desc limit 20`,
    );
    const read = JSON.stringify(plan).matchAll(
      /"Relation Name":"[^"]*","Alias":"[^"]*".*?"Actual Rows":([\d.]+)/g,
    );
    const rows = [...read].reduce((sum, [, of]) => sum + Number(of), 0);
    expect(rows).toBeGreaterThanOrEqual(20);
    expect(rows).toBeLessThan(500);
  }
});
