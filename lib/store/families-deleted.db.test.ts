// Deleting a token family also deletes its refresh tokens, including a token inserted concurrently
// (docs/project/decisions/0004).
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { givenBasis, givenFamilyRow } from '#testing/data/families.ts';
import { sqlOn, withClient } from '#testing/data/sql.ts';
import { rotateRefreshToken } from './hot/refresh-tokens.ts';
import { query } from './pool.ts';
import { currentSnapshot } from './snapshot.ts';

const run = (text: string, values: unknown[] = []) => query<Record<string, unknown>>({ text, values });
const sql = sqlOn(settings().databaseUrl);
const basis = { clientId: 'shop', apiId: 'orders' };
const personId = await givenBasis(run);
const givenFamily = () => givenFamilyRow(run, { personId, ...basis });

const INSERT = `insert into refresh_tokens (token_hash, family_id, parent_hash, expires_at) values ($1, $2, $3, now() + interval '1 hour')`;

async function givenToken(familyId: string): Promise<Buffer> {
  const hash = randomBytes(32);
  await run(INSERT, [hash, familyId, null]);
  return hash;
}

const ofFamily = async (familyId: string) =>
  (await sql('select 1 from refresh_tokens where family_id = $1', [familyId])).length;
const withoutFamily = async () =>
  (
    await sql(
      'select 1 from refresh_tokens r where not exists (select 1 from token_families f where f.id = r.family_id)',
    )
  ).length;

async function waitsFor(what: string): Promise<void> {
  for (;;) {
    const waiting = await sql(
      "select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and query = $1",
      [what],
    );
    if (waiting.length > 0) return;
    await setTimeout(10);
  }
}

test('deleting a token family during rotation also deletes the successor token', async () => {
  const familyId = await givenFamily();
  const [before, used, next] = [await givenToken(familyId), await givenToken(familyId), randomBytes(32)];
  await run('update refresh_tokens set used_at = now() where token_hash = $1', [before]);
  await withClient(settings().databaseUrl, async (rotating) => {
    await rotating.query('begin');
    await rotating.query('update refresh_tokens set used_at = now() where token_hash = $1', [used]);
    await rotating.query(INSERT, [next, familyId, used]);
    const text = `delete from token_families where id = '${familyId}'`;
    const deleted = sql(text);
    await waitsFor(text);
    await rotating.query('commit');
    await deleted;
  });
  expect(await ofFamily(familyId)).toBe(0);
});

test('if token families are deleted during repeated rotation, no tokens remain, and no rotation throws an error', async () => {
  const { version } = await currentSnapshot();
  const families = await Promise.all(Array.from({ length: 40 }, givenFamily));
  const rotated = { times: 0 };
  const refresh = async (familyId: string) => {
    let hash: Buffer | null = await givenToken(familyId);
    while (hash !== null) {
      const next = randomBytes(32);
      const how = { opaqueHash: null, scopes: null, ceiling: ['read'], strictScopes: false };
      const at = { ...basis, authMethodId: 'local', issuerHost: null, requestId: 'test', ip: null };
      const done = await rotateRefreshToken({ version, oldHash: hash, newHash: next, ...how, ...at });
      if (done) rotated.times += 1;
      hash = done && next;
    }
  };
  const refreshing = Promise.all(families.map(refresh));
  for (let at = 0; at < families.length; at += 4) {
    const until = rotated.times + 40;
    while (rotated.times < until) await setTimeout(1);
    await Promise.all(
      families.slice(at, at + 4).map((id) => sql('delete from token_families where id = $1', [id])),
    );
  }
  await refreshing;
  expect(await withoutFamily()).toBe(0);
  expect(rotated.times).toBeGreaterThan(300);
});

test('deleting a user deletes refresh tokens of every token family', async () => {
  const [person] = await sql<{ id: string }>('insert into people default values returning id');
  const ids = [];
  for (let n = 0; n < 3; n += 1)
    ids.push(await givenFamilyRow(run, { personId: person?.id ?? '', ...basis }));
  for (const id of ids) await givenToken(id);
  await sql('delete from people where id = $1', [person?.id]);
  for (const id of ids) expect(await ofFamily(id)).toBe(0);
});

test('AR-05: the database rejects a second successor of a refresh token, whatever statement writes it', async () => {
  const familyId = await givenFamily();
  const used = await givenToken(familyId);
  await run(INSERT, [randomBytes(32), familyId, used]);
  await expect(run(INSERT, [randomBytes(32), familyId, used])).rejects.toThrow(
    /refresh_tokens_family_id_parent_hash_key/,
  );
});
