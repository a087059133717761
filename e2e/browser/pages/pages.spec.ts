// Checks for every page: accessible in light and dark, no console errors, no sideways scroll on a phone, few scripts.
import type { Page } from '@playwright/test';
import { knownPages } from '../../support/pages/browser-pages.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { clearAddressAttempts } from '../../support/service/database.ts';

// clears the limit of thirty mails per address in fifteen minutes, because all tests share one address
test.beforeEach(clearAddressAttempts);

/** True if the page should need no script, and load only scripts for copy buttons or passkeys. */
const bringsFewScripts = (name: string) => !/password|reset|verify/.test(name);
const SCRIPT_BYTES = 20_000;

/** Resolves to the byte size of all loaded scripts. */
function countScripts(page: Page): () => Promise<number> {
  // scripts are listed by URL, because the browser caches scripts of previous pages
  const scripts = new Set<string>();
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.add(request.url());
  });
  // downloads the script again, because browsers drop response bodies after navigation
  const bytes = async (url: string) => {
    const script = await page.request.get(url);
    expect(script.ok(), url).toBe(true);
    return (await script.body()).length;
  };
  return async () => (await Promise.all([...scripts].map(bytes))).reduce((sum, length) => sum + length, 0);
}

test.describe('on a desktop', () => {
  // axe would measure colours during their transition
  test.use({ contextOptions: { reducedMotion: 'reduce' } });
  for (const { name, open } of knownPages) {
    test(`contract 7, WCAG 2.2 AA, CS-06: ${name}: the page passes axe in light and dark, and has no error, one main heading, nothing from other hosts, less than 20 KB of scripts`, async ({
      page,
      world,
      complaints,
    }) => {
      // axe is slow on the documentation, and runs twice
      test.setTimeout(90_000);
      const elsewhere: string[] = [];
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (protocol !== 'data:' && origin !== world.baseUrl) elsewhere.push(request.url());
      });
      const scriptBytes = bringsFewScripts(name) ? countScripts(page) : null;
      await open(page, world);
      await page.waitForLoadState('load');
      await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
      await expect(page).toHaveTitle(/\S/);
      const redOfBackground = async () => {
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        return Number(/\d+/.exec(background)?.[0]);
      };
      expect(await violations(page), 'light').toEqual([]);
      expect(await redOfBackground()).toBeGreaterThan(200);
      await picture(page, `${name}-desktop-light`);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violations(page), 'dark').toEqual([]);
      expect(await redOfBackground()).toBeLessThan(80);
      await picture(page, `${name}-desktop-dark`);
      // the size is checked last, because background loading has ended when axe has finished
      if (scriptBytes) expect(await scriptBytes()).toBeLessThan(SCRIPT_BYTES);
      expect(elsewhere).toEqual([]);
      // Chromium reports a document's own 4xx status as a console error
      expect(complaints.filter((text) => !/status of 4(?:0[04]|22)/.test(text))).toEqual([]);
    });
  }
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  for (const { name, open } of knownPages) {
    test(`contract 7: ${name} does not scroll sideways at 390 px, nor at 320 px`, async ({ page, world }) => {
      await open(page, world);
      await picture(page, `${name}-phone`);
      expect(await tooWide(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await tooWide(page)).toEqual([]);
    });
  }
});
