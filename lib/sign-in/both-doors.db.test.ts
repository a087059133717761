// Conformance of the two sign-ins: each case runs at the hosted pages and at the console. A case names the door if the
// doors differ on purpose.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endSessionsOf } from '#lib/catalogue/people/operations.ts';
import { enrollTotp, makeRecoveryCodes, newTotp } from '#lib/factors/totp.ts';
import { now, shiftClock } from '#lib/kit/clock.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { RECENT_SECONDS } from '#lib/sessions/page-state.ts';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mailTo, resetToken, sql } from '#testing/data/registry.ts';
import { Authenticator } from '#testing/factors/authenticator.ts';
import { givenPasskey } from '#testing/factors/passkeys.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import {
  loadWith,
  postForm,
  SIGN_IN_DOORS,
  type SignInDoor,
  type SignInTab,
} from '#testing/in-process/sign-in-doors.ts';
import { intoAStep, totpCode } from '#testing/in-process/visitor.ts';
import type { CookieJar } from '#testing/net/cookie-jar.ts';

const ALICE = 'alice@example.com';
const PASSWORD = 'alice-password-1';
const NEW = 'seven green bicycles';
const WRONG = 'Incorrect email or password.';
const TOO_MANY = /^Too many attempts\. Try again (?:after|at) .* UTC\.$/;
const context = { requestId: 'request', ip: null };

let alice: string;
let passwordHash: unknown;

beforeAll(async () => {
  await givenFixtures();
  ({ personId: alice } = await signInTo(ALICE));
  [{ password_hash: passwordHash }] = (await sql('select password_hash from people where id = $1', [
    alice,
  ])) as [{ password_hash: unknown }];
});
beforeEach(async () => {
  loadWith();
  intoAStep();
  for (const table of [
    ...['totp_secrets', 'passkeys', 'recovery_codes', 'trusted_browsers'],
    ...['attempts', 'sessions', 'codes', 'refusals', 'audit_events'],
  ])
    await sql(`delete from ${table}`);
  await sql(
    `update people set password_hash = $2, username = null, must_change_password = false, roles = '{administrator}', disabled_at = null, let_in_at = null,
       factor_grace_from = null, factor_offered_at = null where id = $1`,
    [alice, passwordHash],
  );
  await sql(`update apis set second_factor = null where id = 'orders'`);
  await currentSnapshot();
});
afterAll(() => {
  loadWith();
  shiftClock(0);
});

/** Sets up an app whose current code is unused. */
async function givenApp(): Promise<string> {
  const { secret } = await newTotp({ label: ALICE });
  expect(await enrollTotp({ personId: alice, secret, code: totpCode(secret, -1), ...context })).toBe(
    'enrolled',
  );
  return secret;
}

const sessions = () =>
  sql('select kind, acr_level, amr from sessions where ended_at is null order by auth_time');
/** Details of the rejections. Equal ones are one row with a count. */
const refusals = async (event: string) =>
  (
    await sql<{ details: Record<string, unknown>; count: number }>(
      'select details, count from refusals where event = $1 order by key',
      [event],
    )
  ).flatMap(({ details, count }) => Array.from({ length: Number(count) + 1 }, () => details));
const subjects = async () => (await mailTo(ALICE)).map(({ subject }) => subject);
const attempts = async () => Number((await sql('select sum(count) from attempts'))[0]?.['sum'] ?? 0);

/** Changes the password on the account page, in a browser that signs in to the console first. */
async function changePassword(jar: CookieJar, username = ALICE): Promise<void> {
  const form = (name: string, fields: Record<string, string>) => postForm({ jar }, name, fields);
  await form('sign-in', { authMethodId: 'pw', username, password: PASSWORD });
  const changed = await form('password', { oldPassword: PASSWORD, password: NEW });
  expect(changed.answer).toEqual({ go: '/account?done=password-changed' });
}

