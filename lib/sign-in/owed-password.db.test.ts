// If a user must replace the password, no session starts on any page before the user sets a new password.
import { hash } from '@node-rs/argon2';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { setPassword } from '#lib/catalogue/people/operations.ts';
import { enrollTotp, newTotp } from '#lib/factors/totp.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { signInByNewPassword, signInToConsole } from '#lib/management/console-sign-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { readConsoleActor } from '#lib/sessions/console.ts';
import { antiForgeryToken, openTransaction } from '#lib/sessions/transaction.ts';
import { sql } from '#testing/data/registry.ts';
import { browserWith, held } from '#testing/in-process/console-session.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { intoAStep, type Place, totpCode, Visitor } from '#testing/in-process/visitor.ts';

const [username, password] = ['alice@example.com', 'alice-password-1'];
const ALICE = { username, password };
const NEW = 'seven green bicycles';
/** made with passlib for 72 times 'x' */
const OF_72 = '$2b$05$JZiEO5yRNutVt5wBvkWYkupotT54Mb6qLgnRifGqMHF4EPg/UCcxK';
let alice: string;

beforeAll(async () => {
  await givenFixtures();
  ({ personId: alice } = await signInTo(username));
});
beforeEach(async () => {
  intoAStep();
  for (const table of ['totp_secrets', 'recovery_codes', 'attempts', 'sessions', 'codes'])
    await sql(`delete from ${table}`);
  const old = await hash(password);
  await sql('update people set password_hash = $2, must_change_password = true where id = $1', [alice, old]);
});
afterAll(() => shiftClock(0));

const flag = async () =>
  (await sql('select must_change_password as flag from people where id = $1', [alice]))[0]?.['flag'];
const begun = async () => [
  (await sql('select 1 from sessions where ended_at is null')).length,
  (await sql('select 1 from codes')).length,
];

/** Returns the events about correct passwords that did not yet lead to a session. */
const noted = () =>
  sql(`select api_id, auth_method_id, details from audit_events
    where event = 'sign_in.refused' and details ->> 'reason' = 'owes-password' and not details ? 'grant_type'`);

async function shown(visitor: Visitor, at: Place) {
  const view = await visitor.view('new-password', at);
  if (view.kind !== 'ready') throw new Error(view.kind);
  return view;
}

async function grant(secret: string) {
  const form = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures', grant_type: 'password' };
  return ask('/auth/pw/api/orders/token', { form: { ...form, username, password: secret } });
}

async function givenApp(): Promise<string> {
  const { secret } = await newTotp({ label: username });
  const context = { requestId: 'request', ip: null };
  expect(await enrollTotp({ personId: alice, secret, code: totpCode(secret, -1), ...context })).toBe(
    'enrolled',
  );
  return secret;
}

test('a user with a required password change sees the new-password page after sign-in, then the interaction continues', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  expect(await shown(visitor, at)).toMatchObject({ label: username, alert: null, code: null });
  expect(await begun()).toEqual([0, 0]);
  const details = { reason: 'owes-password' };
  expect(await noted()).toContainEqual({ api_id: 'orders', auth_method_id: 'pw', details });
  // this browser is still signed out
  const silent = await visitor.start({ prompt: 'none' });
  expect(silent.client.get('error')).toBe('login_required');
  expect((await visitor.start()).page).toBe('login');

  const asked = async (secret: string) => {
    const again = await visitor.submit(at, { password: secret });
    const { alert, wrong } = await shown(visitor, again);
    return [alert, wrong];
  };
  expect(await asked(password)).toEqual(['password.same', 'password']);
  expect(await asked('short')).toMatchObject([{ code: 'new_password.short' }, 'password']);
  expect(await asked('password1')).toEqual(['new_password.known', 'password']);
  expect(await begun()).toEqual([0, 0]);
  expect(await flag()).toBe(true);

  const done = await visitor.submit(at, { password: NEW });
  expect(done.client.get('code')).toBeTruthy();
  expect(await flag()).toBe(false);
  expect((await visitor.start({ prompt: 'none' })).client.get('code')).toBeTruthy();
  // sends the sign-in form again, then opens the page for the new password again
  expect(
    (await visitor.submit(await visitor.start({ prompt: 'login' }), { username, password: NEW })).page,
  ).toBe('client');
  expect(await visitor.view('new-password', at)).toMatchObject({ kind: 'onward' });
  expect((await new Visitor().signIn(ALICE)).page).toBe('login');
});

test('a new password ends earlier sessions, and a second form with a new password fails', async () => {
  await sql('update people set must_change_password = false where id = $1', [alice]);
  const elsewhere = new Visitor();
  expect((await elsewhere.signIn(ALICE)).page).toBe('client');
  await sql('update people set must_change_password = true where id = $1', [alice]);
  const [one, two] = [new Visitor(), new Visitor()];
  const [first, second] = [await one.signIn(ALICE), await two.signIn(ALICE)];
  const both = await Promise.all([
    one.submit(first, { password: NEW }),
    two.submit(second, { password: `${NEW} too` }),
  ]);
  expect(both.map(({ page }) => page).sort()).toEqual(['client', 'login']);
  expect((await elsewhere.start({ prompt: 'none' })).client.get('error')).toBe('login_required');
});

