// Group data on the pages of groups, users and APIs, and changes of groups that are rejected.
import { beforeAll, expect, it } from 'vitest';
import { changeApi, createApi, previewApiChange, readApi } from '#lib/catalogue/apis/operations.ts';
import { inEnglish } from '#lib/language/words.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { givenPerson, type Person, refusal, sql } from '#testing/data/registry.ts';
import {
  addGroupMember,
  changeGroup,
  createGroup,
  deleteGroup,
  listGroupNames,
  listGroupUses,
  listPersonGroups,
  pageGroupMembers,
  previewGroupChange,
  previewGroupDeletion,
  readGroup,
  removeGroupMember,
  setPersonGroups,
} from './operations.ts';

let ada: Person;
let bob: Person;

beforeAll(async () => {
  ada = await givenPerson('ada');
  bob = await givenPerson('bob');
  await sql(`insert into auth_methods (id, type, name) values ('staff', 'broker', 'Staff')`);
  const rule = { auth_method: 'staff', claim: 'groups', values: ['CN=Editors,DC=corp'] };
  await createGroup(OPERATOR, { id: 'editors', name: { en: 'Editors', de: 'Redaktion' }, from: [rule] });
  await createGroup(OPERATOR, { id: 'clerks', name: 'Clerks' });
  const scopes = ['read', 'write'].map((one) => ({ name: one, description: one }));
  await createApi(OPERATOR, { id: 'orders', name: 'Orders', url: 'https://orders.example', scopes });
  await addGroupMember(OPERATOR, { id: 'editors', person: `${ada.email}` });
  await sql(
    `insert into group_members (group_id, person_id, origin) values ('editors', $1, 'staff'), ('editors', $2, 'staff')`,
    [ada.id, bob.id],
  );
});

const members = async (asked: object = {}) =>
  (await pageGroupMembers(OPERATOR, { id: 'editors', ...asked })).rows.map(({ email, origins }) => [
    email,
    origins,
  ]);

it('group members are found by a part of their name or address, each with the origins of the membership', async () => {
  expect(await members({ search: 'ADA' })).toEqual([[ada.email, ['', 'staff']]]);
  expect(await members({ search: 'bob@' })).toEqual([[bob.email, ['staff']]]);
  await sql(`update people set username = 'the.bob' where id = $1`, [bob.id]);
  expect(await members({ search: 'the.bob' })).toHaveLength(1);
  expect(await listPersonGroups(OPERATOR, { id: 'the.bob' })).toHaveLength(1);
  expect(await members({ search: 'no such person' })).toEqual([]);
  expect(await members()).toHaveLength(2);
  expect(await listPersonGroups(OPERATOR, { id: ada.id })).toEqual([
    { group: 'editors', name: 'Editors', origins: ['', 'staff'] },
  ]);
});

it('a group picker finds groups by name', async () => {
  expect((await listGroupNames(OPERATOR)).map(({ name }) => name)).toEqual(['Clerks', 'Editors']);
});

