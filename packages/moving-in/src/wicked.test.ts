import { expect, it } from 'vitest';
import { readConfiguration } from '../../../lib/config/file.ts';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { CHOICES, KEYS, WICKED } from '../../../testing/moving-in/wicked.ts';
import { convert } from './import-files.ts';
import { registryText } from './output.ts';

async function imported(
  choices: Record<string, unknown> = CHOICES,
  env: Record<string, string> = { ...KEYS, PORTAL_GOOGLE_SECRET: 'g' },
  wicked: Record<string, unknown> = WICKED,
) {
  const lines: Record<string, unknown>[] = [];
  const files = Object.entries(wicked).map(([name, value]) => sourceFile(name, JSON.stringify(value), 200));
  const from = { source: 'wicked' as const, files, choices: new Map(Object.entries(choices)), env };
  const made = await convert(from, async (line) => void lines.push(JSON.parse(line)));
  const told = made.report.rows.map(({ outcome, path, reason }) => `${outcome}: ${path}: ${reason}`);
  return { ...made, lines, told };
}

it('wicked: values that the import cannot decide require a decision of the operator, and nothing is guessed', async () => {
  const { told, registry } = await imported({});
  expect(told.filter((row) => row.startsWith('decide'))).toEqual([
    'decide: env: choose the environment to use in addition to default: box',
    'decide: applications[0].redirectUri: https://shop.example/* must not contain *: register each address completely: list the exact addresses',
    'decide: subscriptions[0][0].allowedScopesMode: the subscription allows no scope, but in Gatehouse a subscription without scopes has all of them: list its scopes',
  ]);
  expect(readConfiguration(registryText(registry, 'wicked'), {})).toMatchObject({ file: {} });
});

it('wicked: methods, APIs, groups, users and a client for each subscription are imported', async () => {
  const { registry, report, lines, told } = await imported();
  expect(report.counts.decide).toBe(0);
  expect(registry).toMatchObject({
    groups: [
      { id: 'admin', name: 'Administrator' },
      { id: 'dev', from: [{ auth_method: 'adfs', claim: 'group', values: ['CN=Devs'] }] },
      { id: 'approver-group' },
    ],
    auth_methods: [
      { id: 'local', type: 'local', name: 'Username and Password' },
      { id: 'google', preset: 'google', client_id: 'google-id', client_secret: 'g' },
      {
        ...{ id: 'adfs', preset: 'adfs', base_url: 'https://fs.example' },
        subject_claim: 'upn',
        trust_email: true,
      },
    ],
    apis: [
      {
        ...{
          id: 'petstore-oauth',
          url: 'https://api.box.example/petstore',
          access_token_ttl: 3600,
          require_scope: true,
        },
        ...{ auth_methods: ['local', 'google'], groups: ['dev'] },
        scopes: [{ name: 'pets:read', description: 'See pets' }, { name: 'pets:write' }],
      },
    ],
    clients: [
      {
        client_id: 'abc123',
        confidential: true,
        client_secret: 'the-client-secret-0123456789',
        redirect_uris: ['https://shop.example/callback'],
      },
    ],
    subscriptions: [{ client_id: 'abc123', api: 'petstore-oauth', scopes: ['pets:read'], machine: true }],
  });
  const subject = '0123456789abcdef0123456789abcdef01234567';
  expect(lines).toEqual([
    {
      ...{
        subject,
        email: 'ada@example.com',
        email_verified: true,
        name: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
      },
      ...{
        password: { hash: `$2a$10$${'a'.repeat(53)}` },
        groups: ['admin', 'dev'],
        roles: ['administrator'],
      },
      identities: [{ auth_method: 'google', subject: '1234567890' }],
      consents: [
        {
          client_id: 'abc123',
          api: 'petstore-oauth',
          scopes: ['pets:read'],
          given_at: '2020-01-02T03:04:05.000Z',
        },
      ],
    },
  ]);
  expect(told).toEqual(
    expect.arrayContaining([
      'left out: apis[0]: key-auth: an API without OAuth',
      'left out: subscriptions[0][1]: key-auth: not OAuth',
      'left out: globals.initialUsers: accounts of the first start, with passwords in clear text',
      'left out: auth-servers.default.authMethods[3]: write the method for saml by hand (docs/how-to/brokers.md)',
      'changed: subscriptions[0][0].clientSecret: decrypted with PORTAL_API_AESKEY',
      'not looked at: static/plans/plans.json: ',
      'not looked at: env.default.UNUSED: ',
    ]),
  );
  expect(readConfiguration(registryText(registry, 'wicked'), {})).toMatchObject({ file: {} });
});

