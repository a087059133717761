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

test('used refresh tokens remain until their token family expires, and then the token family and its tokens are deleted', async () => {
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

test('concurrent cleanup runs delete each row once and never fail', async () => {
  await run(
    `insert into attempts (key, count, expires_at) select 'k' || n, 1, now() - interval '2 hours' from generate_series(1, 1200) n`,
  );
  const results = await Promise.all(Array.from({ length: 6 }, () => deleteExpired()));
  expect(results.reduce((sum, { deleted }) => sum + (deleted['attempts'] ?? 0), 0)).toBe(1200);
});

async function givenClient(): Promise<string> {
  await run(
    `insert into clients (client_id, name, confidential, application_type) values ('shop', '', true, 'web')`,
  );
  return 'shop';
}

const leftIn = async (table: string) => (await run(`select count(*)::int as n from ${table}`))[0]?.n;

/** Inserts in several statements, because each statement is limited to five seconds. */
async function givenOldAttempts(thousands: number) {
  for (let at = 0; at < thousands; at += 10)
    await run(`insert into attempts (key, count, expires_at)
      select 'k' || n, 1, now() - interval '2 hours' from generate_series(${at * 1_000 + 1}, ${(at + 10) * 1_000}) n`);
}

test('one cleanup run deletes dozens of batches of rows', async () => {
  await givenOldAttempts(30);
  const { deleted, done } = await deleteExpired();
  expect([deleted['attempts'], done]).toEqual([30_000, true]);
  expect(await leftIn('attempts')).toBe(0);
});

test('a cleanup run without remaining time reports that work is left', async () => {
  await givenOldAttempts(10);
  expect(await deleteExpired({ budgetMs: 0 })).toEqual({ deleted: {}, done: false });
  expect((await deleteExpired()).deleted).toMatchObject({ attempts: 10_000 });
});

test('an expired token family larger than a batch is deleted, and an active token family keeps its tokens', async () => {
  const personId = randomUUID();
  await run('insert into people (id) values ($1)', [personId]);
  const [living, ended] = [await givenFamily(personId, '1 hour'), await givenFamily(personId, '-1 day')];
  await run(
    `insert into refresh_tokens (token_hash, family_id, expires_at) select sha256((f || n::text)::bytea), f, now()
     from unnest($1::uuid[]) f, generate_series(1, 3500) n`,
    [[living, ended]],
  );
  expect((await deleteExpired()).deleted['token_families']).toBeGreaterThanOrEqual(1);
  const tokens = async (family: string) =>
    (await run('select count(*)::int as n from refresh_tokens where family_id = $1', [family]))[0]?.n;
  expect([await tokens(living), await tokens(ended)]).toEqual([3_501, 0]);
});

test('one cleanup run deletes thousands of token families with the same expiry, and ended sessions', async () => {
  const personId = randomUUID();
  await run('insert into people (id) values ($1)', [personId]);
  await run(
    `insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
     select gen_random_uuid(), $1, 'c', 'a', 'm', 'consent', '{}', now(), now() - interval '1 day' from generate_series(1, 700)`,
    [personId],
  );
  await run(
    `insert into sessions (id_hash, kind, auth_method_id, person_id, expires_at, ended_at)
     select sha256(n::text::bytea), 'sign-in', 'm', $1, now() + interval '1 day',
       case when n % 2 = 0 then now() - interval '2 days' end from generate_series(1, 5000) n`,
    [personId],
  );
  await run(
    'insert into client_secrets (client_id, secret_hash, expires_at) select $1, sha256(n::text::bytea), now() from generate_series(1, 2100) n',
    [await givenClient()],
  );
  const { deleted, done } = await deleteExpired();
  expect([deleted['token_families'], deleted['sessions'], done]).toEqual([700, 2_500, true]);
  expect(deleted['client_secrets']).toBe(2_100);
  expect(await leftIn('sessions')).toBe(2_500);
});

test('the cleanup finds unredeemed codes without a scan of redeemed codes, which remain with their token families', async () => {
  const personId = randomUUID();
  await run('insert into people (id) values ($1)', [personId]);
  await run(
    `with f as (insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
       select gen_random_uuid(), $1, 'c', 'a', 'm', 'consent', '{}', now(), now() + interval '1 day' from generate_series(1, 3000)
       returning id)
     insert into codes (code_hash, client_id, api_id, auth_method_id, person_id, redirect_uri, scopes, scope_asked, basis,
       auth_time, expires_at, family_id)
     select sha256(gen_random_uuid()::text::bytea), 'c', 'a', 'm', $1, '', '{}', true, 'consent', now(), now() - interval '1 day', id
     from (select id from f union all select null from generate_series(1, 5)) codes`,
    [personId],
  );
  await run('analyze codes');
  const plan = await query<Record<'QUERY PLAN', string>>({
    text: "explain select 1 from codes where family_id is null and expires_at < now() - interval '10 minutes' order by expires_at",
    values: [],
  });
  expect(plan.map((row) => row['QUERY PLAN']).join()).toContain('codes_unredeemed_idx');
  expect((await deleteExpired()).deleted['codes']).toBe(5);
  expect(await leftIn('codes')).toBe(3_000);
});

test('if the cleanup of one table fails, no other table is delayed, and the next run retries it', async () => {
  await run('alter function keep_partitions(integer) rename to kept_partitions');
  await run('alter function expire_refused_requests(integer) rename to expired_refused_requests');
  await run("insert into used_forms (token_hash, used_at) values ($1, now() - interval '2 days')", [
    randomBytes(32),
  ]);
  const swept = await deleteExpired();
  expect(swept.deleted).toMatchObject({ used_forms: 1, audit_events: 0 });
  expect(swept.done).toBe(true);
  await run('alter function kept_partitions(integer) rename to keep_partitions');
  await run('alter function expired_refused_requests(integer) rename to expire_refused_requests');
  expect((await deleteExpired()).done).toBe(true);
});

test('a signing key is deleted a day after its last use for ID token hints, and an active key remains', async () => {
  await run(`insert into signing_keys (kid, alg, public_jwk, sealed_private, signs_from, retires_at, retired_at)
    select kid, 'ES256', '{}', '', now() - interval '1 year', now() - retires, now() - retired from (values
      ('signs', null::interval, null::interval), ('replaced', '92 days', null), ('taken-out', '1 day', '92 days'),
      ('verifies', '-1 hour', null), ('hints', '90 days', null), ('hints-too', '200 days', '90 days')) k (kid, retires, retired)`);
  expect((await deleteExpired()).deleted['signing_keys']).toBe(2);
  const left = await query<{ kid: string }>({
    text: 'select kid from signing_keys order by kid',
    values: [],
  });
  expect(left.map(({ kid }) => kid)).toEqual(['hints', 'hints-too', 'signs', 'verifies']);
});