it('a group’s page lists APIs that use the group, and a used group cannot be deleted', async () => {
  const { scopes, ...before } = await readApi(OPERATOR, { id: 'orders' });
  const change = {
    id: 'orders',
    groups: ['editors'],
    roles: { writer: ['editors', 'clerks'] },
    scopes: scopes.map((scope) => (scope.name === 'read' ? { ...scope, groups: ['editors'] } : scope)),
  };
  const { warnings } = await previewApiChange(OPERATOR, change);
  expect(warnings.map(inEnglish).join('\n')).toMatch(
    /only people in these groups .*editors.*\n.*these scopes.*\nPeople outside their groups lose these scopes immediately: read/,
  );
  await changeApi(OPERATOR, change);
  expect(await listGroupUses(OPERATOR, { id: 'editors' })).toEqual([
    { api: 'orders', apiName: before.name, whole: true, scopes: ['read'], roles: ['writer'] },
  ]);
  expect(await listGroupUses(OPERATOR, { id: 'clerks' })).toMatchObject([{ whole: false, scopes: [] }]);
  await expect(deleteGroup(OPERATOR, { id: 'editors' })).rejects.toThrow('orders');
  const back = { id: 'orders', groups: [], roles: null, scopes };
  const opened = await previewApiChange(OPERATOR, back);
  expect(opened.warnings.map(inEnglish).join('\n')).toContain('From now on, everyone can use the API');
  expect(opened.warnings.map(inEnglish).join('\n')).not.toContain('at once');
  // members of a group that is removed from the scope lose the scope; if a group is added to the scope, nobody
  // loses it
  const withGroups = (...groups: string[]) => ({
    id: 'orders',
    scopes: scopes.map((scope) => (scope.name === 'read' ? { ...scope, groups } : scope)),
  });
  for (const [groups, loses] of [
    [['editors', 'clerks'], false],
    [['clerks'], true],
  ] as const) {
    const told = await previewApiChange(OPERATOR, withGroups(...groups));
    expect(
      told.warnings.map(inEnglish).some((one) => one.includes('lose these scopes immediately: read')),
    ).toBe(loses);
  }
  await changeApi(OPERATOR, back);
  expect(await listGroupUses(OPERATOR, { id: 'editors' })).toEqual([]);
});

it('the preview of a rule’s removal counts members who leave immediately, because no remaining rule names their method', async () => {
  const [rule] = (await readGroup(OPERATOR, { id: 'editors' })).from;
  const to = { id: 'editors', from: [] };
  const told = await previewGroupChange(OPERATOR, to);
  expect(told.warnings.map(inEnglish)).toEqual([
    'One person leaves the group immediately: no rule uses staff any more.',
  ]);
  const kept = { id: 'editors', from: [{ ...rule, auth_method: 'staff', claim: 'roles', values: ['x'] }] };
  expect((await previewGroupChange(OPERATOR, kept)).warnings.map(inEnglish)).toEqual([
    'People who were added by staff leave the group immediately, unless one of their stored claims still matches. They return at their next sign-in if a rule matches.',
  ]);
  const wrong = { id: 'editors', from: [{ auth_method: 'staff', claim: '', values: [] }] };
  expect((await previewGroupChange(OPERATOR, wrong)).faults.map(({ field }) => field)).toContain(
    'from.0.claim',
  );
  const { version } = await readGroup(OPERATOR, { id: 'editors' });
  await changeGroup(OPERATOR, { ...to, version });
  expect(await members()).toEqual([[ada.email, ['']]]);
  expect((await previewGroupDeletion(OPERATOR, { id: 'editors' })).counted.map(inEnglish)).toEqual([
    'One person is in the group.',
  ]);
  await removeGroupMember(OPERATOR, { id: 'editors', person: ada.id });
  expect(await members()).toEqual([]);
  await deleteGroup(OPERATOR, { id: 'editors' });
});

it('if a group rule loses a value, members are removed immediately, except those whose stored claim still matches', async () => {
  const rule = { auth_method: 'staff', claim: 'groups', values: ['editors', 'writers'] };
  await createGroup(OPERATOR, { id: 'narrow', name: 'Narrow', from: [rule] });
  await sql(
    `insert into external_identities (auth_method_id, subject, person_id, claims) values ('staff', 'a', $1, $3), ('staff', 'b', $2, $4)`,
    [ada.id, bob.id, { groups: ['writers'] }, { groups: ['editors', 'x'] }],
  );
  await sql(
    `insert into group_members (group_id, person_id, origin) values ('narrow', $1, 'staff'), ('narrow', $2, 'staff')`,
    [ada.id, bob.id],
  );
  const inside = async () =>
    (await pageGroupMembers(OPERATOR, { id: 'narrow' })).rows.map(({ email }) => email).toSorted();
  await changeGroup(OPERATOR, { id: 'narrow', from: [{ ...rule, values: ['editors', 'writers', 'more'] }] });
  expect(await inside()).toEqual([ada.email, bob.email]);
  await changeGroup(OPERATOR, { id: 'narrow', from: [{ ...rule, values: ['editors'] }] });
  expect(await inside()).toEqual([bob.email]);
  await deleteGroup(OPERATOR, { id: 'narrow' });
});