it('wicked: if the key is missing or wrong, the operator must decide, and no secret is imported', async () => {
  for (const env of [{}, { PORTAL_CONFIG_KEY: 'other' }]) {
    const { registry, told } = await imported(CHOICES, env);
    expect(told).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^decide: env\.PORTAL_API_AESKEY: is encrypted/),
        'decide: subscriptions[0][0].clientSecret: is encrypted, and PORTAL_API_AESKEY is missing or wrong',
      ]),
    );
    expect(registry.clients[0]).not.toHaveProperty('client_secret');
  }
});

it('wicked: the bcrypt-of-SHA-256 hashes of Meteor users are imported if the operator chooses them', async () => {
  const { lines } = await imported({ ...CHOICES, 'users[].password': 'bcrypt-sha256hex' });
  expect(lines[0]?.['password']).toEqual({ hash: `$bcrypt-sha256hex$2a$10$${'a'.repeat(53)}` });
});

it('wicked: variables are not expanded in user texts, and variables of Gatehouse are never expanded', async () => {
  const name = '${GATEHOUSE_SECRET} ${PORTAL_API_AESKEY} $PORTAL_NETWORK_ZONE';
  const [apis, servers] = [WICKED['static/apis/apis.json'], WICKED['static/auth-servers/default.json']];
  const google = { clientId: 'google-id', clientSecret: '$GATEHOUSE_SECRET' };
  const methods = servers.authMethods.map((one) =>
    one.name === 'google' ? { ...one, config: google } : one,
  );
  const { registry, lines, told } = await imported(
    CHOICES,
    { ...KEYS, GATEHOUSE_SECRET: 'ours-0123456789' },
    {
      ...WICKED,
      'static/apis/apis.json': { apis: apis.apis.map((api) => ({ ...api, desc: 'Of ${GATEHOUSE_SECRET}' })) },
      'static/auth-servers/default.json': { ...servers, authMethods: methods },
      'dynamic/applications/shop.json': { ...WICKED['dynamic/applications/shop.json'], name },
      'dynamic/applications/globals.json': { id: 'globals', network: { apiHost: 'evil.example' } },
      'dynamic/users/bob.json': { id: 'bob', email: 'bob@example.com', name: '$PORTAL_API_AESKEY' },
    },
  );
  expect(registry.clients[0]).toMatchObject({ client_name: name });
  expect(registry.apis[0]).toMatchObject({ url: 'https://api.box.example/petstore' });
  expect(lines.at(-1)).toMatchObject({ name: '$PORTAL_API_AESKEY' });
  expect(JSON.stringify([registry, lines, told])).not.toContain('ours-0123456789');
  expect(told.join('\n')).toMatch(
    /decide: auth-servers\.default\.authMethods\[1\]\.config\.clientSecret: \$GATEHOUSE_SECRET is neither in a file of env/,
  );
});

it('wicked: equal method names on two servers require a choice of the identity', async () => {
  const servers = WICKED['static/auth-servers/default.json'];
  const google = servers.authMethods.filter(({ name }) => name === 'google');
  const two = { ...WICKED, 'static/auth-servers/other.json': { authMethods: google } };
  const env = { ...KEYS, PORTAL_GOOGLE_SECRET: 'g' };
  const open = await imported(CHOICES, env, two);
  expect(open.told.filter((row) => row.startsWith('decide'))).toEqual([
    'decide: users[0].customId: several servers have a method google: choose one: google, other-google',
  ]);
  expect(open.lines[0]).not.toHaveProperty('identities');
  const { lines } = await imported({ ...CHOICES, 'users[].customId': 'other-google' }, env, two);
  expect(lines[0]?.['identities']).toEqual([{ auth_method: 'other-google', subject: '1234567890' }]);
});
