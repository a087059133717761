// Groups in the management API: a group that is in use cannot be deleted, and an error names unknown groups.
import { beforeEach, expect, test } from 'vitest';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenPerson, givenToken, sql } from '#testing/data/registry.ts';
import { callManagement, givenManagementApi } from '#testing/in-process/management.ts';
import { createGroup } from './operations.ts';

let token: string;
beforeEach(async () => {
  await sql('delete from groups');
  await givenManagementApi();
  token = await givenToken(await givenPerson('admin', 'administrator'));
  await createGroup(OPERATOR, { id: 'editors', name: 'Editors' });
});

const scopesFor = (...groups: string[]) => [{ name: 'write', description: 'Place orders', groups }];
async function changed(json: object) {
  const { headers } = await callManagement('/apis/orders', { token });
  const match = { 'if-match': String(headers['etag']) };
  return callManagement('/apis/orders', { method: 'PATCH', token, json, headers: match });
}

test.each([
  ['its groups', { groups: ['editors'] }],
  ['a scope', { scopes: scopesFor('editors') }],
  ['a role', { roles: { editor: ['editors'] } }],
])(
  'a group that an API names in %s cannot be deleted, and the 409 response names the API',
  async (_, names) => {
    expect((await changed(names)).status).toBe(200);
    const refused = await callManagement('/groups/editors', { method: 'DELETE', token });
    expect([refused.status, refused.json.code]).toEqual([409, 'group.named']);
    expect(refused.json.detail).toContain('orders');
    expect((await changed({ groups: [], scopes: [], roles: null })).status).toBe(200);
    expect((await callManagement('/groups/editors', { method: 'DELETE', token })).status).toBe(204);
  },
);

test.each([
  [{ groups: ['gone'] }, 'groups.0'],
  [{ scopes: scopesFor('editors', 'gone') }, 'scopes.0.groups.1'],
  [{ roles: { editor: ['gone'] } }, 'roles.editor.0'],
])('an API cannot name an unknown group: %j', async (names, field) => {
  const refused = await changed(names);
  expect([refused.status, refused.json.errors]).toEqual([
    422,
    [expect.objectContaining({ field, code: 'group.unknown' })],
  ]);
});

test.each([
  [{ auth_method: 'gone', claim: 'groups', values: ['x'] }, 'method.unknown'],
  [{ auth_method: 'local', claim: 'groups', values: ['x'] }, 'group.own_people'],
])('a group rule requires a method with claims: %j', async (rule, code) => {
  const json = { id: 'staff', name: 'Staff', from: [rule] };
  const refused = await callManagement('/groups', { method: 'POST', token, json });
  expect([refused.status, refused.json.errors]).toEqual([422, [expect.objectContaining({ code })]]);
});

test.each(['ArgoCDAdmins', 'argocd_admins', '/team/a%2Fb', '組', 'a?b#c'])(
  'the group id %s is encoded in addresses and returned unchanged',
  async (id) => {
    const address = `/groups/${encodeURIComponent(id)}`;
    const made = await callManagement('/groups', { method: 'POST', token, json: { id, name: 'Exact' } });
    expect([made.status, made.json.id]).toEqual([201, id]);
    expect(String(made.headers['location'])).toContain(address);
    expect((await callManagement(address, { token })).json).toMatchObject({ id, name: 'Exact' });
    const person = await givenPerson('ada');
    const member = `${address}/members/${person.id}`;
    expect((await callManagement(member, { method: 'PUT', token })).status).toBe(204);
    expect((await callManagement(`${address}/members`, { token })).json.rows ?? []).toHaveLength(1);
    expect((await callManagement(address, { method: 'DELETE', token })).status).toBe(204);
  },
);
