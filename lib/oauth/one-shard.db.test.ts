// Past one PostgreSQL (docs/scale.md): everything that a hot statement touches of people has one distribution value, the slot of
// one person. Each is run by a role that sees of every table the rows of one slot and those of nobody, as on a shard: it must
// do there what it does with everybody's rows around, and write no row of another slot.
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { sha256 } from '#lib/kit/index.ts';
import { loadSettings, settings } from '#lib/settings/index.ts';
import { closePool, currentSnapshot, grantServiceRole, rotateRefreshToken } from '#lib/store/index.ts';
import { slotOf } from '#lib/tokens/index.ts';
import { givenFixtures } from '#testing/in-process.ts';
import { type Journey, journeyOf, refreshIn, statementsOfJourney } from '#testing/journey.ts';
import { givenTrustedClients, type TrustedClient } from '#testing/openid.ts';
import { sql } from '#testing/registry.ts';
import { type Sql, sqlOn } from '#testing/sql.ts';
import { SLOT_OF, STATEMENTS, TABLES } from '../../scripts/scale/layout.ts';

const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };
const BOB = { username: 'bob@example.com', password: 'bob-password-1' };
const role = `shard_${randomBytes(4).toString('hex')}`;
const owner = settings().databaseUrl;
const asOwner: Sql = sqlOn(owner);
const query = vi.spyOn(pg.Pool.prototype, 'query');
const ofPeople = Object.entries(TABLES).flatMap(([table, lying]) =>
  lying.how === 'person' ? [{ table, slot: lying.slot }] : [],
);
let client: TrustedClient;
let alone: Journey;

async function personId(email: string): Promise<string> {
  const [row] = await asOwner<{ id: string }>('select id from people where email = $1', [email]);
  return row?.id ?? '';
}

/** From here on the service is a role that sees this person's shard. */
async function onShardOf(email: string): Promise<void> {
  await asOwner(
    `alter role ${role} in database ${new URL(owner).pathname.slice(1)} set gatehouse.slot = '${slotOf(await personId(email))}'`,
  );
  await connectAs(role, 'of-the-test');
  expect(await sql('select current_user as name')).toEqual([{ name: role }]);
}

async function connectAs(username: string, password: string): Promise<void> {
  const url = new URL(owner);
  if (username !== '') Object.assign(url, { username, password });
  // settings first: what still runs in the background may open the next pool at any moment
  loadSettings({ ...process.env, DATABASE_URL: url.href });
  await closePool();
}

/** The rows of a table in their present versions, as one digest. */
async function digestOf(table: string, where: string): Promise<string> {
  const [row] = await asOwner<{ digest: string }>(
    `select count(*) || ' ' || coalesce(md5(string_agg(version, ',' order by version)), '') as digest
     from (select concat_ws(' ', t.tableoid, t.ctid, t.xmin) as version from ${table} t where ${where}) as rows`,
  );
  return row?.digest ?? '';
}

/** What no statement for this person may write: rows of other slots, and the registry but for the last use of a secret. */
async function rowsElsewhere(email: string): Promise<string[]> {
  const slot = slotOf(await personId(email));
  const registry = Object.keys(TABLES).filter((table) => TABLES[table]?.how === 'reference');
  return Promise.all([
    ...ofPeople.map(({ table, slot: ofRow }) => digestOf(table, `${ofRow} is distinct from ${slot}`)),
    ...registry.filter((table) => table !== 'client_secrets').map((table) => digestOf(table, 'true')),
  ]);
}

