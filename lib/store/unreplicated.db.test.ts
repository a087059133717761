// Commits that wait for a replica, on a dedicated PostgreSQL server, because the settings apply to a whole server.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { loadSettings } from '#lib/settings/settings.ts';
import { type Sql, sqlOn } from '#testing/data/sql.ts';
import { type OwnDatabase, startOwnDatabase } from '#testing/service/service.ts';
import { closePool, DatabaseUnavailable, poolStats, query } from './pool.ts';
import { inTransaction } from './prisma.ts';

let own: OwnDatabase;
let operator: Sql;
const insert = (word: string) => ({ text: 'insert into words values ($1) returning word', values: [word] });

beforeAll(async () => {
  own = await startOwnDatabase();
  operator = sqlOn(own.databaseUrl);
  await operator('create table words (word text)');
  await waitForReplica('nobody');
  loadSettings({
    DATABASE_URL: own.databaseUrl,
    GATEHOUSE_SECRET: 'x'.repeat(43),
    BASE_URL: 'http://localhost:3000',
  });
});
afterAll(async () => {
  await closePool();
  await own.stop();
});

/** Sets the replica for which commits wait; empty: none. */
async function waitForReplica(name: string): Promise<void> {
  await operator(`alter system set synchronous_standby_names = '${name}'`);
  await operator('select pg_reload_conf()');
  const isSet = async () => {
    const [row] = await operator<{ names: string }>(
      "select current_setting('synchronous_standby_names') as names",
    );
    return row?.names === name;
  };
  await vi.waitUntil(isSet, 10_000);
}

/** Simulates an operator who cancels hanging statements. */
async function cancelWaiting(): Promise<void> {
  const cancel = () =>
    operator(
      "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and application_name = 'gatehouse'",
    );
  await vi.waitUntil(async () => (await cancel()).length > 0, 20_000);
}

const LINKS: Record<string, (word: string) => Promise<unknown>> = {
  'a statement': (word) => query(insert(word)),
  'a prepared statement': (word) => query({ name: 'words-add', ...insert(word) }),
  'a transaction': (word) => inTransaction(({ run }) => run(insert(word))),
};

for (const [name, work] of Object.entries(LINKS)) {
  test(`${name} fails if its wait for the replica was cancelled, whatever PostgreSQL reports`, async () => {
    const answered = expect(work(name)).rejects.toBeInstanceOf(DatabaseUnavailable);
    await cancelWaiting();
    await answered;
    // The row exists although every caller received an error. PostgreSQL warns shortly before the row is visible.
    const isThere = async () => (await operator('select from words where word = $1', [name])).length === 1;
    await vi.waitUntil(isThere, 20_000);
    expect(await query({ text: 'select 1', values: [] })).toHaveLength(1);
    expect(poolStats()).toMatchObject({ busy: 0, waiting: 0 });
  });
}
