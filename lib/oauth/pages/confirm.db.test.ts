// Second-factor page and form, tested in process: from the client's request to its code.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { endSessionsOf } from '#lib/catalogue/people/operations.ts';
import { enrollTotp, makeRecoveryCodes, newTotp } from '#lib/factors/totp.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { startSession } from '#lib/sessions/sign-in.ts';
import { forgetTrustedBrowsers } from '#lib/store/factors.ts';
import { database } from '#lib/store/prisma.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { mailTo, sql } from '#testing/data/registry.ts';
import { givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { redeemFor, signInTo } from '#testing/in-process/openid.ts';
import { intoAStep, totpCode, Visitor } from '#testing/in-process/visitor.ts';

const ALICE = { username: 'alice@example.com', password: 'alice-password-1' };
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const MFA = 'urn:gatehouse:acr:mfa';
const context = { requestId: 'test', ip: null };

let alice: string;
let secret: string;
let recovery: string[];

beforeAll(async () => {
  await givenFixtures();
  ({ personId: alice } = await signInTo(ALICE.username));
});

afterAll(() => shiftClock(0));
/** Sets up an app whose current code is already used up; later codes are valid. */
beforeEach(async () => {
  intoAStep();
  for (const table of ['totp_secrets', 'trusted_browsers', 'attempts', 'sessions', 'passkeys'])
    await sql(`delete from ${table}`);
  ({ secret } = await newTotp({ label: 'alice' }));
  const enrolled = await enrollTotp({ personId: alice, secret, code: totpCode(secret, -1), ...context });
  expect(enrolled).toBe('enrolled');
  recovery = await makeRecoveryCodes(alice);
  await currentSnapshot();
});

const living = async () =>
  (await sql('select 1 from sessions where person_id = $1 and ended_at is null', [alice])).length;

test('after password and code, the page names the user, and the ID token contains the achieved level', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE, { scope: 'openid read' });
  expect(at.page).toBe('confirm');
  const view = await visitor.view('confirm', at);
  expect(view).toMatchObject({
    label: ALICE.username,
    field: 'code',
    passkey: null,
    spareDays: 30,
    alert: null,
  });
  expect(view).toMatchObject({ other: expect.stringContaining('with=recovery') });
  const spaced = totpCode(secret).replace(/^.../, '$& ');
  const { client } = await visitor.submit(at, { code: spaced });
  const given = jsonOf(await redeemFor(TRU, client.get('code') ?? ''));
  expect(decodeJwt(String(given['id_token']))).toMatchObject({ acr: MFA, amr: ['pwd', 'otp', 'mfa'] });
  // the level of the session is now sufficient for the request
  expect((await visitor.start({ acr_values: MFA })).client.get('code')).toBeTruthy();
});

test('a wrong second-factor code shows the page again with one alert, and the right code still works', async () => {
  const visitor = new Visitor();
  let at = await visitor.signIn(ALICE);
  for (const [code, alert] of [
    ['000000', 'factor.wrong_code'],
    ['12', 'factor.code_length'],
    ['', 'factor.code_length'],
    [totpCode(secret, -1), 'factor.wrong_code'],
  ] as const) {
    at = await visitor.submit(at, { code });
    expect(await visitor.view('confirm', at), code).toMatchObject({ alert, field: 'code' });
  }
  // the page with the field for a recovery code shows no error yet
  const shown = await visitor.view('confirm', at);
  const other = new URL((shown.kind === 'ready' && shown.other) || '').searchParams;
  const there = { ...at, sealed: other.get('interaction') ?? '', with: 'recovery' };
  expect(await visitor.view('confirm', there)).toMatchObject({ alert: null, field: 'recovery code' });
  expect((await visitor.submit(at, { code: totpCode(secret) })).client.get('code')).toBeTruthy();
  const refused = await sql("select details from audit_events where event = 'factor.refused'");
  expect(refused.length).toBeGreaterThan(0);
});

test('of fifty forms with one code, one raises the session’s level, and the others reveal nothing', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  const view = await visitor.view('confirm', at);
  if (view.kind !== 'ready') throw new Error(view.kind);
  const form = { interaction: view.interaction, anti_forgery: view.antiForgery, code: totpCode(secret) };
  const copies = Array.from({ length: 50 }, () => new Visitor(visitor.jar.copy()));
  const answers = await Promise.all(copies.map((copy) => copy.send('/confirm/submit', form)));
  const places = answers.map((answer) => new URL(locationOf(answer)).pathname);
  expect(places.filter((place) => place === '/continue')).toHaveLength(1);
  const others = places.filter((place) => place !== '/continue');
  expect(others.filter((place) => !['/confirm', '/login'].includes(place))).toEqual([]);
  expect(await living()).toBe(1);
  // a browser with the old session id sees the sign-out message on either page
  const late = await copies[places.indexOf(others[0] ?? '')]?.view('confirm', at);
  expect(late).toMatchObject({ kind: 'onward', heading: 'sign_out.done' });
});

test('after the first second-factor form, a repeated form, another tab and a reload continue the sign-in', async () => {
  const visitor = new Visitor();
  // with prompt=login, the sign-in of this interaction also satisfies the request after the session has got a
  // new id
  const at = await visitor.signIn(ALICE, { prompt: 'login' });
  const view = await visitor.view('confirm', at);
  if (view.kind !== 'ready') throw new Error(view.kind);
  const form = { interaction: view.interaction, anti_forgery: view.antiForgery, code: totpCode(secret) };
  const first = await visitor.onward(await visitor.send('/confirm/submit', form));
  expect(first.client.get('code')).toBeTruthy();
  const again = await visitor.onward(await visitor.send('/confirm/submit', form));
  expect(again.client.get('code')).toBeTruthy();
  const reloaded = await visitor.view('confirm', at);
  expect(reloaded).toMatchObject({ kind: 'onward', heading: 'factor.done_before' });
  if (reloaded.kind !== 'onward') throw new Error(reloaded.kind);
  expect((await visitor.onward(await visitor.send(reloaded.href))).client.get('code')).toBeTruthy();
});

