// An administrator sets client texts, with and without script; users see them at sign-in. E2E_SCREENSHOTS=<folder>
// saves screenshots.
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };
const LEAD = 'Willkommen, <b>Kundin</b>!';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('a custom German text appears on German pages, and French pages keep the default text', async ({
      page,
      browser,
      client,
      visit,
    }) => {
      await enterConsole(page, ADMIN, `/admin/clients/${client.clientId}/texts?in=de`);
      const lead = page.getByLabel('Line below the heading', { exact: true });
      await lead.fill(LEAD);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Preview' }).click();
      const light = page.frameLocator('iframe[title="Light theme, Desktop"]');
      await expect(light.locator('.own-text')).toHaveText(LEAD);
      expect(await light.locator('.own-text b').count()).toBe(0);
      if (javaScriptEnabled) await expect(page.getByText('Characters left: 174')).toBeVisible();
      const forgotten = page.getByLabel('Link for a forgotten password');
      await expect(forgotten).toHaveAttribute('placeholder', 'Passwort vergessen?');
      // errors are shown next to their field, and the typed input remains
      const code = page.getByRole('group', { name: 'Mail with the code for a new account' });
      await code.getByLabel('First paragraph', { exact: true }).fill('Ihr Code ist {code}.');
      await page.getByRole('button', { name: 'Save texts' }).click();
      await expect(code.getByText('{minutes}, which is replaced by a value')).toBeVisible();
      await expect(lead).toHaveValue(LEAD);
      await code
        .getByLabel('First paragraph', { exact: true })
        .fill('Ihr Code ist {code}, {minutes} Minuten lang.');
      await page.getByRole('button', { name: 'Save texts' }).click();
      await expect(page.getByText('The texts are saved and shown from now on.')).toBeVisible();
      await expect(lead).toHaveValue(LEAD);
      expect(await tooWide(page)).toEqual([]);
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      await picture(page, `own-texts-${javaScriptEnabled ? 'script' : 'plain'}`);

      const other = await browser.newContext({ javaScriptEnabled });
      const there = visit.but({ page: await other.newPage() });
      await there.start({ ui_locales: 'de' });
      await expect(there.page.getByText(LEAD)).toBeVisible();
      expect(await there.page.locator('.own-text b').count()).toBe(0);
      await expect(there.page.getByRole('heading', { level: 1 })).toHaveText('Anmelden');
      await picture(there.page, `own-texts-sign-in-${javaScriptEnabled ? 'script' : 'plain'}`);
      await there.start({ ui_locales: 'fr' });
      await expect(there.page.locator('html')).toHaveAttribute('lang', 'fr');
      await expect(there.page.locator('.own-text')).toHaveCount(0);

      // only one text is reset to its default; the other texts remain
      await page
        .getByRole('button', { name: 'Reset to default text: Line below the heading', exact: true })
        .click();
      await expect(page.getByText('The texts are saved and shown from now on.')).toBeVisible();
      await expect(lead).toHaveValue('');
      await expect(code.getByLabel('First paragraph', { exact: true })).toHaveValue(
        'Ihr Code ist {code}, {minutes} Minuten lang.',
      );
      await there.start({ ui_locales: 'de' });
      await expect(there.page.locator('.own-text')).toHaveCount(0);
      await other.close();
    });
  });
}

test('the dark Arabic page of custom texts fits 320 px and shows all fields', async ({
  page,
  world,
  client,
}) => {
  await page.setViewportSize({ width: 320, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await enterConsole(page, ADMIN, `/admin/clients/${client.clientId}/texts?in=ar`);
  await expect(page.getByLabel('Line below the heading', { exact: true })).toHaveAttribute('lang', 'ar');
  await expect(page.getByRole('link', { name: 'العربية' })).toHaveAttribute('aria-current', 'page');
  expect(await tooWide(page)).toEqual([]);
  expect(await violations(page)).toEqual([]);
  await picture(page, 'own-texts-phone-dark-arabic');
  await page.goto(`${world.baseUrl}/admin/clients/${client.clientId}/texts?in=ar&language=ar`);
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  expect(await tooWide(page)).toEqual([]);
  await picture(page, 'own-texts-phone-dark-all-arabic');
});
