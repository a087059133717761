import { expect, test, vi } from 'vitest';
import { UnstorableValue } from '#lib/kit/text.ts';
import { DatabaseUnavailable, query } from './pool.ts';
import { database, inTransaction } from './prisma.ts';

const terminate = (pid: number) => query({ text: 'select pg_terminate_backend($1)', values: [pid] });
const pidOf = (rows: unknown[]) => (rows as { pid: number }[])[0]?.pid ?? 0;
const PID = { text: 'select pg_backend_pid() as pid', values: [] };

test('if the connection is lost between two statements of a transaction, only this transaction fails', async () => {
  const lost = inTransaction(async ({ run }) => {
    const pid = pidOf(await run(PID));
    await terminate(pid);
    // the connection is lost while no statement is running
    const living = { text: 'select 1 from pg_stat_activity where pid = $1', values: [pid] };
    await vi.waitUntil(async () => (await query(living)).length === 0, 10_000);
    return run(PID);
  });
  await expect(lost).rejects.toThrow('the database is not available');
  for (let again = 0; again < 12; again += 1) expect(await query(PID)).toHaveLength(1);
});

test('UN-01: an unstorable value is the caller’s error, not a database outage', async () => {
  const unstorable = [
    ['select $1::text', 'a\u0000b'],
    ['select $1::jsonb', JSON.stringify('a\u0000b')],
    ['select $1::jsonb', JSON.stringify('\ud800')],
    ['select $1::uuid', 'nobody'],
    ['select $1::int', 99_999_999_999],
    ['select $1::text::int', '1e309'],
    ['select $1::timestamptz', '2026-13-40'],
    ['select $1::timestamptz', 'x'],
  ] as const;
  for (const [text, value] of unstorable) {
    await expect(query({ text, values: [value] }), text).rejects.toBeInstanceOf(UnstorableValue);
  }
  const typed = database().person.count({ where: { name: 'a\u0000b' } });
  await expect(typed).rejects.toBeInstanceOf(UnstorableValue);
});

test('an error of a connection pooler that reaches no server counts as an outage', async () => {
  // PgBouncer reports "server login has been failing" and "query_wait_timeout" with this code
  const text = "do $$ begin raise exception 'no server' using errcode = '08P01'; end $$";
  await expect(query({ text, values: [] })).rejects.toBeInstanceOf(DatabaseUnavailable);
});

test('an invalid SQL statement does not count as an error of the caller', async () => {
  const wrong = query({ text: 'select nothing_of_that_name', values: [] });
  await expect(wrong).rejects.not.toBeInstanceOf(UnstorableValue);
});

test('a statement that waits for a row which is then deleted sees no row, and succeeds', async () => {
  await query({ text: 'create table if not exists owners (id int primary key)', values: [] });
  await query({
    text: 'create table if not exists things (owner int references owners on delete cascade)',
    values: [],
  });
  await query({ text: 'insert into owners values (1) on conflict do nothing', values: [] });
  const give = {
    text: 'insert into things select id from owners where id = 1 returning owner',
    values: [],
  };
  let given: Promise<unknown[]> | undefined;
  await inTransaction(async ({ run }) => {
    await run({ text: 'delete from owners where id = 1', values: [] });
    given = query(give);
    const waits = {
      text: "select from pg_stat_activity where wait_event_type = 'Lock' and query like 'insert into things%'",
    };
    await vi.waitUntil(async () => (await query({ ...waits, values: [] })).length > 0, 10_000);
  });
  expect(await given).toEqual([]);
  await query({ text: 'drop table things, owners', values: [] });
});

test('two deadlocked statements both succeed by a retry', async () => {
  await query({ text: 'create table if not exists pairs (id int primary key, n int default 0)', values: [] });
  await query({ text: 'insert into pairs values (1), (2) on conflict do nothing', values: [] });
  const both = (first: number, second: number) => ({
    text: `with a as (update pairs set n = n + 1 where id = ${first} returning id), wait as materialized (select pg_sleep(0.2) from a)
      select lock.n from wait, lateral (select n from pairs where id = ${second} for update) lock`,
    values: [],
  });
  const done = await Promise.all([query(both(1, 2)), query(both(2, 1))]);
  expect(done.map((rows) => rows.length)).toEqual([1, 1]);
  expect(await query({ text: 'select n from pairs order by id', values: [] })).toEqual([{ n: 1 }, { n: 1 }]);
  await query({ text: 'drop table pairs', values: [] });
});
