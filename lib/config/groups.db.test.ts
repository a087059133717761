// Groups in the configuration file: rules, manual members, references from APIs, rejected values.
import { beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { groupsTold } from '#lib/catalogue/apis/definition.ts';
import { addGroupMember, deleteGroup, removeGroupMember } from '#lib/catalogue/groups/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { refusal, sql } from '#testing/data/registry.ts';
import { applyConfiguration } from './apply.ts';
import { exportConfiguration } from './export.ts';
import { describeFault, readConfiguration } from './file.ts';

const apply = async (source: string, prune = false) =>
  (await applyConfiguration(source, { env: {}, prune })).map(({ kind, id }) => `${kind} ${id}`);
const faultsOf = (source: string) => {
  const read = readConfiguration(source, {});
  return 'faults' in read ? read.faults.map(describeFault) : [];
};

const METHODS = `auth_methods:
  - { id: local, type: local }
  - { id: staff, type: external, verify_url: https://staff.example/verify }
`;
const GROUPS = `groups:
  - id: staff-editors
    name: { en: Editors, de: Redaktion }
    from:
      - { auth_method: staff, claim: groups, values: ["CN=Editors,OU=Groups,DC=corp,DC=example", editors] }
  - { id: partners }
`;
const APIS = `apis:
  - id: orders
    url: https://orders.example
    auth_methods: [local, staff]
    groups: [staff-editors, partners]
    groups_claim: ["staff-*"]
    scopes:
      - { name: read }
      - { name: write, groups: [staff-editors] }
    roles: { editor: [staff-editors] }
    token_claims: [groups, roles]
`;
const USERS = `users:
  - { email: ada@example.com, groups: [staff-editors] }
`;
const ALL = METHODS + GROUPS + APIS + USERS;

beforeEach(() => sql('truncate auth_methods, apis, people, groups cascade'));

const membersOf = async (group: string) =>
  (
    await sql<{ email: string; origin: string }>(
      'select p.email, m.origin from group_members m join people p on p.id = m.person_id where m.group_id = $1',
      [group],
    )
  ).map(({ email, origin }) => [email, origin]);
const asked = async () =>
  (
    await sql<{ asked: unknown }>(
      "select asked_groups as asked from combinations where api_id = 'orders' order by auth_method_id",
    )
  ).map((row) => row.asked);

test('apply writes groups once, and an export contains them', async () => {
  expect(await apply(ALL)).toEqual([
    'create local',
    'create staff',
    'create staff-editors',
    'create partners',
    'create orders',
    'create ada@example.com',
  ]);
  expect(await apply(ALL)).toEqual([]);
  const written = parse(await exportConfiguration());
  const { groups, apis, users } = parse(ALL);
  expect(written.groups).toEqual([groups[0], { id: 'partners', name: 'partners' }]);
  expect(written.users).toMatchObject(users);
  for (const key of ['groups', 'groups_claim', 'roles']) expect(written.apis[0][key]).toEqual(apis[0][key]);
  expect(written.apis[0].scopes[1].groups).toEqual(['staff-editors']);
  expect(written.apis[0].scopes[0]).not.toHaveProperty('groups');
  expect(await apply(await exportConfiguration())).toEqual([]);
  expect(await membersOf('staff-editors')).toEqual([['ada@example.com', '']]);
});

test('each issuer of an API stores the groups that the API names, even if a previous version wrote the issuer’s row', async () => {
  await apply(ALL);
  const named = { api: ['staff-editors', 'partners'], scopes: { write: ['staff-editors'] } };
  expect(await asked()).toEqual([named, named]);
  await sql("delete from combinations where auth_method_id = 'staff'");
  // inserts a row in the form in which the previous version writes it
  await sql("insert into combinations (auth_method_id, api_id) values ('staff', 'orders')");
  expect(await asked()).toEqual([named, named]);
  await apply(ALL.replace('    groups: [staff-editors, partners]\n', ''));
  expect((await asked())[0]).toEqual({ ...named, api: [] });
  await apply(
    ALL.replace('    groups: [staff-editors, partners]\n', '').replace(
      ', groups: [staff-editors] }\n    r',
      ' }\n    r',
    ),
  );
  expect(await asked()).toEqual([null, null]);
});

test('memberships follow the list in the file, and a missing key changes nothing', async () => {
  await apply(ALL);
  await apply(METHODS + GROUPS + APIS + 'users:\n  - { email: ada@example.com, groups: [partners] }\n');
  expect(await membersOf('staff-editors')).toEqual([]);
  expect(await membersOf('partners')).toEqual([['ada@example.com', '']]);
  await addGroupMember(OPERATOR, { id: 'staff-editors', person: 'ada@example.com' });
  await apply(METHODS + GROUPS + APIS + 'users:\n  - { email: ada@example.com }\n');
  expect(await membersOf('staff-editors')).toEqual([['ada@example.com', '']]);
  await removeGroupMember(OPERATOR, { id: 'staff-editors', person: 'ada@example.com' });
  await apply(METHODS + GROUPS + APIS + 'users:\n  - { email: ada@example.com, groups: [] }\n');
  expect(await membersOf('partners')).toEqual([]);
});

test('apply keeps a group that an API names, and with --prune removes the group together with the references to it', async () => {
  await apply(ALL);
  expect(await refusal(deleteGroup(OPERATOR, { id: 'partners' }))).toMatchObject({
    code: 'group.named',
    message: 'the group is still in the settings of orders: remove the group from these settings first',
  });
  const without = METHODS + APIS.replace(/ {4}groups:.*\n/, '').replace(/ {4}roles:.*\n/, '');
  const plain = without.replace(', groups: [staff-editors] }', ' }');
  expect(await apply(plain)).toEqual(['change orders']);
  expect(await sql('select id from groups order by id')).toHaveLength(2);
  expect(await apply(plain, true)).toEqual([
    'remove ada@example.com',
    'remove partners',
    'remove staff-editors',
  ]);
  expect(await sql('select 1 from group_members')).toEqual([]);
});

test('a group rule may use a method that no API with the group accepts, because groups belong to no API', async () => {
  expect(faultsOf(ALL.replace('[local, staff]', '[local]'))).toEqual([]);
});

test('apply removes a method together with its group rules and the members that they added', async () => {
  await apply(ALL);
  await sql(`insert into external_identities (auth_method_id, subject, person_id)
    select 'staff', 'ada', id from people`);
  await sql(
    "insert into group_members (person_id, group_id, origin) select id, 'partners', 'staff' from people",
  );
  const written = ALL.replace(/ {2}- \{ id: staff, .*\n/, '')
    .replace('[local, staff]', '[local]')
    .replace(/ {4}from:\n.*\n/, '');
  await apply(written, true);
  expect(await membersOf('partners')).toEqual([]);
  expect(await sql('select rules from groups')).toEqual([{ rules: [] }, { rules: [] }]);
});

test.each([
  [
    'groups',
    `groups:\n  - { id: administrator }`,
    'groups[0].id: must not be administrator, approver, developer',
  ],
  ['groups', `groups:\n  - { id: a }\n  - { id: a }`, 'groups[1].id: the same as in groups[0]'],
  [
    'groups',
    `groups:\n  - { id: a, from: [{ auth_method: gone, claim: g, values: [x] }] }`,
    'groups[0].from[0].auth_method: the authentication method gone is not in this file',
  ],
  [
    'groups',
    `groups:\n  - { id: a, from: [{ auth_method: local, claim: g, values: [x] }] }`,
    'groups[0].from[0].auth_method: local provides no data about people: use users[].groups',
  ],
  [
    'groups',
    `groups:\n  - { id: a, from: [{ auth_method: staff, claim: email, values: [x] }] }`,
    'groups[0].from[0].claim: the administrators of staff do not control email',
  ],
  [
    'groups',
    `groups:\n  - { id: a, from: [{ auth_method: staff, claim: g, values: [] }] }`,
    'groups[0].from[0].values: must contain at least one entry',
  ],
  [
    'apis',
    `apis:\n  - { id: o, url: https://o.example, groups: [gone] }`,
    'apis[0].groups[0]: the group gone is not in this file',
  ],
  [
    'apis',
    `apis:\n  - { id: o, url: https://o.example, roles: { editor: [gone] } }`,
    'apis[0].roles.editor[0]: the group gone is not in this file',
  ],
  [
    'apis',
    `apis:\n  - { id: o, url: https://o.example, scopes: [{ name: w, groups: [gone] }] }`,
    'apis[0].scopes[0].groups[0]: the group gone is not in this file',
  ],
  [
    'apis',
    `apis:\n  - { id: o, url: https://o.example, groups_claim: ["a*b"] }`,
    'apis[0].groups_claim[0]: must be the id of a group, or the beginning of ids followed by *',
  ],
  [
    'users',
    `users:\n  - { email: a@example.com, groups: [gone] }`,
    'users[0].groups[0]: the group gone is not in this file',
  ],
])('a faulty value in %s is rejected with its path: %s', (_, more, fault) => {
  const [found = '', ...others] = faultsOf(`${METHODS}${more}\n`);
  expect([found.startsWith(fault) ? fault : found, ...others]).toEqual([fault]);
});

test('a group id can be the exact name in another system: apply, export and claim keep it unchanged', async () => {
  const ids = ['ArgoCDAdmins', 'argocd_admins', '/team/a%2Fb', 'Größe', '組', 'x'.repeat(255)];
  const file = `${METHODS}groups:\n${ids.map((id) => `  - { id: "${id}" }\n`).join('')}apis:
  - id: orders
    url: https://orders.example
    auth_methods: [local]
    groups: ["${ids[0]}", "${ids[2]}"]
    groups_claim: ["argocd_*", "/team/*"]
    scopes: [{ name: write, groups: ["${ids[4]}"] }]
users:
  - { email: ada@example.com, groups: ${JSON.stringify(ids)} }
`;
  await apply(file);
  for (const id of ids) expect(await membersOf(id)).toEqual([['ada@example.com', '']]);
  const exported = parse(await exportConfiguration()) as { groups: { id: string }[]; users: object[] };
  expect(exported.groups.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  expect(await apply(file)).toEqual([]);
  const told = groupsTold({ groups: [], scopes: [], groupsClaim: ['argocd_*', '/team/*'], roles: null }, ids);
  expect(told).toEqual(['argocd_admins', '/team/a%2Fb']);
  for (const id of ['a b', 'a,b', 'a*', '.', '..', 'new', 'a\u0000', 'a\u200b', '', 'y'.repeat(256)])
    expect(faultsOf(`groups:\n  - { id: ${JSON.stringify(id)} }\n`), id).not.toEqual([]);
});

const TENANT = '72f988bf-0000-4000-8000-2d7cd011db47';
const WEAK = `auth_methods:
  - { id: local, type: local }
  - { id: hub, type: broker, preset: github, client_id: x, client_secret: y, claims: { team: company, org: email } }
  - { id: byhand, type: broker, client_id: x, client_secret: y, authorization_endpoint: "https://github.com/login/oauth/authorize", token_endpoint: "https://github.com/login/oauth/access_token", userinfo_endpoint: "https://api.github.com/user", subject_claim: id }
  - { id: entra, type: broker, preset: microsoft, client_id: x, client_secret: y, tenant: organizations, tenants: any }
`;
const rules = (...written: string[]) =>
  `groups:\n${written.map((rule, at) => `  - { id: g${at}, from: [{ ${rule} }] }\n`).join('')}`;
const required = (methods: string, claim: string) => `apis:
  - { id: orders, url: "https://orders.example", auth_methods: [${methods}], approvers: [a@example.com] }
users: [{ email: a@example.com, roles: [approver] }]
clients: [{ client_id: shop, application_type: browser, redirect_uris: ["https://shop.example/cb"] }]
subscriptions: [{ client_id: shop, api: orders, approved_by: a@example.com, required_claim: { ${claim} } }]
`;

test('apply rejects group rules on user-controlled claims, with path and remedy', () => {
  const faults = faultsOf(
    WEAK +
      rules(
        'auth_method: hub, claim: team, values: [acme]',
        'auth_method: hub, claim: org, values: [a@acme.example]',
        'auth_method: byhand, claim: login, values: [octocat]',
        'auth_method: entra, claim: roles, values: [Admin]',
        `auth_method: entra, claim: roles, values: ["${TENANT}/Admin"]`,
      ),
  );
  expect(faults.map((one) => one.slice(0, one.indexOf(':')))).toEqual([
    'groups[0].from[0].claim',
    'groups[1].from[0].claim',
    'groups[2].from[0].claim',
    'groups[3].from[0].values[0]',
  ]);
  expect(faults[0]).toContain('do not control company, so team proves nothing: choose a claim');
  expect(faults[1]).toContain('do not control email');
  expect(faults[3]).toContain('Admin does not name a tenant of entra: use TENANT_ID/VALUE');
});

test.each([
  ['hub', 'name: team, values: [acme]', 'subscriptions[0].required_claim.name'],
  ['hub', 'name: preferred_username, values: [octocat]', 'subscriptions[0].required_claim.name'],
  ['local, hub', 'name: groups, values: [staff]', null],
  ['local, hub', 'name: email, values: ["@acme.example"]', null],
  ['entra', `name: groups, values: ["${TENANT}/x"]`, null],
])(
  'required_claim is checked, because users must not be able to set its claim: methods %s, claim %s',
  (methods, claim, path) => {
    const faults = faultsOf(WEAK + required(methods, claim));
    expect(faults.map((one) => one.slice(0, one.indexOf(':')))).toEqual(path === null ? [] : [path]);
  },
);

test('apply rejects over 1,000 groups in total and over 200 groups per person', () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `  - { id: g${at} }\n`).join('');
  expect(faultsOf(`groups:\n${many(1_000)}`)).toEqual([]);
  expect(faultsOf(`groups:\n${many(1_001)}`)[0]).toContain('must not be more than 1000');
  const named = Array.from({ length: 201 }, (_, at) => `g${at}`).join(', ');
  const one = `users:\n  - { email: a@example.com, groups: [${named}] }\n`;
  expect(faultsOf(`groups:\n${many(300)}${one}`)[0]).toContain('must not be more than 200');
});
