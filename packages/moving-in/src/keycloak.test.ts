import { pbkdf2Sync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { readConfiguration } from '../../../lib/config/file.ts';
import { verifyPassword } from '../../../lib/kit/password-hash.ts';
import { sourceFile } from '../../../testing/data/source-file.ts';
import { typed } from '../../../testing/in-process/typed.ts';
import { ADA, CHOICES, PEOPLE, REALM } from '../../../testing/moving-in/keycloak.ts';
import { convert } from './import-files.ts';
import { registryText } from './output.ts';

async function imported(choices: Record<string, unknown>, files: Record<string, unknown>) {
  const lines: Record<string, unknown>[] = [];
  const from = {
    source: 'keycloak' as const,
    files: Object.entries(files).map(([name, value]) =>
      sourceFile(name, typeof value === 'string' ? value : JSON.stringify(value), 100),
    ),
    choices: new Map(Object.entries(choices)),
  };
  const made = await convert(from, async (line) => void lines.push(JSON.parse(line)));
  const told = made.report.rows.map(({ outcome, path, reason }) => `${outcome}: ${path}: ${reason}`);
  return { ...made, lines, told };
}
const files = { 'shop-realm.json': REALM, 'shop-users-0.json': PEOPLE };

it('keycloak: values that the import cannot decide require a decision of the operator, and nothing is guessed', async () => {
  const { told, registry } = await imported({}, files);
  expect(told.filter((row) => row.startsWith('decide'))).toEqual([
    'decide: realm: some clients name no audience: choose the API of their tokens, by the id of an API above or by the https address of a new API',
    'decide: clients[2].redirectUris[1]: https://shop.example/* must not contain *: register each address completely: list the exact addresses',
    'decide: clients[3].clientId: https://legacy.example/sp cannot be a client_id in Gatehouse: choose another',
  ]);
  expect(registry.clients).toMatchObject([
    { client_id: 'shop-web', redirect_uris: ['https://shop.example/callback'] },
  ]);
  const text = registryText(registry, 'keycloak');
  expect(readConfiguration(text, {})).toMatchObject({ file: {} });
});

it('keycloak: clients, APIs, brokers, groups and users are imported', async () => {
  const { registry, report, lines, told } = await imported(CHOICES, files);
  expect(report.counts.decide).toBe(0);
  expect(registry).toMatchObject({
    auth_methods: [
      { id: 'local', type: 'local', name: expect.any(String) },
      { id: 'github', preset: 'github', client_id: 'Iv1.0123456789abcdef' },
      {
        id: 'partner',
        name: 'Partner',
        issuer: 'https://login.partner.example',
        scopes: ['openid', 'email'],
        trust_email: true,
      },
    ],
    apis: [
      {
        ...{
          id: 'orders-api',
          url: 'https://orders.example/api',
          access_token_ttl: 300,
          auth_methods: ['local', 'github', 'partner'],
        },
        scopes: [{ name: 'orders:read', description: 'See your orders' }],
        roles: { editor: ['orders-api-editor'] },
      },
      { id: 'shop', url: 'https://shop.example/api' },
    ],
    clients: [
      {
        client_id: 'shop-web',
        confidential: true,
        client_secret: 'b8f6c0a1-d2e3-4f45-9678-9abcdef01234',
        redirect_uris: ['https://shop.example/callback', 'https://shop.example/a', 'https://shop.example/b'],
        backchannel_logout_uri: 'https://shop.example/out',
      },
      { client_id: 'legacy', application_type: 'native', redirect_uris: ['com.example.legacy:/cb'] },
    ],
    subscriptions: [
      { client_id: 'shop-web', api: 'orders-api', scopes: ['orders:read'], machine: true },
      { client_id: 'legacy', api: 'shop' },
    ],
  });
  expect(registry.groups.map(({ id }) => id)).toEqual([
    ...['staff', 'manager', 'grossen', 'orders-api-editor', 'warehouse', 'warehouse-night'],
  ]);
  expect(lines).toEqual([
    {
      ...{ id: ADA, email: 'Ada@example.com', email_verified: true, username: 'ada', name: 'Ada Lovelace' },
      ...{ given_name: 'Ada', family_name: 'Lovelace', locale: 'en', created_at: '2020-09-13T12:26:40.000Z' },
      claims: { department: 'engines', phones: ['1', '2'] },
      password: {
        hash: '$pbkdf2-sha256$i=27500$c2FsdHNhbHRzYWx0c2FsdA$3q2+7w3erb7v3q2+796tvu/erb7v3q2+796tvu/erb4',
      },
      totp: { secret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' },
      must_change_password: true,
      groups: ['manager', 'orders-api-editor', 'staff'],
      identities: [{ auth_method: 'github', subject: '4711', name: 'ada' }],
      consents: [
        {
          client_id: 'shop-web',
          api: 'orders-api',
          scopes: ['orders:read'],
          given_at: '2020-09-13T12:26:40.000Z',
        },
      ],
    },
    {
      ...{
        id: '3b1f2c4d-5e6f-4a7b-8c9d-0e1f2a3b4c5e',
        email: 'bob@example.com',
        email_verified: false,
        disabled: true,
      },
      password: { hash: '$argon2id$v=19$m=7168,t=5,p=1$c2FsdHNhbHQ$a2V5a2V5a2V5a2V5a2V5a2V5a2V5a2V5' },
      groups: ['orders-api-editor', 'staff', 'warehouse-night'],
    },
  ]);
  expect(told).toEqual(
    expect.arrayContaining([
      'left out: components["org.keycloak.keys.KeyProvider"]: private keys are never read',
      'left out: users[0].credentials[2]: the passkey must be registered again: notify the person',
      'left out: clients[2].protocolMappers[0]: the mapper pairwise: pairwise subjects are not imported',
      'changed: roles.realm[1].composites: resolved: members of manager are also members of staff, orders-api/editor',
      'left out: users[2]: the account of a client: in Gatehouse the client is a machine',
      'not looked at: smtpServer: ',
    ]),
  );
  expect(JSON.stringify(report)).not.toContain('secret-0123456789');
});

it('keycloak: a partial export of the console, two realms, no realm and a truncated file are rejected', async () => {
  const partial = { ...REALM, clients: [{ clientId: 'a', secret: '**********' }] };
  await expect(imported({}, { 'realm-export.json': partial })).rejects.toThrow(
    'kc.sh export --users different_files',
  );
  await expect(imported({}, { 'a.json': REALM, 'b.json': REALM })).rejects.toThrow(
    'b.json: contains another realm than a.json',
  );
  await expect(imported({}, { 'u.json': PEOPLE })).rejects.toThrow('no file is the export of a realm');
  const text = JSON.stringify(PEOPLE);
  const cut = text.slice(0, text.indexOf('bob@'));
  await expect(imported({}, { ...files, 'shop-users-0.json': cut })).rejects.toThrow(
    'shop-users-0.json: ends in the middle of users[1]: the file is incomplete',
  );
});

it('keycloak: one file with all users has the same result as several files', async () => {
  const one = await imported(CHOICES, { 'shop.json': { users: PEOPLE.users, ...REALM } });
  const several = await imported(CHOICES, files);
  expect(one.lines).toEqual(several.lines);
  expect(one.registry).toEqual(several.registry);
});

/** Imports only this provider; returns the method, the report and the open decisions. */
async function brokers(provider: Record<string, unknown>, choices = {}, more = {}) {
  const one = { alias: 'one', enabled: true, ...provider };
  const realm = { ...REALM, identityProviders: [one], ...more };
  const { registry, told } = await imported({ ...CHOICES, ...choices }, { 'realm.json': realm });
  const asked = told
    .filter((row) => row.startsWith('decide: identityProviders'))
    .map((row) => row.split(': ')[1]);
  expect(readConfiguration(registryText(registry, 'keycloak'), {})).toMatchObject({ file: {} });
  return { asked, made: registry.auth_methods.find(({ id }) => id === 'one') };
}

it('keycloak: a preset is never used for another server, and provider restrictions are imported or require a decision', async () => {
  const at = 'identityProviders[0]';
  const client = { clientId: 'id-0123456789', clientSecret: 'secret-0123456789' };
  const own = { ...client, baseUrl: 'https://git.example', apiUrl: 'https://git.example/api/v3' };
  const github = { providerId: 'github', config: own };
  expect(await brokers(github)).toEqual({ asked: [`${at}.config.baseUrl`], made: undefined });
  expect(await brokers(github, { [`${at}.config.baseUrl`]: 'https://git.example' })).toMatchObject({
    made: { preset: 'github', base_url: 'https://git.example' },
  });
  const gitlab = { providerId: 'gitlab', config: { ...client, tokenUrl: 'https://git.example/oauth/token' } };
  expect(await brokers(gitlab)).toEqual({ asked: [`${at}.config.tokenUrl`], made: undefined });
  const google = (more: object) => ({ providerId: 'google', config: { ...client, ...more } });
  expect(await brokers(google({ hostedDomain: 'a.example,b.example' }))).toMatchObject({
    asked: [],
    made: { preset: 'google', domains: ['a.example', 'b.example'] },
  });
  const everyDomain = { asked: [`${at}.config.hostedDomain`], made: undefined };
  expect(await brokers(google({ hostedDomain: '*' }))).toEqual(everyDomain);
  expect(await brokers({ ...google({}), linkOnly: true })).toEqual({
    asked: [`${at}.linkOnly`],
    made: undefined,
  });
  const flow = (requirement: string) => [
    { alias: 'mine', authenticationExecutions: [{ flowAlias: 'inner', requirement: 'REQUIRED' }] },
    {
      alias: 'inner',
      authenticationExecutions: [{ authenticator: 'idp-create-user-if-unique', requirement }],
    },
  ];
  const mine = { ...google({}), firstBrokerLoginFlowAlias: 'mine' };
  const asked = [`${at}.firstBrokerLoginFlowAlias`];
  expect(await brokers(mine, {}, { authenticationFlows: flow('ALTERNATIVE') })).toMatchObject({
    asked: [],
    made: {},
  });
  expect(await brokers(mine, {}, { authenticationFlows: flow('DISABLED') })).toMatchObject({ asked });
  expect(await brokers(mine)).toEqual({ asked, made: undefined });
  expect(await brokers(mine, { [asked[0] ?? '']: 'open' })).toMatchObject({
    asked: [],
    made: { preset: 'google' },
  });
});

it('keycloak: a client without the code flow is imported without redirect URIs, and the report says so', async () => {
  const clients = REALM.clients.map((one) =>
    one.clientId === 'shop-web' ? { ...one, standardFlowEnabled: false } : one,
  );
  const { registry, told } = await imported(CHOICES, { 'realm.json': { ...REALM, clients } });
  expect(registry.clients[0]).toMatchObject({ client_id: 'shop-web', redirect_uris: [] });
  expect(told).toContain(
    'changed: clients[2].standardFlowEnabled: people did not sign in through this client: it gets no redirect addresses',
  );
  expect(readConfiguration(registryText(registry, 'keycloak'), {})).toMatchObject({ file: {} });
});

/** Imports only these users. */
async function people(...users: Record<string, unknown>[]) {
  const made = await imported(CHOICES, { 'shop.json': { ...REALM, users } });
  return { ...made, of: (start: string) => made.told.filter((row) => row.includes(start)) };
}

it('keycloak: credentials from before version 8 keep the password and the authenticator app', async () => {
  const salt = randomBytes(16);
  const key = pbkdf2Sync('kept password 1', salt, 27_500, 64, 'sha256');
  const old = {
    salt: salt.toString('base64'),
    hashIterations: 27_500,
    counter: 0,
    digits: 0,
    period: 0,
    config: {},
  };
  const password = {
    type: 'password',
    algorithm: 'pbkdf2-sha256',
    hashedSaltedValue: key.toString('base64'),
    ...old,
  };
  const totp = {
    type: 'totp',
    hashedSaltedValue: 'secretsecretsecret12',
    algorithm: 'HmacSHA1',
    digits: 6,
    period: 30,
  };
  const { lines, of } = await people({
    username: 'old',
    email: 'old@example.com',
    credentials: [password, totp],
  });
  const [line] = lines as { password: { hash: string }; totp: { secret: string } }[];
  expect(await verifyPassword(line?.password.hash ?? '', typed('kept password 1'))).toBe(true);
  expect(await verifyPassword(line?.password.hash ?? '', typed('another password'))).toBe(false);
  expect(line?.totp).toEqual({ secret: expect.stringMatching(/^[A-Z2-7]{32}$/) });
  expect(of('not looked at: users')).toEqual([]);
});

it('keycloak: a clear-text password is imported as a hash, and an unknown layout is reported as lost', async () => {
  const { lines, told } = await people(
    { username: 'clear', credentials: [{ type: 'password', value: 'in clear text 1' }] },
    {
      username: 'lost',
      credentials: [{ type: 'password', credentialData: '{}', secretData: '{"newValue":"x"}' }],
    },
  );
  const [clear, lost] = lines as { password?: { hash: string } }[];
  expect(await verifyPassword(clear?.password?.hash ?? '', typed('in clear text 1'))).toBe(true);
  expect(JSON.stringify([lines, told])).not.toContain('in clear text 1');
  expect(told).toContain(
    'changed: users[0].credentials[0].value: a password in clear text: it is imported as a hash',
  );
  expect(lost).not.toHaveProperty('password');
  expect(told).toContain(
    'left out: users[1].credentials[0]: its layout is unknown, so the secret is lost: notify the person',
  );
});

it('keycloak: a user name in the form of an email address becomes the missing address, unverified', async () => {
  const credentials = [{ type: 'password', value: 'in clear text 1' }];
  const { lines } = await people({ username: 'Ada@Example.com', emailVerified: true, credentials });
  expect(lines).toMatchObject([{ email: 'Ada@Example.com', email_verified: false }]);
});

it('keycloak: the report shows converted local user names and attributes, and ignored ids', async () => {
  const { told } = await people({
    ...{ id: ADA, username: 'ada', firstName: 'Ada', lastName: 'L', totp: false },
    attributes: { department: ['x'], bio: ['y'.repeat(20_480)] },
  });
  expect(told).toEqual(
    expect.arrayContaining([
      'changed: users[0].firstName: is part of the name',
      'left out: users[0].attributes.department: claims are stored with an identity, and this person has none',
      'ignored: users[0].totp: used by Keycloak only',
    ]),
  );
  expect(told.filter((row) => row.startsWith('carried: users[0].attributes'))).toEqual([]);
});

it('keycloak: an attribute of 20 KB is dropped and reported, and the user is imported', async () => {
  const { lines, told } = await people({
    ...{ id: ADA, username: 'ada', email: 'ada@example.com' },
    attributes: { department: ['x'], bio: ['y'.repeat(20_480)] },
    federatedIdentities: [{ identityProvider: 'github', userId: '1', userName: 'a' }],
  });
  expect(lines).toMatchObject([{ id: ADA, claims: { department: 'x' } }]);
  expect(told).toContain(
    'left out: users[0]: claims.bio has 20482 bytes: all claims together have at most 16384',
  );
});
