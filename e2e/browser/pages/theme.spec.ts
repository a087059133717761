// Themes light, dark and system default on pages of each layout, compared with the opposite system preference.
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { sql } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };
const PAPER = { light: 'rgb(247, 245, 240)', dark: 'rgb(20, 22, 19)' };
const OTHER = { light: 'dark', dark: 'light' } as const;

const paper = (page: Page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);

async function choose(page: Page, name: string): Promise<void> {
  const chooser = page.locator('.themes:visible');
  await chooser.locator('summary').click();
  await chooser.getByRole('link', { name, exact: true }).click();
}

for (const theme of ['light', 'dark'] as const) {
  const name = theme === 'light' ? 'Light' : 'Dark';
  test.describe(`${theme}, system prefers ${OTHER[theme]}`, () => {
    test.use({ colorScheme: OTHER[theme], contextOptions: { reducedMotion: 'reduce' } });

    test('the public pages, the sign-in and the account use the chosen theme, and pass axe', async ({
      page,
      world,
      visit,
    }) => {
      await page.goto(`${world.baseUrl}/apis`);
      expect(await paper(page)).toBe(PAPER[OTHER[theme]]);
      await choose(page, name);
      await expect(page).toHaveURL(`${world.baseUrl}/apis`);
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      for (const path of ['/', '/apis', '/apis/orders', '/documentation', '/nothing-here']) {
        await page.goto(`${world.baseUrl}${path}`);
        expect(await paper(page), path).toBe(PAPER[theme]);
        expect(await contrastFaults(page), path).toEqual([]);
      }
      await visit.start();
      expect(await paper(page)).toBe(PAPER[theme]);
      await page.locator('.themes summary').click();
      await expect(page.locator('.themes a[aria-current]')).toHaveText(name);
      expect(await violations(page)).toEqual([]);
      await picture(page, `theme-sign-in-${theme}`);
      // the address of the link contains the authorization request
      await page.getByRole('link', { name: 'As the system', exact: true }).click();
      await expect(page.locator('html')).not.toHaveAttribute('data-theme');
      await visit.signIn();
      await expect(visit.consent).toBeVisible();
    });

    test('on a page with scripts, the theme changes without navigation, and typed text stays in its field', async ({
      page,
      world,
    }) => {
      await enterConsole(page, ADMIN, '/account');
      let loads = 0;
      page.on('framenavigated', () => {
        loads += 1;
      });
      // before its script loads, the link navigates
      await expect(async () => {
        await page.goto(`${world.baseUrl}/account`);
        await page.getByLabel('Picture').fill('typed');
        loads = 0;
        await choose(page, name);
        await expect(page.locator('html')).toHaveAttribute('data-theme', theme, { timeout: 2_000 });
        await expect(page.getByLabel('Picture')).toHaveValue('typed', { timeout: 500 });
        expect(loads).toBe(0);
      }).toPass();
      await expect.poll(() => paper(page)).toBe(PAPER[theme]);
      await expect(page.locator('.themes:visible a[aria-current]')).toHaveText(name);
      expect(await violations(page)).toEqual([]);
      await picture(page, `theme-account-${theme}`);
      await page.goto(`${world.baseUrl}/admin/people`);
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      expect(await violations(page)).toEqual([]);
      await picture(page, `theme-people-${theme}`);
    });

    test('the console uses the chosen theme on a small phone without scripts', async ({ browser, world }) => {
      const context = await browser.newContext({
        javaScriptEnabled: false,
        colorScheme: OTHER[theme],
        viewport: { width: 320, height: 640 },
      });
      const page = await context.newPage();
      await enterConsole(page, ADMIN, '/developer');
      await page.goto(`${world.baseUrl}/admin/people?q=a%2Bb`);
      await page.locator('.console-menu > summary').click();
      await choose(page, name);
      await expect(page).toHaveURL(`${world.baseUrl}/admin/people?q=a%2Bb`);
      await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
      await page.locator('.console-menu > summary').click();
      await page.locator('.themes:visible summary').click();
      await picture(page, `theme-phone-${theme}`);
      await context.close();
    });

    test('the client’s brand colours follow the theme', async ({ page, client, visit }) => {
      await sql('update clients set brand = $2 where client_id = $1', [
        client.clientId,
        JSON.stringify({ logo: null, accent: '#8a3d00', accent_dark: null }),
      ]);
      await visit.start();
      await choose(page, name);
      const button = page.getByRole('button', { name: 'Sign in', exact: true });
      const background = await button.evaluate((one) => getComputedStyle(one).backgroundColor);
      if (theme === 'light') expect(background).toBe('rgb(138, 61, 0)');
      else expect(background).not.toBe('rgb(138, 61, 0)');
      expect(await tooWide(page)).toEqual([]);
      expect(await violations(page)).toEqual([]);
    });
  });
}
