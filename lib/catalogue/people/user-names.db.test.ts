// Users with a user name (an address is optional), and users with a kept subject.
import { beforeEach, expect, it } from 'vitest';
import {
  addGroupMember,
  createGroup,
  listPersonGroups,
  removeGroupMember,
  setPersonGroups,
} from '#lib/catalogue/groups/operations.ts';
import { listConsoleMethods, signInToConsole } from '#lib/management/console-sign-in.ts';
import { findAnything } from '#lib/management/find.ts';
import { changeMyPassword } from '#lib/management/my-account.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { signInNames } from '#lib/sign-in/steps.ts';
import {
  givenEmptyRegistry,
  givenPerson,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import {
  changePerson,
  deletePerson,
  disablePerson,
  grantRole,
  pagePeople,
  pageSessions,
  readPerson,
  setPassword,
} from './operations.ts';

const SUBJECT = 'auth0|5F7c8ec7';
const browser = { cookieHeader: undefined, ip: '192.0.2.1', userAgent: 'test', requestId: 'r1' };
let admin: Person;
let carlId: string;
const versionOf = async (id: string) => {
  const person = await readPerson(admin, { id });
  return { id: person.id, version: person.version };
};
const carlsSignIn = (username: string, password = PASSWORD) =>
  signInToConsole({ ...browser, authMethodId: 'local', username, password });

beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
  const [carl] = await sql<{ id: string }>(
    `insert into people (username, subject) values ('carl', '${SUBJECT}') returning id`,
  );
  carlId = carl?.id ?? '';
});

it('a person is found by id, user name and imported subject', async () => {
  for (const id of [carlId, 'carl', 'CARL', SUBJECT])
    expect((await readPerson(admin, { id })).id).toBe(carlId);
  for (const search of ['car', SUBJECT, SUBJECT.toLowerCase()])
    expect((await pagePeople(admin, { search })).rows.map(({ subject }) => subject)).toEqual([SUBJECT]);
  for (const id of ['auth0|', 'c\u0000rl', ''])
    expect((await refusal(readPerson(admin, { id })))?.kind).toBe('not-found');
});

it('a user with only a user name can get a password, a role and a session, and change the password', async () => {
  await setPassword(admin, { id: 'carl', password: PASSWORD });
  await grantRole(admin, { id: 'carl', role: 'developer' });
  const signedIn = await carlsSignIn('Carl');
  expect(signedIn.kind).toBe('signed-in');
  const { rows } = await pageSessions(admin, { personId: carlId });
  expect(rows.map(({ personLabel }) => personLabel)).toEqual(['carl']);
  const carl: Person = {
    ...admin,
    id: carlId,
    email: null,
    username: 'carl',
    name: '',
    roles: ['developer'],
  };
  await changeMyPassword(
    { ...carl, session: { idHash: Buffer.alloc(32), authMethodId: 'local' } },
    { oldPassword: PASSWORD, password: 'quite another one 9' },
  );
  expect((await carlsSignIn('carl', 'quite another one 9')).kind).toBe('signed-in');
});

it('user names are compared in normalized form, also at sign-in', async () => {
  await setPassword(admin, { id: carlId, password: PASSWORD });
  const alice = await givenPerson('alice');
  const of = async (id: string) => ({ id, version: (await readPerson(admin, { id })).version });
  const named = await changePerson(admin, { ...(await of(carlId)), username: 'Jose\u0301' });
  expect(named.username).toBe('jos\u00e9');
  for (const typed of ['jos\u00e9', 'JOSE\u0301']) {
    expect((await carlsSignIn(typed)).kind).toBe('signed-in');
    expect((await readPerson(admin, { id: typed })).id).toBe(carlId);
    const same = changePerson(admin, { ...(await of(alice.id)), username: typed });
    expect((await refusal(same))?.code).toBe('person.username_taken');
  }
});

it('a user with only a user name can get an email address, which is unverified at first', async () => {
  const { version } = await readPerson(admin, { id: carlId });
  const given = await changePerson(admin, { id: carlId, version, email: 'Carl@Example.com' });
  expect(given).toMatchObject({ email: 'carl@example.com', emailVerified: false, username: 'carl' });
  await setPassword(admin, { id: carlId, password: PASSWORD });
  for (const name of ['carl', 'carl@example.com']) expect((await carlsSignIn(name)).kind).toBe('signed-in');
  const [elsewhere] = await sql<{ id: string }>(`insert into people (name) values ('Eve') returning id`);
  const eve = changePerson(admin, { id: elsewhere?.id ?? '', email: 'eve@example.com' });
  expect((await refusal(eve))?.code).toBe('person.elsewhere');
});

it('an administrator can set and clear user names, but not set a taken name or remove the only name of a user', async () => {
  const alice = await givenPerson('alice');
  const of = async (id: string) => ({ id, version: (await readPerson(admin, { id })).version });
  const named = await changePerson(admin, { ...(await of(alice.id)), username: 'Alice.B' });
  expect(named.username).toBe('alice.b');
  expect((await carlsSignIn('alice.b')).kind).toBe('signed-in');
  expect(await refusal(changePerson(admin, { ...(await of(alice.id)), username: 'CARL' }))).toMatchObject({
    kind: 'conflict',
    faults: [{ field: 'username' }],
  });
  expect((await refusal(changePerson(admin, { ...(await of(alice.id)), username: 'a@b' })))?.kind).toBe(
    'invalid',
  );
  const gone = await changePerson(admin, { ...(await of(alice.id)), username: null });
  expect(gone.username).toBeNull();
  expect((await carlsSignIn('alice.b')).kind).not.toBe('signed-in');
  expect((await refusal(changePerson(admin, { ...(await of(carlId)), username: null })))?.code).toBe(
    'person.only_name',
  );
  const [elsewhere] = await sql<{ id: string }>(`insert into people (name) values ('Eve') returning id`);
  expect(
    (await refusal(changePerson(admin, { ...(await of(elsewhere?.id ?? '')), username: 'eve' })))?.code,
  ).toBe('person.elsewhere');
});

