// The host of an issuer is unique in the registry, even if the console, the management API and the configuration file
// write at the same time.
import { beforeEach, expect, it } from 'vitest';
import {
  changeApi,
  createApi,
  deleteApi,
  previewApiChange,
  readApi,
} from '#lib/catalogue/apis/operations.ts';
import { createAuthMethod, deleteAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { exportConfiguration } from '#lib/config/export.ts';
import { settings } from '#lib/settings/settings.ts';
import { refusal, sql } from '#testing/data/registry.ts';
import { OPERATOR } from './policy.ts';

const ORIGIN = 'https://login.example';
const API_IDS = ['orders', 'billing'];

beforeEach(async () => {
  await sql('truncate auth_methods, apis, people cascade');
  await createAuthMethod(OPERATOR, { id: 'pw', type: 'local', name: 'Password' });
  await createAuthMethod(OPERATOR, { id: 'pw2', type: 'local', name: 'Other' });
  for (const id of API_IDS)
    await createApi(OPERATOR, { id, name: id, url: `https://${id}.example`, authMethods: ['pw', 'pw2'] });
});

const give = (id: string, issuerHosts: unknown) => changeApi(OPERATOR, { id, issuerHosts });
const hostsOf = async (id: string) => (await readApi(OPERATOR, { id })).issuerHosts;

it('an issuer host of another API is rejected with that API’s name on change, creation and preview', async () => {
  await give('orders', { pw: ORIGIN });
  const fault = {
    field: 'issuerHosts',
    code: 'api.host_taken',
    message: 'login.example is already a host of the API orders',
    values: { host: 'login.example', api: 'orders' },
  };
  expect((await refusal(give('billing', { pw2: ORIGIN })))?.faults).toMatchObject([fault]);
  const third = {
    id: 'third',
    name: 'T',
    url: 'https://t.example',
    authMethods: ['pw'],
    issuerHosts: { pw: ORIGIN },
  };
  expect((await refusal(createApi(OPERATOR, third)))?.faults).toMatchObject([fault]);
  const preview = await previewApiChange(OPERATOR, { id: 'billing', issuerHosts: { pw: ORIGIN } });
  expect(preview.faults).toMatchObject([fault]);
  expect(await hostsOf('billing')).toBeNull();
  // an API can keep its issuer host, even for a different method
  await give('orders', { pw2: ORIGIN });
  expect(await hostsOf('orders')).toEqual({ pw2: ORIGIN });
});

it('the service address as issuer host, an unlisted method and a duplicate issuer host are reported together', async () => {
  const { baseUrl } = settings();
  const refused = await refusal(give('orders', { pw: baseUrl, brk: ORIGIN, pw2: baseUrl }));
  const wrong = (method: string, message: string) => ({
    field: `issuerHosts.${method}`,
    code: 'api.wrong_host',
    message,
  });
  expect(refused?.faults).toMatchObject([
    wrong('pw', `${baseUrl} is the address of this service itself`),
    wrong('brk', 'brk is not a sign-in method of this API'),
    wrong('pw2', `${baseUrl} is already the host of pw`),
  ]);
});

it('of twenty concurrent changes that set one issuer host, one succeeds', async () => {
  for (let at = 0; at < 18; at += 1)
    await createApi(OPERATOR, {
      id: `api-${at}`,
      name: 'A',
      url: `https://a${at}.example`,
      authMethods: ['pw'],
    });
  const ids = [...API_IDS, ...Array.from({ length: 18 }, (_, at) => `api-${at}`)];
  const done = await Promise.allSettled(ids.map((id) => give(id, { pw: ORIGIN })));
  expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const [held] = await sql<{ held: number }>(
    'select count(*)::int as held from apis where issuer_hosts is not null',
  );
  expect(held?.held).toBe(1);
});

it('if the API or method is deleted, its issuer host becomes available', async () => {
  await give('orders', { pw: ORIGIN, pw2: 'https://login2.example' });
  await deleteAuthMethod(OPERATOR, { id: 'pw2' });
  expect(await hostsOf('orders')).toEqual({ pw: ORIGIN });
  await deleteApi(OPERATOR, { id: 'orders' });
  await give('billing', { pw: ORIGIN });
});

it('a method with an issuer host cannot be removed from the API', async () => {
  await give('orders', { pw: ORIGIN });
  const refused = await refusal(changeApi(OPERATOR, { id: 'orders', authMethods: ['pw2'] }));
  expect(refused?.message).toBe('pw is not a sign-in method of this API');
});

const file = (orders: string, billing: string) => `auth_methods:
  - { id: pw, type: local }
apis:
  - { id: orders, url: "https://orders.example", auth_methods: [pw], scopes: []${orders} }
  - { id: billing, url: "https://billing.example", auth_methods: [pw], scopes: []${billing} }
`;
const hosts = (origin: string) => `, issuer_hosts: { pw: "${origin}" }`;
const apply = async (source: string, dryRun = false) =>
  (await applyConfiguration(source, { env: {}, dryRun })).map(({ id, changed }) => [id, ...changed]);
const faultsOf = async (source: string) => {
  const thrown = await applyConfiguration(source, { env: {} }).then(
    () => null,
    (error: { faults: { path: string; message: string }[] }) => error,
  );
  return thrown?.faults.map(({ path, message }) => `${path}: ${message}`);
};

it('apply sets, swaps and removes issuer hosts, reports each change once, and can apply an export', async () => {
  await apply(file('', ''));
  const first = file(hosts(ORIGIN), hosts('https://other.example'));
  expect(await apply(first)).toEqual([
    ['orders', 'issuer_hosts'],
    ['billing', 'issuer_hosts'],
  ]);
  expect(await apply(first)).toEqual([]);
  const swapped = file(hosts('https://other.example'), hosts(ORIGIN));
  expect(await apply(swapped, true)).toHaveLength(2);
  expect(await hostsOf('orders')).toEqual({ pw: ORIGIN });
  expect(await apply(swapped)).toHaveLength(2);
  expect(await hostsOf('billing')).toEqual({ pw: ORIGIN });
  expect(await apply(await exportConfiguration())).toEqual([]);
  await apply(file('', ''));
  expect([await hostsOf('orders'), await hostsOf('billing')]).toEqual([null, null]);
  const logged = await sql<{ api_id: string; details: { before: unknown; after: unknown } }>(
    "select api_id, details from audit_events where event = 'api.changed' and details->'changed' ? 'issuerHosts' order by id",
  );
  expect(logged.map(({ api_id, details }) => [api_id, details.before, details.after]).at(-1)).toEqual([
    'billing',
    { issuerHosts: { pw: ORIGIN } },
    { issuerHosts: null },
  ]);
});

it('invalid issuer hosts in a file are reported with path, and nothing changes', async () => {
  await apply(file('', ''));
  expect(await faultsOf(file(hosts(ORIGIN), hosts(ORIGIN)))).toEqual([
    'apis[1].issuer_hosts.pw: the same host as in apis[0]',
  ]);
  expect(
    await faultsOf(file(hosts('https://login.example/auth'), ', issuer_hosts: { brk: "https://b.example" }')),
  ).toEqual([
    'apis[0].issuer_hosts.pw: must be an origin, without a path: https://login.example',
    'apis[1].issuer_hosts.brk: brk is not a sign-in method of this API',
  ]);
  expect(await faultsOf(file(hosts(settings().authUrl), ''))).toEqual([
    `apis[0].issuer_hosts.pw: ${settings().authUrl} is the address of this service itself`,
  ]);
  await createApi(OPERATOR, {
    id: 'mine',
    name: 'Mine',
    url: 'https://mine.example',
    authMethods: ['pw'],
    issuerHosts: { pw: ORIGIN },
  });
  expect(await faultsOf(file('', hosts(ORIGIN)))).toEqual([
    'apis[1].issuer_hosts.pw: the API mine already has this host',
  ]);
  expect([await hostsOf('orders'), await hostsOf('billing')]).toEqual([null, null]);
});
