// What our scripts do, and what is there without them. How much of them a page loads is looked at in pages.spec.ts.

import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { sql } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

test('a button that copies copies, says so, and says it to a screen reader', async ({
  page,
  world,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // what a button says for two seconds stays until it is looked at
  await page.clock.install();
  for (const path of ['/apis/orders', '/documentation']) {
    await page.goto(`${world.baseUrl}${path}`);
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

test('over plain http, where a page has no clipboard API, a button copies all the same', async ({
  page,
  world,
  context,
}) => {
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

test('where a browser lets no page copy, the button selects the text and names the keys', async ({
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

test('without Web Crypto the playground says what it needs', async ({ page, world }) => {
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

for (const height of [800, 640, 500])
  test(`Sign out of an administrator is in sight at 1280 by ${height}`, async ({ page }) => {
    await page.setViewportSize({ width: 1280, height });
    await enterConsole(page, ADMIN, '/admin');
    const banner = page.getByRole('banner');
    await expect(banner.getByRole('button', { name: 'Sign out' })).toBeInViewport({ ratio: 1 });
    await expect(banner.getByText(ADMIN.email)).toBeInViewport({ ratio: 1 });
    // every place of the menu can be reached
    const last = banner.getByRole('link').last();
    await last.focus();
    await expect(last).toBeInViewport();
  });

test('without a script the text to copy is there, and no button that does nothing', async ({
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
