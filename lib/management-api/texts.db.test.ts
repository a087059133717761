// Texts of sign-in pages and mails in the management API: permissions, versions, audit.
import { beforeEach, expect, test } from 'vitest';
import { deleteApi, readApi } from '#lib/catalogue/apis/operations.ts';
import { deleteClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { events, givenClient, givenPerson, givenToken, type Person, sql } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';

let people: Record<'chief' | 'lead' | 'dev', Person>;
beforeEach(async () => {
  await givenManagementApi();
  people = {
    chief: await givenPerson('chief', 'administrator'),
    lead: await givenPerson('lead', 'approver'),
    dev: await givenPerson('dev', 'developer'),
  };
  await givenClient(people.dev, 'shop');
});

const TEXTS = { sign_in_lead: { 'pt-BR': 'Olá', de: 'Hallo' }, mail_closing: { de: 'Ihr Team\nin Kiel' } };
const patch = async (who: keyof typeof people, path: string, json: object, version?: string) => {
  const token = await givenToken(people[who]);
  const read = await callManagement(path, { token: await givenToken(people.chief) });
  const headers = { 'if-match': version ?? String(read.headers['etag']) };
  return callManagement(path, { method: 'PATCH', token, headers, json });
};

test('an administrator sets texts of an API and a client, and reads them unchanged', async () => {
  for (const path of ['/apis/orders', '/clients/shop']) {
    const changed = await patch('chief', path, { texts: TEXTS });
    expect([changed.status, changed.json.texts]).toEqual([200, TEXTS]);
    // members that the request omits stay unchanged
    expect((await patch('chief', path, { name: 'Renamed' })).json.texts).toEqual(TEXTS);
    expect((await patch('chief', path, { texts: null })).json.texts).toBeNull();
  }
});

test('a developer cannot set texts of a client, and an approver cannot set texts of an API', async () => {
  const refused = await patch('dev', '/clients/shop', { texts: TEXTS });
  expect(refused.status).toBe(403);
  // texts that stay unchanged do not block other changes
  await patch('chief', '/clients/shop', { texts: TEXTS });
  expect(
    (await patch('dev', '/clients/shop', { texts: TEXTS, tos_uri: 'https://shop.example/tos' })).status,
  ).toBe(200);
  expect((await patch('dev', '/clients/shop', { texts: null })).status).toBe(403);
  const json = { name: 'Mine', kind: 'browser', redirect_uris: ['https://mine.example/cb'], texts: TEXTS };
  const token = await givenToken(people.dev);
  expect((await callManagement('/clients', { method: 'POST', token, json })).status).toBe(403);
  await sql(`update apis set approvers = '{lead@example.com}' where id = 'orders'`);
  expect((await patch('lead', '/apis/orders', { texts: TEXTS })).status).toBe(403);
  expect((await readApi(OPERATOR, { id: 'orders' })).texts).toBeNull();
});

test('a text based on an outdated version returns 412, and an invalid text 422 with its path', async () => {
  await patch('chief', '/apis/orders', { texts: TEXTS });
  expect((await patch('chief', '/apis/orders', { texts: null }, '"1"')).status).toBe(412);
  const { status, json } = await patch('chief', '/apis/orders', {
    texts: { mail_code: { de: 'Code: {code}' } },
  });
  expect([status, json.errors]).toEqual([
    422,
    [
      {
        field: 'texts.mail_code.de',
        code: 'input.wrong',
        detail: 'texts.mail_code.de must contain {minutes}, which is replaced by a value',
      },
    ],
  ]);
});

test.each(['api', 'client'] as const)('%s: the audit log contains each changed custom text', async (of) => {
  const path = of === 'api' ? '/apis/orders' : '/clients/shop';
  await patch('chief', path, { texts: TEXTS });
  await patch('chief', path, { texts: { ...TEXTS, sign_in_lead: { de: 'Moin' } } });
  expect((await events(`${of}.changed`)).at(-1)?.details).toEqual({
    changed: ['texts.sign_in_lead.de', 'texts.sign_in_lead.pt-BR'],
    before: { 'texts.sign_in_lead.de': 'Hallo', 'texts.sign_in_lead.pt-BR': 'Olá' },
    after: { 'texts.sign_in_lead.de': 'Moin', 'texts.sign_in_lead.pt-BR': null },
  });
});

test('when an API or client is deleted, its custom texts are deleted', async () => {
  await patch('chief', '/apis/orders', { texts: TEXTS });
  await patch('chief', '/clients/shop', { texts: TEXTS });
  await deleteClient(OPERATOR, { clientId: 'shop' });
  await deleteApi(OPERATOR, { id: 'orders' });
  expect(
    await sql(
      'select texts from apis where texts is not null union all select texts from clients where texts is not null',
    ),
  ).toEqual([]);
});
