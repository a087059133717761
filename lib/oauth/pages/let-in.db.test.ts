// Each local method admits its own users. An account that was registered at one method cannot automatically use
// another.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeAuthMethod, createAuthMethod } from '#lib/catalogue/methods/operations.ts';
import { approvePerson, invitePeople } from '#lib/catalogue/people/invitations.ts';
import { createPerson, deletePerson } from '#lib/catalogue/people/operations.ts';
import { applyConfiguration } from '#lib/config/apply.ts';
import { signInToConsole } from '#lib/management/console-sign-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import type { Authenticator } from '#testing/factors/authenticator.ts';
import { givenPasskey } from '#testing/factors/passkeys.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import {
  newAddress,
  NEW_PASSWORD as password,
  peopleAt,
  proved,
  registration,
} from '#testing/in-process/registering.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

const MODES = ['off', 'invite', 'approval', 'open'] as const;
type Mode = (typeof MODES)[number];
const NOT_LET_IN = 'sign_in.not_let_in';
const at = (method: string) => `/auth/${method}/api/orders`;

beforeAll(async () => {
  await givenFixtures();
  // the id of each method equals its registration mode
  for (const mode of MODES)
    await createAuthMethod(OPERATOR, { id: mode, type: 'local', name: mode, config: { registration: mode } });
  await changeApi(OPERATOR, { id: 'orders', authMethods: ['pw', ...MODES] });
  await currentSnapshot();
});
beforeEach(async () => {
  for (const table of ['attempts', 'sessions', 'person_registrations']) await sql(`delete from ${table}`);
  await registration('open');
});

/** Registers an account at `pw`, a method with open registration. */
async function registered(): Promise<string> {
  const email = newAddress();
  const { visitor, at: place } = await proved(email);
  expect((await visitor.submit(place, { name: 'Mallory', password })).page).toBe('client');
  return email;
}

/** Signs in on the page. Returns `client` on success, otherwise the page's alert. */
async function byPage(method: string, username: string): Promise<unknown> {
  const visitor = new Visitor();
  const place = await visitor.submit(await visitor.start({}, at(method)), { username, password });
  if (place.page !== 'login') return place.page;
  const view = await visitor.view('login', place);
  return view.kind === 'ready' ? view.alert : view.kind;
}

async function byPasswordGrant(method: string, username: string): Promise<unknown> {
  const form = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures', grant_type: 'password' };
  const answer = await ask(`${at(method)}/token`, { form: { ...form, username, password } });
  return answer.status === 200 ? 'client' : jsonOf(answer)['error'];
}

async function byPasskey(method: string, authenticator: Authenticator): Promise<unknown> {
  const visitor = new Visitor();
  const place = await visitor.start({}, at(method));
  const view = await visitor.view('login', place);
  if (view.kind !== 'ready' || !view.passkey) throw new Error('no passkey is asked for');
  const answer = await visitor.send('/login/passkey', {
    ...{ interaction: view.interaction, anti_forgery: view.antiForgery, passkey_state: view.passkey.state },
    credential: authenticator.get(view.passkey.options, {}),
  });
  const next = await visitor.onward(answer);
  if (next.page !== 'login') return next.page;
  const again = await visitor.view('login', next);
  return again.kind === 'ready' ? again.alert : again.kind;
}

/** Returns the modes that admit the account. */
async function letInBy(email: string, way = byPage): Promise<Mode[]> {
  const found: Mode[] = [];
  for (const mode of MODES) if ((await way(mode, email)) === 'client') found.push(mode);
  return found;
}

test('a self-registered account signs in only at methods with open registration', async () => {
  const email = await registered();
  expect(await byPage('pw', email)).toBe('client');
  expect(await letInBy(email)).toEqual(['open']);
  for (const mode of ['off', 'invite', 'approval']) expect(await byPage(mode, email)).toBe(NOT_LET_IN);
  const refused = await sql(
    "select details->>'reason' as reason from audit_events where event = 'sign_in.refused'",
  );
  expect(refused).toContainEqual({ reason: 'not-let-in' });
});

test('the password grant and a passkey follow the same rules as the sign-in page', async () => {
  const email = await registered();
  expect(await byPasswordGrant('pw', email)).toBe('client');
  expect(await letInBy(email, byPasswordGrant)).toEqual(['open']);
  expect(await byPasswordGrant('approval', email)).toBe('invalid_grant');
  const authenticator = await givenPasskey((await peopleAt(email))[0]?.['id'] as string);
  expect(await byPasskey('pw', authenticator)).toBe('client');
  for (const mode of ['off', 'invite', 'approval'])
    expect(await byPasskey(mode, authenticator)).toBe(NOT_LET_IN);
});

test('a wrong password returns the usual error, so nobody learns that the account exists', async () => {
  const email = await registered();
  const visitor = new Visitor();
  const place = await visitor.submit(await visitor.start({}, at('invite')), {
    username: email,
    password: 'no',
  });
  expect(await visitor.view('login', place)).toMatchObject({ alert: 'sign_in.wrong' });
});

test('accounts keep access to the method of their registration, and a method that is no longer open rejects other accounts', async () => {
  const email = await registered();
  await registration('off');
  await changeAuthMethod(OPERATOR, { id: 'open', config: { registration: 'invite' } });
  await currentSnapshot();
  expect(await byPage('pw', email)).toBe('client');
  expect(await letInBy(email)).toEqual([]);
  await changeAuthMethod(OPERATOR, { id: 'open', config: { registration: 'open' } });
  await currentSnapshot();
});

test('an approval admits the user to the requested method, and an invitation to the inviting method', async () => {
  await registration('approval');
  const email = newAddress();
  const { visitor, at: place } = await proved(email);
  await visitor.submit(place, { name: 'Nora', password });
  await approvePerson(OPERATOR, { id: email });
  expect(await byPage('pw', email)).toBe('client');
  expect(await letInBy(email)).toEqual(['open']);
  const invited = () => invitePeople(OPERATOR, { emails: [email], authMethodId: 'invite' });
  const outcomes = [await invited(), await invited()].flat().map(({ outcome }) => outcome);
  expect(outcomes).toEqual(['has-account', 'has-account']);
  expect(await letInBy(email)).toEqual(['invite', 'open']);
  const events =
    "select auth_method_id from audit_events where event = 'person.invited' and details->>'email' = $1";
  expect(await sql(events, [email])).toEqual([{ auth_method_id: 'invite' }]);
});

test('accounts that an administrator or the configuration file created can sign in at every method', async () => {
  const email = newAddress();
  const { id } = await createPerson(OPERATOR, { email, password });
  expect(await letInBy(email)).toEqual([...MODES]);
  await deletePerson(OPERATOR, { id });
  const mine = await registered();
  await applyConfiguration(`users:\n  - { email: ${mine} }\n`, { env: {} });
  expect(await letInBy(mine)).toEqual([...MODES]);
});

test('the console accepts any account at every local method', async () => {
  const email = await registered();
  const browser = { cookieHeader: undefined, ip: null, userAgent: 'test', requestId: 'r1' };
  const signedIn = await signInToConsole({ ...browser, authMethodId: 'invite', username: email, password });
  expect(signedIn.kind).toBe('signed-in');
});