test('a recovery code works once, and the second-factor page offers it only while the user has codes', async () => {
  const visitor = new Visitor();
  const at = { ...(await visitor.signIn(ALICE)), with: 'recovery' };
  expect(await visitor.view('confirm', at)).toMatchObject({ field: 'recovery code' });
  const code = recovery[0] ?? '';
  expect((await visitor.submit(at, { recovery_code: code })).client.get('code')).toBeTruthy();
  const subjects = (await mailTo(ALICE.username)).map(({ subject }) => subject);
  expect(subjects).toContainEqual(expect.stringContaining('a recovery code was used'));
  const other = new Visitor();
  const there = await other.signIn(ALICE);
  const back = await other.submit(there, { recovery_code: code });
  expect(back.with).toBe('recovery');
  expect(await other.view('confirm', back)).toMatchObject({ alert: 'factor.wrong_recovery' });
  await sql('delete from recovery_codes');
  expect(await other.view('confirm', { ...there, with: 'recovery' })).toMatchObject({
    field: 'code',
    other: null,
  });
});

test('a trusted browser skips the second-factor page unless a level is required, until the user forgets the browser', async () => {
  const visitor = new Visitor();
  await visitor.submit(await visitor.signIn(ALICE), { code: totpCode(secret), trust: '1' });
  visitor.jar.cookies.delete(visitor.jar.named('sign-in'));
  expect((await visitor.signIn(ALICE)).client.get('code')).toBeTruthy();
  const needed = await visitor.start({ acr_values: MFA });
  expect(await visitor.view('confirm', needed)).toMatchObject({ spareDays: null });
  // a trust checkbox is ignored unless the page offered it
  const before = await sql('select 1 from trusted_browsers');
  const raised = await visitor.submit(needed, { recovery_code: recovery[1] ?? '', trust: '1' });
  expect(raised.client.get('code')).toBeTruthy();
  expect(await sql('select 1 from trusted_browsers')).toHaveLength(before.length);

  visitor.jar.cookies.delete(visitor.jar.named('sign-in'));
  expect((await visitor.signIn(ALICE)).page).toBe('client');
  await forgetTrustedBrowsers(database(), alice, 'all');
  expect((await visitor.start()).page).toBe('confirm');
});

test('if the user signed out while the second-factor page was open, the sign-in page explains it, and the code is not used up', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  const view = await visitor.view('confirm', at);
  if (view.kind !== 'ready') throw new Error(view.kind);
  const form = { interaction: view.interaction, anti_forgery: view.antiForgery, code: totpCode(secret) };
  await endSessionsOf(OPERATOR, { personId: alice });
  expect(await visitor.view('confirm', at)).toMatchObject({ kind: 'onward', heading: 'sign_out.done' });
  const login = await visitor.onward(await visitor.send('/confirm/submit', form));
  expect(await visitor.view('login', login)).toMatchObject({
    alert: 'sign_in.ended',
  });
  // the code is still usable
  const again = await visitor.submit(login, ALICE);
  expect((await visitor.submit(again, { code: form.code })).client.get('code')).toBeTruthy();
});

test('Cancel on the second-factor page returns to the client, and forms of other browsers or pages are rejected', async () => {
  const visitor = new Visitor();
  const at = await visitor.signIn(ALICE);
  expect((await visitor.submit(at, { cancel: '1' })).client.get('error')).toBe('access_denied');
  const view = await visitor.view('confirm', at);
  if (view.kind !== 'ready') throw new Error(view.kind);
  const form = { interaction: view.interaction, anti_forgery: view.antiForgery, code: totpCode(secret) };
  expect((await new Visitor().send('/confirm/submit', form)).status).toBe(403);
  expect((await visitor.send('/confirm/submit', { ...form, anti_forgery: 'x' })).status).toBe(403);
  const login = await new Visitor(visitor.jar.copy()).start({ prompt: 'login' });
  const signIn = await visitor.view('login', login);
  if (signIn.kind !== 'ready') throw new Error(signIn.kind);
  const wrongPage = { ...form, interaction: signIn.interaction, anti_forgery: signIn.antiForgery };
  expect((await visitor.send('/confirm/submit', wrongPage)).status).toBe(403);
  expect((await visitor.submit(at, { code: form.code })).client.get('code')).toBeTruthy();
});

test('an external method requires a second factor if its settings require one', async () => {
  const [person] = await sql<{ epoch: string }>('select epoch from people where id = $1', [alice]);
  const visitor = new Visitor();
  const session = await startSession({
    cookieHeader: undefined,
    authMethodId: 'ext',
    personId: alice,
    personEpoch: person?.epoch ?? '',
    methodEpoch: null,
    userAgent: null,
    ...context,
  });
  visitor.jar.keep([session?.cookie ?? '']);
  const EXT = '/auth/ext/api/orders';
  expect((await visitor.start({}, EXT)).client.get('code')).toBeTruthy();
  await sql(`update auth_methods set config = config || '{"second_factor": "optional"}' where id = 'ext'`);
  await currentSnapshot();
  const at = await visitor.start({}, EXT);
  expect((await visitor.submit(at, { code: totpCode(secret) })).client.get('code')).toBeTruthy();
  expect(await sql('select acr_level from sessions where ended_at is null')).toEqual([{ acr_level: 2 }]);
});
