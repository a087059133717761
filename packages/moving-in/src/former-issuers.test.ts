// `former_issuers` in imports from Keycloak and wicked, if the operator chose a last day for the old addresses.
import { expect, it } from 'vitest';
import { readConfiguration } from '../../../lib/config/file.ts';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { PEOPLE, REALM, CHOICES as WITH_KEYCLOAK } from '../../../testing/moving-in/keycloak.ts';
import { KEYS, WICKED, CHOICES as WITH_WICKED } from '../../../testing/moving-in/wicked.ts';
import { convert } from './import-files.ts';
import { registryText } from './output.ts';

type Values = Record<string, unknown>;

async function imported(source: 'keycloak' | 'wicked', all: Values, choices: Values) {
  const files = Object.entries(all).map(([name, value]) => sourceFile(name, JSON.stringify(value), 200));
  const chosen = new Map(Object.entries(choices));
  const { registry, report } = await convert({ source, files, choices: chosen, env: KEYS }, async () => {});
  const rows = report.rows.filter(({ path }) => path.startsWith('former_issuers'));
  const told = rows.map(({ outcome, path, reason }) => `${outcome}: ${path}: ${reason}`);
  expect(readConfiguration(registryText(registry, source), {})).toMatchObject({ file: {} });
  const formers = registry.apis.map(({ id, former_issuers: list }) => [id, list]);
  return { told, formers, unused: report.unused_choices };
}
const UNTIL = { 'former_issuers.until': '2027-06-30' };
const HOW =
  'left out: former_issuers: clients with the old addresses get no response: set former_issuers.until to the last day of these addresses, such as 2027-06-30';

const keycloak = (choices: Values, realm: Values = REALM) =>
  imported(
    'keycloak',
    { 'shop-realm.json': realm, 'shop-users-0.json': PEOPLE },
    { ...WITH_KEYCLOAK, ...choices },
  );

it('if former issuers have no end date, the report explains how to set them', async () => {
  const { told, formers } = await keycloak({});
  expect(told).toEqual([HOW]);
  expect(formers.map(([, list]) => list)).toEqual([undefined, undefined]);
  expect((await imported('wicked', WICKED, WITH_WICKED)).told).toEqual([HOW]);
});

it('for a realm with several APIs and methods, the operator must choose an API and a method', async () => {
  const open = await keycloak(UNTIL);
  expect(open.told.filter((row) => row.startsWith('decide'))).toEqual([
    'decide: former_issuers.host: the https address of the old service, as clients use it, such as https://sso.example',
    'decide: former_issuers.api: choose the API for the address of the realm: orders-api, shop',
  ]);
  const chosen = { ...UNTIL, 'former_issuers.api': 'shop', 'former_issuers.auth_method': 'local' };
  const { formers, unused } = await keycloak({
    ...chosen,
    'former_issuers.host': 'https://sso.example/auth/',
  });
  const former = { auth_method: 'local', layout: 'keycloak', until: '2027-06-30' };
  expect(formers).toEqual([
    ['orders-api', undefined],
    ['shop', [{ issuer: 'https://sso.example/auth/realms/shop', ...former }]],
  ]);
  expect(unused).toEqual([]);
  const named = { ...REALM, attributes: { frontendUrl: 'https://sso.shop.example' } };
  const own = await keycloak(chosen, named);
  expect(own.formers[1]).toEqual(['shop', [{ issuer: 'https://sso.shop.example/realms/shop', ...former }]]);
});

it('an invalid end date and an unusable realm name are reported', async () => {
  const { told } = await keycloak({ 'former_issuers.until': '2027-13-40' });
  expect(told).toEqual([
    'decide: former_issuers.until: the last day of the old addresses; the choice is invalid: "2027-13-40"',
  ]);
  const spaced = await keycloak(
    {
      ...{ ...UNTIL, 'former_issuers.host': 'https://sso.example', 'former_issuers.api': 'my-shop' },
      'former_issuers.auth_method': 'local',
    },
    { ...REALM, realm: 'My shop' },
  );
  expect(spaced.told.filter((row) => row.startsWith('left out'))).toEqual([
    expect.stringContaining('https://sso.example/realms/My shop: must'),
  ]);
});

it('wicked: each method of an API has a former issuer', async () => {
  const chosen = { ...WITH_WICKED, ...UNTIL };
  const none = await imported('wicked', WICKED, chosen);
  expect(none.told).toContain(
    'left out: former_issuers: default:local: its server has no address (config.api.uris)',
  );
  const name = 'static/auth-servers/default.json';
  const server = { ...WICKED[name], config: { api: { uris: ['/auth'] } } };
  const { formers } = await imported('wicked', { ...WICKED, [name]: server }, chosen);
  const former = (method: string) => ({
    issuer: `https://api.box.example/auth/${method}/api/petstore-oauth`,
    ...{ auth_method: method, layout: 'wicked', until: '2027-06-30' },
  });
  expect(formers).toEqual([['petstore-oauth', [former('local'), former('google')]]]);
});
