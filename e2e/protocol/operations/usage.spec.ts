// Usage counts reach the database: from stopping workers, and on serverless platforms.
import { expect, test } from '@playwright/test';
import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { type Sql, sqlOn } from '#testing/data/sql.ts';
import { freePort } from '#testing/net/free-port.ts';
import { until } from '#testing/net/until.ts';
import { applyFixtures, type OwnDatabase, startDoor, startOwnDatabase } from '#testing/service/service.ts';
import { passwordGrant } from '#testing/service/token.ts';

let own: OwnDatabase;
let sql: Sql;

test.describe.configure({ mode: 'serial' });
test.beforeAll(async () => {
  test.setTimeout(60_000);
  const dist = { GATEHOUSE_DIST_DIR: process.env['GATEHOUSE_DIST_DIR'] ?? '.next' };
  own = await startOwnDatabase(dist);
  applyFixtures(own.env);
  sql = sqlOn(own.databaseUrl);
});
test.afterAll(() => own.stop());

async function tokens(): Promise<number> {
  const [sum] = await sql<{ n: number }>(
    "select coalesce(sum(n), 0)::int as n from usage_counts where minutes = 60 and kind = 'token' and what = 'password'",
  );
  return sum?.n ?? 0;
}

const settings = (more: Record<string, string>) => ({ ...own, env: { ...own.env, ...more } });

test('two workers store their usage counts during shutdown', async () => {
  test.setTimeout(60_000);
  const port = await freePort();
  const server = await startDoor('node', port, settings({ GATEHOUSE_WORKERS: '2' }));
  const door = { url: `http://localhost:${port}` };
  const grants = Array.from({ length: 12 }, () =>
    passwordGrant(
      door,
      fixtureClient('trunat'),
      fixturePerson('alice'),
      {},
      { headers: { connection: 'close' } },
    ),
  );
  const statuses = (await Promise.all(grants)).map(({ status }) => status);
  const given = statuses.filter((status) => status === 200).length;
  expect(given).toBeGreaterThan(0);
  expect(await tokens()).toBe(0);
  await server.stop();
  expect(await tokens()).toBe(given);
});

test('without a long-running process, an instance stores its usage counts after the first counted request', async () => {
  test.setTimeout(60_000);
  const before = await tokens();
  const port = await freePort();
  const server = await startDoor('next', port, settings({ AWS_LAMBDA_FUNCTION_NAME: 'gatehouse' }));
  try {
    const door = { url: `http://localhost:${port}` };
    const { status, text } = await passwordGrant(door, fixtureClient('trunat'), fixturePerson('alice'));
    expect(status, text).toBe(200);
    expect(await until(async () => (await tokens()) === before + 1, { seconds: 15 })).toBe(true);
  } finally {
    await server.stop();
  }
});
