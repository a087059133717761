// Factor level of a user, and effects of the first and last factor, implemented by triggers (docs/project/decisions/0023).
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { sqlOn, withClient } from '#testing/data/sql.ts';
import { removePasskey, removeTotp } from './factors.ts';
import { database } from './prisma.ts';

const sql = sqlOn(settings().databaseUrl);
let personId: string;
const people: string[] = [];

beforeEach(async () => {
  personId = randomUUID();
  people.push(personId);
  await sql('insert into people (id, email) values ($1, $2)', [personId, `${personId}@example.com`]);
});
afterAll(() => sql('delete from people where id = any ($1::uuid[])', [people]));

const addPasskey = async () => {
  const id = randomBytes(16);
  await sql(
    `insert into passkeys (credential_id, person_id, rp_id, public_key, backup_eligible, backed_up, name)
     values ($1, $2, 'localhost', 'x', false, false, 'Key')`,
    [id, personId],
  );
  return id;
};
const addTotp = async () => {
  const [row] = await sql<{ id: string }>(
    "insert into totp_secrets (person_id, sealed_secret, last_step) values ($1, 'sealed', 1) returning id",
    [personId],
  );
  return row?.id ?? '';
};
const addRest = async () => {
  await sql('insert into recovery_codes (code_hash, person_id) values ($1, $2)', [randomBytes(32), personId]);
  await sql(
    "insert into trusted_browsers (token_hash, person_id, auth_method_id, expires_at) values ($1, $2, 'local', now() + interval '1 day')",
    [randomBytes(32), personId],
  );
};
const counted = async (table: string) =>
  (await sql<{ n: number }>(`select count(*)::int as n from ${table} where person_id = $1`, [personId]))[0]
    ?.n;
const level = async () =>
  (await sql<{ level: number }>('select factor_level as level from people where id = $1', [personId]))[0]
    ?.level;

test('the factor level of a user equals the level of the strongest second factor, and 0 means no factor', async () => {
  expect(await level()).toBe(0);
  await addTotp();
  expect(await level()).toBe(2);
  const key = await addPasskey();
  const other = await addPasskey();
  expect(await level()).toBe(3);
  await sql('delete from passkeys where credential_id = $1', [key]);
  expect(await level()).toBe(3);
  await sql('delete from passkeys where credential_id = $1', [other]);
  expect(await level()).toBe(2);
  await sql('delete from totp_secrets where person_id = $1', [personId]);
  expect(await level()).toBe(0);
});

test('recovery codes and trusted browsers are deleted with the last second factor', async () => {
  await addTotp();
  const key = await addPasskey();
  await addRest();
  await sql('delete from passkeys where credential_id = $1', [key]);
  expect([await counted('recovery_codes'), await counted('trusted_browsers')]).toEqual([1, 1]);
  await sql('delete from totp_secrets where person_id = $1', [personId]);
  expect([await counted('recovery_codes'), await counted('trusted_browsers')]).toEqual([0, 0]);
});

test('if two second factors are removed concurrently, the factor level becomes 0 (20 rounds)', async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    const keys = [await addPasskey(), await addPasskey()];
    await addRest();
    await Promise.all(keys.map((key) => sql('delete from passkeys where credential_id = $1', [key])));
    expect([await level(), await counted('recovery_codes')]).toEqual([0, 0]);
  }
});

test('if second factors are removed and added concurrently, the factor level is correct (20 rounds)', async () => {
  let key = await addPasskey();
  for (let turn = 0; turn < 20; turn += 1) {
    const [, next] = await Promise.all([
      sql('delete from passkeys where credential_id = $1', [key]),
      addPasskey(),
    ]);
    key = next;
    expect(await level()).toBe(3);
  }
});

test('if a second factor is removed during a reset, no deadlock occurs', async () => {
  const key = await addPasskey();
  const app = await addTotp();
  const removals = {
    passkeys: async () => removePasskey(database(), personId, key.toString('base64url')),
    totp_secrets: async () => removeTotp(database(), personId, app),
  };
  for (const [table, remove] of Object.entries(removals))
    await withClient(settings().databaseUrl, async (other) => {
      await other.query('begin');
      await other.query('select 1 from people where id = $1 for no key update', [personId]);
      const removed = remove();
      await setTimeout(100);
      await other.query(`delete from ${table} where person_id = $1`, [personId]);
      await other.query('commit');
      expect(await removed).toBeFalsy();
    });
  expect(await level()).toBe(0);
});

test('the first second factor that a user adds revokes token families of the password grant, and keeps those that a consent permits', async () => {
  const families = { password: randomUUID(), consent: randomUUID() };
  for (const [basis, id] of Object.entries(families))
    await sql(
      `insert into token_families (id, person_id, client_id, api_id, auth_method_id, basis, scopes, auth_time, expires_at)
       values ($1, $2, 'c', 'a', 'local', $3, '{}', now(), now() + interval '1 hour')`,
      [id, personId, basis],
    );
  await addTotp();
  const ended = await sql<{ basis: string; reason: string }>(
    'select basis, revoked_reason as reason from token_families where person_id = $1 and revoked_at is not null',
    [personId],
  );
  expect(ended).toEqual([{ basis: 'password', reason: 'second factor added' }]);
});

test('a new password deletes the trusted browsers of its user', async () => {
  await addTotp();
  await addRest();
  await sql('update people set name = $2 where id = $1', [personId, 'Somebody']);
  expect(await counted('trusted_browsers')).toBe(1);
  await sql('update people set password_changed_at = now() where id = $1', [personId]);
  expect([await counted('trusted_browsers'), await counted('recovery_codes')]).toEqual([0, 1]);
});

test('when a user is deleted, second factors, recovery codes and trusted browsers are deleted', async () => {
  await addTotp();
  await addPasskey();
  await addRest();
  await withClient(settings().databaseUrl, (client) =>
    client.query('delete from people where id = $1', [personId]),
  );
  for (const table of ['passkeys', 'totp_secrets', 'recovery_codes', 'trusted_browsers'])
    expect(await counted(table), table).toBe(0);
});
