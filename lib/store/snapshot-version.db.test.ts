// The registry snapshot is never older than each caller permits (docs/project/decisions/0004).
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, expect, test, vi } from 'vitest';
import { givenBasis, givenFamilyRow } from '#testing/data/families.ts';
import { invalidateMost } from './endings.ts';
import { rotateRefreshToken } from './hot/refresh-tokens.ts';
import { query } from './pool.ts';
import { database } from './prisma.ts';
import { currentSnapshot, hasChanged, RegistryChanged, recentSnapshot, watchedSnapshot } from './snapshot.ts';
import { watchRegistry } from './snapshot-watch.ts';

const run = (text: string, values: unknown[] = []) => query<Record<string, unknown>>({ text, values });
const rename = (name: string) => run("update clients set name = $1 where client_id = 'shop'", [name]);
const personId = await givenBasis(run);
const familyId = await givenFamilyRow(run, { personId, clientId: 'shop', apiId: 'orders' });

async function token(): Promise<Buffer> {
  const hash = randomBytes(32);
  await run(
    "insert into refresh_tokens (token_hash, family_id, expires_at) values ($1, $2, now() + interval '1 minute')",
    [hash, familyId],
  );
  return hash;
}

const rotate = (oldHash: Buffer, version: string) =>
  rotateRefreshToken({
    version,
    oldHash,
    newHash: randomBytes(32),
    opaqueHash: null,
    scopes: null,
    ceiling: ['read'],
    strictScopes: false,
    clientId: 'shop',
    apiId: 'orders',
    authMethodId: 'local',
    issuerHost: null,
    requestId: 'test',
    ip: null,
  });

test('a statement that is based on an older registry changes nothing, and succeeds with the current one', async () => {
  const old = await currentSnapshot();
  const hash = await token();
  await rename('Changed');
  await expect(rotate(hash, old.version)).rejects.toThrow(RegistryChanged);
  const [row] = await run('select used_at from refresh_tokens where token_hash = $1', [hash]);
  expect(row?.['used_at']).toBeNull();
  // a notified process reloads immediately, without waiting a second
  const { version } = await recentSnapshot();
  expect(version).not.toBe(old.version);
  expect(await rotate(hash, version)).toMatchObject({ familyId, scopes: ['read'] });
});

test('of concurrent rotations of one refresh token, batched or not, one succeeds', async () => {
  const { version } = await currentSnapshot();
  const hashes = await Promise.all(Array.from({ length: 20 }, token));
  const outcomes = await Promise.all(
    Array.from({ length: 200 }, (_, i) => rotate(hashes[i % 20] as Buffer, version)),
  );
  expect(outcomes.filter((outcome) => outcome !== null)).toHaveLength(20);
  const [row] = await run('select count(*)::int as n from refresh_tokens where parent_hash = any ($1)', [
    hashes,
  ]);
  expect(row?.['n']).toBe(20);
});

test('hasChanged detects changes of the shared registry and of the given client', async () => {
  const old = await currentSnapshot();
  expect(await hasChanged(old, 'shop', performance.now())).toBe(false);
  await rename('Changed again');
  expect(await hasChanged(old, 'other', performance.now())).toBe(false);
  expect(await hasChanged(old, 'shop', performance.now())).toBe(true);
});

test('watchedSnapshot queries the database if no connection listens for notifications, and otherwise uses them', async () => {
  await rename('Before the watch');
  expect((await watchedSnapshot()).clients.get('shop')?.name).toBe('Before the watch');
  const stop = watchRegistry();
  afterAll(stop);
  // the first query of the watch shows that the snapshot is current
  await vi.waitFor(async () => expect(await watchedSnapshot()).toBe(await watchedSnapshot()), 15_000);
  await rename('While watched');
  await vi.waitFor(
    async () => expect((await watchedSnapshot()).clients.get('shop')?.name).toBe('While watched'),
    15_000,
  );
  await stop();
  await rename('After the watch');
  expect((await watchedSnapshot()).clients.get('shop')?.name).toBe('After the watch');
});

test('a registry version that was lost in a database failover causes no wait', async () => {
  const { version, clients } = await currentSnapshot();
  await rename('Before the fail-over');
  const spied = vi.spyOn(pg.Pool.prototype, 'query');
  // simulates the last state that the previous primary server reported
  const lost = { version: String(BigInt(version) + 1_000n), clock: Date.now(), stands: true };
  spied.mockImplementationOnce((async () => ({ rows: [lost] })) as never);
  const found = await currentSnapshot();
  spied.mockRestore();
  expect(found.clients.get('shop')?.name).toBe('Before the fail-over');
  expect(clients.get('shop')?.name).not.toBe('Before the fail-over');
  expect((await currentSnapshot()).version).toBe(found.version);
});

test('`invalidate` makes processes drop a cached registry after a database backup was restored', async () => {
  await rename('Restored');
  const [{ version: restored } = { version: '' }] = await run('select version::text from directory_version');
  await rename('Lost');
  const lost = await currentSnapshot();
  expect(lost.clients.get('shop')?.name).toBe('Lost');
  // simulates a restored backup whose version later reaches the same number
  await run("update clients set name = 'Restored' where client_id = 'shop'");
  await run('update directory_version set version = $1', [restored]);
  await run('delete from directory_changes where version > $1', [restored]);
  await run("update clients set name = 'Since then' where client_id = 'shop'");
  expect((await currentSnapshot()).clients.get('shop')?.name).toBe('Lost');
  await invalidateMost(database(), new Date(0));
  expect((await currentSnapshot()).clients.get('shop')?.name).toBe('Since then');
});
