// What the name of a client must not do to the pages that show it (cases CN).
import type { Page } from '@playwright/test';
import { authorizeUrl, signIn } from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';
import type { World } from '../support/browser-world.ts';

test.describe('CN-11: a client name that was chosen to deceive', () => {
  async function consentFor(page: Page, world: World, name: string, origin: string): Promise<void> {
    const person = await world.givenPerson();
    const client = await world.givenClient({ kind: 'confidential', name, redirectUris: [`${origin}/cb`] });
    await page.goto(authorizeUrl(world, client));
    await signIn(page, person);
    await expect(page.getByRole('button', { name: 'Allow', exact: true })).toBeVisible();
    // a box measured before the stylesheet is there is not the one that a person sees
    await page.waitForLoadState('load');
  }

  test('CN-11: markup in it is shown as text on both pages, and no script runs', async ({
    page,
    world,
    shop,
    complaints,
  }) => {
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      return dialog.dismiss();
    });
    const name = '<img src=x onerror=alert(1)>';
    const client = await world.givenClient({
      kind: 'confidential',
      name,
      redirectUris: [`${shop.origin}/cb`],
    });
    await page.goto(authorizeUrl(world, client));
    await expect(page.getByRole('main')).toContainText(name);
    await consentFor(page, world, name, shop.origin);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      `${name} wants access to ${world.api.name}`,
    );
    const sources = await page.evaluate(() => [...document.images].map((image) => image.getAttribute('src')));
    expect(sources).not.toContain('x');
    expect(dialogs).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('CN-11: a right-to-left override does not turn the words around it', async ({ page, world, shop }) => {
    await consentFor(page, world, 'Shop \u202Egpj.knab', shop.origin);
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

  test('CN-11: 5,000 characters are cut: the question and its buttons stay in reach, with no sideways scroll', async ({
    page,
    world,
    shop,
  }) => {
    await page.setViewportSize({ width: 320, height: 640 });
    await consentFor(page, world, 'W'.repeat(5_000), shop.origin);
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    expect(heading?.height, 'no more than a screen').toBeLessThan(640);
    const button = await page.getByRole('button', { name: 'Allow', exact: true }).boundingBox();
    expect(button?.y, 'within two screens').toBeLessThan(1_280);
    const [content, window] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    expect(content).toBeLessThanOrEqual(window ?? 0);
  });

  test('CN-11: a borrowed name is shown beside the address that the person returns to', async ({
    page,
    world,
    shop,
  }) => {
    await consentFor(page, world, 'Google', shop.origin);
    await expect(page.getByText(new URL(shop.origin).host)).toBeVisible();
  });
});
