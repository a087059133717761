// A browser that signed in to an account before has separate password attempts, until the user is signed out
// everywhere. All such browsers of an account share a hundred attempts per quarter of an hour.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { disablePerson, enablePerson, endSessionsOf, setPassword } from '#lib/catalogue/people/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { findKnownDevice } from '#lib/sessions/known-device.ts';
import { attemptLimit } from '#lib/store/hot/limits.ts';
import { givenPerson, sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

const PASSWORDS = { old: 'the-old-one-of-theirs', next: 'the-next-one-of-theirs' };
let count = 0;

beforeAll(givenFixtures);
beforeEach(async () => {
  await sql('delete from attempts');
});

async function given(): Promise<{ id: string; username: string }> {
  const name = `known-${count++}-${Date.now()}`;
  const { id } = await givenPerson(name);
  await setPassword(OPERATOR, { id, password: PASSWORDS.old });
  return { id, username: `${name}@example.com` };
}

/** Returns a browser that signed in earlier and is now signed out. */
async function known(username: string): Promise<Visitor> {
  const visitor = new Visitor();
  expect((await visitor.signIn({ username, password: PASSWORDS.old })).page).toBe('client');
  visitor.jar.cookies.delete(visitor.jar.named('gatehouse-sign-in'));
  return visitor;
}
const isKnown = async ({ jar }: Visitor, username: string) =>
  (await findKnownDevice(jar.header, `(local) ${username}`)) !== null;
const getsIn = async (visitor: Visitor, username: string, password: string) =>
  (await visitor.signIn({ username, password }, { prompt: 'login' })).page === 'client';

test.each([
  ['a new password', (id: string) => setPassword(OPERATOR, { id, password: PASSWORDS.next })],
  ['a sign-out everywhere', (id: string) => endSessionsOf(OPERATOR, { personId: id })],
  [
    'a time in which the person was disabled',
    async (id: string) => {
      await disablePerson(OPERATOR, { id });
      await enablePerson(OPERATOR, { id });
    },
  ],
] as const)('%s ends the recognition of known browsers of an account', async (_, end) => {
  const { id, username } = await given();
  const visitor = await known(username);
  expect(await isKnown(visitor, username)).toBe(true);
  await end(id);
  expect(await isKnown(visitor, username)).toBe(false);
});

test('after a password change, thirteen earlier known browsers share ten attempts with unknown browsers', async () => {
  const { id, username } = await given();
  const visitors: Visitor[] = [];
  for (let at = 0; at < 13; at += 1) visitors.push(await known(username));
  await setPassword(OPERATOR, { id, password: PASSWORDS.next });
  for (const visitor of visitors.slice(0, 10))
    expect(await getsIn(visitor, username, 'wrong-one')).toBe(false);
  for (const visitor of visitors) expect(await getsIn(visitor, username, PASSWORDS.next)).toBe(false);
  await sql('delete from attempts');
  expect(await getsIn(new Visitor(), username, PASSWORDS.next)).toBe(true);
});

test('an account’s known browsers share a hundred attempts', async () => {
  const { username } = await given();
  const visitor = await known(username);
  const { key } = attemptLimit('account', `known (local) ${username}`, 100);
  await sql(
    `insert into attempts (key, count, failed, expires_at) values ($1, 99, 99, now() + interval '15 minutes')
     on conflict (key) do update set count = 99, failed = 99, expires_at = excluded.expires_at`,
    [key],
  );
  expect(await getsIn(visitor, username, 'wrong-one')).toBe(false);
  expect(await getsIn(visitor, username, PASSWORDS.old)).toBe(false);
  expect(await getsIn(new Visitor(), username, PASSWORDS.old)).toBe(true);
});
