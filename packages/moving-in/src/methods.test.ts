// Methods of wicked become presets, and users keep their ids.
import { expect, it } from 'vitest';
import { readConfiguration } from '../../../lib/config/file.ts';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { CHOICES, KEYS, WICKED } from '../../../testing/moving-in/wicked.ts';
import { convert } from './import-files.ts';
import { registryText } from './output.ts';

type Values = Record<string, unknown>;

async function methodOf(type: string, config: Values, chosen: Values = {}) {
  const servers = { authMethods: [{ enabled: true, name: 'there', type, friendlyShort: 'There', config }] };
  const all = { ...WICKED, 'static/auth-servers/default.json': servers };
  const files = Object.entries(all).map(([name, value]) => sourceFile(name, JSON.stringify(value), 200));
  const at = 'auth-servers.default.authMethods[0].';
  const choices = new Map<string, unknown>([
    ...Object.entries(CHOICES),
    ...Object.entries(chosen).map(([key, value]): [string, unknown] => [`${at}config.${key}`, value]),
  ]);
  const { registry, report } = await convert({ source: 'wicked', files, choices, env: KEYS }, async () => {});
  const [method] = registry.auth_methods;
  const told = report.rows
    .filter(({ path }) => path.startsWith(at))
    .map(({ outcome, path, reason }) => `${outcome}: ${path.slice(at.length)}: ${reason}`);
  if (method) {
    const text = registryText(
      { ...registry, apis: [], clients: [], subscriptions: [], groups: [] },
      'wicked',
    );
    expect(readConfiguration(text, {})).toMatchObject({ file: {} });
  }
  return { method, told };
}
const decided = (told: readonly string[]) => told.filter((row) => row.startsWith('decide'));
const OF_THERE = { id: 'there', type: 'broker', name: 'There' };

it.each(['facebook', 'google', 'github'])(
  'the provider %s becomes the preset of the same name',
  async (type) => {
    const { method, told } = await methodOf(type, { clientId: 'its-id', clientSecret: 'its-secret' });
    expect(method).toEqual({
      ...OF_THERE,
      ...{ preset: type, client_id: 'its-id', client_secret: 'its-secret' },
    });
    expect(told).toContain(
      'changed: name: register /auth/callback/there at the provider before the migration',
    );
  },
);

it('the provider twitter becomes the preset x after a new OAuth 2.0 registration', async () => {
  const config = { consumerKey: 'old-key', consumerSecret: 'old-secret' };
  const open = await methodOf('twitter', config);
  expect(open.method).toBeUndefined();
  expect(decided(open.told)).toEqual([
    'decide: config.consumerKey: X requires a new registration for OAuth 2.0: enter its client id',
    'decide: config.consumerSecret: X requires a new registration for OAuth 2.0: enter its client secret',
  ]);
  const half = await methodOf('twitter', config, { consumerKey: 'new-id' });
  expect([half.method, decided(half.told).length]).toEqual([undefined, 1]);
  const { method, told } = await methodOf('twitter', config, {
    ...{ consumerKey: 'new-id', consumerSecret: 'new-secret' },
  });
  expect(method).toEqual({
    ...OF_THERE,
    ...{ preset: 'x', client_id: 'new-id', client_secret: 'new-secret' },
  });
  expect(told).toContain(
    'changed: config.consumerKey: X requires a new registration for OAuth 2.0: enter its client id: as chosen',
  );
  expect(JSON.stringify([method, told])).not.toContain('old-');
});

const REGISTERED = { clientId: 'its-id', clientSecret: 'its-secret' };
const ADFS = {
  authorizeEndpoint: 'https://fs.example:8443/adfs/oauth2/authorize',
  tokenEndpoint: 'https://fs.example:8443/adfs/oauth2/token',
};

it('the provider adfs becomes the preset adfs with the provider’s server, and keeps the subjects', async () => {
  const own = { customIdField: 'ppid', resource: 'urn:api' };
  const { method, told } = await methodOf('adfs', { ...REGISTERED, ...own, endpoints: ADFS });
  expect(method).toEqual({
    ...OF_THERE,
    ...{ preset: 'adfs', base_url: 'https://fs.example:8443', subject_claim: 'ppid' },
    ...{ client_id: 'its-id', client_secret: 'its-secret' },
  });
  expect(told).toContain(
    'changed: config.endpoints: AD FS of Windows Server 2016 or later is used with OpenID Connect',
  );
  const { method: usual } = await methodOf('adfs', { ...REGISTERED, endpoints: ADFS });
  expect(usual).toMatchObject({ subject_claim: 'upn' });
});

it.each([
  ['adfs', { ...ADFS, tokenEndpoint: 'https://other.example/adfs/oauth2/token' }],
  ['adfs', { ...ADFS, authorizeEndpoint: 'http://fs.example:8443/adfs/oauth2/authorize' }],
  ['adfs', {}],
  ['oauth2', ADFS],
])('the provider %s at %o requires an issuer', async (type, endpoints) => {
  const { method, told } = await methodOf(type, { ...REGISTERED, endpoints });
  expect(method).toBeUndefined();
  expect(decided(told)).toEqual([expect.stringContaining('enter its OpenID Connect issuer')]);
  const issuer = 'https://login.example/adfs';
  const chosen = await methodOf(type, { ...REGISTERED, endpoints }, { retrieveProfile: issuer });
  expect(chosen.method).toMatchObject({ issuer, subject_claim: 'upn' });
});
