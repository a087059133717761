// Administrators preview mails, with and without script, and send themselves one. E2E_SCREENSHOTS=<folder> saves
// screenshots.
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { sql } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a mail is previewed by language and client brand, and a test mail reaches the administrator', async ({
      page,
      client,
      complaints,
    }) => {
      await sql('update clients set brand = $2 where client_id = $1', [
        client.clientId,
        JSON.stringify({ logo: null, accent: '#8a3d00', accent_dark: null }),
      ]);
      await enterConsole(page, ADMIN, '/admin/mails');
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('Mails');
      await page.locator('select[name=mail]').selectOption('password-reset');
      await page.locator('select[name=in]').selectOption('ar');
      await page.getByLabel('Client id').fill(client.clientId);
      await page.getByRole('button', { name: 'Show' }).click();
      await expect(page.locator('dd [lang="ar"]')).toContainText('Gatehouse');
      const mail = page.frameLocator('iframe.mail-preview');
      await expect(mail.locator('html')).toHaveAttribute('dir', 'rtl');
      const button = mail.getByRole('link').first();
      await expect(button).toHaveCSS('background-color', 'rgb(138, 61, 0)');
      await expect(mail.locator('bdi').first()).toContainText(client.name);
      // the link in the preview opens no page
      await button.click();
      await expect(mail.locator('html')).toHaveAttribute('dir', 'rtl');
      expect(page.context().pages()).toHaveLength(1);
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      expect(await tooWide(page)).toEqual([]);
      await picture(page, `mails-${javaScriptEnabled ? 'script' : 'plain'}`);
      await page.getByRole('button', { name: 'Send to me' }).click();
      await expect(page.getByRole('status').filter({ hasText: 'has been sent to you' })).toBeVisible();
      expect(complaints.filter((one) => !/sandbox|popup|open a new window/i.test(one))).toEqual([]);
    });
  });
}

for (const colorScheme of ['light', 'dark'] as const)
  test.describe(`on a phone, ${colorScheme}`, () => {
    test.use({ colorScheme, viewport: { width: 320, height: 720 } });
    test('the page of mails fits 320 px and passes axe', async ({ page }) => {
      await enterConsole(page, ADMIN, '/admin/mails?mail=subscription-asked&in=de');
      await expect(page.frameLocator('iframe.mail-preview').locator('html')).toHaveAttribute('lang', 'de');
      expect(await violations(page)).toEqual([]);
      expect(await tooWide(page)).toEqual([]);
      await picture(page, `mails-phone-${colorScheme}`);
    });
  });

test('a mail preview requires a signed-in administrator and a same-origin frame, and scripts never run', async ({
  page,
  world,
}) => {
  const address = `${world.baseUrl}/admin/preview/mail?mail=invited`;
  expect((await page.request.get(address)).status()).toBe(404);
  await enterConsole(page, ADMIN, '/admin/mails');
  const answer = await page.request.get(address);
  expect(answer.status()).toBe(200);
  const headers = answer.headers();
  expect(headers['x-frame-options']).toBe('SAMEORIGIN');
  expect(headers['content-security-policy']).toMatch(
    /default-src 'none'; script-src 'none'.*form-action 'none'; frame-ancestors 'self'; sandbox/,
  );
  expect((await page.request.get(`${world.baseUrl}/admin/preview/mail?mail=constructor`)).status()).toBe(404);
});
