// Users and their sessions, as administrators see and change them.
import { beforeEach, expect, it } from 'vitest';
import { signInToConsole } from '#lib/management/console-sign-in.ts';
import { rotateSigningKeys } from '#lib/management/keys.ts';
import { isOwnSession } from '#lib/management/policy.ts';
import {
  countLiveFamilies,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  PASSWORD,
  type Person,
  refusal,
  sql,
} from '#testing/data/registry.ts';
import {
  changePerson,
  createPerson,
  deletePerson,
  endSession,
  endSessionsOf,
  grantRole,
  pagePeople,
  pageSessions,
  readPerson,
} from './operations.ts';

let admin: Person;
beforeEach(async () => {
  await givenEmptyRegistry();
  admin = await givenPerson('admin', 'administrator');
});

it('administrators can find users, change them if the version is current, and delete them, and a new address is unverified', async () => {
  const alice = await givenPerson('alice');
  await sql('update people set email_verified_at = now()');
  const { rows } = await pagePeople(admin, { search: 'ALICE', state: 'active' });
  expect(rows.map((row) => row.email)).toEqual(['alice@example.com']);
  const { version } = await readPerson(admin, { id: alice.id });
  const moved = await changePerson(admin, { id: alice.id, version, email: 'A@example.com', name: 'A' });
  expect(moved).toMatchObject({ email: 'a@example.com', emailVerified: false });
  expect((await refusal(changePerson(admin, { id: alice.id, version, name: 'B' })))?.kind).toBe('stale');
  const taken = { id: alice.id, version: moved.version, email: 'admin@example.com' };
  expect((await refusal(changePerson(admin, taken)))?.kind).toBe('conflict');
  await deletePerson(admin, { id: alice.id });
  expect((await refusal(readPerson(admin, { id: alice.id })))?.kind).toBe('not-found');
});

it('AD-12: roles, passwords and keys require a sign-in of the last 15 minutes', async () => {
  const old = { ...admin, signedInAt: new Date(Date.now() - 16 * 60_000) };
  const email = 'admin@example.com';
  for (const attempt of [
    () => grantRole(old, { email, role: 'developer' }),
    () => createPerson(old, { email: 'new@example.com', roles: ['administrator'], password: PASSWORD }),
    () => rotateSigningKeys(old),
  ]) {
    expect((await refusal(attempt()))?.kind).toBe('reauthenticate');
  }
});

it('administrators list and end sessions, and ending all sessions of a person revokes the person’s tokens', async () => {
  const alice = await givenPerson('alice');
  await givenFamily(alice);
  const browser = { cookieHeader: undefined, ip: null, userAgent: null, requestId: 'r' };
  const account = { authMethodId: 'local', username: 'alice@example.com', password: PASSWORD };
  for (let at = 0; at < 3; at += 1) await signInToConsole({ ...browser, ...account });
  const first = await pageSessions(admin, { personId: alice.id, limit: 2 });
  expect(first.rows).toHaveLength(2);
  const [mine, other] = first.rows.map((row) => row.id);
  const session = { idHash: Buffer.from(mine ?? '', 'hex'), authMethodId: 'local' };
  expect(isOwnSession({ ...admin, session }, mine ?? '')).toBe(true);
  expect(isOwnSession({ ...admin, session }, other ?? '')).toBe(false);
  expect(isOwnSession(admin, mine ?? '')).toBe(false);
  await endSession(admin, { id: first.rows[0]?.id ?? '' });
  const rest = await pageSessions(admin, { search: 'alice', cursor: first.next ?? '' });
  expect(rest.rows).toHaveLength(1);
  await endSessionsOf(admin, { personId: alice.id });
  expect((await pageSessions(admin, { personId: alice.id })).rows).toEqual([]);
  expect(await countLiveFamilies()).toBe(0);
});

it('a search of sessions finds those of one user, of no user, and of more than a thousand users', async () => {
  const alice = await givenPerson('alice');
  await sql(`insert into people (email, name) select 'crowd-' || n || '@example.org', 'Crowd ' || n
    from generate_series(1, 1001) n`);
  await sql(`insert into sessions (id_hash, kind, auth_method_id, person_id, auth_time, expires_at)
    select sha256(id::text::bytea), 'sign-in', 'local', id, now(), now() + interval '1 hour' from people`);
  const found = async (search: string) =>
    (await pageSessions(admin, { search, limit: 200, counted: true })).total;
  const people = async (search: string) =>
    (await pageSessions(admin, { search })).rows.map((row) => row.personId);
  expect(await people('alice@')).toEqual([alice.id]);
  expect(await people('nowhere')).toEqual([]);
  expect(await people('crowd 1001')).toHaveLength(1);
  expect(await found('crowd')).toBe(1001);
});

it('users can be sorted by name with natural numbers, or by last sign-in', async () => {
  for (const name of ['Team 10', 'team 2', 'Ängström', 'Team 1', 'zoe'])
    await sql('insert into people (name) values ($1)', [name]);
  const alice = await givenPerson('alice');
  const browser = { cookieHeader: undefined, ip: null, userAgent: null, requestId: 'r' };
  await signInToConsole({
    ...browser,
    authMethodId: 'local',
    username: 'alice@example.com',
    password: PASSWORD,
  });
  /** reads the list in pages of two rows */
  const listed = async (order: string) => {
    const names: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof pagePeople>> = await pagePeople(admin, {
        order,
        cursor,
        limit: 2,
      });
      names.push(...page.rows.map((row) => row.name || (row.email?.split('@')[0] ?? '')));
      cursor = page.next;
    }
    return names;
  };
  const byName = ['admin', 'alice', 'Ängström', 'Team 1', 'team 2', 'Team 10', 'zoe'];
  expect(await listed('name')).toEqual(byName);
  expect(await listed('-name')).toEqual(byName.toReversed());
  expect((await listed('-seen'))[0]).toBe('alice');
  expect((await listed('seen')).at(-1)).toBe('alice');
  expect(await listed('nonsense')).toEqual(await listed('-created'));
  const [row] = (await pagePeople(admin, { order: '-seen', limit: 1 })).rows;
  expect(row).toMatchObject({ id: alice.id, lastSignInAt: expect.any(Date) });
});
