// Connection tests in the console: explained steps, with and without script, small screen, keyboard.
import { longQueryValues } from '#testing/net/long-query-values.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { tooWide } from '../../support/pages/page-checks.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled });

    test('an administrator tests a verifier and a broker, and reads the results', async ({ page }) => {
      await enterConsole(page, ADMIN, '/admin/auth-methods/ext');
      await page.getByRole('link', { name: 'Test connection' }).click();
      await page.getByRole('button', { name: 'Test now', exact: true }).focus();
      await page.keyboard.press('Enter');
      const steps = page.getByRole('list', { name: 'Steps' });
      await expect(steps).toContainText('An invented account is correctly rejected.');
      await expect(steps).toContainText(/POST \S+\/verify/);
      await expect(page.getByRole('button', { name: 'Test again' })).toBeVisible();
      await page.goto(new URL('/admin/auth-methods/brk/test', page.url()).href);
      await page.getByRole('button', { name: 'Test now', exact: true }).click();
      await expect(steps.getByRole('listitem')).toHaveText([
        /^Metadata.*works/,
        /^Endpoints.*works/,
        /^Clock.*works/,
        /^Keys.*works/,
        /^Authorization address.*works/,
        /^Our client id and secret.*works/,
      ]);
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await tooWide(page)).toEqual([]);
    });

    test('the connection test in a form uses the typed values, and saves nothing', async ({ page }) => {
      await enterConsole(page, ADMIN, '/admin/auth-methods/ext/edit');
      const address = page.getByLabel('Verification address');
      const saved = await address.inputValue();
      const button = page.getByRole('button', { name: 'Test without saving' });
      const steps = page.getByRole('list', { name: 'Steps' });
      await button.click();
      await expect(steps).toContainText('An invented account is correctly rejected.');
      await page.getByLabel('Name', { exact: true }).fill('Another name');
      await address.fill(`${saved}/elsewhere`);
      await button.click();
      await expect(steps).toContainText('The stored secret is not sent to an address that is not saved yet.');
      await expect(address).toHaveValue(`${saved}/elsewhere`);
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Another name');
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await tooWide(page)).toEqual([]);
      await page.reload();
      await page.goto(new URL('/admin/auth-methods/ext/edit', page.url()).href);
      await expect(address).toHaveValue(saved);
    });

    test('an administrator tests the mail server, and a webhook that is not set has no test button', async ({
      page,
    }) => {
      await enterConsole(page, ADMIN, '/admin/connections');
      await page.getByRole('button', { name: 'Send test message' }).click();
      const mail = page.getByRole('region', { name: 'Mail server' });
      await expect(mail).toContainText('SMTP_URL is not set.');
      const address = page.url();
      expect(longQueryValues(address)).toEqual([]);
      await page.reload();
      await expect(mail).toContainText('SMTP_URL is not set.');
      await page.goto(new URL('/admin/connections', address).href);
      await expect(mail).not.toContainText('SMTP_URL is not set.');
      await page.goBack();
      await expect(mail).toContainText('SMTP_URL is not set.');
      const webhook = page.getByRole('region', { name: 'Audit webhook' });
      await expect(webhook).toContainText('AUDIT_WEBHOOK_URL is not set');
      await expect(webhook.getByRole('button')).toHaveCount(0);
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await tooWide(page)).toEqual([]);
    });
  });
