// Sessions: what the cookie is, and what is left of it after signing out (cases SF, SN).
import type { BrowserContext } from '@playwright/test';
import {
  answerAt,
  authorizeUrl,
  signIn,
  signInAndAllow,
  signOut,
  silentAnswer,
} from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';

/** The sign-in cookie: the one that came with the sign-in. */
async function sessionCookie(context: BrowserContext) {
  const cookies = await context.cookies();
  const found = cookies.find(({ name }) => name.includes('gatehouse') && !name.includes('transaction'));
  if (!found) throw new Error(`no sign-in cookie among ${cookies.map(({ name }) => name).join(', ')}`);
  return found;
}

test('SF-04, SF-05: the logout page asks, its form signs out, and prompt=none then gives login_required', async ({
  page,
  world,
  client,
  person,
}) => {
  await signInAndAllow(page, world, client, person);
  const response = await page.goto(`${world.baseUrl}/logout`);
  expect(response?.headers()['cache-control']).toContain('no-store');
  await expect(page.getByText(person.email)).toBeVisible();
  expect((await silentAnswer(page, world, client)).get('code')).toBeTruthy();

  await signOut(page, world);
  await expect(page.getByRole('heading', { name: 'You are signed out' })).toBeVisible();
  expect((await silentAnswer(page, world, client)).get('error')).toBe('login_required');
});

test('SF-04: after signing out, the back button shows no page of the ended session', async ({
  page,
  world,
  client,
  person,
}) => {
  await page.goto(authorizeUrl(world, client));
  await signIn(page, person);
  await expect(page.getByRole('button', { name: 'Allow', exact: true })).toBeVisible();
  await page.goto(`${world.baseUrl}/logout`);
  await expect(page.getByText(person.email)).toBeVisible();
  await page.getByRole('button', { name: /^Sign out/ }).click();
  await page.waitForURL(/done=1/);
  await page.goBack();
  await expect(page.getByText(person.email)).toHaveCount(0);
  await page.goBack();
  await expect(page.getByText(person.email)).toHaveCount(0);
  await expect(page.getByRole('button', { name: 'Allow', exact: true })).toHaveCount(0);
});

test('SF-05: with nobody signed in the logout page says so and offers no button', async ({ page, world }) => {
  await page.goto(`${world.baseUrl}/logout`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(0);
});

test('SF-01: each sign-in makes a new session, and the one before it is dead', async ({
  page,
  context,
  world,
  client,
  shop,
  person,
}) => {
  await signInAndAllow(page, world, client, person);
  const before = await sessionCookie(context);
  await page.goto(authorizeUrl(world, client, { prompt: 'login' }));
  await signIn(page, person);
  await answerAt(page, `${shop.origin}/cb`);
  const after = await sessionCookie(context);
  expect(after.value).not.toBe(before.value);
  expect((await silentAnswer(page, world, client)).get('code')).toBeTruthy();
  await context.addCookies([before]);
  expect((await silentAnswer(page, world, client)).get('error')).toBe('login_required');
});

test('SN-06: the sign-in cookie is HttpOnly, for the whole host, without a Domain, and small', async ({
  page,
  context,
  world,
  client,
  person,
}) => {
  await signInAndAllow(page, world, client, person);
  const cookie = await sessionCookie(context);
  expect(cookie).toMatchObject({ httpOnly: true, path: '/', domain: 'localhost', sameSite: 'Lax' });
  expect(cookie.name.length + cookie.value.length).toBeLessThan(4_096);
  await page.goto(world.baseUrl);
  expect(await page.evaluate(() => document.cookie)).not.toContain(cookie.name);
});

test('SN-07: a cookie with one character changed, or replayed after sign-out, counts as signed out', async ({
  page,
  context,
  world,
  client,
  person,
}) => {
  await signInAndAllow(page, world, client, person);
  const cookie = await sessionCookie(context);
  const middle = Math.floor(cookie.value.length / 2);
  const changed = cookie.value[middle] === 'A' ? 'B' : 'A';
  const tampered = cookie.value.slice(0, middle) + changed + cookie.value.slice(middle + 1);
  await context.addCookies([{ ...cookie, value: tampered }]);
  expect((await silentAnswer(page, world, client)).get('error')).toBe('login_required');
  await context.addCookies([cookie]);
  expect((await silentAnswer(page, world, client)).get('code')).toBeTruthy();
  await signOut(page, world);
  await context.addCookies([cookie]);
  expect((await silentAnswer(page, world, client)).get('error')).toBe('login_required');
});
