// Functions of scripts, and pages without them. pages.spec.ts limits script sizes.

import type { Page } from '@playwright/test';
import { enterConsole, giveClient } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { signIn } from '../../support/pages/visit.ts';
import { makeApi, makePerson, sql } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

test('the copy button copies the text, shows a confirmation, and notifies screen readers', async ({
  page,
  world,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // stops the clock, so that the two-second message stays until it is checked
  await page.clock.install();
  for (const path of ['/apis/orders', '/documentation']) {
    await page.goto(`${world.baseUrl}${path}`);
    if (path === '/documentation') await page.locator('#combinations summary').click();
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    const button = page.getByRole('button', { name: /^Copy issuer of/ }).first();
    const label = (await button.getAttribute('aria-label'))?.replace('Copy ', '');
    await button.click();
    await expect(button).toHaveText('Copied');
    await expect(page.getByRole('status').filter({ hasText: `${label} copied` })).toHaveCount(1);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^http.*\/auth\/[\w-]+\/api\//);
    await page.clock.runFor(2_000);
    await expect(button).toHaveText('Copy');
    await page.clock.resume();
  }
});

test('on plain http without the clipboard API, the copy button works', async ({ page, world, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.clock.install();
  await page.goto(`${world.baseUrl}/apis/orders`);
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.evaluate(() => {
    const { clipboard } = navigator;
    Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });
    Object.assign(window, { clipboardOfTest: clipboard });
  });
  const button = page.getByRole('button', { name: /^Copy issuer of/ }).first();
  await button.click();
  await expect(button).toHaveText('Copied');
  expect(await page.evaluate('clipboardOfTest.readText()')).toMatch(/^http.*\/auth\/[\w-]+\/api\//);
});

test('if the browser forbids copying, the copy button selects the text and names the keys', async ({
  page,
  world,
}) => {
  await page.goto(`${world.baseUrl}/apis/orders`);
  await page.evaluate(() => {
    Object.defineProperty(navigator, 'clipboard', { value: undefined });
    document.execCommand = () => false;
  });
  const button = page.getByRole('button', { name: /^Copy issuer of/ }).first();
  await button.click();
  await expect(button).toHaveText('Ctrl+C');
  expect(await page.evaluate(() => String(getSelection()))).toMatch(/^http.*\/auth\/[\w-]+\/api\//);
});

test('without Web Crypto the playground explains its requirement', async ({ page, world }) => {
  await page.addInitScript(() => Object.defineProperty(window, 'isSecureContext', { value: false }));
  const redirectUris = [`${world.baseUrl}/developer/playground`];
  const { clientId } = await world.givenClient({ redirectUris });
  await sql('update clients set owner_id = (select id from people where email = $1) where client_id = $2', [
    ADMIN.email,
    clientId,
  ]);
  await enterConsole(page, ADMIN, `/developer/playground?client=${clientId}`);
  await expect(page.getByText('The playground needs https or localhost')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Start' })).toHaveCount(0);
});

test('the playground sends a proof of its key with a nonce, also at PAR, if the API requires a nonce', async ({
  page,
  world,
  complaints,
}) => {
  const api = await makeApi({ dpop: 'required', dpop_nonce: 'required' });
  const redirectUris = [`${world.baseUrl}/developer/playground`];
  const bound = { kind: 'browser', dpop: true, trusted: true } as const;
  const { clientId } = await world.givenClient({ redirectUris, apis: [api.id], ...bound });
  await sql('update clients set require_pushed_authorization_requests = true where client_id = $1', [
    clientId,
  ]);
  const developer = await makePerson('developer');
  await giveClient(clientId, developer);
  await enterConsole(page, developer, `/developer/playground?client=${clientId}`);
  const binds = page.getByRole('checkbox', { name: /^Bind the tokens to a key/ });
  await expect(binds).toBeChecked();
  await expect(binds).toBeDisabled();
  await page.getByRole('checkbox', { name: 'openid' }).check();
  if (process.env['E2E_SCREENSHOTS']) await pictures(page, 'start');
  await page.getByRole('button', { name: 'Start' }).click();
  await page.waitForURL('**/login?*');
  await signIn(page, developer);
  await page.getByRole('button', { name: 'Exchange the code' }).click();

  const step = (name: string) =>
    page.locator('.step', { has: page.getByRole('heading', { name, exact: true }) });
  await expect(step('The request is pushed first (PAR)')).toContainText('use_dpop_nonce');
  await expect(step('1. The request')).toContainText('&request_uri=urn:ietf:params:oauth:request_uri:');
  await expect(step('3. The code exchange')).toContainText('use_dpop_nonce');
  const repeated = step('The same request, with the nonce that the service required').last();
  await expect(repeated).toContainText('"typ": "dpop+jwt"');
  await expect(repeated).toContainText('"token_type": "DPoP"');
  await expect(step('The access token')).toContainText('cnf.jkt is the key of this browser');
  await page.getByRole('button', { name: 'Renew' }).click();
  await expect(step('Renewed')).toContainText('"token_type": "DPoP"');
  await page.getByRole('button', { name: 'Call userinfo' }).click();
  await expect(step('User identity')).toContainText('"ath":');
  await expect(step('User identity')).toContainText(`"sub": "${developer.id}"`);

  expect(await violations(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  if (process.env['E2E_SCREENSHOTS']) await pictures(page, 'run');
  expect(complaints.filter((one) => !one.includes('status of 400'))).toEqual([]);
});

async function pictures(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [width, height] of [
      [1280, 900],
      [390, 844],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await picture(page, `playground-${name}-${width}-${colorScheme}`);
    }
  await page.setViewportSize({ width: 1280, height: 900 });
}

for (const height of [800, 640, 500])
  test(`the administrator’s Sign out button stays visible at 1280 by ${height}`, async ({ page }) => {
    await page.setViewportSize({ width: 1280, height });
    await enterConsole(page, ADMIN, '/admin');
    const banner = page.getByRole('banner');
    await expect(banner.getByRole('button', { name: 'Sign out' })).toBeInViewport({ ratio: 1 });
    await expect(banner.getByText(ADMIN.email)).toBeInViewport({ ratio: 1 });
    // every entry of the menu can be reached
    const last = banner.getByRole('link').last();
    await last.focus();
    await expect(last).toBeInViewport();
  });

test('without scripts, text with a copy button remains copyable, and useless buttons are hidden', async ({
  browser,
  world,
}) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${world.baseUrl}/apis/orders`);
  await expect(page.getByText(world.issuer, { exact: true })).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(0);
  await context.close();
});

test('the navigation shows the current entry, and keeps its scroll position and collapsed groups', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 640 });
  await enterConsole(page, ADMIN, '/admin/service');
  const navigation = page.getByRole('navigation', { name: 'Console', exact: true });
  const link = (name: string) => navigation.getByRole('link', { name, exact: true });
  await expect(link('Service')).toBeInViewport({ ratio: 0.9 });
  await navigation.getByText('Build', { exact: true }).click();
  await expect(link('Playground')).toBeHidden();
  await link('Keys').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Keys' })).toBeVisible();
  await expect(link('Keys')).toBeInViewport({ ratio: 0.9 });
  await expect(link('Playground')).toBeHidden();
});
