// Former issuers in the registry and the configuration file: values that are rejected, with their place.
import { generateKeyPairSync } from 'node:crypto';
import { exportJWK } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { changeApi, readApi } from '#lib/catalogue/apis/operations.ts';
import { deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { refusal } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';

const UNTIL = '2999-12-31';
const former = (issuer: string, over: Record<string, unknown> = {}) => ({
  issuer,
  auth_method: 'pw',
  until: UNTIL,
  ...over,
});
const give = (formerIssuers: unknown, id = 'orders') => changeApi(OPERATOR, { id, formerIssuers });

beforeAll(async () => {
  await givenFixtures();
  await give([former('https://sso.example/realms/shop')]);
});

test('an invalid former issuer is rejected with its path', async () => {
  const { baseUrl } = settings();
  const faultsOf = async (list: unknown) =>
    (await refusal(give(list)))?.faults?.map(({ field, message }) => `${field}: ${message}`);
  const wrong = [
    'http://sso.example/realms/shop',
    'https://sso.example/realms/shop?x=1',
    'https://user@sso.example/realms/shop',
    'https://SSO.example/realms/shop',
    'https://sso.example//realms',
    'sso.example',
  ];
  for (const issuer of wrong)
    expect((await faultsOf([former(issuer)]))?.[0], issuer).toMatch(/^formerIssuers\.0\.issuer: .* must /);
  expect(await faultsOf([former('https://a.example', { until: '2020-01-01' })])).toEqual([
    'formerIssuers.0.until: must not be in the past',
  ]);
  expect((await faultsOf([former('https://a.example', { until: 'soon' })]))?.[0]).toMatch(
    /^formerIssuers\.0\.until: /,
  );
  expect((await faultsOf([former('https://a.example', { layout: 'zitadel' })]))?.[0]).toMatch(
    /^formerIssuers\.0\.layout: /,
  );
  const twice = await faultsOf([
    former('https://a.example', { auth_method: 'nowhere' }),
    former('https://b.example/x'),
    former('https://b.example/x/'),
    former(`${baseUrl}/old`),
  ]);
  expect(twice).toEqual([
    'formerIssuers.0.issuer: nowhere is not a sign-in method of this API',
    'formerIssuers.2.issuer: https://b.example/x/ is listed twice',
    `formerIssuers.3.issuer: ${baseUrl}/old is at a host of this service, which already has its own issuers`,
  ]);
  expect(
    (await refusal(give([former('https://sso.example/realms/shop/')], 'billing')))?.faults,
  ).toMatchObject([{ field: 'formerIssuers', code: 'api.former_issuer_taken', values: { api: 'orders' } }]);
  const asks = { refresh: 'ask', token_endpoint: 'https://old.example/token' };
  const half = [
    [{ refresh: 'ask' }, 'refresh and token_endpoint must be set together'],
    [{ token_endpoint: asks.token_endpoint }, 'refresh and token_endpoint must be set together'],
    [asks, 'refresh requires jwks or jwks_uri, which verify the responses'],
  ] as const;
  for (const [over, message] of half)
    expect(await faultsOf([former('https://a.example', over)])).toEqual([
      `formerIssuers.0.issuer: ${message}`,
    ]);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const secret = { ...(await exportJWK(privateKey)), kid: 'x' };
  expect((await faultsOf([former('https://a.example', { jwks: { keys: [secret] } })]))?.[0]).toMatch(
    /^formerIssuers\.0\.jwks\.keys\.0\.d: .* must not be included/,
  );
});

test('a former issuer and another API’s issuer cannot share a host', async () => {
  const taken = async (work: Promise<unknown>) => (await refusal(work))?.faults?.map(({ code }) => code);
  await changeApi(OPERATOR, { id: 'billing', issuerHosts: { pw: 'https://id.example' } });
  const { formerIssuers } = await readApi(OPERATOR, { id: 'orders' });
  expect(await taken(give([former('https://id.example')]))).toEqual(['api.former_issuer_taken']);
  expect(
    await taken(changeApi(OPERATOR, { id: 'billing', issuerHosts: { pw: 'https://sso.example' } })),
  ).toEqual(['api.host_taken']);
  expect((await readApi(OPERATOR, { id: 'orders' })).formerIssuers).toEqual(formerIssuers);
  await changeApi(OPERATOR, { id: 'billing', issuerHosts: null });
  const plain = { refresh: 'ask', token_endpoint: 'http://old.example/token' };
  expect(await taken(give([former('https://a.example', plain)]))).toContain('input.wrong');
});

test('the configuration file can set former issuers and move them between APIs in one run, and its faults name the line', async () => {
  const file = (orders: string, billing: string) => `
auth_methods:
  - { id: moved, type: local, name: Moved }
apis:
  - { id: one, name: One, url: "https://one.example", auth_methods: [moved]${orders} }
  - { id: two, name: Two, url: "https://two.example", auth_methods: [moved]${billing} }
`;
  const it = (issuer: string, over = '') =>
    `, former_issuers: [{ issuer: "${issuer}", auth_method: moved, layout: auth0, until: "${UNTIL}"${over} }]`;
  const read = async (id: string) =>
    (await readApi(OPERATOR, { id })).formerIssuers?.map(({ issuer }) => issuer);
  const apply = (text: string) => applyConfiguration(text, { env: {} });
  await apply(file(it('https://t.example/'), ''));
  expect(await read('one')).toEqual(['https://t.example/']);
  expect(await exportConfiguration()).toMatch(
    /former_issuers:\n\s+- until: .*\n\s+issuer: https:\/\/t\.example\/\n/,
  );
  await apply(file(it('https://u.example/'), it('https://t.example')));
  expect([await read('one'), await read('two')]).toEqual([['https://u.example/'], ['https://t.example']]);
  const faultsOf = async (text: string) =>
    (
      (await apply(text).catch((error: unknown) => error)) as { faults: { path: string; message: string }[] }
    ).faults.map(({ path, message }) => `${path}: ${message}`);
  expect(await faultsOf(file(it('https://t.example/'), it('https://t.example')))).toEqual([
    'apis[1].former_issuers[0].issuer: the same issuer as in apis[0]',
  ]);
  expect(await faultsOf(file(it('https://sso.example/realms/shop'), ''))).toEqual([
    'apis[0].former_issuers[0].issuer: the API orders already has this former issuer',
  ]);
  // one issuer path is a prefix of another issuer's addresses
  const nested = it('https://t.example/oauth').replace('auth0', 'same');
  expect(await faultsOf(file(it('https://t.example/'), nested))).toEqual([
    'apis[1].former_issuers[0].issuer: https://t.example/ of apis[0] also uses the address https://t.example/oauth/par',
  ]);
  await apply(file(it('https://t.example/a'), it('https://t.example/a/b')));
  expect(await read('two')).toEqual(['https://t.example/a/b']);
  expect(
    await faultsOf(file(', issuer_hosts: { moved: "https://t.example" }', it('https://t.example'))),
  ).toEqual(['apis[1].former_issuers[0].issuer: must not be at a host of an issuer of apis[0]']);
  // a file with a former issuer whose last day has passed can be applied to an empty database
  await apply(file(it('https://u.example/').replace(UNTIL, '2020-01-01'), ''));
  expect(await read('one')).toEqual(['https://u.example/']);
  await deleteAuthMethod(OPERATOR, { id: 'moved' }).catch(() => null);
  await apply(file('', ''));
  expect([await read('one'), await read('two')]).toEqual([undefined, undefined]);
});
