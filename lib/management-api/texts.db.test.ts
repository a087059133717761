// Names and descriptions in several languages, through the management API: what was written is answered, tags and all.
import { beforeAll, expect, test } from 'vitest';
import { giveDelegation, listMyDelegations, OPERATOR, requestSubscription } from '#lib/management/index.ts';
import { givenClient, givenPerson, givenToken, type Person, sql } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';

const ORDERS = { 'pt-BR': 'Pedidos', en: 'Orders' };
const SHOP = { de: 'Laden', 'zh-Hant': '商店' };
const READ = { en: 'See your orders', de: 'Ihre Bestellungen sehen' };
let admin: Person;
let token: string;

beforeAll(async () => {
  await givenManagementApi();
  admin = await givenPerson('admin', 'administrator');
  token = await givenToken(admin);
  await givenClient(OPERATOR, 'shop');
});

async function change(path: string, json: unknown) {
  const { version } = (await callManagement(path, { token })).json;
  return callManagement(path, { method: 'PATCH', token, json, headers: { 'if-match': `"${version}"` } });
}

test('a map is answered as it was written, in its order, in lists and by itself; a text as a text', async () => {
  const description = { EN: 'What you order', de: 'Was Sie bestellen' };
  const scopes = [{ name: 'read', description: READ }];
  const api = await change('/apis/orders', { name: ORDERS, description, scopes });
  expect([api.status, api.json], String(api.body)).toMatchObject([200, { name: ORDERS, scopes }]);
  expect(JSON.stringify(api.json.description)).toBe('{"en":"What you order","de":"Was Sie bestellen"}');
  const client = await change('/clients/shop', { name: SHOP });
  expect(JSON.stringify(client.json.name)).toBe(JSON.stringify(SHOP));
  const { json } = await callManagement('/apis', { token, query: 'search=orders' });
  expect(JSON.stringify(json.rows[0].name)).toBe(JSON.stringify(ORDERS));
  expect((await change('/clients/shop', { name: 'Shop' })).json.name).toBe('Shop');
});

test('what is wrong has its place', async () => {
  const { status, json } = await change('/apis/orders', {
    name: { en: 'Orders', zz: 'X' },
    scopes: [{ name: 'a', description: {} }],
  });
  expect([status, json.errors]).toEqual([
    422,
    [
      { field: 'name.zz', code: 'input.wrong', detail: 'name.zz must be a language, such as de or pt-BR' },
      {
        field: 'scopes.0.description',
        code: 'input.wrong',
        detail: 'scopes.0.description must not be empty: give a text, or one for each language',
      },
    ],
  ]);
});

test('people read their consents and delegations with all languages', async () => {
  await change('/apis/orders', { name: ORDERS, scopes: [{ name: 'read', description: READ }] });
  await change('/clients/shop', { name: SHOP });
  await requestSubscription(OPERATOR, { clientId: 'shop', api: 'orders', scopes: ['read'] });
  await sql(
    "insert into consents (person_id, client_id, api_id, scopes) values ($1, 'shop', 'orders', '{read,openid}')",
    [admin.id],
  );
  const { json } = await callManagement('/me/consents', { token, query: '' });
  expect(json.rows.find((one: { client_id: string }) => one.client_id === 'shop')).toMatchObject({
    client_name: SHOP,
    api_name: ORDERS,
    scopes: [
      { name: 'read', description: READ },
      { name: 'openid', description: expect.any(String) },
    ],
  });
  await giveDelegation(admin, {
    clientId: 'shop',
    api: 'orders',
    scopes: ['read'],
    until: new Date(Date.now() + 86_400_000),
  });
  expect(await listMyDelegations(admin)).toMatchObject([
    { clientName: SHOP, apiName: ORDERS, scopes: [{ name: 'read', description: READ }] },
  ]);
});
