// Second-factor setup page and form, tested in process.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { settleNotices } from '#lib/mail/send.ts';
import { environment } from '#lib/settings/environment.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { Authenticator } from '#testing/factors/authenticator.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { intoAStep, type Place, totpCode, Visitor } from '#testing/in-process/visitor.ts';

const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };
const PHR = 'urn:gatehouse:acr:phishing-resistant';
const before = settings();
let alice: string;

beforeAll(async () => {
  await givenFixtures();
  ({ personId: alice } = await signInTo(ALICE.username));
});
beforeEach(async () => {
  intoAStep();
  for (const table of ['totp_secrets', 'passkeys', 'attempts', 'sessions']) await sql(`delete from ${table}`);
  await sql('update people set factor_grace_from = null, factor_offered_at = null');
  await policy('required');
});
afterEach(() => grace(0));
afterAll(() => shiftClock(0));

async function policy(secondFactor: string | null): Promise<void> {
  await sql(`update apis set second_factor = $1 where id = 'orders'`, [secondFactor]);
  await currentSnapshot();
}

const grace = (days: number) =>
  loadSettings({
    ...environment(),
    DATABASE_URL: before.databaseUrl,
    GATEHOUSE_SECRET: before.secrets.join(','),
    SECOND_FACTOR_GRACE_DAYS: String(days),
  });

async function ready(visitor: Visitor, at: Place) {
  const view = await visitor.view('set-up', at);
  if (view.kind !== 'ready') throw new Error(`${view.kind}: ${view.heading}`);
  return view;
}

/** Returns the shown app with its code for the previous time step, so that the current code remains usable. */
async function shownApp(visitor: Visitor, at: Place, step = -1) {
  const { totp } = await ready(visitor, at);
  const secret = totp?.spelled.replaceAll(' ', '');
  if (!secret || !totp) throw new Error('no app is shown');
  return { secret, pending: totp.sealed, code: totpCode(secret, step) };
}

test('a user who sets up an authenticator app during sign-in sees ten recovery codes once, then the client receives its code', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  const view = await ready(visitor, at);
  expect(view).toMatchObject({ label: ALICE.username, offer: false, later: null });
  expect(view.totp?.svg).toMatch(/^<svg /);
  expect(view.totp?.uri).toContain('otpauth://totp/Gatehouse');
  const { pending, code, secret } = await shownApp(visitor, at);
  const shown = await visitor.post(at, { pending, code });
  expect(shown.status).toBe(200);
  const page = String(shown.body);
  expect(page.match(/<li><code>[^<]+<\/code><\/li>/g)).toHaveLength(10);
  const href = /<a class="button" href="([^"]+)">Continue/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect((await visitor.onward(await visitor.send(href))).client.get('code')).toBeTruthy();
  expect(await sql('select acr_level, amr from sessions where ended_at is null')).toEqual([
    { acr_level: 2, amr: ['pwd', 'otp', 'mfa'] },
  ]);
  await settleNotices();
  expect((await mailTo(ALICE.username))[0]?.subject).toContain('an authenticator app was set up');
  // a recovery code from the page works
  const first = /<li><code>([^<]+)/.exec(page)?.[1] ?? '';
  const other = new Visitor();
  const asked = await other.signIn(ALICE);
  expect(asked.page).toBe('confirm');
  expect((await other.submit(asked, { recovery_code: first })).client.get('code')).toBeTruthy();
  expect(secret).toMatch(/^[A-Z2-7]{32}$/);
});

test('a wrong code shows the same authenticator app again, and stores nothing', async () => {
  const visitor = new Visitor();
  let at = await visitor.signIn(ALICE);
  const { secret, pending } = await shownApp(visitor, at);
  at = await visitor.submit(at, { pending, code: '000000' });
  expect((await ready(visitor, at)).alert).toBe('factor.wrong_code_app');
  expect((await shownApp(visitor, at)).secret).toBe(secret);
  at = await visitor.submit(at, { pending: 'x', code: '000000' });
  expect((await ready(visitor, at)).alert).toBe('factor.open_too_long');
  expect(await sql('select 1 from totp_secrets')).toEqual([]);
});

