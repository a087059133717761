// APIs: creation, changes and deletion, their effects on tokens, and the actors who can see APIs.

import { beforeEach, expect, it } from 'vitest';
import { createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { inEnglish } from '#lib/language/words.ts';
import { ensureManagementApi, MANAGEMENT_API } from '#lib/management/built-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { readOverview } from '#lib/management/service.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import type { ApiInput } from './definition.ts';
import {
  changeApi,
  createApi,
  deleteApi,
  listCatalogue,
  pageApis,
  previewApiChange,
  previewApiDeletion,
  readApi,
} from './operations.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

const BILLING: ApiInput = {
  id: 'billing',
  name: 'Billing',
  url: 'https://billing.example',
  authMethods: ['local'],
};

it('an API is created, changed only with its current version, and deleted with its dependents', async () => {
  const api = await createApi(admin, BILLING);
  expect(api).toMatchObject({ accessTokenTtlSeconds: 3600, authMethods: ['local'], managed: false });
  const edits = ['One', 'Two'].map((name) => changeApi(admin, { id: 'billing', version: api.version, name }));
  const settled = await Promise.allSettled(edits);
  expect(settled.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
  expect(settled.find((one) => one.status === 'rejected')?.reason).toMatchObject({ kind: 'stale' });
  expect(await events('api.changed')).toMatchObject([
    { actor: admin.id, details: { changed: ['name'], before: { name: 'Billing' } } },
  ]);
  await deleteApi(admin, { id: 'billing' });
  expect((await refusal(readApi(admin, { id: 'billing' })))?.kind).toBe('not-found');
});

it('an invalid API returns one fault per field', async () => {
  const wrong = {
    ...BILLING,
    id: 'No Good',
    accessTokenTtlSeconds: 0,
    scopes: [{ name: 'a b', description: '' }],
  };
  expect((await refusal(createApi(admin, wrong)))?.faults.map((fault) => fault.field)).toEqual([
    'id',
    'scopes.0.name',
    'accessTokenTtlSeconds',
  ]);
  const double = { ...BILLING, url: 'https://orders.example', authMethods: ['none'] };
  expect((await refusal(createApi(admin, double)))?.faults.map((fault) => fault.field)).toEqual([
    'url',
    'authMethods.0',
  ]);
  expect((await refusal(createApi(admin, { ...BILLING, id: 'orders' })))?.kind).toBe('conflict');
});

it('a method that is removed from an API loses its tokens for the API, and the preview warns about this', async () => {
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await requestSubscription(dev, SHOP);
  await givenFamily(dev);
  const { version } = await readApi(admin, { id: 'orders' });
  const change = { id: 'orders', authMethods: [], scopes: [{ name: 'read', description: 'See' }] };
  const { endsTokens, warnings } = await previewApiChange(admin, change);
  expect(endsTokens).toBe(1);
  expect(warnings.map(inEnglish).join(' ')).toMatch(/local .* removed.*write/s);
  expect((await previewApiDeletion(admin, { id: 'orders' })).losesAccess).toEqual([SHOP]);
  await changeApi(admin, { ...change, version });
  expect(await countLiveFamilies()).toBe(0);
});

it('the preview of disabling the device grant counts the tokens that will be revoked', async () => {
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await requestSubscription(dev, SHOP);
  await givenFamily(dev);
  await givenFamily(dev);
  await sql("update apis set device_grant = 'on'");
  await sql(`update token_families set basis = 'device' where id = (select id from token_families limit 1)`);
  await sql(
    `insert into device_requests (device_code_hash, user_code_hmac, client_id, api_id, auth_method_id, query,
        attempts, interval_seconds, expires_at, decision)
      select sha256(n::text::bytea), sha256(n::text::bytea), 'shop', 'orders', 'local', '', '{}', 5,
        now() + interval '5 minutes', case n when 1 then 'denied' end from generate_series(1, 3) n`,
  );
  for (const change of [{ deviceGrant: 'off' as const }, { profile: 'fapi-2.0' as const }]) {
    const { endsTokens, warnings } = await previewApiChange(admin, { id: 'orders', ...change });
    expect(endsTokens).toBe(1);
    expect(warnings.map(inEnglish).join(' ')).toContain('2 codes on devices are no longer valid.');
  }
  const { endsTokens, warnings } = await previewApiChange(admin, { id: 'orders', name: 'Other' });
  expect([endsTokens, warnings]).toEqual([0, []]);
});

it('the built-in API has every local method and cannot be changed by administrators or configuration files', async () => {
  await createAuthMethod(admin, { id: 'second', type: 'local', name: 'Second' });
  const [before] = (await pageApis(admin, { search: MANAGEMENT_API })).rows;
  expect(before?.authMethods).toEqual(['local', 'second']);
  const change = { id: MANAGEMENT_API, version: before?.version ?? 0, name: 'Mine' };
  expect((await refusal(changeApi(admin, change)))?.kind).toBe('conflict');
  expect((await refusal(deleteApi(admin, { id: MANAGEMENT_API })))?.kind).toBe('conflict');
  const file = `
auth_methods: [{ id: local, type: local }]
apis: [{ id: files, url: "https://files.example", auth_methods: [local] }]
clients: [{ client_id: ops, confidential: true, redirect_uris: ["https://ops.example/cb"] }]
subscriptions: [{ client_id: ops, api: management, scopes: ["people:read"] }]`;
  await applyConfiguration(file, { env: {}, prune: true });
  const [after] = (await pageApis(admin, { search: MANAGEMENT_API })).rows;
  expect(after?.version).toBe(before?.version);
  expect(await sql(`select state from subscriptions where client_id = 'ops'`)).toEqual([
    { state: 'pending' },
  ]);
  const exported = await exportConfiguration();
  expect(exported).not.toContain('- id: management');
  expect(await applyConfiguration(exported, { env: {} })).toEqual([]);
  const taken = 'apis: [{ id: management, url: "https://x.example" }]';
  await expect(applyConfiguration(taken, { env: {} })).rejects.toThrow('built in');
  await ensureManagementApi();
  expect((await readApi(admin, { id: MANAGEMENT_API })).version).toBe(before?.version);
});

it('an API with the id "new" is rejected, because the console uses that address for creation', async () => {
  const made = [
    () => createApi(admin, { ...BILLING, id: 'new' }),
    () => createAuthMethod(admin, { id: 'new', type: 'local', name: 'New' }),
  ];
  for (const work of made) {
    expect((await refusal(work()))?.faults).toMatchObject([
      { field: 'id', code: 'input.wrong', message: expect.stringContaining('must not be new') },
    ]);
  }
});

it('the overview counts pending requests per role, and the catalogue shows the client’s subscriptions', async () => {
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await requestSubscription(dev, { ...SHOP, trusted: true });
  expect(await readOverview(admin, { counts: true })).toMatchObject({ pending: 1, counts: { clients: 1 } });
  expect(await readOverview(dev)).toEqual({ pending: 0, counts: null });
  const [entry] = await listCatalogue(dev, { clientId: 'shop' });
  expect(entry).toMatchObject({ id: 'orders', subscription: { state: 'pending', trusted: true } });
  expect((await listCatalogue(OPERATOR))[0]?.subscription).toBeNull();
});
