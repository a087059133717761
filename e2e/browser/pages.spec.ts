// What holds on every page: accessible in light and dark, quiet in the console, no sideways scroll on a phone.
import { knownPages } from '../support/browser-pages.ts';
import { expect, test } from '../support/browser-test.ts';
import { tooWide, violations } from '../support/page-checks.ts';

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    for (const { name, open } of knownPages) {
      test(`contract 7, WCAG 2.2 AA: ${name}, ${colorScheme}: axe finds no violation`, async ({
        page,
        world,
      }) => {
        await open(page, world);
        expect(await violations(page)).toEqual([]);
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const [red = 0] = (/\d+/.exec(background) ?? []).map(Number);
        if (colorScheme === 'dark') expect(red).toBeLessThan(80);
        else expect(red).toBeGreaterThan(200);
      });
    }
  });
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
  for (const { name, open } of knownPages) {
    test(`contract 7: ${name} does not scroll sideways at 390 px, nor at 320 px`, async ({ page, world }) => {
      await open(page, world);
      expect(await tooWide(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await tooWide(page)).toEqual([]);
    });
  }
});

for (const { name, open } of knownPages) {
  test(`CS-06: ${name} loads with no error in the console, one main heading, and nothing from elsewhere`, async ({
    page,
    world,
    complaints,
  }) => {
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== world.baseUrl) elsewhere.push(request.url());
    });
    await open(page, world);
    await page.waitForLoadState('networkidle');
    await expect(page.getByRole('heading', { level: 1 })).toHaveCount(1);
    await expect(page).toHaveTitle(/\S/);
    expect(elsewhere).toEqual([]);
    // Chromium reports a document's own 4xx status as a console error
    expect(complaints.filter((text) => !/status of 40[04]/.test(text))).toEqual([]);
  });
}
