// The application that the quickstart starts next to the service, and that a newcomer signs in to first.
import type { Page } from '@playwright/test';
import { freePort } from '#testing/net/free-port.ts';
import { startShop } from '../../../demo/shop.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { sql } from '../../support/service/database.ts';

type Shop = Awaited<ReturnType<typeof startShop>> & { redirectUri: string; clientSecret: string };
const test = base.extend<{ demo: Shop }>({
  demo: async ({ world, person }, use) => {
    const port = await freePort();
    const redirectUri = `http://localhost:${port}/callback`;
    const client = await world.givenClient({ redirectUris: [redirectUri] });
    await sql('update clients set post_logout_redirect_uris = $2 where client_id = $1', [
      client.clientId,
      [`http://localhost:${port}/`],
    ]);
    const started = await startShop({
      port,
      redirectUri,
      clientId: client.clientId,
      clientSecret: client.secret,
      scope: world.api.scopes.map((scope) => scope.name).join(' '),
      service: world.baseUrl,
      keepsMail: true,
      agentAddress: 'http://localhost:4602/mcp',
      staff: [{ role: 'approver', name: 'approver@example.com', password: 'demo-approver-password' }],
      ways: [
        {
          name: { en: 'E-mail and password', de: 'E-Mail und Passwort' },
          type: 'local',
          issuer: world.issuer,
          account: { name: person.email, password: person.password },
        },
        { name: { en: 'Partner login' }, type: 'broker', issuer: world.issuer },
      ],
    });
    await use({ ...started, redirectUri, clientSecret: client.secret });
    await started.close();
  },
});

const claim = (page: Page, token: string, name: string) =>
  page
    .getByRole('heading', { name: token, exact: true })
    .locator('..')
    .locator('dl > div', { has: page.getByText(name, { exact: true }) })
    .locator('dd');

test('quickstart: the demo application shows the signed-in user, renews its tokens, and signs the user out everywhere', async ({
  page,
  demo,
  visit,
  person,
  complaints,
}) => {
  await page.goto(demo.address);
  await page.getByRole('link', { name: `Sign in as ${person.email}` }).click();
  await expect(page.locator('input[type=email], input[name=username]').first()).toHaveValue(person.email);
  await visit.signIn();
  await visit.press('Allow');
  await expect(page.getByRole('heading', { name: `Signed in as ${person.name}` })).toBeVisible();
  await expect(claim(page, 'User information', 'email')).toContainText(person.email);
  for (const token of ['ID token', 'Access token', 'User information'])
    await expect(claim(page, token, 'sub')).toContainText(person.id);
  await expect(claim(page, 'Access token', 'scope')).toContainText('What the shop may see and do.');
  // the page contains no token or secret: JWTs begin like this
  expect(await page.content()).not.toMatch(/eyJ[\w-]{10}/);
  expect(await page.content()).not.toContain(demo.clientSecret);
  const number = claim(page, 'Access token', 'jti');
  const first = await number.textContent();
  await page.getByRole('button', { name: 'Renew' }).click();
  await expect(number).not.toHaveText(first ?? '');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL(`${demo.address}/`);
  await page.getByRole('link', { name: `Sign in as ${person.email}` }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  expect(complaints).toEqual([]);
  // rejected, because the `state` belongs to a different browser
  await page.goto(`${demo.redirectUri}?code=x&state=y`);
  await expect(page.getByText('It did not work')).toBeVisible();
});

test('quickstart: the demo application lists demo accounts and links to mails, console and guides', async ({
  page,
  demo,
  world,
  person,
}) => {
  await page.goto(demo.address);
  for (const text of [person.email, person.password, 'approver@example.com', 'demo-approver-password'])
    await expect(page.getByText(text, { exact: true })).toBeVisible();
  const addresses = await page
    .locator('main a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const at = (path: string) => world.baseUrl + path;
  const expected = [at('/admin'), at('/account/mail'), at('/documentation/guides/connect-a-client')];
  expect(addresses).toEqual(expect.arrayContaining(expected));
  for (const address of addresses.filter((one) => one?.startsWith(world.baseUrl)))
    expect((await page.request.get(address ?? '')).status(), address ?? '').toBe(200);
});

test('quickstart: the sign-in page uses the demo application’s language', async ({ page, demo, person }) => {
  await page.goto(demo.address);
  await page.locator('summary').click();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await expect(page.getByRole('heading', { name: 'Beim Shop anmelden' })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'E-Mail und Passwort' })).toBeVisible();
  await page.getByRole('link', { name: `Als ${person.email} anmelden` }).click();
  await expect(page.getByRole('heading', { name: 'Anmelden' })).toBeVisible();
});

for (const [locale, colorScheme, width] of [
  ['en', 'light', 1280],
  ['ar', 'dark', 1280],
  ['ar', 'light', 320],
  ['de', 'dark', 320],
] as const)
  test.describe(`${locale}, ${colorScheme}, ${width} pixels wide`, () => {
    test.use({
      locale,
      colorScheme,
      viewport: { width, height: 800 },
      contextOptions: { reducedMotion: 'reduce' },
    });
    test('quickstart: the demo application passes axe and needs no script', async ({
      page,
      demo,
      person,
    }) => {
      const name = `demo-${locale}-${colorScheme}-${width}`;
      const isFine = async (at: string) => {
        expect(await violations(page)).toEqual([]);
        expect(await tooWide(page)).toEqual([]);
        await expect(page.locator('script')).toHaveCount(0);
        await picture(page, `${name}-${at}`);
      };
      await page.goto(demo.address);
      await expect(page.locator('html')).toHaveAttribute('dir', locale === 'ar' ? 'rtl' : 'ltr');
      await isFine('start');
      await page.goto(`${demo.address}/sign-in/0`);
      await page.locator('input[type=password]').fill(person.password);
      await page.locator('input[type=password]').press('Enter');
      await page.locator('button[value=allow]').click();
      await page.waitForURL(`${demo.address}/`);
      await isFine('signed-in');
    });
  });
