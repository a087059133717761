// What an event changed is put back by the operation that everybody uses, with its rights, its version and its event.

import { beforeEach, expect, it } from 'vitest';
import { inEnglish } from '#lib/language/index.ts';
import {
  events,
  givenClient,
  givenEmptyRegistry,
  givenPerson,
  type Person,
  refusal,
  SHOP,
  sql,
} from '#testing/data/registry.ts';
import {
  changeApi,
  changeAuthMethod,
  changeClient,
  changePerson,
  changeSubscription,
  changeTerms,
  createAuthMethod,
  decideSubscription,
  deleteApi,
  deleteClient,
  deletePerson,
  pageAudit,
  previewPutBack,
  putBack,
  readApi,
  readAuthMethod,
  readClient,
  readPerson,
  readSubscription,
  renewIntrospectionSecret,
  requestSubscription,
} from '../index.ts';

let [chief, other, dev]: Person[] = [];
const who = () => ({ chief: chief as Person, other: other as Person, dev: dev as Person });
beforeEach(async () => {
  await givenEmptyRegistry();
  chief = await givenPerson('chief', 'administrator');
  other = await givenPerson('other', 'administrator');
  dev = await givenPerson('dev', 'developer');
});

/** The newest event of this name. */
async function eventOf(name: string): Promise<string> {
  const { rows } = await pageAudit(who().chief, { event: name, limit: 1 });
  return rows[0]?.id ?? '';
}

const states = async (id: string) => {
  const { fields } = await previewPutBack(who().chief, { id });
  return Object.fromEntries(fields.map((field) => [field.name, field.state]));
};

it('an API gets back what it had, in the languages’ order of today, and the way back is an event with a diff', async () => {
  const { chief } = who();
  const scopes = [{ name: 'read', description: { sv: 'Se', de: 'Sehen', en: 'See' } }];
  await changeApi(chief, { id: 'orders', name: { sv: 'Ordrar', de: 'Bestellungen' }, scopes });
  const before = await readApi(chief, { id: 'orders' });
  const change = { accessTokenTtlSeconds: 600, name: { sv: 'Ordrar', de: 'Aufträge' } };
  await changeApi(chief, { id: 'orders', ...change, scopes: [], brand: { accent: '#1f6b4a' } });
  const id = await eventOf('api.changed');
  const { version, consequences } = await previewPutBack(chief, { id });
  expect(consequences.warnings).toEqual([]);
  await putBack(chief, { id, version });
  const after = await readApi(chief, { id: 'orders' });
  const { updatedAt: _, version: __, ...kept } = before;
  expect(after).toMatchObject({ ...kept, scopes });
  expect(Object.keys(after.name)).toEqual(['sv', 'de']);
  expect((await events('api.changed')).at(-1)).toMatchObject({
    actor: chief.id,
    details: { before: { accessTokenTtlSeconds: 600 }, after: { accessTokenTtlSeconds: 60, brand: null } },
  });
  // the second time there is nothing to do
  expect(await states(id)).toMatchObject({ accessTokenTtlSeconds: 'already', name: 'already' });
  expect((await refusal(putBack(chief, { id })))?.code).toBe('put_back.nothing');
});

it('a client gets back its addresses and its owner, and only what another change did not take', async () => {
  const { chief, other, dev } = who();
  await givenClient(dev);
  const redirectUris = ['https://shop.example/cb', 'https://evil.example/cb'];
  await changeClient(chief, { clientId: 'shop', redirectUris, ownerEmail: 'other@example.com' });
  const id = await eventOf('client.changed');
  await changeClient(other, { clientId: 'shop', name: 'Store', tosUri: 'https://shop.example/tos' });
  const { version, consequences, fields } = await previewPutBack(chief, { id });
  expect(consequences.warnings.map(inEnglish).join()).toContain('https://evil.example/cb stop working');
  expect(fields.filter(({ isChangedSince }) => isChangedSince)).toEqual([]);
  await putBack(chief, { id, version });
  expect(await readClient(chief, { clientId: 'shop' })).toMatchObject({
    redirectUris: ['https://shop.example/cb'],
    ownerId: dev.id,
    name: 'Store',
    tosUri: 'https://shop.example/tos',
  });
  // an owner who is gone cannot have it back
  await changeClient(chief, { clientId: 'shop', ownerEmail: null });
  const left = await eventOf('client.changed');
  await deletePerson(chief, { id: dev.id });
  expect((await refusal(putBack(chief, { id: left })))?.code).toBe('put_back.no_owner');
});

it('a sign-in method gets back its settings, but no secret; a secret alone is nothing to put back', async () => {
  const { chief } = who();
  const config = { verify_url: 'https://people.example/check', timeout_ms: 2000, claims: { dept: 'ou' } };
  await createAuthMethod(chief, { id: 'ext', type: 'external', name: 'Staff', config, secret: 'first one' });
  const { config: stored } = await readAuthMethod(chief, { id: 'ext' });
  const changed = { verify_url: 'https://people.example/v2', timeout_ms: 3000 };
  await changeAuthMethod(chief, { id: 'ext', config: changed, secret: 'second one' });
  const id = await eventOf('auth_method.changed');
  expect(await states(id)).toEqual({
    verify_url: 'back',
    timeout_ms: 'back',
    claims: 'back',
    secret: 'kept',
  });
  const sealed = () => sql("select sealed_secret from auth_methods where id = 'ext'");
  const before = await sealed();
  await putBack(chief, { id });
  expect((await readAuthMethod(chief, { id: 'ext' })).config).toEqual(stored);
  expect(await sealed()).toEqual(before);
  await renewIntrospectionSecret(chief, { id: 'orders' });
  const alone = await eventOf('api.changed');
  expect((await previewPutBack(chief, { id: alone })).state).toBe('none');
});

