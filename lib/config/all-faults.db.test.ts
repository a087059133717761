// All faults of a file are reported together, with path and line. This includes faults that depend on the database
// (contract 1).
import { afterAll, beforeEach, expect, it } from 'vitest';
import { createApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { closePool, query } from '#lib/store/pool.ts';
import { applyConfiguration } from './apply.ts';
import { ConfigurationFault, type FileFault } from './file.ts';

const faultsOf = (source: string, prune = false): Promise<FileFault[]> =>
  applyConfiguration(source, { env: {}, prune }).then(
    () => [],
    (error: unknown) => {
      if (error instanceof ConfigurationFault) return error.faults;
      throw error;
    },
  );
const places = async (source: string) => (await faultsOf(source)).map(({ path, line }) => [path, line]);

beforeEach(async () => {
  await query({ text: 'truncate auth_methods, apis, clients, people, audit_events cascade', values: [] });
});
afterAll(() => closePool());

const METHODS = `auth_methods:
  - { id: local, type: local }
  - { id: partner, type: broker, issuer: "https://p.example", client_id: p, pkce: false }
  - id: supplier
    type: broker
    client_id: g
    issuer: "https://s.example"
    nonce: false
  - { id: apple, type: broker, preset: apple, client_id: a, signed_secret: { team_id: T123456789, key_id: K123456789 } }
`;
const SECRETS = [
  ['auth_methods[1].pkce', 3],
  ['auth_methods[2].nonce', 8],
  ['auth_methods[3].preset', 9],
  ['auth_methods[3].signed_secret', 9],
];

it('apply reports every method without a secret, with path, line and the key to set', async () => {
  const faults = await faultsOf(METHODS);
  expect(faults.map(({ path, line }) => [path, line])).toEqual(SECRETS);
  for (const { message } of faults) expect(message).toMatch(/: set [a-z_]+ or [a-z_]+_env$/);
});

it('missing secrets of methods, APIs, clients and users are named in one run', async () => {
  const source = `${METHODS}  - { id: late, type: broker, issuer: "https://l.example", client_id: p, client_secret_env: NO_PARTNER }
apis:
  - { id: orders, url: "https://orders.example", auth_methods: [local, partner], introspection_secret_env: NO_ORDERS }
clients:
  - { client_id: shop, confidential: true, redirect_uris: ["https://s.example"], client_secret_env: NO_SHOP }
users:
  - { email: ada@example.com, roles: [administrator], password_env: NO_ADA }
`;
  expect(await places(source)).toEqual([
    ...SECRETS,
    ['auth_methods[4].client_secret_env', 10],
    ['apis[0].introspection_secret_env', 12],
    ['clients[0].client_secret_env', 14],
    ['users[0].password_env', 16],
  ]);
});

it('a secret that is missing in the file but stored causes no fault', async () => {
  const file = (secret: string) =>
    `auth_methods: [{ id: local, type: local }, { id: p, type: broker, issuer: "https://p.example", client_id: g, pkce: false${secret} }]\n`;
  expect(await faultsOf(file(', client_secret: a-secret'))).toEqual([]);
  expect(await faultsOf(`${file('')}clients: [{ client_id: x }]\n`)).toEqual([
    expect.objectContaining({ path: 'clients[0].application_type', line: 2 }),
  ]);
});

it('an id or address that another object already uses is reported with its line', async () => {
  await createApi(OPERATOR, { id: 'mine', name: 'Mine', url: 'https://mine.example', authMethods: [] });
  expect(
    await places(`auth_methods:
  - { id: local, type: local }
apis:
  - { id: one, url: "https://mine.example" }
clients:
  - client_id: mine
    application_type: browser
    redirect_uris: ["https://s.example"]
`),
  ).toEqual([
    ['apis[0].url', 4],
    ['clients[0].client_id', 6],
  ]);
});

it('apply collects the errors of all objects, each with path and line', async () => {
  const before = `auth_methods: [{ id: local, type: local }]
users:
  - { email: ada@example.com, roles: [administrator] }
`;
  expect(await faultsOf(before)).toEqual([]);
  const after = `auth_methods:
  - { id: local, type: local }
  - { id: partner, type: broker, issuer: "https://p.example", client_id: g, pkce: false }
users:
  - { email: ada@example.com, roles: [] }
`;
  expect(await places(after)).toEqual([
    ['auth_methods[1].pkce', 3],
    ['users[0]', 5],
  ]);
});
