// Group membership from sign-in claims, and the `groups` and `roles` claims for APIs.
import { decodeJwt } from 'jose';
import { beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import {
  addGroupMember,
  changeGroup,
  createGroup,
  removeGroupMember,
  setPersonGroups,
} from '#lib/catalogue/groups/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import {
  brokersIdToken,
  brokerWith,
  byBroker,
  byVerifier,
  elsewhere,
  exchanged,
  givenPeopleElsewhere,
  introspected,
  userinfo,
  verifierWith,
} from '#testing/brokers/people-elsewhere.ts';
import { sql } from '#testing/data/registry.ts';
import { withClient } from '#testing/data/sql.ts';
import { openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };

givenPeopleElsewhere();

const api = (change: object) => changeApi(OPERATOR, { id: 'orders', ...change });
const SCOPES = [
  { name: 'read', description: 'See your orders' },
  { name: 'write', description: 'Place and change orders' },
];
const told = ({ access_token = '' }: Record<string, string>) => {
  const { groups, roles } = decodeJwt(access_token);
  return { groups, roles };
};
const originsOf = async (group: string) =>
  (
    await sql<{ origin: string }>('select origin from group_members where group_id = $1 order by 1', [group])
  ).map(({ origin }) => origin);

beforeEach(async () => {
  await api({ groups: [], roles: null, groupsClaim: [], tokenClaims: ['groups', 'roles'], scopes: SCOPES });
  await sql('delete from groups');
  await brokerWith({ claims: { groups: 'memberOf' } });
  await verifierWith({ claims: { groups: 'memberOf' } });
  const from = ['brk', 'ext'].map((auth_method) => ({
    auth_method,
    claim: 'groups',
    values: ['editors', 'CN=E,DC=x'],
  }));
  await createGroup(OPERATOR, { id: 'staff-editors', name: 'Editors', from });
  await createGroup(OPERATOR, { id: 'partners', name: 'Partners' });
});

test('a group rule adds members at sign-in and removes them at a later one, and keeps manually added members', async () => {
  await api({ groupsClaim: ['*'], roles: { editor: ['staff-editors'], guest: ['partners'] } });
  elsewhere.say = { memberOf: ['cn=E, dc=x'] };
  expect(told(await byBroker('una', 'read'))).toEqual({ groups: ['staff-editors'], roles: ['editor'] });
  expect(await originsOf('staff-editors')).toEqual(['brk']);
  elsewhere.say = { memberOf: ['x'] };
  expect(told(await byBroker('una', 'read'))).toEqual({ groups: [], roles: [] });
  const [person] = await sql<{ id: string }>(
    "select person_id as id from external_identities where subject = 'una'",
  );
  const id = person?.id ?? '';
  await addGroupMember(OPERATOR, { id: 'staff-editors', person: id });
  elsewhere.say = { memberOf: 'editors' };
  await byBroker('una', 'read');
  expect(await originsOf('staff-editors')).toEqual(['', 'brk']);
  elsewhere.say = {};
  expect(told(await byBroker('una', 'read'))).toEqual({ groups: ['staff-editors'], roles: ['editor'] });
  await setPersonGroups(OPERATOR, { id, groups: ['partners'] });
  expect(told(await byBroker('una', 'read'))).toEqual({ groups: ['partners'], roles: ['guest'] });
  elsewhere.say = { memberOf: 'editors' };
  await byBroker('una', 'read');
  await expect(removeGroupMember(OPERATOR, { id: 'staff-editors', person: id })).rejects.toThrow(
    /because of data from brk/,
  );
});

test('a sign-in records one event if rules change the user’s groups, otherwise none', async () => {
  const recorded = () =>
    sql("select auth_method_id, details from audit_events where event = 'person.groups_changed' order by id");
  await sql("delete from audit_events where event = 'person.groups_changed'");
  const changes: object[] = [];
  for (const [memberOf, change] of [
    [['x'], null],
    [['editors'], { joined: ['staff-editors'], left: [] }],
    [['editors', 'x'], null],
    [['x'], { joined: [], left: ['staff-editors'] }],
    [['x'], null],
  ] as const) {
    elsewhere.say = { memberOf };
    await byVerifier('ude');
    if (change !== null) changes.push({ auth_method_id: 'ext', details: change });
    expect(await recorded()).toEqual(changes);
  }
  // two sign-ins at once join once
  elsewhere.say = { memberOf: ['editors'] };
  await Promise.all([byVerifier('ude'), byVerifier('ude'), byVerifier('ude')]);
  expect(await recorded()).toHaveLength(changes.length + 1);
  const [event] = await sql<{ person: string }>(
    "select person_id as person from audit_events where event = 'person.groups_changed'",
  );
  expect(await sql('select person_id as person from group_members')).toEqual([event]);
});

