// What our scripts do, and what is there without them. How much of them a page loads is looked at in pages.spec.ts.
import { expect, test } from '../support/browser-test.ts';

test('a button that copies copies, says so, and says it to a screen reader', async ({
  page,
  world,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  for (const path of ['/apis/orders', '/documentation']) {
    await page.goto(`${world.baseUrl}${path}`);
    const button = page.getByRole('button', { name: /^Copy issuer of/ }).first();
    const label = (await button.getAttribute('aria-label'))?.replace('Copy ', '');
    await button.click();
    await expect(button).toHaveText('Copied');
    await expect(page.getByRole('status').filter({ hasText: `${label} copied` })).toHaveCount(1);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^http.*\/auth\/\w+\/api\//);
    await expect(button).toHaveText('Copy');
  }
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