describe.each(SIGN_IN_DOORS)('$name', (door: SignInDoor) => {
  const isConsole = door.kind === 'console';
  /** Values that differ between the doors on purpose. */
  const differs = <Value>(value: { hosted: Value; console: Value }): Value =>
    isConsole ? value.console : value.hosted;

  async function atPassword(tab = door.tab()): Promise<SignInTab> {
    await tab.open();
    expect(tab.shown).toEqual({ page: 'sign-in', alert: null });
    return tab;
  }
  async function afterPassword(tab = door.tab()): Promise<SignInTab> {
    await atPassword(tab);
    await tab.password(ALICE, PASSWORD);
    return tab;
  }

  test('right password: starts one session of level 1 and adds no attempt to those of the account', async () => {
    const tab = await atPassword();
    await tab.password(ALICE, 'wrong');
    const counted = await attempts();
    expect(await tab.password(ALICE, PASSWORD)).toEqual({ page: 'signed-in', alert: null });
    expect(await sessions()).toEqual([{ kind: door.kind, acr_level: 1, amr: ['pwd'] }]);
    expect(await attempts()).toBe(counted);
  });

  test('user name: spaces and case are ignored', async () => {
    const tab = await atPassword();
    expect((await tab.password(`  ${ALICE.toUpperCase()} `, PASSWORD)).page).toBe('signed-in');
  });

  test('wrong password, unknown user and disabled account: one alert, no session, one audit event each', async () => {
    for (const [username, password] of [
      [ALICE, 'wrong'],
      ['nobody@example.com', PASSWORD],
      ['dave@example.com', 'dave-password-1'],
      [ALICE, 'x'.repeat(5_000)],
    ] as const) {
      const tab = await atPassword();
      expect(await tab.password(username, password)).toEqual({ page: 'sign-in', alert: WRONG });
      expect(await sessions()).toEqual([]);
    }
    const details = { reason: 'refused', ...(isConsole && { kind: 'console' }) };
    expect(await refusals('sign_in.refused')).toEqual([details, details, details, details]);
  });

  test('empty name or password: same alert, no attempt, no audit event', async () => {
    const tab = await atPassword();
    for (const [username, password] of [
      ['', PASSWORD],
      ['  ', PASSWORD],
      [ALICE, ''],
    ] as const)
      expect(await tab.password(username, password)).toEqual({ page: 'sign-in', alert: WRONG });
    expect(await attempts()).toBe(0);
    expect(await refusals('sign_in.refused')).toEqual([]);
  });

  test('ten wrong passwords: the right password waits, and the alert names the end', async () => {
    const tab = await atPassword();
    for (let count = 0; count < 10; count += 1) await tab.password(ALICE, 'wrong');
    const waits = { page: 'sign-in', alert: expect.stringMatching(TOO_MANY) };
    expect(await tab.password(ALICE, PASSWORD)).toEqual(waits);
    expect(await (await atPassword()).password(ALICE, PASSWORD)).toEqual(waits);
    expect(await sessions()).toEqual([]);
  });

  test.each(['password', 'passkey', 'new password', 'changed password'])(
    'browser known by its %s: its attempts are separate from the attempts of strangers',
    async (proof) => {
      if (proof === 'new password')
        await sql('update people set must_change_password = true where id = $1', [alice]);
      const authenticator = proof === 'passkey' ? await givenPasskey(alice) : null;
      const known = authenticator ? await atPassword() : await afterPassword();
      if (authenticator) {
        const offer = await known.passkeyOptions();
        await known.passkey(() => authenticator.get(offer?.options ?? ''));
      }
      if (proof === 'new password') await known.newPassword(NEW);
      if (proof === 'changed password') await changePassword(known.jar);
      expect(known.shown.page).toBe('signed-in');
      const stranger = await atPassword();
      for (let count = 0; count < 10; count += 1) await stranger.password(ALICE, 'wrong');
      expect((await stranger.password(ALICE, PASSWORD)).alert).toMatch(TOO_MANY);
      await sql('update sessions set ended_at = now()');
      const again = await atPassword(door.tab(known.jar));
      const password = authenticator || proof === 'password' ? PASSWORD : NEW;
      expect((await again.password(ALICE, password)).page).toBe(authenticator ? 'second-step' : 'signed-in');
    },
  );

  test.each(['passkey', 'new password', 'changed password'])(
    'browser known by its %s: the user name of a user with an email address is known, too',
    async (proof) => {
      await sql(`update people set username = 'al', must_change_password = $2 where id = $1`, [
        alice,
        proof === 'new password',
      ]);
      const authenticator = proof === 'passkey' ? await givenPasskey(alice) : null;
      const known = await atPassword();
      if (authenticator) {
        const offer = await known.passkeyOptions();
        await known.passkey(() => authenticator.get(offer?.options ?? ''));
      } else await known.password('al', PASSWORD);
      if (proof === 'new password') await known.newPassword(NEW);
      if (proof === 'changed password') await changePassword(known.jar, 'al');
      expect(known.shown.page).toBe('signed-in');
      const stranger = await atPassword();
      for (let count = 0; count < 10; count += 1) await stranger.password('al', 'wrong');
      expect((await stranger.password('al', PASSWORD)).alert).toMatch(TOO_MANY);
      await sql('update sessions set ended_at = now()');
      const again = await atPassword(door.tab(known.jar));
      const shown = await again.password('al', authenticator ? PASSWORD : NEW);
      expect(shown.page).toBe(authenticator ? 'second-step' : 'signed-in');
    },
  );

  test('owed password: no session before the new password, which ends the other sessions', async () => {
    const elsewhere = await afterPassword();
    await sql('update people set must_change_password = true where id = $1', [alice]);
    const tab = await afterPassword();
    expect(tab.shown.page).toBe('new-password');
    expect(await sessions()).toHaveLength(1);
    for (const [password, alert] of [
      [PASSWORD, /your current password/],
      ['short', /at least/],
      ['password1', /too easy to guess/],
    ] as const)
      expect(await tab.newPassword(password)).toEqual({
        page: 'new-password',
        alert: expect.stringMatching(alert),
      });
    expect((await tab.newPassword(NEW)).page).toBe('signed-in');
    expect(await sessions()).toEqual([{ kind: door.kind, acr_level: 1, amr: ['pwd'] }]);
    expect((await elsewhere.open()).page).not.toBe('signed-in');
    const reason = { reason: 'owes-password', ...(isConsole && { kind: 'console' }) };
    expect(await refusals('sign_in.refused')).toEqual([reason]);
  });

  test('owed password of an account that another method admits: replaced at the console, rejected elsewhere', async () => {
    await sql(`update people set must_change_password = true, let_in_at = '{another}' where id = $1`, [
      alice,
    ]);
    const tab = await afterPassword();
    expect(tab.shown.page).toBe(differs({ hosted: 'sign-in', console: 'new-password' }));
    if (!isConsole) return;
    expect((await tab.newPassword(NEW)).page).toBe('signed-in');
  });

  test('owed password with a second factor: the code is part of the form, and the session has level 2', async () => {
    const secret = await givenApp();
    await sql('update people set must_change_password = true where id = $1', [alice]);
    const tab = await afterPassword();
    expect(tab.shown.page).toBe('new-password');
    for (const [code, alert] of [
      ['', 'The code has six digits.'],
      ['12', 'The code has six digits.'],
      ['000000', 'That code is not right.'],
      ['abcde-fghij', 'That recovery code is not right.'],
    ] as const)
      expect(await tab.newPassword(NEW, code)).toEqual({ page: 'new-password', alert });
    expect((await tab.newPassword(NEW, totpCode(secret))).page).toBe('signed-in');
    expect(await sessions()).toEqual([{ kind: door.kind, acr_level: 2, amr: ['pwd', 'otp', 'mfa'] }]);
  });

  test('owed password: the page expires after ten minutes, and works in its browser only', async () => {
    await sql('update people set must_change_password = true where id = $1', [alice]);
    const tab = await afterPassword();
    const stolen = tab.duplicate((await atPassword()).jar);
    expect((await stolen.reload()).page).toBe('message');
    expect((await stolen.newPassword(NEW)).page).not.toBe('signed-in');
    shiftClock(11 * 60_000);
    expect((await tab.newPassword(NEW)).page).not.toBe('signed-in');
    expect(await sessions()).toEqual([]);
  });

  test('second factor: the password alone signs nobody in, and a right code raises the level under a new id', async () => {
    const secret = await givenApp();
    const tab = await afterPassword();
    expect(tab.shown).toEqual({ page: 'second-step', alert: null });
    expect(await sessions()).toEqual([{ kind: door.kind, acr_level: 1, amr: ['pwd'] }]);
    expect((await door.tab(tab.jar.copy()).open()).page).toBe('second-step');
    const before = tab.jar.copy();
    expect((await tab.code(totpCode(secret).replace(/^.../, '$& '))).page).toBe('signed-in');
    expect(await sessions()).toEqual([{ kind: door.kind, acr_level: 2, amr: ['pwd', 'otp', 'mfa'] }]);
    // the session id before the proof is worthless
    expect((await door.tab(before).open()).page).toBe('sign-in');
  });

  test('code of an app: malformed codes are no attempts, wrong and used codes are, ten of them stop the guessing', async () => {
    const secret = await givenApp();
    const tab = await afterPassword();
    const before = await attempts();
    for (const [code, alert] of [
      ['', 'The code has six digits.'],
      ['12345', 'The code has six digits.'],
      ['１２３４５６', 'Enter the code with the digits 0 to 9.'],
    ] as const)
      expect(await tab.code(code)).toEqual({ page: 'second-step', alert });
    expect(await attempts()).toBe(before);
    const wrong = 'That code is not right.';
    for (const code of ['000000', totpCode(secret, -1)])
      expect(await tab.code(code)).toEqual({ page: 'second-step', alert: wrong });
    expect(await refusals('factor.refused')).toEqual([{ factor: 'totp' }, { factor: 'totp' }]);
    for (let count = 0; count < 8; count += 1) await tab.code('000000');
    expect((await tab.code(totpCode(secret))).alert).toMatch(TOO_MANY);
    expect(await subjects()).toContainEqual(expect.stringContaining('wrong codes were entered'));
  });

  test('code of an app: of two browsers with one code, one signs in', async () => {
    const secret = await givenApp();
    const [first, second] = [await afterPassword(), await afterPassword()];
    const both = await Promise.all([first.code(totpCode(secret)), second.code(totpCode(secret))]);
    expect(both.map(({ page }) => page).sort()).toEqual(['second-step', 'signed-in']);
  });

  test('recovery code: works once, in any case of letters, and the user gets a mail', async () => {
    await givenApp();
    const [code = ''] = await makeRecoveryCodes(alice);
    expect((await (await afterPassword()).recoveryCode(code.toLowerCase())).page).toBe('signed-in');
    expect(await sessions()).toMatchObject([{ acr_level: 2 }]);
    expect(await subjects()).toContainEqual(expect.stringContaining('a recovery code was used'));
    const again = await afterPassword();
    expect(await again.recoveryCode(code)).toEqual({
      page: 'second-step',
      alert: 'That recovery code is not right.',
    });
  });

  test('digits of a user without an app are a wrong recovery code', async () => {
    await givenPasskey(alice);
    await makeRecoveryCodes(alice);
    const tab = await afterPassword();
    expect((await tab.recoveryCode('123456')).alert).toBe('That recovery code is not right.');
    expect(await refusals('factor.refused')).toEqual([{ factor: 'recovery_code' }]);
  });

  test('passkey without a password: identifies the user, level 3, and each challenge works once', async () => {
    const authenticator = await givenPasskey(alice);
    const tab = await atPassword();
    const options = await tab.passkeyOptions();
    const copy = tab.duplicate();
    const response = authenticator.get(options?.options ?? '');
    expect((await tab.passkey(() => response)).page).toBe('signed-in');
    expect(await sessions()).toEqual([{ kind: door.kind, acr_level: 3, amr: ['hwk', 'user', 'mfa'] }]);
    await sql('update sessions set ended_at = now()');
    expect((await copy.passkey(() => response)).page).not.toBe('signed-in');
    expect(await sessions()).toEqual([]);
  });

  test('passkey without a password: a challenge of another browser and an unknown passkey are refused', async () => {
    const authenticator = await givenPasskey(alice);
    const [tab, other] = [await atPassword(), await atPassword()];
    const foreign = await other.passkeyOptions();
    const refused = { page: 'sign-in', alert: expect.any(String) };
    expect(await tab.passkey(() => authenticator.get(foreign?.options ?? ''))).toEqual(refused);
    const unknown = new Authenticator(settings().authUrl);
    unknown.create(JSON.stringify({ challenge: 'x', rp: { id: settings().passkeyRpId }, user: { id: 'x' } }));
    expect(await tab.passkey((options) => unknown.get(options))).toEqual(refused);
    expect(await sessions()).toEqual([]);
    expect(await refusals('sign_in.refused')).toHaveLength(2);
  });

  test('passkey as second factor: raises the level to 3, and a response with errors is refused', async () => {
    const authenticator = await givenPasskey(alice);
    const tab = await afterPassword();
    expect(tab.shown.page).toBe('second-step');
    expect((await tab.passkey((options) => authenticator.get(options, { flags: { uv: false } }))).page).toBe(
      'second-step',
    );
    expect((await tab.passkey((options) => authenticator.get(options))).page).toBe('signed-in');
    expect(await sessions()).toMatchObject([{ acr_level: 3 }]);
  });

  test('required factor: an app is set up in the sign-in, recovery codes appear once, the level is 2', async () => {
    await door.requireFactor();
    const tab = await afterPassword();
    expect(tab.shown).toEqual({ page: 'set-up', alert: null });
    const secret = tab.appSecret();
    expect(await tab.addApp('000000')).toEqual({
      page: 'set-up',
      alert: 'That code is not right. Look at your app again: it shows a new one every 30 seconds.',
    });
    expect(tab.appSecret()).toBe(secret);
    expect((await tab.addApp(totpCode(secret, -1))).page).toBe('codes');
    const [code = ''] = tab.codes;
    expect(tab.codes).toHaveLength(10);
    expect(await sessions()).toEqual([{ kind: door.kind, acr_level: 2, amr: ['pwd', 'otp', 'mfa'] }]);
    expect((await door.tab(tab.jar).open()).page).toBe('signed-in');
    expect((await (await afterPassword()).recoveryCode(code)).page).toBe('signed-in');
    expect(await subjects()).toContainEqual(expect.stringContaining('an authenticator app was set up'));
  });

  test('required factor: a passkey is set up in the sign-in, the level is 3', async () => {
    await door.requireFactor();
    const tab = await afterPassword();
    const authenticator = new Authenticator(settings().authUrl);
    expect((await tab.addPasskey((options) => authenticator.create(options))).page).toBe('codes');
    expect(await sessions()).toMatchObject([{ kind: door.kind, acr_level: 3 }]);
  });

  test('required factor: the user can postpone it within the grace period only', async () => {
    await door.requireFactor(3);
    const tab = await afterPassword();
    expect(tab.shown.page).toBe('set-up');
    expect((await tab.later()).page).toBe('signed-in');
    await sql(`update people set factor_grace_from = now() - interval '4 days'`);
    const late = await afterPassword();
    expect(late.shown.page).toBe('set-up');
    expect((await late.later()).page).toBe('set-up');
    await door.requireFactor(0);
    expect((await (await afterPassword()).later()).page).toBe('set-up');
  });

  test('required factor: an old sign-in cannot add a factor, the user signs in again', async () => {
    await door.requireFactor();
    const tab = await afterPassword();
    const secret = tab.appSecret();
    const ahead = now().getTime() - Date.now() + (RECENT_SECONDS + 60) * 1000;
    await sql(`update sessions set auth_time = auth_time - interval '16 minutes'`);
    expect((await tab.addApp(totpCode(secret, -1))).page).not.toBe('codes');
    expect(await sql('select 1 from totp_secrets')).toEqual([]);
    shiftClock(ahead);
    expect((await door.tab(tab.jar).open()).page).toBe(differs({ hosted: 'message', console: 'sign-in' }));
  });

  test('trusted browser: skips the second factor at hosted pages, never at the console', async () => {
    const secret = await givenApp();
    const tab = await afterPassword();
    await tab.code(totpCode(secret), 'trust');
    await sql('update sessions set ended_at = now()');
    const later = await afterPassword(door.tab(tab.jar));
    expect(later.shown.page).toBe(differs({ hosted: 'signed-in', console: 'second-step' } as const));
    // a client that requires a level gets it
    expect((await later.open('strong')).page).toBe('second-step');
    expect((await later.code(totpCode(secret, 1))).page).toBe('signed-in');
    expect(await sessions()).toMatchObject([{ acr_level: 2 }]);
  });

  test('session fixation: a sign-in ends the session that the browser had, and gives the next one a new id', async () => {
    const tab = await atPassword();
    expect((await tab.password('mallory@example.com', 'mallory-password-1')).page).toBe('signed-in');
    const planted = tab.jar.copy();
    if (!isConsole) await tab.again();
    expect((await tab.password(ALICE, PASSWORD)).page).toBe('signed-in');
    expect(await sessions()).toHaveLength(1);
    expect((await door.tab(planted).open()).page).toBe('sign-in');
  });

  test('forms of another site, of another browser or with a false token are rejected', async () => {
    const secret = await givenApp();
    for (const forged of [{ origin: 'https://evil.example' }, { token: 'x' }]) {
      const tab = await atPassword();
      tab.forged = forged;
      expect((await tab.password(ALICE, PASSWORD)).page).not.toBe('signed-in');
      expect(await sessions()).toEqual([]);
      const second = await afterPassword();
      second.forged = forged;
      expect((await second.code(totpCode(secret))).page).toBe('rejected');
      expect(await sessions()).toMatchObject([{ acr_level: 1 }]);
      await sql('delete from sessions');
    }
    const tab = await atPassword();
    for (const name of tab.jar.cookies.keys()) tab.jar.cookies.delete(name);
    expect((await tab.password(ALICE, PASSWORD)).page).not.toBe('signed-in');
    expect(await sessions()).toEqual([]);
  });

  test('two tabs: after the first tab has finished the second step, the other tab changes nothing', async () => {
    const secret = await givenApp();
    const tab = await afterPassword();
    const other = tab.duplicate();
    expect((await tab.code(totpCode(secret))).page).toBe('signed-in');
    const before = await sessions();
    expect((await other.code(totpCode(secret))).page).toBe(
      differs({ hosted: 'signed-in', console: 'rejected' } as const),
    );
    expect(await sessions()).toEqual(before);
    expect(await refusals('factor.refused')).toEqual([]);
    expect((await door.tab(tab.jar).open()).page).toBe('signed-in');
  });

  test('a session that ends while the second step is open: the code is not used up', async () => {
    const secret = await givenApp();
    const tab = await afterPassword();
    await endSessionsOf(OPERATOR, { personId: alice });
    expect((await tab.code(totpCode(secret))).page).toBe(
      differs({ hosted: 'sign-in', console: 'rejected' } as const),
    );
    expect((await (await afterPassword()).code(totpCode(secret))).page).toBe('signed-in');
  });

  test('expired step: a page of the hosted sign-in ends after ten minutes, a session of the console does not', async () => {
    const secret = await givenApp();
    const tab = await afterPassword();
    shiftClock(now().getTime() - Date.now() + 11 * 60_000);
    expect((await tab.code(totpCode(secret))).page).toBe(
      differs({ hosted: 'rejected', console: 'signed-in' } as const),
    );
  });

  test('fresh sign-in: the password is asked for again, and the proof starts a new session', async () => {
    const tab = await afterPassword();
    expect(tab.shown.page).toBe('signed-in');
    const before = tab.jar.copy();
    expect((await tab.again()).page).toBe(differs({ hosted: 'sign-in', console: 'again' } as const));
    expect((await tab.password(ALICE, 'wrong')).alert).toBe(WRONG);
    expect((await tab.password(ALICE, PASSWORD)).page).toBe('signed-in');
    expect(await sessions()).toHaveLength(1);
    expect((await door.tab(before).open()).page).toBe('sign-in');
  });

  test('fresh sign-in by a passkey: only the signed-in user can prove it at the console', async () => {
    const authenticator = await givenPasskey(alice);
    const tab = await atPassword();
    await tab.passkey((options) => authenticator.get(options));
    await tab.again();
    const mallory = new Authenticator(settings().authUrl);
    mallory.create(JSON.stringify({ challenge: 'x', rp: { id: settings().passkeyRpId }, user: { id: 'x' } }));
    expect((await tab.passkey((options) => mallory.get(options))).page).not.toBe('signed-in');
    expect((await tab.passkey((options) => authenticator.get(options))).page).toBe('signed-in');
    expect(await sessions()).toHaveLength(1);
  });

  test('forgotten password: the mailed link works once, ends every session, and the new password signs in', async () => {
    const elsewhere = await afterPassword();
    // the newest mail
    shiftClock(5 * 60_000);
    const token = await resetToken(ALICE);
    const { jar } = await atPassword();
    const reset = () => postForm({ jar }, 'reset-password', { token, password: NEW });
    expect((await reset()).answer).toEqual({ go: '/account?done=password-reset' });
    expect((await reset()).answer.go).toBeUndefined();
    expect(await sessions()).toEqual([]);
    expect((await elsewhere.open()).page).toBe('sign-in');
    const tab = await atPassword();
    expect((await tab.password(ALICE, PASSWORD)).alert).toBe(WRONG);
    expect((await tab.password(ALICE, NEW)).page).toBe('signed-in');
  });

  test('Cancel: the client gets access_denied, the console ends the half session', async () => {
    await givenApp();
    const tab = await afterPassword();
    expect((await tab.cancel()).page).toBe(differs({ hosted: 'denied', console: 'sign-in' } as const));
  });
});
