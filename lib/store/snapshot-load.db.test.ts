// The registry is loaded incrementally, requests confirm only their own dependencies, and the previous snapshot is used
// during a load (docs/project/decisions/0004).
import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { givenBasis, givenFamilyRow } from '#testing/data/families.ts';
import { withClient } from '#testing/data/sql.ts';
import { deleteExpired } from './cleanup.ts';
import { rotateRefreshToken } from './hot/refresh-tokens.ts';
import { query } from './pool.ts';
import { isRegistryReady } from './service-state.ts';
import {
  catchUp,
  currentSnapshot,
  loadSnapshot,
  RegistryChanged,
  recentSnapshot,
  snapshotState,
} from './snapshot.ts';

const run = (text: string, values: unknown[] = []) => query<Record<string, unknown>>({ text, values });
let familyId: string;
let personId: string;
const CLIENTS = 240;
const ids = Array.from({ length: CLIENTS }, (_, at) => `client-${at}`);

beforeAll(async () => {
  personId = await givenBasis(run, { clients: ids });
});

async function rotate(version: string) {
  const oldHash = randomBytes(32);
  // some changes revoke earlier tokens of the client
  familyId = await givenFamilyRow(run, { personId, clientId: 'client-1', apiId: 'orders' });
  await run(
    "insert into refresh_tokens (token_hash, family_id, expires_at) values ($1, $2, now() + interval '1 minute')",
    [oldHash, familyId],
  );
  return rotateRefreshToken({
    version,
    oldHash,
    newHash: randomBytes(32),
    opaqueHash: null,
    scopes: null,
    ceiling: ['read'],
    strictScopes: false,
    clientId: 'client-1',
    apiId: 'orders',
    authMethodId: 'local',
    issuerHost: null,
    requestId: 'test',
    ip: null,
  });
}

const version = async () => (await run('select version::text from directory_version'))[0]?.['version'];
const rename = (clientId: string, name: string) =>
  run('update clients set name = $2 where client_id = $1', [clientId, name]);

/** Returns the complete content of a snapshot, for comparisons. */
function contents(snapshot: Awaited<ReturnType<typeof currentSnapshot>>) {
  const { clients, ...shared } = snapshot;
  return { ...shared, size: clients.size, clients: [...ids, 'added'].map((id) => clients.get(id)) };
}

const CHANGES: [what: string, statement: string][] = [
  ['a client is renamed', "update clients set name = 'Other' where client_id = 'client-1'"],
  ['it is disabled', "update clients set disabled_at = now() where client_id = 'client-1'"],
  ['it is enabled', "update clients set disabled_at = null where client_id = 'client-1'"],
  ['it gets a secret', `insert into client_secrets (client_id, secret_hash) values ('client-1', '\\x01')`],
  ['its secret is to end', "update client_secrets set expires_at = now() + interval '1 hour'"],
  ['its secret is deleted', 'delete from client_secrets'],
  [
    'its subscription is suspended',
    "update subscriptions set state = 'suspended' where client_id = 'client-1'",
  ],
  ['its subscription is gone', "delete from subscriptions where client_id = 'client-1'"],
  [
    'it subscribes',
    "insert into subscriptions (client_id, api_id, state) values ('client-1', 'orders', 'approved')",
  ],
  [
    'an API gets a scope',
    "insert into api_scopes (api_id, name, description) values ('orders', 'read', 'Read')",
  ],
  ['an API changes', "update apis set access_token_ttl = 61 where id = 'orders'"],
  ['a combination goes', 'delete from combinations'],
  ['a combination comes', "insert into combinations (auth_method_id, api_id) values ('local', 'orders')"],
  ['a method is renamed', "update auth_methods set name = 'Ours'"],
];

describe('the registry changes after a request read it', () => {
  test.each(CHANGES)(
    '%s: a statement based on the old registry snapshot changes nothing, and the new snapshot equals a full load',
    async (_, text) => {
      const old = await currentSnapshot();
      await run(text);
      await expect(rotate(old.version)).rejects.toThrow(RegistryChanged);
      await catchUp(3_000);
      expect(contents(await recentSnapshot())).toEqual(contents(await loadSnapshot(undefined)));
    },
  );
});

test('a change of another client causes no retry, and leaves the other parts of the snapshot unchanged', async () => {
  const old = await currentSnapshot();
  await rename('client-2', 'Two');
  await run(
    "insert into clients (client_id, name, confidential, application_type) values ('added', 'Added', true, 'web')",
  );
  expect(await rotate(old.version)).toMatchObject({ familyId });
  const now = await currentSnapshot();
  expect(now.version).not.toBe(old.version);
  expect(now.apis).toBe(old.apis);
  expect(now.clients.get('client-3')).toBe(old.clients.get('client-3'));
  expect([old.clients.get('client-2')?.name, now.clients.get('client-2')?.name]).toEqual(['client-2', 'Two']);
  expect([old.clients.size, now.clients.size]).toEqual([CLIENTS, CLIENTS + 1]);
  await run("delete from clients where client_id = 'added'");
  expect(contents(await currentSnapshot())).toEqual(contents(await loadSnapshot(undefined)));
});

