// Claims in the configuration file: maps of methods, lists of APIs, verified addresses. Console and management API
// reject the same values with the same messages.
import { beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { changePerson, createPerson } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { refusal, sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';
import { describeFault, readConfiguration } from './file.ts';

const apply = async (source: string) =>
  (await applyConfiguration(source, { env: {} })).map(({ id, changed }) => [id, ...changed]);
const faultsOf = (source: string) => {
  const read = readConfiguration(source, {});
  return 'faults' in read ? read.faults.map(describeFault) : [];
};
const methodWith = (more: string) => `auth_methods:
  - id: campus
    type: external
    verify_url: https://campus.example/verify
    ${more}
`;
const apiWith = (more: string) => `apis:
  - id: orders
    url: https://orders.example
    ${more}
`;

beforeEach(() => sql('truncate auth_methods, apis, people cascade'));

const RESERVED =
  'iss sub aud exp nbf iat jti auth_time nonce acr amr azp at_hash c_hash s_hash sid client_id scope act may_act cnf broker_acr events token_type active username __proto__ constructor prototype'.split(
    ' ',
  );

describe('contract 8: a name that OpenID Connect or this service reserves is rejected with its path', () => {
  it.each(RESERVED)('the reserved name %s is rejected in claim maps and token claims', async (name) => {
    const message = `must not be ${name}: that name is reserved`;
    expect(faultsOf(methodWith(`claims: { department: ou, "${name}": x }`))).toEqual([
      `auth_methods[0].claims.${name}: ${message} (line 5)`,
    ]);
    expect(faultsOf(apiWith(`token_claims: [groups, "${name}"]`))).toEqual([
      `apis[0].token_claims[1]: ${message} (line 4)`,
    ]);
    await apply(methodWith('') + apiWith(''));
    const config = { verify_url: 'https://campus.example/verify', claims: JSON.parse(`{"${name}":"x"}`) };
    expect((await refusal(changeAuthMethod(OPERATOR, { id: 'campus', config })))?.faults).toMatchObject([
      {
        field: `config.claims.${name}`,
        code: 'method.wrong_config',
        message: `claims.${name} ${message}`,
        values: { value: name },
      },
    ]);
    const written = await refusal(changeApi(OPERATOR, { id: 'orders', tokenClaims: [name] }));
    expect(written?.faults).toMatchObject([
      { field: 'tokenClaims.0', code: 'input.wrong', message: `token_claims.0 ${message}` },
    ]);
  });
});

it.each([
  ['claims: [ou]', 'auth_methods[0].claims: must be keys and values (line 5)'],
  ['claims: { department: [ou] }', 'auth_methods[0].claims.department: must be a string (line 5)'],
  ['claims: { department: "" }', 'auth_methods[0].claims.department: must be 1 to 200 characters (line 5)'],
  [
    `claims: { department: ${'x'.repeat(201)} }`,
    'auth_methods[0].claims.department: must be 1 to 200 characters (line 5)',
  ],
  [
    'claims: { "a b": ou }',
    'auth_methods[0].claims.a b: its name must be 1 to 100 visible ASCII characters (line 5)',
  ],
  [
    `claims: { ${Array.from({ length: 51 }, (_, at) => `c${at}: m`).join(', ')} }`,
    'auth_methods[0].claims: must not be more than 50 (line 5)',
  ],
  ['trust_email: perhaps', 'auth_methods[0].trust_email: must be true or false (line 5)'],
])('a claim map of a wrong shape is rejected with its path: %.40s', (more, fault) => {
  expect(faultsOf(methodWith(more))).toEqual([fault]);
});

it.each([
  'token_claims: groups',
  'token_claims: [7]',
  'token_claims: ["a b"]',
  `token_claims: [${'x'.repeat(101)}]`,
])('a list of claims of a wrong shape is rejected: %.40s', (more) =>
  expect(faultsOf(apiWith(more))).toHaveLength(1),
);

it('local methods cannot have a claim map', () => {
  expect(faultsOf('auth_methods:\n  - { id: local, type: local, claims: { a: b } }\n')).toEqual([
    'auth_methods[0].claims: is not a key of this file (line 2)',
  ]);
});

it('a second apply of claims changes nothing, exports include the values, and removed values are deleted', async () => {
  const file =
    methodWith('claims: { groups: memberOf, department: ou }\n    trust_email: true') +
    apiWith('token_claims: [groups, department, groups]');
  expect(await apply(file)).toEqual([
    expect.arrayContaining(['campus', 'claims', 'trust_email']),
    expect.arrayContaining(['orders', 'token_claims']),
  ]);
  expect(await apply(file)).toEqual([]);
  const exported = parse(await exportConfiguration());
  expect(exported.auth_methods[0]).toMatchObject({
    claims: { groups: 'memberOf', department: 'ou' },
    trust_email: true,
  });
  expect(exported.apis[0]).toMatchObject({ token_claims: ['groups', 'department'] });
  expect(await apply(await exportConfiguration())).toEqual([]);
  // the order of the map does not matter
  expect(
    await apply(file.replace('groups: memberOf, department: ou', 'department: ou, groups: memberOf')),
  ).toEqual([]);
  expect(await apply(methodWith('claims: {}') + apiWith(''))).toEqual([
    ['campus', 'claims', 'trust_email'],
    ['orders', 'token_claims'],
  ]);
  const [row] = await sql('select config from auth_methods');
  expect(row?.['config']).not.toHaveProperty('claims');
  expect(await apply(methodWith('trust_email: false') + apiWith(''))).toEqual([]);
});

it('OpenID Connect Core §5.4: an API cannot define scopes with the reserved OpenID names', async () => {
  await apply(apiWith('scopes: [{ name: read }]'));
  for (const name of ['openid', 'profile', 'email', 'address', 'phone', 'offline_access']) {
    const message = `must not be ${name}: the scopes of OpenID Connect are reserved, choose another name`;
    expect(faultsOf(apiWith(`scopes: [{ name: read }, { name: ${name} }]`))).toEqual([
      `apis[0].scopes[1].name: ${message} (line 4)`,
    ]);
    const scopes = [{ name, description: 'x' }];
    expect((await refusal(changeApi(OPERATOR, { id: 'orders', scopes })))?.faults).toMatchObject([
      { field: 'scopes.0.name', code: 'input.wrong', message: `scopes.0.name ${message}` },
    ]);
  }
});

it('email_verified: true in the file verifies an address, and false or a missing key revokes no verification', async () => {
  const users = (more: string) => `users:\n  - { email: ada@example.com${more} }\n`;
  const proved = async () =>
    (await sql<{ at: Date | null }>('select email_verified_at as at from people where email is not null'))[0]
      ?.at;
  await apply(users(''));
  expect(await proved()).toBeNull();
  expect(await apply(users(', email_verified: true'))).toEqual([['ada@example.com', 'email_verified']]);
  const at = await proved();
  expect(at).toBeInstanceOf(Date);
  for (const more of [', email_verified: true', ', email_verified: false', ''])
    expect(await apply(users(more)), more).toEqual([]);
  expect(await proved()).toEqual(at);
  await sql('update people set roles = $1', [['developer']]);
  expect(parse(await exportConfiguration()).users).toEqual([
    { email: 'ada@example.com', roles: ['developer'], email_verified: true },
  ]);
  await sql('truncate people cascade');
  await apply(users(', disabled: true, email_verified: true'));
  expect(await proved()).toBeInstanceOf(Date);
  expect(faultsOf(users(', email_verified: "yes"'))).toEqual([
    'users[0].email_verified: must be true or false (line 2)',
  ]);
});

it('verified addresses of users require a declaration in the file', async () => {
  const given = { email: 'eve@example.com', emailVerified: true };
  expect(await refusal(createPerson(OPERATOR, given))).toMatchObject({ kind: 'invalid' });
  const { email } = await createPerson(OPERATOR, { email: given.email });
  const proving = changePerson(OPERATOR, { id: email, emailVerified: true });
  expect(await refusal(proving)).toMatchObject({ kind: 'forbidden' });
});
