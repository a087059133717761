// Set-up of an authenticator app without JavaScript: hosted sign-in, console sign-in and account page.

import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { enrollTotp, newTotp } from '#lib/factors/totp.ts';
import { now, shiftClock } from '#lib/kit/clock.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { resetToken, sql } from '#testing/data/registry.ts';
import { givenPasskey } from '#testing/factors/passkeys.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { loadWith } from '#testing/in-process/sign-in-doors.ts';
import { intoAStep, totpCode } from '#testing/in-process/visitor.ts';
import { PlainBrowser } from '#testing/in-process/without-script.ts';

vi.mock('next/headers', async () => (await import('#testing/in-process/without-script.ts')).NEXT_HEADERS);

const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };
const AUTHORIZE = '/auth/pw/api/orders/authorize?client_id=tru&response_type=code';
const NEW = 'seven green bicycles';
const WRONG = 'That code is not right. Look at your app again: it shows a new one every 30 seconds.';

let alice: string;
let passwordHash: unknown;
beforeAll(async () => {
  await givenFixtures();
  ({ personId: alice } = await signInTo(ALICE.username));
  const [person] = await sql('select password_hash from people where id = $1', [alice]);
  passwordHash = person?.['password_hash'];
});
beforeEach(async () => {
  loadWith();
  intoAStep();
  for (const table of ['totp_secrets', 'passkeys', 'recovery_codes', 'attempts', 'sessions'])
    await sql(`delete from ${table}`);
  await sql(`update apis set second_factor = null where id = 'orders'`);
  await sql(
    `update people set roles = '{administrator}', password_hash = $2, must_change_password = false where id = $1`,
    [alice, passwordHash],
  );
});
afterAll(() => {
  loadWith();
  shiftClock(0);
});

async function atHostedSetUp() {
  await sql(`update apis set second_factor = 'required' where id = 'orders'`);
  await currentSnapshot();
  const address = `${AUTHORIZE}&redirect_uri=${encodeURIComponent('https://tru.example/cb')}`;
  return (await new PlainBrowser().open(address)).submit('/login/submit', ALICE);
}
const signedIn = async () =>
  (await new PlainBrowser().open('/account')).submit('/account/submit/sign-in', ALICE);
async function atConsoleSetUp() {
  loadWith({ CONSOLE_SECOND_FACTOR: 'required' });
  return signedIn();
}
const atAdd = async () => (await signedIn()).open('/account/security/add');
async function atReplace() {
  const browser = await signedIn();
  const { secret } = await newTotp({ label: ALICE.username });
  await enrollTotp({ personId: alice, secret, code: totpCode(secret, -1), requestId: 'request', ip: null });
  await sql('update sessions set acr_level = 2');
  return browser.open('/account/security/replace');
}

describe.each([
  { door: 'hosted sign-in', open: atHostedSetUp, byCode: '/set-up/submit', byPasskey: '/set-up/submit' },
  {
    door: 'console sign-in',
    open: atConsoleSetUp,
    byCode: '/account/submit/set-up-app',
    byPasskey: '/account/submit/set-up-passkey',
  },
  {
    door: 'account page, new app',
    open: atAdd,
    byCode: '/account/submit/app-add',
    byPasskey: '/account/submit/passkey-add',
  },
  {
    door: 'account page, replaced app',
    open: atReplace,
    byCode: '/account/submit/app-replace',
    byPasskey: null,
  },
])('$door', ({ door, open, byCode, byPasskey }) => {
  test('a wrong code keeps the secret of the app, and the right code is accepted', async () => {
    const browser = await open();
    const secret = browser.appSecret;
    expect(secret).toHaveLength(32);
    for (const [code, fault] of [
      ['000000', WRONG],
      ['1', 'The code has six digits.'],
      ['000000', WRONG],
    ] as const) {
      await browser.submit(byCode, { code });
      expect(browser.faults).toContain(fault);
      expect(browser.wrongFields).toEqual(['code']);
      expect(browser.appSecret).toBe(secret);
    }
    expect(browser.address + browser.jar.header).not.toContain(secret);
    const { address } = browser;
    await browser.submit(byCode, { code: totpCode(secret) });
    expect(browser.faults).toEqual([]);
    expect(browser.appSecret).toBe('');
    expect(await sql('select 1 from totp_secrets')).toHaveLength(1);
    // the page of the draft, for example from the history of the browser
    if (door === 'account page, new app') await browser.open(address);
    expect(browser.appSecret).not.toBe(secret);
  });

  test.skipIf(byPasskey === null)(
    'a rejected passkey keeps the secret of the app and the name of the passkey, and marks no field as faulty',
    async () => {
      const browser = await open();
      const secret = browser.appSecret;
      const named = browser.valuesOf('name').length > 0;
      await browser.submit(byPasskey ?? '', { credential: '{}', ...(named && { name: 'Blue key' }) });
      expect(browser.faults).toHaveLength(1);
      expect(browser.wrongFields).toEqual([]);
      expect(browser.appSecret).toBe(secret);
      if (named) expect(browser.valuesOf('name')).toEqual(['Blue key', '']);
    },
  );

  test.skipIf(door === 'account page, replaced app')(
    'the secret of an app is accepted only in the session whose page shows it',
    async () => {
      const [here, elsewhere] = [await open(), await open()];
      expect(here.appSecret).not.toBe(elsewhere.appSecret);
      const field = door === 'hosted sign-in' ? 'pending' : 'sealed';
      const [sealed = ''] = here.valuesOf(field);
      await elsewhere.submit(byCode, { code: totpCode(here.appSecret), [field]: sealed });
      expect(elsewhere.faults).toHaveLength(1);
      expect(await sql('select 1 from totp_secrets')).toEqual([]);
      await here.submit(byCode, { code: totpCode(here.appSecret) });
      expect(await sql('select 1 from totp_secrets')).toHaveLength(1);
    },
  );

  // the whole page of the hosted sign-in expires at the same time
  test.skipIf(door === 'hosted sign-in')('an expired secret is replaced', async () => {
    const browser = await open();
    const secret = browser.appSecret;
    shiftClock(now().getTime() - Date.now() + 11 * 60_000);
    await browser.submit(byCode, { code: totpCode(secret) });
    expect(browser.faults).toHaveLength(1);
    expect(browser.appSecret).toHaveLength(32);
    expect(browser.appSecret).not.toBe(secret);
  });
});

