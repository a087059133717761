// Custom texts of sign-in pages and mails in the configuration file: snapshot and export.
import { beforeEach, expect, test } from 'vitest';
import { readApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

beforeEach(() => sql('truncate auth_methods, apis, clients, people cascade'));

const file = (texts: string, client = 'null') => `
auth_methods: [{ id: local, type: local }]
apis:
  - { id: orders, url: https://api.example/orders, auth_methods: [local], scopes: [], texts: ${texts} }
clients:
  - { client_id: shop, application_type: browser, redirect_uris: [https://shop.example/cb], texts: ${client} }
`;
const apply = (source: string) => applyConfiguration(source, { env: {} });

test('custom texts of the file reach the snapshot, a second apply changes nothing, and apply can read them from an export', async () => {
  const source = file(
    '{ sign_in_lead: { pt-BR: Olá, de: "<b>Hallo</b>" }, mail_reset: { en: "{minutes} minutes" } }',
    '{ sign_in_lead: { de: Moin } }',
  );
  await apply(source);
  expect(await apply(source)).toEqual([]);
  const { apis, clients } = await currentSnapshot();
  const texts = {
    sign_in_lead: { de: '<b>Hallo</b>', 'pt-BR': 'Olá' },
    mail_reset: { en: '{minutes} minutes' },
  };
  expect(apis.get('orders')?.texts).toEqual(texts);
  expect(clients.get('shop')?.texts).toEqual({ sign_in_lead: { de: 'Moin' } });
  const exported = await exportConfiguration();
  expect(await apply(exported)).toEqual([]);
  await sql('truncate auth_methods, apis, clients, people cascade');
  await apply(exported);
  expect((await readApi(OPERATOR, { id: 'orders' })).texts).toEqual(texts);
});

test('removing texts from the file restores the defaults', async () => {
  await apply(file('{ sign_in_lead: { de: Hallo } }'));
  const lines = (await apply(file('{}'))).flatMap((change) => change.lines);
  expect(lines).toEqual(['- texts: {"sign_in_lead":{"de":"Hallo"}}', '+ texts: null']);
  expect((await readApi(OPERATOR, { id: 'orders' })).texts).toBeNull();
});

test.each([
  ['{ sign_in_lead: { sv: Hej } }', 'apis[0].texts.sign_in_lead.sv: must be one of en, de'],
  ['{ sign_in_lead: { de: "{name}" } }', 'apis[0].texts.sign_in_lead.de: must not contain {name}'],
  ['{ consent_heading: { de: Ja } }', 'apis[0].texts.consent_heading: is not a key of this file'],
  ['{ sign_in_lead: Hallo }', 'apis[0].texts.sign_in_lead: must be keys and values'],
])('apply rejects %s in custom texts with its path', async (texts, fault) => {
  await expect(apply(file(texts))).rejects.toThrow(fault);
  await expect(apply(file(texts))).rejects.toThrow('(line 4)');
});
