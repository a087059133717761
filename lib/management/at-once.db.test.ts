// Concurrent writes, and stored rows that the present validation would reject.
import { beforeEach, expect, it } from 'vitest';
import { createApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient, createClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { changeAuthMethod, createAuthMethod, deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { query } from '#lib/store/pool.ts';
import { inTransaction } from '#lib/store/prisma.ts';
import {
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import { until } from '#testing/net/until.ts';
import { OPERATOR } from './policy.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

it('an invalid timeout setting is an input fault, not an outage', async () => {
  const config = { verify_url: 'https://v.example' };
  const { version } = await createAuthMethod(admin, { id: 'ext', type: 'external', name: 'E', config });
  const change = { id: 'ext', version, config: { ...config, timeout_ms: 0 } };
  expect((await refusal(changeAuthMethod(admin, change)))?.faults).toMatchObject([
    { field: 'config.timeout_ms', code: 'input.wrong', message: 'timeout_ms must be from 1 to 60000' },
  ]);
});

const both = async (work: (at: number) => Promise<unknown>) => {
  const settled = await Promise.allSettled([work(1), work(2)]);
  return settled
    .map((one) =>
      one.status === 'fulfilled' ? 'done' : ((one.reason as { kind?: string }).kind ?? String(one.reason)),
    )
    .sort();
};

it('if one API id is created twice concurrently, one attempt fails and overwrites nothing', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = `api-${round}`;
    const made = await both((at) =>
      createApi(admin, { id, name: `N${at}`, url: `https://${id}-${at}.example` }),
    );
    expect(made).toEqual(['conflict', 'done']);
  }
});

it('if one client id is created twice concurrently, one attempt fails', async () => {
  for (let round = 0; round < 5; round += 1) {
    const client = {
      clientId: `c-${round}`,
      name: 'N',
      kind: 'browser' as const,
      redirectUris: ['https://a.example/'],
    };
    expect(await both(() => createClient(admin, client))).toEqual(['conflict', 'done']);
  }
});

it('if one method id is created twice concurrently, one attempt fails', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = `m-${round}`;
    const made = await both((at) =>
      createAuthMethod(admin, {
        id,
        type: 'external',
        name: 'N',
        config: { verify_url: `https://v${at}.example` },
        secret: `s${at}`,
      }),
    );
    expect(made).toEqual(['conflict', 'done']);
  }
});

it('if the last two local methods are deleted concurrently, one deletion fails', async () => {
  for (let round = 0; round < 5; round += 1) {
    await givenEmptyRegistry();
    admin = await givenPerson('admin', 'administrator');
    await createAuthMethod(admin, { id: 'second', type: 'local', name: 'Second' });
    const ids = ['local', 'second'];
    expect(await both((at) => deleteAuthMethod(admin, { id: ids[at - 1] ?? '' }))).toEqual([
      'conflict',
      'done',
    ]);
  }
});

it('a subscription that is revoked during apply remains revoked', async () => {
  const file = (name: string, scopes: string) => `
auth_methods: [{ id: local, type: local }]
apis: [{ id: orders, url: "https://orders.example", scopes: [{ name: read }, { name: write }] }]
clients: [{ client_id: shop, client_name: ${name}, confidential: true, redirect_uris: ["https://shop.example/cb"] }]
subscriptions: [{ client_id: shop, api: orders, scopes: [${scopes}] }]`;
  await applyConfiguration(file('One', 'read'), { env: {} });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const holder = inTransaction(async (db) => {
    await db.$executeRaw({ text: "select from clients where client_id = 'shop' for update" });
    locked();
    await held;
  });
  await isLocked;
  const applying = applyConfiguration(file('Two', 'write'), { env: {} });
  await until(
    async () =>
      (
        await query({
          text: `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
        })
      ).length > 0,
  );
  await decideSubscription(OPERATOR, { ...SHOP, action: 'revoke' });
  release();
  await holder;
  await applying.catch(() => {});
  expect(await sql(`select state from subscriptions where client_id = 'shop'`)).toEqual([
    { state: 'revoked' },
  ]);
});

it('apply waits for another running apply longer than the statement timeout', async () => {
  let locked = () => {};
  const isLocked = new Promise<void>((resolve) => {
    locked = resolve;
  });
  const holder = inTransaction(async (db) => {
    await db.$executeRaw({ text: "select pg_advisory_xact_lock(hashtext('gatehouse.apply'))" });
    locked();
    await new Promise((resolve) => setTimeout(resolve, 8500));
  });
  await isLocked;
  await applyConfiguration('auth_methods: [{ id: local, type: local }]', { env: {} });
  await holder;
});

it('an existing client whose id is the reserved word "new" can remove redirect URIs', async () => {
  await givenClient(OPERATOR);
  await sql(`update clients set client_id = 'new' where client_id = 'shop'`);
  await changeClient(OPERATOR, { clientId: 'new', redirectUris: [] });
});

it('operator changes of a client keep the requester of pending requests', async () => {
  await givenClient(OPERATOR);
  await requestSubscription(admin, { ...SHOP, trusted: true });
  await changeClient(OPERATOR, { clientId: 'shop', redirectUris: ['https://shop.example/b'] });
  expect(await sql('select requested_by from subscriptions')).toEqual([{ requested_by: admin.id }]);
});

it('an empty id and owner of a new client count as unset', async () => {
  const client = { name: 'Shop', kind: 'browser' as const, redirectUris: ['https://a.example/'] };
  const { clientId } = await createClient(admin, { ...client, clientId: '', ownerEmail: '' });
  expect(clientId).toMatch(/^shop-[0-9a-f]{8}$/);
  expect((await readClient(admin, { clientId })).ownerId).toBeNull();
});
