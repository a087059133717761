// The rules of the registry apply to every writer: the file and a person receive the same rejections with the same
// messages.
import { beforeEach, describe, expect, it } from 'vitest';
import { readApi } from '#lib/catalogue/apis/operations.ts';
import { addSecret, changeClient, createClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { Refused } from '#lib/management/refused.ts';
import { query } from '#lib/store/pool.ts';
import { givenFamilyRow } from '#testing/data/families.ts';
import { applyConfiguration } from './apply.ts';

const apply = (source: string, { prune = true, dryRun = false } = {}) =>
  applyConfiguration(source, { env: {}, prune, dryRun });
const sql = <Row = Record<string, unknown>>(text: string, values: unknown[] = []) =>
  query<Row>({ text, values });

const METHODS = `auth_methods:
  - { id: local, type: local }
  - { id: other, type: local }
`;
const api = (methods: string) => `apis:
  - { id: orders, url: "https://orders.example", auth_methods: [${methods}] }
`;
const CLIENT = `clients:
  - { client_id: shop, confidential: true, redirect_uris: ["https://shop.example/cb"] }
`;
const ADMINISTRATORS = `users:
  - { email: ada@example.com, roles: [administrator] }
  - { email: bob@example.com, roles: [administrator] }
`;

beforeEach(async () => {
  await sql('truncate auth_methods, apis, clients, people, audit_events, token_families, codes cascade');
});

const living = async () => (await sql('select 1 from token_families where revoked_at is null')).length;

it('if a file removes a method from an API, the method’s tokens for the API stay revoked, even if the method is added again', async () => {
  await apply(METHODS + api('local, other') + CLIENT);
  const [person] = await sql<{ id: string }>(`insert into people (name) values ('Alice') returning id`);
  for (const authMethodId of ['local', 'other'])
    await givenFamilyRow(sql, {
      personId: person?.id ?? null,
      clientId: 'shop',
      apiId: 'orders',
      authMethodId,
    });
  expect(await living()).toBe(2);
  await apply(METHODS + api('local') + CLIENT);
  expect(await living()).toBe(1);
  await apply(METHODS + api('local, other') + CLIENT);
  expect(await living()).toBe(1);
});

describe('apply keeps the last administrator', () => {
  const roles = () =>
    sql(`select email, roles, disabled_at is not null as disabled from people order by email`);

  it.each([
    ['whose role it takes', ADMINISTRATORS.replaceAll('[administrator]', '[approver]')],
    ['whom it disables', ADMINISTRATORS.replaceAll(']', '], disabled: true')],
    ['whom it no longer names', 'users: []\n'],
  ])(
    'apply rejects a file that leaves no administrator, and keeps the administrator %s',
    async (_, users) => {
      await apply(METHODS + ADMINISTRATORS);
      const before = await roles();
      for (const dryRun of [true, false])
        await expect(apply(METHODS + users, { dryRun })).rejects.toThrow('is the only administrator');
      expect(await roles()).toEqual(before);
    },
  );

  it('one file can transfer the administrator role from one person to another', async () => {
    const one = (first: string, second: string) => `users:
  - { email: ada@example.com, roles: [${first}] }
  - { email: bob@example.com, roles: [${second}] }
`;
    await apply(METHODS + one('administrator', ''));
    await apply(METHODS + one('', 'administrator'));
    await apply(METHODS + one('administrator', ''));
    expect((await roles()).map((row) => row['roles'])).toEqual([['administrator'], []]);
  });
});

describe('apply keeps the last local method', () => {
  const ids = () => sql(`select id, type from auth_methods order by id`);
  const elsewhere = 'type: external, verify_url: "https://verify.example", verify_token: secret';

  it.each([
    ['that no longer names one', `auth_methods: []\n`],
    ['that makes another type of it', METHODS.replaceAll('type: local', elsewhere)],
  ])('apply rejects a file %s', async (_, methods) => {
    await apply(METHODS);
    const before = await ids();
    await expect(apply(methods)).rejects.toThrow(
      'the last local method cannot be removed or changed to another type',
    );
    expect(await ids()).toEqual(before);
  });

  it('one file can replace the only local method by another', async () => {
    await apply(`auth_methods:\n  - { id: local, type: local }\n`);
    await apply(`auth_methods:\n  - { id: people, type: local }\n`);
    expect(await ids()).toEqual([{ id: 'people', type: 'local' }]);
  });
});

describe('addresses and limits', () => {
  const refusedByPage = async (redirectUris: string[]) => {
    const client = { clientId: 'new-one', name: 'New', kind: 'browser', redirectUris } as const;
    const error = await createClient(OPERATOR, { ...client, redirectUris }).catch(
      (thrown: unknown) => thrown,
    );
    return error instanceof Refused ? error.faults.map(({ message }) => message.replace(/^\S+ /, '')) : [];
  };
  const refusedByFile = async (redirectUris: string[]) => {
    const source = `clients:
  - { client_id: new-one, application_type: browser, redirect_uris: ${JSON.stringify(redirectUris)} }
`;
    const error = await apply(source).catch((thrown: unknown) => thrown as { faults: { message: string }[] });
    return 'faults' in error ? error.faults.map(({ message }) => message) : [];
  };

  it.each([
    ['a scheme that no browser client has', ['com.example.app:/cb']],
    ['a wildcard', ['https://*.example/cb']],
    ['one address twice', ['https://a.example/', 'https://a.example/']],
    ['101 addresses', Array.from({ length: 101 }, (_, at) => `https://a.example/${at}`)],
    ['over 32768 bytes', Array.from({ length: 40 }, (_, at) => `https://a.example/${at}/${'x'.repeat(900)}`)],
  ])('the file and the console report the same fault for %s', async (_, redirectUris) => {
    const said = await refusedByPage(redirectUris);
    expect(said.length).toBeGreaterThan(0);
    expect(await refusedByFile(redirectUris)).toEqual(said);
  });

  it('the console can edit clients of the file, even with an http logo', async () => {
    await apply(`clients:
  - { client_id: shop, confidential: true, logo_uri: "http://shop.example/logo.png" }
`);
    await changeClient(OPERATOR, { clientId: 'shop', name: 'Shop' });
    expect(await readClient(OPERATOR, { clientId: 'shop' })).toMatchObject({
      name: 'Shop',
      logoUri: 'http://shop.example/logo.png',
    });
  });

  it('two APIs swap addresses, and the audit log shows each previous address', async () => {
    const two = (a: string, b: string) => `apis:
  - { id: a, url: "https://${a}.example" }
  - { id: b, url: "https://${b}.example" }
`;
    await apply(two('one', 'two'));
    await apply(two('two', 'one'));
    expect([(await readApi(OPERATOR, { id: 'a' })).url, (await readApi(OPERATOR, { id: 'b' })).url]).toEqual([
      'https://two.example',
      'https://one.example',
    ]);
  });
});

it('a client that becomes public loses its secrets, and its trusted subscriptions wait for approval again', async () => {
  await apply(`${METHODS}${api('local')}${CLIENT}subscriptions:
  - { client_id: shop, api: orders, trusted: true, approved_by: ada@example.com }
${ADMINISTRATORS}`);
  await addSecret(OPERATOR, { clientId: 'shop' });
  await decideSubscription(OPERATOR, { clientId: 'shop', api: 'orders', action: 'suspend' });
  await decideSubscription(OPERATOR, { clientId: 'shop', api: 'orders', action: 'resume' });
  const browser = CLIENT.replace('confidential: true', 'application_type: browser');
  await apply(`${METHODS}${api('local')}${browser}subscriptions:
  - { client_id: shop, api: orders, trusted: true }
${ADMINISTRATORS}`);
  expect((await readClient(OPERATOR, { clientId: 'shop' })).secrets).toEqual([]);
  expect(await sql('select state from subscriptions')).toEqual([{ state: 'pending' }]);
});
