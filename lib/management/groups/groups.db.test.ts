// What the pages of a group, a person and an API are told of groups, and what they may not do.
import { beforeAll, expect, it } from 'vitest';
import { inEnglish } from '#lib/language/index.ts';
import { givenPerson, type Person, sql } from '#testing/data/registry.ts';
import {
  addGroupMember,
  changeApi,
  changeGroup,
  createApi,
  createGroup,
  deleteGroup,
  listGroupNames,
  listGroupUses,
  listPersonGroups,
  OPERATOR,
  pageGroupMembers,
  previewApiChange,
  previewGroupChange,
  previewGroupDeletion,
  readApi,
  readGroup,
  removeGroupMember,
  setPersonGroups,
} from '../index.ts';

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

it('people of a group are found by a part of their name or address, each with what brought them in', async () => {
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

it('groups are offered by name', async () => {
  expect((await listGroupNames(OPERATOR)).map(({ name }) => name)).toEqual(['Clerks', 'Editors']);
});

it('the page of a group says where APIs name it, and one that is named is not deleted', async () => {
  const { scopes, ...before } = await readApi(OPERATOR, { id: 'orders' });
  const change = {
    id: 'orders',
    groups: ['editors'],
    roles: { writer: ['editors', 'clerks'] },
    scopes: scopes.map((scope) => (scope.name === 'read' ? { ...scope, groups: ['editors'] } : scope)),
  };
  const { warnings } = await previewApiChange(OPERATOR, change);
  expect(warnings.map(inEnglish).join('\n')).toMatch(
    /Only people of these groups .*editors.*\n.*these scopes.*\nPeople who are in none .*lose these scopes at once: read/,
  );
  await changeApi(OPERATOR, change);
  expect(await listGroupUses(OPERATOR, { id: 'editors' })).toEqual([
    { api: 'orders', apiName: before.name, whole: true, scopes: ['read'], roles: ['writer'] },
  ]);
  expect(await listGroupUses(OPERATOR, { id: 'clerks' })).toMatchObject([{ whole: false, scopes: [] }]);
  await expect(deleteGroup(OPERATOR, { id: 'editors' })).rejects.toThrow('orders');
  const back = { id: 'orders', groups: [], roles: null, scopes };
  const opened = await previewApiChange(OPERATOR, back);
  expect(opened.warnings.map(inEnglish).join('\n')).toContain('Everybody may use it from now on');
  expect(opened.warnings.map(inEnglish).join('\n')).not.toContain('at once');
  // who is in a group that is taken out loses the scope, and no one does where one is added
  const withGroups = (...groups: string[]) => ({
    id: 'orders',
    scopes: scopes.map((scope) => (scope.name === 'read' ? { ...scope, groups } : scope)),
  });
  for (const [groups, loses] of [
    [['editors', 'clerks'], false],
    [['clerks'], true],
  ] as const) {
    const told = await previewApiChange(OPERATOR, withGroups(...groups));
    expect(told.warnings.map(inEnglish).some((one) => one.includes('lose these scopes at once: read'))).toBe(
      loses,
    );
  }
  await changeApi(OPERATOR, back);
  expect(await listGroupUses(OPERATOR, { id: 'editors' })).toEqual([]);
});

it('a change tells how many leave at once: who came by a method that no rule asks any more', async () => {
  const [rule] = (await readGroup(OPERATOR, { id: 'editors' })).from;
  const to = { id: 'editors', from: [] };
  const told = await previewGroupChange(OPERATOR, to);
  expect(told.warnings.map(inEnglish)).toEqual([
    'One person leaves it at once: no rule asks staff any more.',
  ]);
  const kept = { id: 'editors', from: [{ ...rule, auth_method: 'staff', claim: 'roles', values: ['x'] }] };
  expect((await previewGroupChange(OPERATOR, kept)).warnings).toEqual([]);
  const wrong = { id: 'editors', from: [{ auth_method: 'staff', claim: '', values: [] }] };
  expect((await previewGroupChange(OPERATOR, wrong)).faults.map(({ field }) => field)).toContain(
    'from.0.claim',
  );
  const { version } = await readGroup(OPERATOR, { id: 'editors' });
  await changeGroup(OPERATOR, { ...to, version });
  expect(await members()).toEqual([[ada.email, ['']]]);
  expect((await previewGroupDeletion(OPERATOR, { id: 'editors' })).counted.map(inEnglish)).toEqual([
    'One person is in it.',
  ]);
  await removeGroupMember(OPERATOR, { id: 'editors', person: ada.id });
  expect(await members()).toEqual([]);
  await deleteGroup(OPERATOR, { id: 'editors' });
});

it('more people than ten thousand are not counted', async () => {
  await createGroup(OPERATOR, { id: 'everyone', name: 'Everyone' });
  // a thousand at a time: a statement has five seconds
  const parts = [...Array(10).fill(1_000), 1];
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
  expect(await counted()).toEqual({ members: 10_001, before: ['More than 10,000 people are in it.'] });
  await sql(`delete from people where id = (select id from people where name = 'Many' limit 1)`);
  expect(await counted()).toEqual({ members: 10_000, before: ['10,000 people are in it.'] });
  for (const many of parts)
    await sql(`delete from people where id in (select id from people where name = 'Many' limit $1)`, [many]);
});

it('groups by a rule do not count among the most of a person, and one is taken away whatever the number', async () => {
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
  await expect(add(401)).rejects.toThrow('200 groups by hand at most');
  await expect(set(201, 401)).rejects.toThrow('by hand at most');
  // an import may have brought more
  await sql(`insert into group_members (group_id, person_id) values ('many-401', $1), ('many-402', $1)`, [
    bob.id,
  ]);
  await set(201, 401);
  await sql(`delete from groups where name = 'Many'`);
});
