// Batched statements: each request gets its own result, and a failing request affects no other.
import { expect, test, vi } from 'vitest';
import { query } from './pool.ts';
import { batchedStatement } from './statement.ts';

const half = batchedStatement({
  name: 'test-half',
  takes: { value: 'text' },
  returns: { n: 'int', half: 'int', together: 'int' },
  text: (items) => `select n::int, value::int / 2 as half, count(*) over ()::int as together from ${items}`,
  values: (value: string) => ({ value }),
});

test('concurrent requests share batched statements, and each request gets its row', async () => {
  const rows = await Promise.all(Array.from({ length: 200 }, (_, i) => half(String(2 * i))));
  expect(rows.map((row) => row.half)).toEqual(Array.from({ length: 200 }, (_, i) => i));
  expect(Math.max(...rows.map((row) => row.together))).toBe(64);
  expect((await half('8')).together).toBe(1);
});

test('if the database rejects a request of a batch, the other requests of the batch succeed', async () => {
  const outcomes = await Promise.allSettled(['2', 'no number', '4', '6'].map((one) => half(one)));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});

test('a locked row delays only the requests that need it', async () => {
  await query({ text: 'create table held (id int primary key, uses int not null default 0)', values: [] });
  await query({ text: 'insert into held select generate_series(1, 10)', values: [] });
  const use = batchedStatement({
    name: 'test-use',
    takes: { id: 'int' },
    returns: { n: 'int', uses: 'int' },
    text: (items) => `with used as (update held h set uses = uses + 1 from ${items}
      where h.id = q.id returning q.n, h.uses) select n::int, uses from used`,
    values: (id: number) => ({ id }),
  });
  const { pool } = await import('./pool.ts');
  const holder = await pool().connect();
  await holder.query('begin');
  await holder.query('select 1 from held where id = 5 for update');
  const all = Array.from({ length: 10 }, (_, i) => use(i + 1));
  const others = await Promise.all(all.filter((_, i) => i !== 4));
  expect(others.every(({ uses }) => uses === 1)).toBe(true);
  await holder.query('commit');
  holder.release();
  expect((await all[4])?.uses).toBe(1);
});

test('a request that waits behind a hanging statement fails together with the statement, without a further wait', async () => {
  const sent: number[] = [];
  const hang = batchedStatement({
    name: 'test-hang',
    takes: { value: 'int' },
    returns: { n: 'int' },
    text: (items) => `select n::int from ${items}, pg_sleep(20)`,
    values: (value: number) => {
      sent.push(value);
      return { value };
    },
  });
  const asked = [hang(1)];
  await vi.waitUntil(() => sent.length === 1);
  asked.push(hang(2));
  await vi.waitUntil(() => sent.length === 2);
  asked.push(hang(3), hang(4));
  for (const outcome of await Promise.allSettled(asked)) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'DatabaseUnavailable' } });
  }
  expect(sent).toEqual([1, 2]);
});

test('a batch locks rows in key order, whatever the order of its requests', async () => {
  const ask = batchedStatement({
    name: 'test-lock-order',
    takes: { key: 'bytea' },
    returns: { n: 'int' },
    text: (items) => `select n::int from ${items}`,
    values: (one: number) => ({ key: Buffer.from([one]) }),
    lockKey: (one) => Buffer.from([one]),
  });
  const keys = [7, 3, 200, 1, 90, 2];
  const rows = await Promise.all(keys.map((one) => ask(one)));
  const order = keys.toSorted((a, b) => a - b);
  expect(rows.map(({ n }) => n)).toEqual(keys.map((key) => order.indexOf(key) + 1));
});
