// The form of a brand shows the real sign-in and consent pages, with and without a script.
// E2E_SCREENSHOTS=<folder> saves screenshots.
import { png } from '#testing/data/pictures.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { sql } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };
const rgb = 'rgb(138, 61, 0)';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('the preview frames use the typed colours, and nothing is stored', async ({ page, client }) => {
      await enterConsole(page, ADMIN, `/admin/clients/${client.clientId}/brand`);
      await page.getByLabel('Accent colour').first().fill('#8a3d00');
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Preview' }).click();
      const light = page.frameLocator('iframe[title="Light theme, Desktop"]');
      const dark = page.frameLocator('iframe[title="Dark theme, Phone"]');
      const button = light.getByRole('button', { name: 'Sign in', exact: true });
      await expect(button).toHaveCSS('background-color', rgb);
      await expect(light.locator('html')).toHaveAttribute('data-theme', 'light');
      await expect(dark.locator('html')).toHaveAttribute('data-theme', 'dark');
      await expect(light.locator('.asker')).toContainText(client.name);
      // the form in the preview is not sent
      await button.click();
      await expect(button).toBeVisible();
      expect(await tooWide(page)).toEqual([]);
      if (javaScriptEnabled) {
        expect(await violations(page)).toEqual([]);
        await page.getByLabel('Accent colour').first().fill('#ffd400');
        await expect(page.getByText(/contrast is too low\. #[0-9a-f]{6} is shown instead/)).toBeVisible();
        await page
          .getByLabel('Logo image')
          .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: png() });
        await expect(light.locator('.asker img')).toHaveAttribute('src', /^data:image\/png/);
        await page.getByRole('combobox', { name: 'Page' }).selectOption('consent');
        await expect(light.getByRole('button', { name: 'Allow' })).toBeVisible();
      }
      await picture(page, `brand-frames-${javaScriptEnabled ? 'script' : 'plain'}`);
      const [row] = await sql<{ brand: unknown }>('select brand from clients where client_id = $1', [
        client.clientId,
      ]);
      expect(row?.brand ?? null).toBeNull();
    });
  });
}

test('a brand preview requires permission for the client and a same-origin frame', async ({
  page,
  world,
  client,
}) => {
  const address = `${world.baseUrl}/admin/preview/sign-in?client=${client.clientId}`;
  expect((await page.request.get(address)).status()).toBe(404);
  await enterConsole(page, ADMIN, '/admin/clients');
  const answer = await page.request.get(address);
  expect(answer.headers()['x-frame-options']).toBe('SAMEORIGIN');
  expect(answer.headers()['content-security-policy']).toMatch(
    /script-src 'none'.*form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin$/,
  );
  expect(await answer.text()).toContain('action="#"');
  expect((await page.request.get(`${world.baseUrl}/admin/preview/sign-in?client=none`)).status()).toBe(404);
});