test('ten concurrent set-up forms add one authenticator app and raise the level of one session', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  const { pending, code } = await shownApp(visitor, at);
  const view = await ready(visitor, at);
  const form = { interaction: view.interaction, anti_forgery: view.antiForgery, pending, code };
  const copies = Array.from({ length: 10 }, () => new Visitor(visitor.jar.copy()));
  const answers = await Promise.all(copies.map((copy) => copy.send('/set-up/submit', form)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(await sql('select 1 from sessions where ended_at is null')).toHaveLength(1);
  expect(await sql('select 1 from recovery_codes where used_at is null')).toHaveLength(10);
});

test('the button "Later" works during the grace period, which begins when the user first sees the page', async () => {
  grace(10);
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  const { later } = await ready(visitor, at);
  const days = ((later?.until?.getTime() ?? 0) - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(10);
  expect((await visitor.submit(at, { later: '1' })).client.get('code')).toBeTruthy();
  expect((await visitor.start()).client.get('code')).toBeTruthy();
  await sql("update people set factor_grace_from = now() - interval '11 days'");
  const late = await new Visitor().signIn(ALICE);
  expect(late.page).toBe('set-up');
  // the user chooses Later on an outdated page
  const refused = await visitor.submit(at, { later: '1' });
  expect(refused.page).toBe('set-up');
});

test('if the second factor is optional, the set-up is offered once after a password', async () => {
  await policy('optional');
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  expect(await ready(visitor, at)).toMatchObject({ offer: true, later: { until: null } });
  expect((await visitor.submit(at, { later: '1' })).client.get('code')).toBeTruthy();
  expect((await new Visitor().signIn(ALICE)).client.get('code')).toBeTruthy();
});

test('a session without a recent sign-in cannot add a second factor, so that the thief of a session cannot add one', async () => {
  await policy(null);
  const visitor = new Visitor();
  expect((await visitor.signIn(ALICE)).client.get('code')).toBeTruthy();
  const at = await visitor.start({ acr_values: 'urn:gatehouse:acr:mfa' });
  const view = await visitor.view('set-up', at);
  expect(view).toMatchObject({ kind: 'onward', heading: 'factor.sign_in_first' });
  if (view.kind !== 'onward') throw new Error(view.kind);
  const login = await visitor.onward(await visitor.send(view.href));
  expect(login.page).toBe('login');
  const again = await visitor.submit(login, ALICE);
  expect(again.page).toBe('set-up');
  expect((await ready(visitor, again)).totp).not.toBeNull();
});

test('a user with an authenticator app who must add a passkey enters a code, adds the passkey, and reaches the passkey’s level', async () => {
  const visitor = new Visitor();
  const first = await visitor.signIn(ALICE);
  const { secret, pending, code } = await shownApp(visitor, first);
  await visitor.post(first, { pending, code });
  const stranger = new Visitor();
  const asked = await stranger.signIn(ALICE, { acr_values: PHR });
  expect(await stranger.view('confirm', asked)).toMatchObject({ field: 'code', passkey: null });
  const at = await stranger.submit(asked, { code: totpCode(secret) });
  const view = await ready(stranger, at);
  expect(view.totp).toBeNull();
  const authenticator = new Authenticator(settings().authUrl);
  const credential = authenticator.create(view.passkey.options);
  const done = await stranger.submit(at, { credential, passkey_state: view.passkey.state });
  expect(done.client.get('code')).toBeTruthy();
  const [session] = await sql(
    'select acr_level from sessions where ended_at is null order by acr_level desc',
  );
  expect(session).toEqual({ acr_level: 3 });

  // afterwards, the level of the session requires the passkey, and no other proof is accepted
  const next = new Visitor();
  const phr = await next.signIn(ALICE, { acr_values: PHR });
  const confirm = await next.view('confirm', phr);
  if (confirm.kind !== 'ready' || !confirm.passkey) throw new Error(confirm.kind);
  expect(confirm).toMatchObject({ field: null, other: null });
  const wrong = await next.submit(phr, { code: totpCode(secret, 1) });
  expect(await next.view('confirm', wrong)).toMatchObject({ alert: 'factor.wrong_code' });
  const proof = {
    credential: authenticator.get(confirm.passkey.options),
    passkey_state: confirm.passkey.state,
  };
  expect((await next.submit(phr, proof)).client.get('code')).toBeTruthy();
});

test('a passkey of another domain cannot be used, so the user proves another second factor and adds a new passkey', async () => {
  const visitor = new Visitor();
  const first = await visitor.signIn(ALICE);
  const { secret, pending, code } = await shownApp(visitor, first);
  await visitor.post(first, { pending, code });
  await sql(
    `insert into passkeys (credential_id, person_id, rp_id, public_key, backup_eligible, backed_up, name)
     values ('\\x01', $1, 'before.example', 'x', false, false, 'Key')`,
    [alice],
  );
  const moved = new Visitor();
  const asked = await moved.signIn(ALICE);
  const left = { field: 'code', other: expect.stringContaining('with=recovery'), passkey: null };
  expect(await moved.view('confirm', asked)).toMatchObject(left);
  const stronger = await moved.start({ acr_values: PHR });
  expect(await moved.view('confirm', stronger)).toMatchObject(left);
  const at = await moved.submit(stronger, { code: totpCode(secret) });
  expect(at.page).toBe('set-up');
  const { passkey } = await ready(moved, at);
  const authenticator = new Authenticator(settings().authUrl);
  const credential = authenticator.create(passkey.options);
  const done = await moved.submit(at, { credential, passkey_state: passkey.state });
  expect(done.client.get('code')).toBeTruthy();

  // a user who cannot prove another factor sees a page without fields
  await sql('delete from totp_secrets');
  await sql('delete from recovery_codes');
  await sql(`delete from passkeys where rp_id <> 'before.example'`);
  const stranded = new Visitor();
  const none = await stranded.view('confirm', await stranded.signIn(ALICE));
  expect(none).toMatchObject({ field: null, other: null, passkey: null });
});
