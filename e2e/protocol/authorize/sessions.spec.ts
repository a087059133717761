// The sign-in session: its cookie, its expiry, and silent renewal (cases SN, SF).
import { expect, test } from '@playwright/test';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import { authorizeParams, Browser, hiddenFields, isSignInPage, signIn } from '#testing/service/browser.ts';
import { redeem } from '#testing/service/token.ts';
import { expectCode, expectErrorRedirect, expectTokens } from '../../support/clients/expectations.ts';
import { makeClient, makePerson, rowsOf, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const tru = fixtureClient('tru');

let person: Person;
let browser: Browser;
const isSignedIn = async (who: Browser) => {
  const answer = await who.ask(tru, { prompt: 'none' });
  if (answer.location.includes('code=')) return true;
  expectErrorRedirect(answer, door, 'login_required', tru);
  return false;
};
const withCookie = (value: string) => {
  const jar = browser.jar.copy();
  jar.cookies.set(jar.named('gatehouse-sign-in'), value);
  return new Browser(door, jar);
};
const signOut = async (who: Browser) =>
  who.submit('/logout/submit', hiddenFields(await who.get(`${door.url}/logout`)));

test.beforeEach(async () => {
  person = await makePerson();
  browser = await signIn(door, person, tru);
});

test('SN-02: with a session and consent, prompt=none returns a code for a new verifier', async () => {
  const spa = await makeClient({ kind: 'browser' });
  expectCode(await browser.finish(authorizeParams(spa)), door, spa);
  const { verifier, params } = freshPkce();
  const code = expectCode(await browser.ask(spa, { ...params, prompt: 'none' }), door, spa);
  expectTokens(await redeem(door, spa, { code, verifier }), { refreshToken: false });
});

test('SN-04: prompt=none with a reused or missing challenge returns invalid_request', async () => {
  const spa = await makeClient({ kind: 'browser', trusted: true });
  const silent = (changes: Record<string, string | undefined>) =>
    browser.ask(spa, { prompt: 'none', ...changes });
  const { params } = freshPkce();
  expectCode(await silent(params), door, spa);
  expectErrorRedirect(await silent(params), door, 'invalid_request', spa);
  expectErrorRedirect(await silent({ code_challenge: undefined }), door, 'invalid_request', spa);
  expect(await rowsOf(spa.clientId)).toMatchObject({ codes: 1 });
});

test('SN-06: the cookies of a sign-in have the required attributes', async () => {
  const fresh = new Browser(door);
  const started = await fresh.ask(tru);
  const posted = await fresh.signInOn(await fresh.onward(started), person);
  const lines = [...(started.headers['set-cookie'] ?? []), ...(posted.headers['set-cookie'] ?? [])];
  // one cookie each for transaction, sign-in and known device; the console uses a separate cookie
  expect(lines).toHaveLength(3);
  for (const line of lines) {
    expect(line).toMatch(/; ?HttpOnly/i);
    expect(line).toMatch(/; ?Path=\/(?:;|$)/i);
    expect(line).toMatch(/; ?SameSite=(?:Lax|None)/i);
    expect(line).not.toMatch(/domain=/i);
    expect(line.length).toBeLessThan(4_096);
    if (door.url.startsWith('https:')) expect(line).toMatch(/^__Host-.*; ?Secure/i);
  }
});

test('SN-07: a changed, foreign or signed-out cookie yields no session', async () => {
  expect(await isSignedIn(browser)).toBe(true);
  const value = browser.jar.cookies.get(browser.jar.named('gatehouse-sign-in')) ?? '';
  const at = Math.floor(value.length / 2);
  const changed = value.slice(0, at) + (value[at] === 'A' ? 'B' : 'A') + value.slice(at + 1);
  const cut = value.replace(/.(~\d+)?$/, '$1');
  const foreign = 'Fe26.2*1*0000*AAAA*AAAA**0000*AAAA~2';
  const plain = Buffer.from(JSON.stringify({ ids: { pw: 'x' } })).toString('base64url');
  for (const wrong of [changed, cut, value.slice(0, -2), '', foreign, plain, 'x'])
    expect(await isSignedIn(withCookie(wrong))).toBe(false);
  expect(await isSignedIn(withCookie(value))).toBe(true);
  const stolen = withCookie(value);
  expect((await signOut(browser)).status).toBe(303);
  expect(await isSignedIn(stolen)).toBe(false);
});

test('SN-09: the idle timeout and the absolute lifetime end a session', async () => {
  for (const change of [
    "last_seen_at = now() - interval '1801 seconds'",
    "expires_at = now() - interval '1 second'",
  ]) {
    const mine = await signIn(door, person, tru);
    expect(await isSignedIn(mine)).toBe(true);
    await sql(`update sessions set ${change} where person_id = $1`, [person.id]);
    expect(await isSignedIn(mine)).toBe(false);
    expect(isSignInPage(await mine.start(tru))).toBe(true);
  }
});

test('SN-10: silent renewal does not extend the absolute lifetime of a session', async () => {
  const end = async () =>
    (await sql<{ at: Date }>('select expires_at as at from sessions where person_id = $1', [person.id]))[0]
      ?.at;
  const before = await end();
  for (let round = 0; round < 5; round += 1) expect(await isSignedIn(browser)).toBe(true);
  expect(await end()).toEqual(before);
});

test('SF-01: sign-in creates a new session and ends the previous one', async () => {
  const old = new Browser(door, browser.jar.copy());
  const page = await browser.start(tru, { prompt: 'login' });
  expectCode(await browser.onward(await browser.signInOn(page, person)), door, tru);
  expect(browser.jar.cookies.get(browser.jar.named('gatehouse-sign-in'))).not.toBe(
    old.jar.cookies.get(old.jar.named('gatehouse-sign-in')),
  );
  expect(await isSignedIn(browser)).toBe(true);
  expect(await isSignedIn(old)).toBe(false);
});

test('SF-04: after sign-out, prompt=none returns login_required, and pages are not cached', async () => {
  const ask = await browser.get(`${door.url}/logout`);
  expect(ask.headers['cache-control']).toContain('no-store');
  const done = await browser.onward(await browser.submit('/logout/submit', hiddenFields(ask)));
  expect(done.text).toContain('You are signed out');
  expect(done.headers['cache-control']).toContain('no-store');
  expect(await isSignedIn(browser)).toBe(false);
});

test('SF-05: GET of logout shows a form, and only the form ends the session', async () => {
  const page = await browser.get(`${door.url}/logout`);
  expect(page.status).toBe(200);
  expect(page.text).toContain('<h1>Sign out</h1>');
  expect(await isSignedIn(browser)).toBe(true);
  expect((await browser.submit('/logout/submit', {})).status).toBe(403);
  expect(await isSignedIn(browser)).toBe(true);
});

test('section 5: max_age requires a new sign-in for an older session, and the new sign-in satisfies it', async () => {
  await sql("update sessions set auth_time = now() - interval '100 seconds' where person_id = $1", [
    person.id,
  ]);
  const silent = await browser.ask(tru, { max_age: '60', prompt: 'none' });
  expectErrorRedirect(silent, door, 'login_required', tru);
  expectCode(await browser.ask(tru, { max_age: '200' }), door, tru);
  const page = await browser.start(tru, { max_age: '60' });
  expect(isSignInPage(page)).toBe(true);
  expectCode(await browser.onward(await browser.signInOn(page, person)), door, tru);
});

test('section 5: login_hint fills in the email field, as text', async () => {
  const fresh = new Browser(door);
  const page = await fresh.start(tru, { login_hint: '"><b>x</b>@example.com' });
  expect(page.text).not.toContain('<b>x</b>');
  expect(page.text).toContain('&lt;b&gt;x');
});

test('section 5: a session works for all APIs of its method', async () => {
  const client: Client = await makeClient({ apis: ['billing'], trusted: true });
  const answer = await browser.ask(client, { prompt: 'none' }, { api: 'billing' });
  expectCode(answer, door, { ...client, issuer: `${door.url}/auth/pw/api/billing` });
});
