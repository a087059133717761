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

  expect(await deleteExpired()).toMatchObject({ token_families: 1, revoked_tokens: 1 });

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
  expect(results.reduce((sum, result) => sum + (result['attempts'] ?? 0), 0)).toBe(1200);
});
