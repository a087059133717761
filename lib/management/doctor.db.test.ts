import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { minorOf, VERSION } from '#lib/kit/version.ts';
import { closePool, query } from '#lib/store/pool.ts';
import { startVerifier, type Verifier } from '#testing/brokers/verifier.ts';
import { distanceFinding, examine } from './doctor.ts';

const GROUPS = 'http://localhost:3000/documentation/guides/groups';
let verifier: Verifier;
beforeAll(async () => {
  verifier = await startVerifier();
  const gone = await startVerifier();
  await gone.close();
  const insecure = { verify_url: verifier.url, allow_private_network: false };
  const configs = { there: { verify_url: verifier.url }, gone: { verify_url: gone.url }, insecure };
  for (const [id, config] of Object.entries(configs)) {
    await query({
      text: `insert into auth_methods (id, type, name, config) values ($1, 'external', $1, $2)`,
      values: [id, JSON.stringify({ allow_private_network: true, ...config })],
    });
  }
});
afterAll(() => verifier.close());

test('doctor calls each verifier like a sign-in, but without the secret', async () => {
  const found = new Map((await examine()).map((one) => [one.check, one]));
  expect(found.get('external there')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('answers 405'),
  });
  expect(found.get('external gone')).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining('Nothing listens'),
  });
  expect(found.get('external insecure')).toMatchObject({
    state: 'broken',
    detail: expect.stringContaining('does not use https'),
  });
  expect(verifier.calls).toMatchObject([{ method: 'GET', body: '' }]);
  expect(verifier.calls[0]?.headers['authorization']).toBeUndefined();
});

test('doctor warns about passkeys whose domain differs from the current domain', async () => {
  const ofPasskeys = async () => (await examine()).filter((one) => one.check === 'passkeys');
  expect(await ofPasskeys()).toEqual([]);
  await query({
    text: `with people as (insert into people (name) values ('A'), ('B') returning id)
insert into passkeys (credential_id, person_id, rp_id, public_key, backup_eligible, backed_up, name)
select sha256((id::text || rp_id)::bytea), id, rp_id, '', true, true, 'Phone' from people,
  unnest(array['localhost', 'old.example', 'older.example']) as of (rp_id)`,
    values: [],
  });
  expect(await ofPasskeys()).toEqual([
    {
      check: 'passkeys',
      state: 'warning',
      detail: expect.stringMatching(
        /^4 passkeys of 2 people, created for old\.example, older\.example, cannot be used at localhost/,
      ),
    },
  ]);
});

test('doctor reports a user name that equals an older subject of another user, with both user ids', async () => {
  const a = '0a000000-0000-4000-8000-000000000001';
  const b = '0a000000-0000-4000-8000-000000000002';
  await query({ text: 'alter table people disable trigger names_taken' });
  await query({
    text: `insert into people (id, username, subject) values ('${a}', '1234', null), ('${b}', null, '1234')`,
  });
  await query({ text: 'alter table people enable trigger names_taken' });
  await query({ text: `insert into people_names (name, person_id) values ('1234', '${b}')` });
  expect((await examine()).filter(({ check }) => check === 'user names')).toEqual([
    {
      check: 'user names',
      state: 'warning',
      detail: expect.stringContaining(`1234 is an id, user name or subject of several users (${a}, ${b})`),
    },
  ]);
  await query({ text: 'delete from people where id = any ($1)', values: [[a, b]] });
});

test('doctor warns about missing or invalid claims in sign-ins of the last week', async () => {
  const ofClaims = async () =>
    (await examine())
      .filter(({ check }) => /^(groups|claims) /.test(check))
      .map(({ check, state, detail }) => `${state} ${check}: ${detail}`);
  expect(await ofClaims()).toEqual([]);
  await query({
    text: `insert into audit_events (event, person_id, api_id, auth_method_id, details, at)
select event, md5(who)::uuid, api, 'entra', jsonb_build_object('claims', string_to_array(claims, ' ')), now() - make_interval(days => days)
from (values ('groups.overage', 'a', null, 'groups', 1), ('groups.overage', 'a', null, 'groups', 2),
  ('groups.overage', 'b', null, 'groups roles', 6), ('groups.overage', 'c', null, 'groups', 8),
  ('claims.left_out', 'a', 'orders', 'groups', 0), ('claims.left_out', 'd', null, 'memberOf', 3),
  ('claims.left_out', 'e', 'orders', 'groups', 9)) as v (event, who, api, claims, days)`,
    values: [],
  });
  const fitted = 'omitted in the last 7 days, because all claims together exceeded 8 KiB:';
  expect(await ofClaims()).toEqual([
    `warning claims at orders: groups of 1 person ${fitted} list fewer groups in groups_claim, or fewer claims in token_claims; see ${GROUPS}`,
    `warning claims by entra: memberOf of 1 person ${fitted} map fewer claims, or configure the provider to send less; see ${GROUPS}`,
    'warning groups by entra: did not send groups, roles of 2 people in the last 7 days, so their groups did not change: ' +
      `in Entra, assign groups to the application, or use app roles; see ${GROUPS}`,
  ]);
});