test('a password reset or the end of all sign-ins makes an open new-password page unusable', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  const form = await shown(visitor, at);
  await setPassword(OPERATOR, { id: alice, password: NEW });
  expect(await flag()).toBe(false);
  const { interaction, antiForgery: anti_forgery } = form;
  const fields = { interaction, anti_forgery, password: 'another green bicycle' };
  expect((await visitor.onward(await visitor.send('/new-password/submit', fields))).page).toBe('login');
  expect((await visitor.signIn({ username, password: NEW })).page).toBe('client');
});

test('the new-password form fails in another browser, and if the old password was not entered', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  const thief = new Visitor();
  await thief.start();
  expect(await thief.view('new-password', at)).toMatchObject({ kind: 'unusable' });
  const login = await visitor.start();
  expect(await visitor.view('new-password', { ...login, page: 'new-password' })).toMatchObject({
    kind: 'unusable',
  });
  const { browser } = openTransaction(visitor.jar.header);
  const forged = {
    interaction: login.sealed,
    anti_forgery: antiForgeryToken(browser, login.sealed),
    password: NEW,
  };
  expect((await visitor.send('/new-password/submit', forged)).status).toBe(403);
  expect(await flag()).toBe(true);
  expect((await visitor.submit(at, { cancel: '1' })).client.get('error')).toBe('access_denied');
});

test('new password: the second factor is proved once, in the same form', async () => {
  const secret = await givenApp();
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  expect((await shown(visitor, at)).code).toBe('app');
  for (const code of ['', '12', '000000', 'abcde-fghij']) {
    const again = await visitor.submit(at, { password: NEW, code });
    expect((await shown(visitor, again)).wrong).toBe('code');
  }
  expect(await flag()).toBe(true);
  expect(await begun()).toEqual([0, 0]);
  const done = await visitor.submit(at, { password: NEW, code: totpCode(secret) });
  expect(done.client.get('code')).toBeTruthy();
  expect(await sql('select acr_level, amr from sessions where ended_at is null')).toEqual([
    { acr_level: 2, amr: ['pwd', 'otp', 'mfa'] },
  ]);
  // password grant: a user who must replace the password gets the error for a wrong password
  await sql('update people set must_change_password = true where id = $1', [alice]);
  expect(jsonOf(await grant(NEW))['error_description']).toBe('Incorrect username or password.');
});

test('password grant: if a new password is required, the error explains the next step, and a wrong password gets no such explanation', async () => {
  const answer = await grant(password);
  expect(answer.status).toBe(400);
  expect(jsonOf(answer)).toMatchObject({
    error: 'invalid_grant',
    error_description: expect.stringContaining('sign in in a browser'),
  });
  expect(jsonOf(await grant('wrong'))['error_description']).toBe('Incorrect username or password.');
  expect(await sql('select 1 from token_families')).toEqual([]);
});

test('console: sign-in and password confirmation both lead to a required new-password page', async () => {
  const { cookie } = openTransaction(undefined);
  const browser = browserWith(held(cookie));
  const asked = { ...browser, authMethodId: 'pw', ...ALICE };
  const owing = await signInToConsole(asked);
  if (owing.kind !== 'owes-password') throw new Error(owing.kind);
  expect(await begun()).toEqual([0, 0]);
  const details = { reason: 'owes-password', kind: 'console' };
  expect(await noted()).toContainEqual({ api_id: null, auth_method_id: 'pw', details });
  const { owed } = owing;
  const cookieHeader = `${browser.cookieHeader}; ${held(owing.cookie ?? '')}`;
  const given = { ...browser, cookieHeader, owed, code: '' };
  await expect(signInByNewPassword({ ...given, password })).rejects.toMatchObject({
    faults: [{ field: 'password', code: 'password.same' }],
  });
  await expect(signInByNewPassword({ ...given, ...browserWith(), password: NEW })).rejects.toThrow();
  const session = held((await signInByNewPassword({ ...given, password: NEW })).cookie);
  expect(await readConsoleActor(session, null)).toMatchObject({ id: alice });
  expect(await flag()).toBe(false);
  await expect(signInByNewPassword({ ...given, password: `${NEW} too` })).rejects.toThrow();
  // a step-up, after an administrator requires a new password
  await sql('update people set must_change_password = true where id = $1', [alice]);
  const again = await signInToConsole({ ...asked, cookieHeader: session, password: NEW });
  expect(again.kind).toBe('owes-password');
});

test('a password that bcrypt truncated is replaced on the new-password page', async () => {
  await sql('update people set password_hash = $2, must_change_password = false where id = $1', [
    alice,
    OF_72,
  ]);
  const whole = { username, password: 'x'.repeat(80) };
  expect((await new Visitor().signIn({ username, password: 'x'.repeat(71) })).page).toBe('login');
  const visitor = new Visitor();
  const at = await visitor.signIn(whole);
  // a password that equals the old password in the 72 bytes that bcrypt reads
  const again = await visitor.submit(at, { password: 'x'.repeat(90) });
  expect((await shown(visitor, again)).alert).toMatch(/same|too_easy/);
  expect(jsonOf(await grant(whole.password))['error']).toBe('invalid_grant');
  const [{ password_hash }] = (await sql('select password_hash from people where id = $1', [alice])) as [
    { password_hash: string },
  ];
  expect(password_hash).toBe(OF_72);
  expect((await visitor.submit(at, { password: NEW })).client.get('code')).toBeTruthy();
});
