import { beforeEach, expect, it } from 'vitest';
import { disablePerson, grantRole } from '#lib/catalogue/people/operations.ts';
import {
  claimForm,
  consoleFormToken,
  endConsoleSession,
  isConsoleFormToken,
  readConsoleActor,
  releaseForm,
} from '#lib/sessions/console.ts';
import { openTransaction } from '#lib/sessions/transaction.ts';
import {
  countLiveFamilies,
  events,
  givenClient,
  givenEmptyRegistry,
  givenFamily,
  givenPerson,
  PASSWORD,
  sql,
} from '#testing/data/registry.ts';
import { signInToConsole } from './console-sign-in.ts';
import {
  changeMyPassword,
  changeMyProfile,
  endMySession,
  endMySessions,
  listMyConsents,
  listMySessions,
  listMySignIns,
  readMyProfile,
  withdrawConsent,
} from './my-account.ts';
import { OPERATOR } from './policy.ts';

beforeEach(() => givenEmptyRegistry());

const browser = { cookieHeader: undefined, ip: '192.0.2.1', userAgent: 'test', requestId: 'r1' };

async function signIn(name: string, password = PASSWORD, cookieHeader?: string): Promise<string> {
  const username = `${name}@example.com`;
  const result = await signInToConsole({
    ...browser,
    cookieHeader,
    authMethodId: 'local',
    username,
    password,
  });
  if (result.kind !== 'signed-in') throw new Error(result.kind);
  expect(result.cookie).toMatch(/^gatehouse-console=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/);
  return result.cookie.split(';')[0] as string;
}

async function actorOf(cookie: string) {
  const actor = await readConsoleActor(cookie, null);
  if (!actor) throw new Error('signed out');
  return actor;
}

it('a console session has a separate cookie, rereads roles, and ends on sign-out', async () => {
  await givenPerson('alice');
  const cookie = await signIn('alice');
  expect((await actorOf(cookie)).roles).toEqual([]);
  await grantRole(OPERATOR, { email: 'alice@example.com', role: 'developer' });
  expect((await actorOf(cookie)).roles).toEqual(['developer']);
  expect(await readConsoleActor(undefined, null)).toBeNull();
  expect(await readConsoleActor(`${cookie}x`, null)).toBeNull();
  await endConsoleSession(cookie, browser);
  expect(await readConsoleActor(cookie, null)).toBeNull();
});

it('SF-01: a second console sign-in creates a new session and ends the previous one', async () => {
  await givenPerson('alice');
  const first = await signIn('alice');
  const second = await signIn('alice', PASSWORD, first);
  expect(await readConsoleActor(first, null)).toBeNull();
  expect(await readConsoleActor(second, null)).not.toBeNull();
});

it('sessions of a disabled user end immediately, and sessions of external methods carry no roles', async () => {
  const alice = await givenPerson('alice', 'administrator');
  await givenPerson('bob', 'administrator');
  const cookie = await signIn('alice');
  await sql(`insert into auth_methods (id, type, name) values ('campus', 'external', 'Campus')`);
  await sql(`update sessions set auth_method_id = 'campus'`);
  expect((await actorOf(cookie)).roles).toEqual([]);
  await disablePerson(OPERATOR, { id: alice.id });
  expect(await readConsoleActor(cookie, null)).toBeNull();
});

it('LG-01: console sign-in shares the password limit and returns one error for known and unknown users', async () => {
  await givenPerson('alice');
  const wrong = { ...browser, authMethodId: 'local', username: 'alice@example.com', password: 'wrong' };
  const results = [];
  for (let at = 0; at < 11; at += 1) results.push(await signInToConsole(wrong));
  expect(results[0]).toEqual({ kind: 'refused', told: { code: 'sign_in.wrong' } });
  expect(results[10]).toMatchObject({ kind: 'slow-down' });
  const nobody = await signInToConsole({ ...wrong, username: 'nobody@example.com' });
  expect(nobody).toEqual(results[0]);
});

it('SF-06: a new password requires the old one, ends other sessions and all refresh token families, and renews this session’s cookie', async () => {
  const alice = await givenPerson('alice');
  const [here, elsewhere] = [await signIn('alice'), await signIn('alice')];
  await givenFamily(alice);
  const actor = await actorOf(here);
  const change = { password: 'long-enough-2', browser: { ...browser, cookieHeader: here } };
  await expect(changeMyPassword(actor, { ...change, oldPassword: 'wrong' })).rejects.toMatchObject({
    faults: [{ field: 'oldPassword' }],
  });
  expect(await countLiveFamilies()).toBe(1);
  const signedIn = await changeMyPassword(actor, { ...change, oldPassword: PASSWORD });
  expect(await countLiveFamilies()).toBe(0);
  expect(await readConsoleActor(elsewhere, null)).toBeNull();
  expect(await readConsoleActor(here, null)).toBeNull();
  expect((await readConsoleActor(signedIn?.cookie.split(';')[0], null))?.id).toBe(alice.id);
  await signIn('alice', 'long-enough-2');
});

