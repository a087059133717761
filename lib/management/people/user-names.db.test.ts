// People who sign in by a user name, beside an address or without one, and people with a subject of their own.
import { beforeEach, expect, it } from 'vitest';
import {
  givenEmptyRegistry,
  givenPerson,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import {
  changeMyPassword,
  changePerson,
  grantRole,
  pagePeople,
  pageSessions,
  readPerson,
  setPassword,
  signInToConsole,
} from '../index.ts';

const SUBJECT = 'auth0|5F7c8ec7';
const browser = { cookieHeader: undefined, ip: '192.0.2.1', userAgent: 'test', requestId: 'r1' };
let admin: Person;
let carlId: string;
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

it('a person is found by id, user name and kept subject, and an id is never another’s name', async () => {
  for (const id of [carlId, 'carl', 'CARL', SUBJECT])
    expect((await readPerson(admin, { id })).id).toBe(carlId);
  await sql(`insert into people (username) values ('${carlId}')`);
  expect((await readPerson(admin, { id: carlId })).username).toBe('carl');
  for (const search of ['car', SUBJECT, SUBJECT.toLowerCase()])
    expect((await pagePeople(admin, { search })).rows.map(({ subject }) => subject)).toEqual([SUBJECT]);
  for (const id of ['auth0|', 'c\u0000rl', ''])
    expect((await refusal(readPerson(admin, { id })))?.kind).toBe('not-found');
});

it('who has a user name alone gets a password, a role and a session, and changes the password', async () => {
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

it('a name is the same however its letters are composed, and signs in', async () => {
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

it('who has a user name alone gets an address, which does not count as proved', async () => {
  const { version } = await readPerson(admin, { id: carlId });
  const given = await changePerson(admin, { id: carlId, version, email: 'Carl@Example.com' });
  expect(given).toMatchObject({ email: 'carl@example.com', emailVerified: false, username: 'carl' });
  await setPassword(admin, { id: carlId, password: PASSWORD });
  for (const name of ['carl', 'carl@example.com']) expect((await carlsSignIn(name)).kind).toBe('signed-in');
  const [elsewhere] = await sql<{ id: string }>(`insert into people (name) values ('Eve') returning id`);
  const eve = changePerson(admin, { id: elsewhere?.id ?? '', email: 'eve@example.com' });
  expect((await refusal(eve))?.code).toBe('person.elsewhere');
});

it('an administrator gives and takes user names: one of another person, or the only name, is refused', async () => {
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

it('of three people who get one user name or address at once, one gets it', async () => {
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