beforeAll(async () => {
  await givenFixtures();
  // whoever runs this, they lie on two shards
  for (const [at, { username }] of [ALICE, BOB].entries())
    await asOwner('update people set id = $2 where email = $1', [
      username,
      `00000000-0000-4000-8000-00000000000${at}`,
    ]);
  const backchannelLogoutUri = 'https://shop.example/signed-out';
  [client] = (await givenTrustedClients(['shop'], { backchannelLogoutUri })) as [TrustedClient];
  await asOwner(
    `insert into subscriptions (client_id, api_id, state, trusted) values ('shop', 'billing', 'approved', true)`,
  );
  await asOwner(SLOT_OF);
  // another person has a row wherever one may be, and the journey has been made where everybody is to be seen
  await journeyOf(BOB, client, asOwner);
  alone = await journeyOf(ALICE, client, asOwner);
  expect(alone.outcomes).toEqual(
    expect.arrayContaining([
      'device: known',
      'acting: 200',
      'asserted: a family',
      'vouched: a sign-in',
      'refresh again: 200',
      'reuse: 400 invalid_grant',
      'introspect an exchanged token: 200 true',
      'introspect what it became: 200 false',
      'signed out: none',
      'deliveries: 2',
    ]),
  );

  await asOwner(`create role ${role} login password 'of-the-test'`);
  await grantServiceRole(role, 'prisma/roles.sql', owner);
  for (const { table, slot } of ofPeople) {
    await asOwner(`alter table ${table} enable row level security`);
    // an event of nobody's lies anywhere
    const ofNobody = table === 'audit_events' ? 'person_id is null or ' : '';
    await asOwner(`create policy one_shard on ${table}
      using (${ofNobody}${slot} = current_setting('gatehouse.slot')::int) with check (true)`);
  }
});
afterAll(() => connectAs('', ''));

test('the slot of a person is the same in SQL', async () => {
  const rows = await asOwner<{ id: string; slot: number }>(
    'select id, slot_of(id) as slot from (select gen_random_uuid() as id from generate_series(1, 200)) as made',
  );
  for (const { id, slot } of rows) expect(slot).toBe(slotOf(id));
  expect(slotOf(await personId(ALICE.username))).not.toBe(slotOf(await personId(BOB.username)));
});

test('every statement that is said to need one shard does there what it does with everybody’s rows', async () => {
  await onShardOf(ALICE.username);
  const before = await rowsElsewhere(ALICE.username);
  query.mockClear();
  const journey = await journeyOf(ALICE, client, asOwner);
  expect(journey.outcomes).toEqual(alone.outcomes);
  expect(await rowsElsewhere(ALICE.username)).toEqual(before);

  const ran = statementsOfJourney(query.mock.calls);
  const needed = Object.entries(STATEMENTS).flatMap(([name, { to }]) => (to === 'shard' ? [name] : []));
  expect([...ran]).toEqual(expect.arrayContaining(needed));
});

test('a statement that several people share does for each what it does alone: it can be split by slot', async () => {
  await connectAs('', '');
  const { refreshToken: bobs } = await journeyOf(BOB, client, asOwner);
  const { refreshToken: alices } = await journeyOf(ALICE, client, asOwner);
  await onShardOf(ALICE.username);
  const { version } = await currentSnapshot();
  const at = {
    clientId: 'shop',
    apiId: 'orders',
    authMethodId: 'pw',
    issuerHost: null,
    requestId: 'both',
    ip: null,
  };
  const rest = { ...at, version, opaqueHash: null, scopes: null, ceiling: ['read'], strictScopes: false };
  query.mockClear();
  // asked for in one turn of the event loop, they go together
  const both = await Promise.all(
    [bobs, alices].map((token) =>
      rotateRefreshToken({ ...rest, oldHash: sha256(token), newHash: randomBytes(32) }),
    ),
  );
  expect(both.map((rotated) => rotated !== null)).toEqual([false, true]);
  // deliveries of the journeys' sign-outs may be asked for beside it
  const rotations = query.mock.calls.filter((call) => statementsOfJourney([call]).has('refresh-rotate'));
  expect(rotations).toHaveLength(1);
  await onShardOf(BOB.username);
  expect(await refreshIn(client, bobs)).toBe('200');
});

test('what refers to a person’s row lies with it, or the reference is named in docs/scale.md', async () => {
  const keys = await asOwner<{ of: string; to: string; name: string }>(
    `select conrelid::regclass::text as of, confrelid::regclass::text as to, conname as name
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
  expect(keys.length).toBeGreaterThan(15);
  const apart = keys.filter(({ of, to }) => {
    const [here, there] = [TABLES[of]?.how, TABLES[to]?.how];
    return !(there === 'reference' || (here === 'person' && there === 'person'));
  });
  expect(apart.map(({ name }) => name)).toEqual(['clients_owner_id_fkey', 'agent_requests_person_id_fkey']);
});

test('on another shard there is nothing of that person, so it was the shard that answered', async () => {
  const { refreshToken } = alone;
  await onShardOf(BOB.username);
  expect(await refreshIn(client, refreshToken)).toBe('400 invalid_grant');
  await onShardOf(ALICE.username);
  expect(await refreshIn(client, refreshToken)).toBe('200');
});