it.each([
  ['password1', 'refused'],
  ['7 chars', 'refused'],
  ['x1y2'.repeat(16), 'ok'],
  ['x1y2'.repeat(50), 'ok'],
])('LG-12: the result of a change to the new password %s: %s', async (password, expected) => {
  await givenPerson('alice');
  const actor = await actorOf(await signIn('alice'));
  const outcome = await changeMyPassword(actor, { oldPassword: PASSWORD, password }).then(
    () => 'ok',
    (error) => (error.faults[0].field === 'password' ? 'refused' : error),
  );
  expect(outcome).toBe(expected);
});

it('users list and end their own sessions, and no session of another user', async () => {
  const bob = await givenPerson('bob');
  await givenPerson('alice');
  const [here, there] = [await signIn('alice'), await signIn('alice')];
  await signIn('bob');
  const actor = await actorOf(here);
  const sessions = await listMySessions(actor);
  expect(sessions.map((one) => [one.kind, one.current])).toEqual(
    expect.arrayContaining([
      ['console', true],
      ['console', false],
    ]),
  );
  const [bobs] = await listMySessions({ ...bob, session: undefined as never });
  await expect(endMySession(actor, { id: bobs?.id ?? '' })).rejects.toMatchObject({ kind: 'not-found' });
  await endMySession(actor, { id: sessions.find((one) => !one.current)?.id ?? '' });
  expect(await readConsoleActor(there, null)).toBeNull();
  await signIn('alice');
  expect(await endMySessions(actor, { keepCurrent: true })).toBe(1);
  expect(await readConsoleActor(here, null)).not.toBeNull();
});

it('users can see and change their profile, and see where they signed in, page by page', async () => {
  const alice = await givenPerson('alice');
  for (let at = 0; at < 3; at += 1) await signIn('alice');
  await changeMyProfile(alice, { name: ' Alice ' });
  expect(await readMyProfile(alice)).toMatchObject({
    name: 'Alice',
    hasPassword: true,
    emailVerified: false,
  });
  const first = await listMySignIns(alice, { limit: 2 });
  expect(first.rows.map((row) => row.kind)).toEqual(['console', 'console']);
  const second = await listMySignIns(alice, { limit: 2, cursor: first.next as string });
  expect(second).toMatchObject({ rows: [{ kind: 'console' }], next: null });
  await expect(listMySignIns(alice, { cursor: 'bogus' })).rejects.toMatchObject({ kind: 'invalid' });
});

it('a withdrawn consent revokes only the codes and tokens based on it', async () => {
  const alice = await givenPerson('alice');
  const dev = await givenPerson('dev', 'developer');
  await givenClient(dev);
  await givenClient(dev, 'other');
  await sql(
    `insert into consents (person_id, client_id, api_id, scopes) values ($1, 'shop', 'orders', '{read,gone,email}')`,
    [alice.id],
  );
  await givenFamily(alice);
  await givenFamily(alice, { basis: 'trust' });
  await givenFamily(alice, { clientId: 'other' });
  const consent = (await listMyConsents(alice)).find((one) => one.clientId === 'shop');
  expect(consent).toMatchObject({
    clientName: 'shop',
    scopes: expect.arrayContaining([
      { name: 'read', description: 'See' },
      { name: 'gone', description: 'gone' },
      { name: 'email', description: 'Your email address' },
    ]),
  });
  await expect(withdrawConsent(dev, { id: consent?.id ?? '' })).rejects.toMatchObject({ kind: 'not-found' });
  await withdrawConsent(alice, { id: consent?.id ?? '' });
  expect(await listMyConsents(alice)).toMatchObject([{ clientId: 'other' }]);
  expect(await countLiveFamilies()).toBe(2);
  expect(await events('consent.withdrawn')).toMatchObject([{ client_id: 'shop', person_id: alice.id }]);
});

it('CS-03: anti-forgery tokens are bound to session and form, and valid once', async () => {
  await givenPerson('alice');
  const [a, b] = [await signIn('alice'), await signIn('alice')];
  const token = (await consoleFormToken(a, 'name')) as string;
  expect(await consoleFormToken(a, 'name')).not.toBe(token);
  expect(await isConsoleFormToken(token, a, 'name')).toBe(true);
  expect(await isConsoleFormToken(token, b, 'name')).toBe(false);
  expect(await isConsoleFormToken(token, a, 'password')).toBe(false);
  expect(await isConsoleFormToken(token, undefined, 'name')).toBe(false);
  const out = openTransaction(undefined).cookie.split(';')[0] as string;
  const before = (await consoleFormToken(out, 'sign-in')) as string;
  expect(await isConsoleFormToken(before, out, 'sign-in')).toBe(true);
  expect(await isConsoleFormToken(before, `${out}; ${a}`, 'sign-in')).toBe(false);
  const claims = await Promise.all(Array.from({ length: 8 }, () => claimForm(token)));
  expect(claims.filter(Boolean)).toHaveLength(1);
  await releaseForm(token);
  expect(await claimForm(token)).toBe(true);
});