it('a group rule on a claim that users can edit is rejected with a remedy that uses the provider’s name of the claim', async () => {
  await sql(
    `insert into auth_methods (id, type, name, config) values
      ('hub', 'broker', 'Hub', '{"preset": "github", "client_id": "x", "claims": {"team": "company", "org": "email"}}'),
      ('entra', 'broker', 'Entra', '{"preset": "microsoft", "client_id": "x", "tenant": "common", "tenants": "any"}')`,
  );
  const create = (auth_method: string, claim: string, ...values: string[]) =>
    refusal(createGroup(OPERATOR, { id: 'weak', name: 'Weak', from: [{ auth_method, claim, values }] }));
  for (const claim of ['team', 'org', 'login', 'company', 'preferred_username'])
    expect((await create('hub', claim, 'x'))?.faults, claim).toMatchObject([
      { field: 'from.0.claim', code: 'claim.personal' },
    ]);
  const tenant = '72f988bf-0000-4000-8000-2d7cd011db47';
  for (const value of ['Admin', 'x/Admin', `${tenant}/`, '9188040d-6c67-4c5b-b112-36a304b66dad/Admin'])
    expect((await create('entra', 'roles', `${tenant}/Admin`, value))?.faults, value).toMatchObject([
      { field: 'from.0.values.1', code: 'claim.tenant' },
    ]);
  expect(await create('entra', 'roles', `${tenant}/Admin`)).toBeNull();
  await deleteGroup(OPERATOR, { id: 'weak' });
});

it('the member count of a group stops at ten thousand', async () => {
  await createGroup(OPERATOR, { id: 'everyone', name: 'Everyone' });
  // 200 at a time, because a statement may take five seconds and triggers run for each person
  const parts = [...Array(50).fill(200), 1];
  for (const many of parts)
    await sql(
      `with made as (insert into people (name) select 'Many' from generate_series(1, $1) returning id)
      insert into group_members (group_id, person_id, origin)
        select 'everyone', id, unnest(array['staff', 'guests']) from made`,
      [many],
    );
  const counted = async () => ({
    members: (await readGroup(OPERATOR, { id: 'everyone' })).members,
    before: (await previewGroupDeletion(OPERATOR, { id: 'everyone' })).counted.map(inEnglish),
  });
  expect(await counted()).toEqual({ members: 10_001, before: ['More than 10,000 people are in the group.'] });
  await sql(`delete from people where id = (select id from people where name = 'Many' limit 1)`);
  expect(await counted()).toEqual({ members: 10_000, before: ['10,000 people are in the group.'] });
  for (const many of parts)
    await sql(`delete from people where id in (select id from people where name = 'Many' limit $1)`, [many]);
});

it('groups assigned by rules do not count toward the limit per user, and removal always works', async () => {
  await sql(`insert into groups (id, name) select 'many-' || n, 'Many' from generate_series(1, 402) n`);
  await sql(
    `insert into group_members (group_id, person_id, origin) select 'many-' || n, $1, 'staff' from generate_series(1, 200) n`,
    [bob.id],
  );
  const add = (n: number) => addGroupMember(OPERATOR, { id: `many-${n}`, person: bob.id });
  const set = (first: number, last: number) =>
    setPersonGroups(OPERATOR, {
      id: bob.id,
      groups: Array.from({ length: last - first + 1 }, (_, at) => `many-${first + at}`),
    });
  await add(1);
  await set(201, 400);
  await expect(add(401)).rejects.toThrow('at most 200 groups manually');
  await expect(set(201, 401)).rejects.toThrow('groups manually');
  // the group has more members than the limit, because an import may have added them
  await sql(`insert into group_members (group_id, person_id) values ('many-401', $1), ('many-402', $1)`, [
    bob.id,
  ]);
  await set(201, 401);
  await sql(`delete from groups where name = 'Many'`);
});
