import { expect, test } from 'vitest';
import { sqlOn, withClient } from '#testing/data/sql.ts';
import { until } from '#testing/net/until.ts';
import { beginGrace } from './sessions.ts';

const url = process.env['DATABASE_URL'] ?? '';
const sql = sqlOn(url);

test('two concurrent first notices about a grace period return the same end time', async () => {
  const [person] = await sql<{ id: string }>(`insert into people (name) values ('Ada') returning id`);
  const id = person?.id ?? '';
  const notice = await withClient(url, async (other) => {
    await other.query('begin');
    await other.query('update people set factor_grace_from = now() where id = $1', [id]);
    const waiting = beginGrace(id, 10);
    const waits =
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
    expect(await until(async () => (await sql(waits)).length > 0)).toBe(true);
    await other.query('commit');
    return waiting;
  });
  expect(notice?.lasts).toBe(true);
  expect(notice?.until).toEqual((await beginGrace(id, 10))?.until);
});