test('doctor compares tables and functions with this version and suggests a fix', async () => {
  const ours = path.resolve(import.meta.dirname, '../../prisma');
  const next = mkdtempSync(path.join(os.tmpdir(), 'gatehouse-doctor-'));
  const schemaOf = async (folder = ours) => (await examine(folder)).find((one) => one.check === 'schema');
  const rename = (from: string, to: string) =>
    query({
      text: 'update _prisma_migrations set migration_name = $2 where migration_name = $1',
      values: [from, to],
    });
  try {
    const { detail: newest = '' } = (await schemaOf()) ?? {};
    expect(await schemaOf()).toMatchObject({ state: 'ok' });
    cpSync(ours, next, { recursive: true });
    writeFileSync(path.join(next, 'functions', 'count_version.sql'), '-- another');
    expect(await schemaOf(next)).toMatchObject({
      state: 'broken',
      detail: 'functions of another version: count_version: run gatehouse migrate',
    });
    mkdirSync(path.join(next, 'migrations', '9_next'));
    writeFileSync(path.join(next, 'migrations', '9_next', 'migration.sql'), 'select 1');
    expect(await schemaOf(next)).toMatchObject({
      state: 'broken',
      detail: `${newest}, but this version requires 9_next: run gatehouse migrate`,
    });
    await rename(newest, '99');
    expect(await schemaOf()).toMatchObject({
      state: 'broken',
      detail: expect.stringContaining('newer than this version: it has the migration 99'),
    });
    await rename('99', newest);
    // gives all migrations new names, to simulate an old database
    const early =
      "update _prisma_migrations set migration_name = replace(migration_name, '202611', '202511')";
    await query({ text: early, values: [] });
    expect(await schemaOf()).toMatchObject({
      state: 'broken',
      detail: expect.stringMatching(/before the first release .*: make a new database/),
    });
    await query({ text: early.replace("'202611', '202511'", "'202511', '202611'"), values: [] });
    const works = `works with ${minorOf(VERSION)} and later`;
    await query({
      text: `insert into _prisma_migrations (id, checksum, migration_name, logs, finished_at)
        values ('next', '', '99_next', $1, now())`,
      values: [works],
    });
    expect(await schemaOf()).toEqual({
      check: 'schema',
      state: 'warning',
      detail: '99_next, of a newer, compatible version',
    });
  } finally {
    await query({ text: "delete from _prisma_migrations where migration_name = '99_next'" });
    rmSync(next, { recursive: true });
  }
});

test('doctor warns if PostgreSQL reports commits that a crash can undo', async () => {
  const commits = async () => (await examine()).find((one) => one.check === 'commits');
  expect(await commits()).toBeUndefined();
  const [row] = await query<{ name: string }>({ text: 'select current_database() as name', values: [] });
  const set = (value: string) =>
    query({ text: `alter database ${row?.name} set synchronous_commit = ${value}`, values: [] });
  await set('off');
  // closes the pool, because open connections keep their setting
  await closePool();
  expect(await commits()).toMatchObject({
    state: 'warning',
    detail: expect.stringMatching(/^synchronous_commit is off: .*failover$/),
  });
  // without a synchronous replica, `local` has the same effect as `on`
  await set('local');
  await closePool();
  expect(await commits()).toBeUndefined();
});

test('doctor lists the callback addresses that must be registered, and requires iss for shared callbacks', async () => {
  const set = (id: string, shared: boolean) =>
    query({
      text: `insert into auth_methods (id, type, name, config) values ($1, 'broker', $1, $2)
        on conflict (id) do update set config = excluded.config`,
      values: [
        id,
        JSON.stringify({ issuer: 'https://127.0.0.1:1', ...(shared && { shared_callback: true }) }),
      ],
    });
  const found = async () => {
    const all = (await examine()).filter((one) => one.check.startsWith('callback '));
    return Object.fromEntries(all.map(({ check, state, detail }) => [check, `${state}: ${detail}`]));
  };
  await set('one', false);
  expect(await found()).toEqual({
    'callback one':
      'ok: not tested: http://localhost:3000/auth/callback/one must be registered at the broker',
  });
  await set('two', true);
  expect(await found()).toEqual({
    'callback one': expect.stringMatching(
      /^ok: not tested: .*\/one must .*\/broker, which two uses, must not be registered$/,
    ),
    'callback two': expect.stringMatching(
      /^ok: not tested: \/auth\/callback\/broker .*better: .*\/callback\/two/,
    ),
  });
  await set('one', true);
  expect(await found()).toEqual({
    'callback one': expect.stringMatching(/^warning: .*also used by two/),
    'callback two': expect.stringMatching(/^warning: .*also used by one/),
  });
});

test('ALTER COLLATION, notes: doctor warns about indexes of an older collation version, and names the commands', async () => {
  const collation = async () => (await examine()).filter((one) => one.check === 'collation');
  expect(await collation()).toEqual([]);
  await query({
    text: "update pg_database set datcollversion = '2.28' where datname = current_database()",
    values: [],
  });
  expect(await collation()).toEqual([
    {
      check: 'collation',
      state: 'warning',
      detail: expect.stringMatching(/version 2\.28 .*REINDEX DATABASE.*REFRESH COLLATION VERSION/),
    },
  ]);
});

const NEON = 'ep-x-pooler.us-east-2.aws.neon.tech';

test.each([
  [0.42, null, 'localhost', 'ok', /^0\.4 ms to the database/],
  [3.2, 'cle1', NEON, 'ok', /^3 ms/],
  [3.2, 'fra1', NEON, 'warning', /fra1 \(eu-central-1\), the database in us-east-2/],
  [88, null, 'db.example', 'warning', /^88 ms .* closer/],
  [88, 'xyz9', NEON, 'warning', /closer/],
] as const)(
  'doctor reports a database with a round trip of %s ms, from region %s to host %s: %s',
  (ms, region, host, state, detail) => {
    expect(distanceFinding(ms, region, host)).toMatchObject({ check: 'round trip', state });
    expect(distanceFinding(ms, region, host).detail).toMatch(detail);
  },
);