it('a person’s name and address come back; what only they say of themselves does not', async () => {
  const { chief, dev } = who();
  await changePerson(chief, { id: dev.id, name: 'Dev', email: 'developer@example.com' });
  const id = await eventOf('person.changed');
  expect(await states(id)).toMatchObject({ name: 'back', email: 'back' });
  await putBack(chief, { id });
  expect(await readPerson(chief, { id: dev.id })).toMatchObject({ name: '', email: 'dev@example.com' });
});

it('a subscription gets back its wish and its terms, by the rules of both', async () => {
  const { chief, other, dev } = who();
  await givenClient(dev);
  await requestSubscription(dev, { ...SHOP, scopes: ['read'], trusted: true });
  await decideSubscription(chief, { ...SHOP, action: 'approve', maxDays: 30 });
  await changeTerms(chief, { ...SHOP, maxDays: 90, note: 'Watch it' });
  const terms = await eventOf('subscription.terms_changed');
  await putBack(other, { id: terms });
  expect(await readSubscription(chief, SHOP)).toMatchObject({ maxDays: 30, note: null, state: 'approved' });
  await changeSubscription(chief, { ...SHOP, trusted: false });
  const wish = await eventOf('subscription.changed');
  const { consequences } = await previewPutBack(chief, { id: wish });
  expect(consequences.warnings.map(inEnglish).join()).toContain('waits for approval again');
  await putBack(chief, { id: wish });
  expect(await readSubscription(chief, SHOP)).toMatchObject({ trusted: true, state: 'pending' });
  // who asked for it does not decide on its terms, by this way neither
  await decideSubscription(other, { ...SHOP, action: 'approve' });
  expect((await refusal(putBack(chief, { id: terms })))?.code ?? 'done').toBe('put_back.nothing');
  await changeTerms(other, { ...SHOP, maxDays: 10 });
  const own = await eventOf('subscription.terms_changed');
  expect((await refusal(putBack(chief, { id: own })))?.code).toBe('decider.own');
});

it('it takes the rights and the fresh sign-in of the change', async () => {
  const { chief, dev } = who();
  await changeApi(chief, { id: 'orders', accessTokenTtlSeconds: 600 });
  const id = await eventOf('api.changed');
  expect((await refusal(putBack(dev, { id })))?.kind).toBe('forbidden');
  const signedInAt = new Date(Date.now() - 16 * 60_000);
  expect((await refusal(putBack({ ...chief, signedInAt }, { id })))?.kind).toBe('reauthenticate');
  const noRoles = { ...chief, roles: [] };
  expect((await refusal(previewPutBack(noRoles, { id })))?.kind).toBe('forbidden');
  expect((await readApi(chief, { id: 'orders' })).accessTokenTtlSeconds).toBe(600);
});

it('what is gone is told as gone, and an event that is none is not found', async () => {
  const { chief, dev } = who();
  await givenClient(dev);
  await changeClient(chief, { clientId: 'shop', name: 'Store' });
  await changeApi(chief, { id: 'orders', name: 'Orders' });
  await changePerson(chief, { id: dev.id, name: 'Dev' });
  const ids = [
    await eventOf('client.changed'),
    await eventOf('api.changed'),
    await eventOf('person.changed'),
  ];
  await deleteClient(chief, { clientId: 'shop' });
  await deleteApi(chief, { id: 'orders' });
  await deletePerson(chief, { id: dev.id });
  for (const id of ids) {
    expect((await previewPutBack(chief, { id })).state).toBe('gone');
    expect((await refusal(putBack(chief, { id })))?.code).toBe('put_back.gone');
  }
  for (const id of ['', '0', 'x', '9'.repeat(30), '1 or true'])
    expect((await refusal(putBack(chief, { id })))?.code, id).toBe('audit.unknown_id');
});

it('what was changed again since is marked', async () => {
  const { chief, other } = who();
  await changeApi(chief, { id: 'orders', accessTokenTtlSeconds: 600, requireScope: true });
  const id = await eventOf('api.changed');
  await changeApi(other, { id: 'orders', accessTokenTtlSeconds: 900 });
  const { fields } = await previewPutBack(chief, { id });
  expect(fields.map((field) => [field.name, field.state, field.isChangedSince]).toSorted()).toEqual([
    ['accessTokenTtlSeconds', 'back', true],
    ['requireScope', 'back', false],
  ]);
});

it('of one who puts back and one who saves at the same time, one wins and the other is told', async () => {
  const { chief, other } = who();
  for (let round = 0; round < 5; round += 1) {
    await changeApi(chief, { id: 'orders', accessTokenTtlSeconds: 600 });
    const id = await eventOf('api.changed');
    const { version } = await previewPutBack(chief, { id });
    const answers = await Promise.all([
      refusal(putBack(chief, { id, version })),
      refusal(changeApi(other, { id: 'orders', version, name: `Orders ${round}` })),
    ]);
    expect(answers.filter((one) => one === null)).toHaveLength(1);
    expect(answers.find((one) => one !== null)?.kind).toBe('stale');
    const [back] = answers;
    expect((await readApi(chief, { id: 'orders' })).accessTokenTtlSeconds).toBe(back === null ? 60 : 600);
    await changeApi(chief, { id: 'orders', accessTokenTtlSeconds: 60 });
  }
});
