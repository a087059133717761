import { randomBytes, randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { deleteExpired } from './cleanup.ts';
import { query } from './pool.ts';

const run = (text: string, values: unknown[] = []) => query<{ n: number }>({ text, values });

async function givenFamily(personId: string, expires: string): Promise<string> {
  const id = randomUUID();
  await run(
    `insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
     values ($1, $2, 'c', 'a', 'm', 'consent', '{}', now(), now() + $3::interval)`,
    [id, personId, expires],
  );
  await run(
    `insert into refresh_tokens (token_hash, family_id, expires_at, used_at) values ($1, $2, now() - interval '1 day', now())`,
    [randomBytes(32), id],
  );
  return id;
}

test('used refresh tokens stay until their family ends; then family and tokens are deleted', async () => {
  const personId = randomUUID();
  await run('insert into people (id) values ($1)', [personId]);
  const living = await givenFamily(personId, '1 hour');
  await givenFamily(personId, '-1 second');
  await run(
    `insert into revoked_tokens (jti, expires_at) values ('old', now() - interval '1 second'), ('new', now() + interval '1 hour')`,
  );

  expect((await deleteExpired()).deleted).toMatchObject({ token_families: 1, revoked_tokens: 1 });

  const rows = await query<{ family: string }>({
    text: 'select family_id as family from refresh_tokens',
    values: [],
  });
  expect(rows.map((row) => row.family)).toEqual([living]);
});

test('many sweepers at once delete each row once and do not fail', async () => {
  await run(
    `insert into attempts (key, count, expires_at) select 'k' || n, 1, now() - interval '2 hours' from generate_series(1, 1200) n`,
  );
  const results = await Promise.all(Array.from({ length: 6 }, () => deleteExpired()));
  expect(results.reduce((sum, { deleted }) => sum + (deleted['attempts'] ?? 0), 0)).toBe(1200);
});

const leftIn = async (table: string) => (await run(`select count(*)::int as n from ${table}`))[0]?.n;

/** In several statements: one may take five seconds at most. */
async function givenOldAttempts(thousands: number) {
  for (let at = 0; at < thousands; at += 10)
    await run(`insert into attempts (key, count, expires_at)
      select 'k' || n, 1, now() - interval '2 hours' from generate_series(${at * 1_000 + 1}, ${(at + 10) * 1_000}) n`);
}

test('more than a turn used to delete is gone after one', async () => {
  await givenOldAttempts(110);
  const { deleted, done } = await deleteExpired();
  expect([deleted['attempts'], done]).toEqual([110_000, true]);
  expect(await leftIn('attempts')).toBe(0);
});

test('a turn whose time is up says that there is more', async () => {
  await givenOldAttempts(10);
  expect(await deleteExpired(0)).toEqual({ deleted: {}, done: false });
  expect((await deleteExpired()).deleted).toMatchObject({ attempts: 10_000 });
});