test('removing a method’s rule from a group removes its members immediately', async () => {
  elsewhere.say = { memberOf: ['editors'] };
  await byBroker('uma', 'read');
  await byVerifier('uma');
  expect(await originsOf('staff-editors')).toEqual(['brk', 'ext']);
  await changeGroup(OPERATOR, {
    id: 'staff-editors',
    from: [{ auth_method: 'ext', claim: 'groups', values: ['editors'] }],
  });
  expect(await originsOf('staff-editors')).toEqual(['ext']);
  // after the method moved to another broker, earlier claims are invalid
  await changeGroup(OPERATOR, {
    id: 'staff-editors',
    from: ['brk', 'ext'].map((auth_method) => ({ auth_method, claim: 'groups', values: ['editors'] })),
  });
  await byBroker('uma', 'read');
  expect(await originsOf('staff-editors')).toEqual(['brk', 'ext']);
  await brokerWith({ claims: { groups: 'memberOf' } }, true);
  expect(await originsOf('staff-editors')).toEqual(['ext']);
});

test('a group rule that is removed during a sign-in adds no member, whether the removal or the sign-in is committed first', async () => {
  elsewhere.say = { memberOf: ['editors'] };
  const from = [{ auth_method: 'ext', claim: 'groups', values: ['editors'] }];
  const waits = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()
    and query like '%apply_group_rules%'`;
  await withClient(process.env['DATABASE_URL'] ?? '', async (change) => {
    await change.query("begin; update groups set rules = '[]' where id = 'staff-editors'");
    await change.query("delete from group_members where group_id = 'staff-editors'");
    const signIn = byVerifier('uri');
    await expect.poll(() => sql(waits)).toHaveLength(1);
    await change.query('commit');
    await signIn;
  });
  expect(await originsOf('staff-editors')).toEqual([]);
  for (let turn = 0; turn < 4; turn += 1) {
    await changeGroup(OPERATOR, { id: 'staff-editors', from });
    const people = [0, 1, 2].map((at) => byVerifier(`uri-${turn}-${at}`));
    await Promise.all([...people, changeGroup(OPERATOR, { id: 'staff-editors', from: [] })]);
    expect(await originsOf('staff-editors')).toEqual([]);
  }
});

test('members whom a removed rule left in the group can be removed manually', async () => {
  elsewhere.say = { memberOf: ['editors'] };
  await byVerifier('uwe');
  const [person] = await sql<{ id: string }>('select person_id as id from group_members');
  const membership = { id: 'staff-editors', person: person?.id ?? '' };
  await expect(removeGroupMember(OPERATOR, membership)).rejects.toThrow(/because of data from ext/);
  await sql("update groups set rules = '[]'");
  await removeGroupMember(OPERATOR, membership);
  expect(await originsOf('staff-editors')).toEqual([]);
});

test('Entra: a groups claim omitted for its length removes nobody, and is logged', async () => {
  elsewhere.say = { memberOf: ['editors'] };
  await byVerifier('ugo');
  for (const say of [{ _claim_names: { memberOf: 'src1' } }, { memberOf: { editors: true } }]) {
    elsewhere.say = say;
    await byVerifier('ugo');
    expect(await originsOf('staff-editors')).toEqual(['ext']);
  }
  const events = await sql("select auth_method_id, details from audit_events where event = 'groups.overage'");
  expect(events).toEqual([
    { auth_method_id: 'ext', details: { claims: ['groups'] } },
    { auth_method_id: 'ext', details: { claims: ['groups'] } },
  ]);
  elsewhere.say = {};
  await byVerifier('ugo');
  expect(await originsOf('staff-editors')).toEqual([]);
});

test('exchanging a broker’s ID token updates groups, and an older token does not', async () => {
  await brokerWith({ claims: { groups: 'memberOf' } }, true);
  await api({ groupsClaim: ['*'] });
  elsewhere.say = { memberOf: ['editors'] };
  const token = await brokersIdToken('ulf');
  expect(told(await exchanged(token))).toMatchObject({ groups: ['staff-editors'] });
  await sql("update external_identities set groups_at = now() where subject = 'ulf'");
  await sql("delete from group_members where group_id = 'staff-editors'");
  expect(told(await exchanged(token))).toMatchObject({ groups: [] });
  expect(await originsOf('staff-editors')).toEqual([]);
});

test('tokens contain only groups named by the API or matching its pattern', async () => {
  const ids = ['shop-a', 'shop-b', 'other'];
  for (const id of ids) await createGroup(OPERATOR, { id, name: id });
  await setPersonGroups(OPERATOR, { id: 'alice@example.com', groups: [...ids, 'staff-editors'] });
  const { cookie } = await signInTo('alice@example.com');
  const groupsOf = async () =>
    told((await openIdTokens(TRU, { cookie, scope: 'read' })) as Record<string, string>).groups;
  expect(await groupsOf()).toBeUndefined();
  await api({ groupsClaim: ['shop-*', 'other'] });
  expect(await groupsOf()).toEqual(['other', 'shop-a', 'shop-b']);
  await api({
    groupsClaim: [],
    groups: ['shop-a'],
    scopes: [{ ...SCOPES[0], groups: ['staff-editors'] }, SCOPES[1]],
  });
  expect(await groupsOf()).toEqual(['shop-a', 'staff-editors']);
});

test('an API scope named "groups" adds the groups claim to ID tokens and userinfo, and the scope "profile" does not', async () => {
  await api({
    groups: ['staff-editors'],
    tokenClaims: [],
    scopes: [...SCOPES, { name: 'groups', description: 'Know your groups' }],
  });
  elsewhere.say = { memberOf: ['editors'] };
  const plain = await byBroker('ute', 'openid profile read');
  expect(decodeJwt(plain['id_token'] ?? '')).not.toHaveProperty('groups');
  expect(await userinfo(plain)).not.toHaveProperty('groups');
  const asked = await byBroker('ute', 'openid groups');
  expect(decodeJwt(asked['id_token'] ?? '')).toMatchObject({ groups: ['staff-editors'] });
  expect(await userinfo(asked)).toMatchObject({ groups: ['staff-editors'] });
  expect(await introspected(asked['access_token'])).not.toHaveProperty('groups');
});

test('if the API defines a scope "groups", the claims parameter returns groups only with that scope, and always returns roles', async () => {
  await setPersonGroups(OPERATOR, { id: 'alice@example.com', groups: ['partners'] });
  const { cookie } = await signInTo('alice@example.com');
  const wanted = { groups: null, roles: null };
  const claims = JSON.stringify({ userinfo: wanted, id_token: wanted });
  const given = async (scope: string) => {
    const tokens = (await openIdTokens(TRU, { cookie, scope, claims })) as Record<string, string>;
    expect(told(tokens).groups).toEqual(['partners']);
    const { groups, roles } = decodeJwt(tokens['id_token'] ?? '');
    expect(await userinfo(tokens, 'pw')).toEqual(JSON.parse(JSON.stringify({ groups, roles })));
    return [groups, roles];
  };
  await api({ groupsClaim: ['*'], roles: { guest: ['partners'] }, tokenClaims: ['groups'] });
  expect(await given('openid read')).toEqual([['partners'], ['guest']]);
  const ownScope = { name: 'groups', description: 'Know your groups', groups: ['staff-editors'] };
  await api({ scopes: [...SCOPES, ownScope] });
  expect(await given('openid read groups')).toEqual([undefined, ['guest']]);
  await api({ scopes: [...SCOPES, { ...ownScope, groups: ['partners'] }] });
  expect(await given('openid read')).toEqual([undefined, ['guest']]);
  expect(await given('openid read groups')).toEqual([['partners'], ['guest']]);
});
