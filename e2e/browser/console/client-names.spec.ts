// Deceptive client names must not affect the pages that show them (case CN-11).
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { tooWide } from '../../support/pages/page-checks.ts';
import type { Visit } from '../../support/pages/visit.ts';

const test = base.extend<{ visitOf: (name: string) => Promise<Visit> }>({
  visitOf: async ({ world, visit, shop }, use) =>
    use(async (name) =>
      visit.but({ client: await world.givenClient({ name, redirectUris: [`${shop.origin}/cb`] }) }),
    ),
});

async function openConsent(visit: Visit): Promise<void> {
  await visit.start();
  await visit.signIn();
  await expect(visit.page.getByRole('button', { name: 'Allow', exact: true })).toBeVisible();
  // measure boxes only after the stylesheet is loaded
  await visit.page.waitForLoadState('load');
}

test('CN-11: markup in a client name appears as text on both pages, and scripts never run', async ({
  page,
  world,
  visitOf,
  complaints,
}) => {
  const dialogs: string[] = [];
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    return dialog.dismiss();
  });
  const name = '<img src=x onerror=alert(1)>';
  const visit = await visitOf(name);
  await visit.start();
  await expect(page.getByRole('main')).toContainText(name);
  await openConsent(visit);
  const heading = page.getByRole('heading', { level: 1 });
  await expect(heading).toHaveText(`${name} wants access to ${world.api.name}`);
  const sources = await page.evaluate(() => [...document.images].map((image) => image.getAttribute('src')));
  expect(sources).not.toContain('x');
  expect(dialogs).toEqual([]);
  expect(complaints).toEqual([]);
});

test('CN-11: a right-to-left override in a client name leaves surrounding words unchanged', async ({
  page,
  visitOf,
}) => {
  await openConsent(await visitOf('Shop \u202Egpj.knab'));
  const places = await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const at = node.textContent?.indexOf('wants') ?? -1;
      if (at < 0) continue;
      return [at, at + 4].map((offset) => {
        const range = document.createRange();
        range.setStart(node as Node, offset);
        range.setEnd(node as Node, offset + 1);
        return range.getBoundingClientRect().left;
      });
    }
    return [];
  });
  expect(places).toHaveLength(2);
  expect(places[0]).toBeLessThan(places[1] ?? 0);
});

test('CN-11: a client name of 5,000 characters is truncated, and question and buttons remain visible without sideways scroll', async ({
  page,
  visitOf,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await openConsent(await visitOf('W'.repeat(5_000)));
  const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
  expect(heading?.height, 'no more than a screen').toBeLessThan(640);
  const button = await page.getByRole('button', { name: 'Allow', exact: true }).boundingBox();
  expect(button?.y, 'within two screens').toBeLessThan(1_280);
  expect(await tooWide(page)).toEqual([]);
});

test('CN-11: a misleading client name is shown next to the address that the user returns to', async ({
  page,
  shop,
  visitOf,
}) => {
  await openConsent(await visitOf('Google'));
  await expect(page.getByText(new URL(shop.origin).host)).toBeVisible();
});