it('a user name that equals an id or imported subject of another user, ignoring case, is rejected', async () => {
  const mallory = await givenPerson('mallory');
  const names = [carlId, carlId.toUpperCase(), SUBJECT, SUBJECT.toUpperCase(), 'Carl'];
  for (const username of names) {
    const { version } = await readPerson(admin, { id: mallory.id });
    const taken = await refusal(changePerson(admin, { id: mallory.id, version, username }));
    expect(taken, username).toMatchObject({
      code: 'person.username_taken',
      faults: [{ field: 'username' }],
    });
    // the database itself also rejects the user name, whichever statement writes it
    await expect(
      sql('insert into people (username) values ($1)', [username.toLowerCase()]),
    ).rejects.toMatchObject({ code: '23505' });
  }
  const own = await changePerson(admin, { ...(await versionOf(carlId)), username: carlId });
  expect(own.username).toBe(carlId);
  await createGroup(OPERATOR, { id: 'editors', name: 'Editors' });
  await addGroupMember(OPERATOR, { id: 'editors', person: SUBJECT });
  expect(await listPersonGroups(OPERATOR, { id: carlId })).toHaveLength(1);
  expect(await listPersonGroups(OPERATOR, { id: mallory.id })).toEqual([]);
});

it('a user name that was released is available again', async () => {
  await changePerson(admin, { ...(await versionOf('carl')), username: 'carlos' });
  const alice = await givenPerson('alice');
  await changePerson(admin, { ...(await versionOf(alice.id)), username: 'carl' });
  await deletePerson(admin, { id: 'carlos' });
  for (const username of ['carlos', SUBJECT.toLowerCase(), carlId])
    await changePerson(admin, { ...(await versionOf(alice.id)), username });
});

it('an operation rejects a reference that matches two users, and the error contains their ids', async () => {
  const bob = await givenPerson('bob');
  const email = `${bob.email}`;
  // a kept subject may equal the address of another user
  const [other] = await sql<{ id: string }>('insert into people (subject) values ($1) returning id', [email]);
  const ids = [bob.id, other?.id].sort().join(', ');
  await createGroup(OPERATOR, { id: 'team', name: 'Team' });
  const calls: Record<string, () => Promise<unknown>> = {
    read: () => readPerson(admin, { id: email }),
    change: () => changePerson(admin, { id: email, name: 'X' }),
    disable: () => disablePerson(admin, { id: email }),
    remove: () => deletePerson(admin, { id: email }),
    password: () => setPassword(admin, { id: email, password: PASSWORD }),
    role: () => grantRole(admin, { id: email, role: 'administrator' }),
    groups: () => setPersonGroups(admin, { id: email, groups: ['team'] }),
    member: () => addGroupMember(admin, { id: 'team', person: email }),
    'no member': () => removeGroupMember(admin, { id: 'team', person: email }),
  };
  for (const [name, call] of Object.entries(calls))
    expect(await refusal(call()), name).toMatchObject({
      code: 'person.ambiguous',
      values: { person: email, ids },
    });
  // a lookup by the address finds Bob
  await disablePerson(admin, { email });
  expect((await readPerson(admin, { id: bob.id })).disabled).toBe(true);
  expect((await findAnything(admin, { text: email })).rows.map(({ id }) => id).sort()).toEqual(
    ids.split(', '),
  );
});

it('the page "Find" shows users by user name and by imported subject', async () => {
  for (const [text, by] of [
    ['CARL', 'username'],
    [SUBJECT, 'subject'],
  ])
    expect((await findAnything(admin, { text: `${text}` })).rows).toMatchObject([
      { kind: 'person', id: carlId, by, exact: true },
    ]);
});

it('the first user name changes the sign-in page and its error to “address or user name”', async () => {
  await sql('update subject_salt set usernames = false');
  await changePerson(admin, { ...(await versionOf(carlId)), username: 'carl2' });
  const [local] = await listConsoleMethods();
  expect(local).toMatchObject({ id: 'local', names: 'email-or-username' });
  expect(await carlsSignIn('carl2', 'a wrong password')).toEqual({
    kind: 'refused',
    told: { code: 'sign_in.wrong_name' },
  });
  expect(signInNames({ type: 'local' }, { usernames: false })).toBe('email');
  expect(signInNames({ type: 'ldap' }, { usernames: true })).toBe('username');
});

it('if three users take one user name or address concurrently, one succeeds', async () => {
  const people = await Promise.all(['alice', 'bob', 'carol'].map((name) => givenPerson(name)));
  const views = await Promise.all(people.map(({ id }) => readPerson(admin, { id })));
  const at = async (given: { username: string } | { email: string }) => {
    const changes = views.map(async ({ id }) => {
      const { version } = await readPerson(admin, { id });
      return refusal(changePerson(admin, { id, version, ...given }));
    });
    return (await Promise.all(changes)).map((refused) => refused?.code ?? 'done').sort();
  };
  for (let round = 0; round < 5; round += 1) {
    const names = await at({ username: `one${round}` });
    expect(names).toEqual(['done', 'person.username_taken', 'person.username_taken']);
    const addresses = await at({ email: `one${round}@example.com` });
    expect(addresses).toEqual(['done', 'person.exists', 'person.exists']);
  }
});
