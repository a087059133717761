// Names and descriptions in several languages in the file: how they reach the database, the snapshot and the export.
// A plain text stays a plain text.
import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import { changeApi, pageApis, readApi } from '#lib/catalogue/apis/operations.ts';
import { readClient } from '#lib/catalogue/clients/operations.ts';
import { unreadable } from '#lib/kit/text.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { type DisplayText, plainText } from '#lib/registry/display-text.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';
import { describeFault, readConfiguration } from './file.ts';

const apply = async (source: string) =>
  (await applyConfiguration(source, { env: {} })).map(({ id, changed }) => [id, ...changed]);

type Given = {
  api: DisplayText;
  about: DisplayText;
  scope: DisplayText;
  method: DisplayText;
  client: DisplayText;
};
const fileOf = ({ api, about, scope, method, client }: Given) =>
  stringify({
    auth_methods: [{ id: 'staff', type: 'local', name: method }],
    apis: [
      {
        id: 'orders',
        url: 'https://orders.example',
        name: api,
        description: about,
        auth_methods: ['staff'],
        scopes: [{ name: 'read', description: scope }],
      },
    ],
    clients: [
      {
        client_id: 'shop',
        application_type: 'browser',
        client_name: client,
        redirect_uris: ['https://shop.example/cb'],
      },
    ],
  });
const same = (text: DisplayText): Given => ({
  api: text,
  about: text,
  scope: text,
  method: text,
  client: text,
});
const ORDERS = { de: 'Bestellungen', en: 'Orders' };

beforeEach(() => sql('truncate auth_methods, apis, clients cascade'));

test('any text stays unchanged from file to database, export and next apply, which finds no further changes', async () => {
  const text = fc
    .string({ unit: 'binary', minLength: 1, maxLength: 60 })
    .map((one) => one.replaceAll(/[\p{Cc}\p{Cs}]/gu, 'x').trim())
    .filter((one) => one !== '' && unreadable(one, 'line') === null);
  const texts = fc
    .uniqueArray(fc.tuple(fc.constantFrom('en', 'de', 'fr', 'ja', 'pt-BR', 'ar', 'en-GB', 'und'), text), {
      minLength: 1,
      selector: ([tag]) => tag,
    })
    .map((entries) => Object.fromEntries(entries) as DisplayText);
  const any = fc.oneof(text, texts);
  const given = fc.record({ api: any, about: any, scope: any, method: any, client: any });
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      await apply(fileOf(one));
      const [api, client] = [
        await readApi(OPERATOR, { id: 'orders' }),
        await readClient(OPERATOR, { clientId: 'shop' }),
      ];
      const snapshot = await currentSnapshot();
      const held = {
        api: api.name,
        about: api.description,
        scope: api.scopes[0]?.description,
        method: snapshot.methods.get('staff')?.name,
        client: client.name,
      };
      expect(JSON.stringify(held)).toBe(JSON.stringify(one));
      expect(JSON.stringify(snapshot.apis.get('orders')?.name)).toBe(JSON.stringify(one.api));
      expect(JSON.stringify(snapshot.clients.get('shop')?.name)).toBe(JSON.stringify(one.client));
      expect(await apply(fileOf(one))).toEqual([]);
      expect(await apply(await exportConfiguration())).toEqual([]);
      const [row] = await sql("select name from apis where id = 'orders'");
      expect(row?.['name']).toBe(plainText(one.api));
    }),
    { numRuns: 40 },
  );
});

test('apply reports a change from a text to a map of languages, another order of the map, and a change back to a text', async () => {
  await apply(fileOf(same('Orders')));
  const changed = [
    ['staff', 'name'],
    ['orders', 'name', 'description', 'scopes'],
    ['shop', 'client_name'],
  ];
  expect(await apply(fileOf(same(ORDERS)))).toEqual(changed);
  expect(await apply(fileOf(same({ en: 'Orders', de: 'Bestellungen' })))).toEqual(changed);
  expect(JSON.stringify((await readApi(OPERATOR, { id: 'orders' })).name)).toBe(
    '{"en":"Orders","de":"Bestellungen"}',
  );
  expect(await apply(fileOf(same('Orders')))).toEqual(changed);
  expect((await readApi(OPERATOR, { id: 'orders' })).name).toBe('Orders');
});

test('list search finds an API by its main-language name, not by translations', async () => {
  await apply(fileOf(same(ORDERS)));
  const found = async (search: string) => (await pageApis(OPERATOR, { search })).rows.map(({ id }) => id);
  expect(await found('orde')).toEqual(['orders']);
  expect(await found('bestell')).toEqual([]);
});

test('writing plain text removes other languages of a changed text, and keeps languages of unchanged texts', async () => {
  await apply(fileOf(same(ORDERS)));
  await sql("update apis set name = 'Sales', access_token_ttl = 60 where id = 'orders'");
  await sql("update api_scopes set description = 'See them' where api_id = 'orders'");
  await sql("update auth_methods set name = 'People', position = 3 where id = 'staff'");
  await sql("update clients set name = 'Orders', logo_uri = null where client_id = 'shop'");
  const api = await readApi(OPERATOR, { id: 'orders' });
  expect([api.name, api.description, api.scopes[0]?.description]).toEqual(['Sales', ORDERS, 'See them']);
  const { methods, clients } = await currentSnapshot();
  expect([methods.get('staff')?.name, clients.get('shop')?.name]).toEqual(['People', ORDERS]);
});

describe('an invalid text is rejected with its path, and nothing is written', () => {
  it.each([
    ['name: { zz: Orders }', 'apis[0].name.zz: must be a language, such as de or pt-BR (line 4)'],
    [
      'name: { en: Orders, "xx-nonsense!": X }',
      'apis[0].name.xx-nonsense!: must be a language, such as de or pt-BR (line 4)',
    ],
    ['name: { de: A, DE: B }', 'apis[0].name.DE: is de, which is already listed (line 4)'],
    ['name: {}', 'apis[0].name: must not be empty: enter a text, or one for each language (line 4)'],
    ['description: { en: "" }', 'apis[0].description.en: must not be empty (line 4)'],
    [
      `name: { en: "${'x'.repeat(201)}" }`,
      'apis[0].name.en: must not be longer than 200 characters (line 4)',
    ],
    [
      'scopes: [{ name: a, description: { en: A } }, { name: b, description: { klingonish: B } }]',
      'apis[0].scopes[1].description.klingonish: must be a language, such as de or pt-BR (line 4)',
    ],
    [
      'name: 7',
      'apis[0].name: must be a string, or a map of languages such as {en: Orders, de: Bestellungen}: put it in quotes (line 4)',
    ],
  ])('a file with the line %s is rejected', async (line, fault) => {
    const source = `apis:\n  - id: orders\n    url: https://orders.example\n    ${line}\n`;
    const withScopes = line.startsWith('scopes') ? source : `${source}    scopes: []\n`;
    const read = readConfiguration(withScopes, {});
    expect('faults' in read && read.faults.map(describeFault)).toEqual([fault]);
    await expect(apply(withScopes)).rejects.toThrow();
    expect(await sql('select id from apis')).toEqual([]);
  });

  it('an operation of the console or the API rejects an invalid text too', async () => {
    await apply(fileOf(same(ORDERS)));
    const change = changeApi(OPERATOR, { id: 'orders', name: { en: 'Orders', zz: 'X' } });
    await expect(change).rejects.toMatchObject({
      faults: [{ field: 'name.zz', message: 'name.zz must be a language, such as de or pt-BR' }],
    });
    expect((await readApi(OPERATOR, { id: 'orders' })).name).toEqual(ORDERS);
  });
});