test('a statement with no changes, many changes or several pages of changes yields the correct snapshot', async () => {
  const before = await currentSnapshot();
  await run("update clients set name = 'All ' || client_id");
  await run("delete from subscriptions where client_id >= 'client-2'");
  const after = await currentSnapshot();
  expect(contents(after)).toEqual(contents(await loadSnapshot(undefined)));
  expect(after.clients.get('client-77')?.name).toBe('All client-77');
  expect(BigInt(after.version)).toBe(BigInt(before.version) + 2n);
  await run("update clients set name = 'Nobody' where client_id = 'nobody'");
  await run("delete from client_secrets where client_id = 'nobody'");
  await run('update client_secrets set last_used_at = now()');
  expect(await version()).toBe(after.version);
});

test('a snapshot that is thousands of changes behind triggers a full load', async () => {
  const old = await currentSnapshot();
  await run(`insert into clients (client_id, name, confidential, application_type)
    select 'more-' || n, 'More', false, 'browser' from generate_series(1, 5200) n`);
  const all = await currentSnapshot();
  expect(all.clients.size).toBe(old.clients.size + 5_200);
  expect(all.clients.get('client-3')).not.toBe(old.clients.get('client-3'));
  expect(contents(all)).toEqual({ ...contents(old), version: all.version, size: all.clients.size });
  await run("delete from clients where client_id like 'more-%'");
  expect((await currentSnapshot()).clients.size).toBe(old.clients.size);
});

test('an incomplete change log is not trusted and triggers a full load', async () => {
  const old = await currentSnapshot();
  await rename('client-2', 'Away');
  await rename('client-3', 'Here');
  await run("update directory_changes set at = now() - interval '3 hours' where version <= $1::bigint + 1", [
    old.version,
  ]);
  await expect(rotate(old.version)).rejects.toThrow(RegistryChanged);
  expect((await deleteExpired()).deleted['directory_changes']).toBeGreaterThan(0);
  await expect(rotate(old.version)).rejects.toThrow(RegistryChanged);
  const now = await currentSnapshot();
  expect(now.clients.get('client-2')?.name).toBe('Away');
  expect(contents(now)).toEqual(contents(await loadSnapshot(undefined)));
});

test('truncating a table empties the copy in memory', async () => {
  const added = "insert into client_secrets (client_id, secret_hash) values ('client-5', '\\x05')";
  await run(added);
  const old = await currentSnapshot();
  await rename('client-4', 'Before');
  await run('truncate client_secrets');
  await rename('client-4', 'After');
  await expect(rotate(old.version)).rejects.toThrow(RegistryChanged);
  expect((await currentSnapshot()).clients.get('client-5')?.secrets).toEqual([]);
  expect(contents(await currentSnapshot())).toEqual(contents(await loadSnapshot(undefined)));
});

test('changes during a full load of the snapshot are included', async () => {
  let changing = true;
  const changes = (async () => {
    for (let at = 0; changing; at += 1) await rename(`client-${at % CLIENTS}`, `Changed ${at}`);
  })();
  for (let at = 0; at < 20; at += 1) {
    const snapshot = await loadSnapshot(undefined);
    // the content of a snapshot has the version of the snapshot or a newer version
    const known = await loadSnapshot(snapshot);
    expect(BigInt(known.version)).toBeGreaterThanOrEqual(BigInt(snapshot.version));
  }
  changing = false;
  await changes;
  expect(contents(await currentSnapshot())).toEqual(contents(await loadSnapshot(undefined)));
});

describe('if a newer registry cannot be loaded', () => {
  /** Locks a table that loading reads and rotation does not read. */
  async function held(work: () => Promise<void>): Promise<void> {
    await withClient(process.env['DATABASE_URL'] as string, async (other) => {
      await other.query('begin');
      await other.query('lock table client_secrets in access exclusive mode');
      await work();
    });
  }

  test('until a registry change is loaded, requests that do not depend on it use the previous snapshot, and /ready reports this', async () => {
    const old = await currentSnapshot();
    await held(async () => {
      await rename('client-2', 'Slow');
      // the promise may reject while the lock exists
      currentSnapshot().catch(() => {});
      expect(await recentSnapshot()).toBe(old);
      expect(await rotate(old.version)).toMatchObject({ familyId });
      expect(await isRegistryReady()).toBe('ok');
      expect(await isRegistryReady(0)).toBe('behind');
      await rename('client-1', 'Changed');
      await expect(rotate(old.version)).rejects.toThrow(RegistryChanged);
    });
    const now = await currentSnapshot();
    expect([now.clients.get('client-1')?.name, now.clients.get('client-2')?.name]).toEqual([
      'Changed',
      'Slow',
    ]);
    expect(await isRegistryReady(0)).toBe('ok');
  });

  test('a failed load of the registry is reported, and the next load succeeds', async () => {
    const old = await currentSnapshot();
    await run('alter table client_secrets rename to set_aside');
    await rename('client-2', 'Lost');
    await expect(currentSnapshot()).rejects.toThrow(/client_secrets/);
    expect(await recentSnapshot()).toBe(old);
    expect(await isRegistryReady()).toBe('failed');
    snapshotState().known = undefined as never;
    expect(await isRegistryReady()).toBe('failed');
    await run('alter table set_aside rename to client_secrets');
    expect(await isRegistryReady()).toBe('ok');
    expect((await recentSnapshot()).clients.get('client-2')?.name).toBe('Lost');
  });
});
