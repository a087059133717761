// Group rules: a person joins groups because of claims of the method.
import { expect, test } from 'vitest';
import { comparedName } from '#lib/catalogue/methods/ldap/directory.ts';
import type { SnapshotMethod } from '#lib/store/snapshot.ts';
import { groupsSaid, namedBy } from './person-claims.ts';

const ruled = (values: string[], claims = {}): SnapshotMethod => ({
  ...{ id: 'm', type: 'broker', name: 'M', sealedSecret: null, epoch: '0', config: { claims } },
  groupRules: [{ group: 'editors', claim: 'groups', values }],
});
const said = (row: SnapshotMethod, ...sources: Record<string, unknown>[]) =>
  groupsSaid(row, namedBy(row), sources);
const IN = { in: ['editors'], unknown: [], silent: [], untold: [] };
const OUT = { ...IN, in: [] };
const SILENT = { ...OUT, silent: ['editors'] };
const UNTOLD = { ...OUT, unknown: ['editors'], untold: ['groups'] };

const EDITORS = 'CN=Editors,OU=Groups,DC=corp,DC=example';
test.each([
  ['CN=Editors,OU=Groups,DC=corp,DC=example', true],
  ['cn = Editors , ou=Groups,dc=corp,  dc=example', true],
  ['CN=Editors;OU=Groups;DC=corp;DC=example', true],
  ['CN=\\45ditors,OU=Groups,DC=corp,DC=example', true],
  ['CN=editors,OU=Groups,DC=corp,DC=example', false],
  ['CN=Editors,OU=Groups,DC=corp', false],
  ['OU=Groups,CN=Editors,DC=corp,DC=example', false],
  ['CN=Editors\\,OU=Groups,DC=corp,DC=example', false],
  ['CN=Editors,OU=Groups,DC=corp,DC=example,', false],
  ['CN=Editors\\', false],
])('the directory name (DN) %s matches the rule of a group: %s', (name, same) => {
  expect(said(ruled([EDITORS]), { groups: [name] })).toEqual(same ? IN : OUT);
});

test.each([
  ['cn=a\\,b', 'CN=a\\2cb'],
  ['cn=\\ a\\ ', 'cn = \\20a\\20 '],
  ['cn=Zo\\c3\\ab', 'cn=Zoë'],
  ['1.2.840=x+cn=y', '1.2.840 = x + CN = y'],
])('the directory names (DN) %s and %s are equal', (a, b) => {
  expect(comparedName(a)).toBe(comparedName(b));
});

test.each(['a=b=c+', 'editors', '=', 'Größe=1', 'https://x.example/?a=b'])(
  '%s is not a directory name (DN), and is compared unchanged',
  (text) => {
    expect(comparedName(text)).toBe(text);
  },
);

test.each([
  [['editors', 'x'], IN],
  ['editors', IN],
  ['x, editors', OUT],
  ['Editors', OUT],
  [[], OUT],
  [Array.from({ length: 5_000 }, (_, at) => (at === 4_999 ? 'editors' : `g${at}`)), IN],
  [Array.from({ length: 5_000 }, (_, at) => `g${at}`), OUT],
  [[7, 'editors', null, {}], IN],
  [[{}, []], UNTOLD],
  [{ editors: true }, UNTOLD],
  [null, SILENT],
])('a group rule handles a groups claim of the form %.40j', (groups, told) => {
  expect(said(ruled(['editors']), { groups })).toEqual(told);
});

test('if the provider sends only a reference to the groups claim, the groups are unknown, and memberships stay unchanged', () => {
  const row = ruled(['editors']);
  expect(said(row, {})).toEqual(SILENT);
  expect(said(row, { hasgroups: true })).toEqual(UNTOLD);
  expect(said(row, { _claim_names: { groups: 'src1' } })).toEqual(UNTOLD);
  expect(said(row, { _claim_names: 'groups' })).toEqual(SILENT);
  expect(said(row, { hasgroups: true, groups: ['editors'] })).toEqual(IN);
  expect(said(row, { _claim_names: { groups: 'src1' } }, { groups: ['x'] })).toEqual(OUT);
});

test('group rules read the member that the method’s claim map names', () => {
  const row = ruled(['editors'], { groups: 'memberOf' });
  expect(said(row, { memberOf: ['editors'], groups: ['x'] })).toEqual(IN);
  expect(said(row, { groups: ['editors'] })).toEqual(SILENT);
  expect(said({ ...row, groupRules: [] }, { memberOf: ['editors'] })).toBeUndefined();
});

const TENANT = '72f988bf-0000-4000-8000-2d7cd011db47';
const EVIL = '11111111-0000-4000-8000-2d7cd011db47';

test.each([
  ['the tenant of the rule', TENANT, [`${TENANT}/Admin`], true],
  ['the tenant in other letters', TENANT, [`${TENANT.toUpperCase()}/Admin`], true],
  ['another tenant, whose administrator made a role of that name', EVIL, [`${TENANT}/Admin`], false],
  ['a value without a tenant, of a version before', TENANT, ['Admin'], false],
])(
  'with the setting tenants: any, a group rule applies only to a role of the right tenant: %s',
  (_, tid, values, isIn) => {
    const row: SnapshotMethod = {
      ...ruled([]),
      config: { preset: 'microsoft', client_id: 'x', tenant: 'organizations', tenants: 'any' },
      groupRules: [{ group: 'editors', claim: 'roles', values }],
    };
    const token = { tid, iss: `https://login.microsoftonline.com/${tid}/v2.0`, roles: ['Admin'] };
    expect(said(row, token)?.in).toEqual(isIn ? ['editors'] : []);
  },
);

test('an old group rule on a user-editable claim adds nobody', () => {
  const row: SnapshotMethod = {
    ...ruled([]),
    config: { preset: 'github', client_id: 'x' },
    groupRules: [{ group: 'editors', claim: 'company', values: ['acme'] }],
  };
  expect(said(row, { id: 1, company: 'acme' })?.in).toEqual([]);
});