describe.each([
  {
    door: 'hosted pages',
    address: `${AUTHORIZE}&redirect_uri=${encodeURIComponent('https://tru.example/cb')}`,
    ...{ byPassword: '/login/submit', byPasskey: '/login/passkey' },
    ...{ confirmCode: '/confirm/submit', confirmPasskey: '/confirm/submit' },
    replacePassword: '/new-password/submit',
  },
  {
    door: 'console',
    address: '/account',
    ...{ byPassword: '/account/submit/sign-in', byPasskey: '/account/submit/passkey-sign-in' },
    ...{ confirmCode: '/account/submit/confirm-code', confirmPasskey: '/account/submit/confirm-passkey' },
    replacePassword: '/account/submit/new-password',
  },
])('$door', ({ address, byPassword, byPasskey, confirmCode, confirmPasskey, replacePassword }) => {
  test('sign-in: a wrong password marks both fields, and a rejected passkey marks none', async () => {
    const browser = await new PlainBrowser().open(address);
    await browser.submit(byPassword, { ...ALICE, password: 'wrong' });
    expect(browser.wrongFields).toEqual(['username', 'password']);
    await browser.submit(byPasskey, { credential: '{}' });
    expect(browser.faults).toHaveLength(1);
    expect(browser.wrongFields).toEqual([]);
  });

  test('second step: a wrong code marks its field, and a rejected passkey does not', async () => {
    const { secret } = await newTotp({ label: ALICE.username });
    await enrollTotp({ personId: alice, secret, code: totpCode(secret, -1), requestId: 'request', ip: null });
    await givenPasskey(alice);
    const browser = await (await new PlainBrowser().open(address)).submit(byPassword, ALICE);
    await browser.submit(confirmCode, { code: '000000' });
    expect(browser.wrongFields).toEqual(['code']);
    await browser.submit(confirmPasskey, { credential: '{}' });
    expect(browser.faults).toHaveLength(1);
    expect(browser.wrongFields).toEqual([]);
  });

  test('owed password: a rejected password and a wrong code mark their own field, and both are then accepted', async () => {
    const { secret } = await newTotp({ label: ALICE.username });
    await enrollTotp({ personId: alice, secret, code: totpCode(secret, -1), requestId: 'request', ip: null });
    await sql('update people set must_change_password = true where id = $1', [alice]);
    const browser = await (await new PlainBrowser().open(address)).submit(byPassword, ALICE);
    expect(browser.valuesOf('username')).toEqual([ALICE.username]);
    for (const [typed, wrong] of [
      [{ password: 'short', code: totpCode(secret) }, 'password'],
      [{ password: NEW, code: '000000' }, 'code'],
    ] as const) {
      await browser.submit(replacePassword, typed);
      expect(browser.faults).toHaveLength(1);
      expect(browser.wrongFields).toEqual([wrong]);
      expect(browser.html + browser.address + browser.jar.header).not.toContain(typed.password);
    }
    await browser.submit(replacePassword, { password: NEW, code: totpCode(secret) });
    expect(browser.wrongFields).toEqual([]);
    expect(browser.valuesOf('code')).toEqual([]);
    expect(await sql('select acr_level from sessions where ended_at is null')).toEqual([{ acr_level: 2 }]);
  });
});

test('forgotten password: the console keeps the typed address, and marks a rejected password', async () => {
  const browser = await new PlainBrowser().open('/account');
  await browser.submit('/account/submit/sign-in', { ...ALICE, password: 'wrong' });
  const [, forgotten = ''] = /href="(\/account\/forgot-password[^"]*)"/.exec(browser.html) ?? [];
  await browser.open(forgotten.replaceAll('&amp;', '&'));
  expect(browser.valuesOf('email')).toEqual([ALICE.username]);
  await browser.submit('/account/submit/forgot-password', { email: ALICE.username });
  expect(browser.html).toContain('role="status"');
  // the newest mail
  shiftClock(now().getTime() - Date.now() + 5 * 60_000);
  await browser.open(`/account/reset-password?token=${await resetToken(ALICE.username)}`);
  await browser.submit('/account/submit/reset-password', { password: 'short' });
  expect(browser.faults).toHaveLength(1);
  expect(browser.wrongFields).toEqual(['password']);
  await browser.submit('/account/submit/reset-password', { password: NEW });
  expect(browser.wrongFields).toEqual([]);
  await browser.open('/account');
  await browser.submit('/account/submit/sign-in', { ...ALICE, password: NEW });
  expect(await sql('select 1 from sessions where ended_at is null')).toHaveLength(1);
});
