// What holds on every page, whoever serves it.
import path from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** Each violation that axe finds as one readable line. */
export async function violations(page: Page): Promise<string[]> {
  // colours and widths count only after the stylesheet is loaded
  await page.waitForLoadState('load');
  // legacy mode needs no second window; it skips frames, and our pages have none
  return lines((await new AxeBuilder({ page }).setLegacyMode().analyze()).violations);
}

type Found = { id: string; help: string; nodes: { target: unknown }[] };
type Axe = { run: (options: object) => Promise<{ violations: Found[] }> };

/** Contrast only, on a page where `violations` has loaded axe. */
export async function contrastFaults(page: Page): Promise<string[]> {
  const { violations: found } = await page.evaluate(() =>
    (Reflect.get(globalThis, 'axe') as Axe).run({ runOnly: ['color-contrast'] }),
  );
  return lines(found);
}

const lines = (found: Found[]): string[] =>
  found.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => String(node.target)).join('; ')})`,
  );

/** The elements that reach over the right edge; none where the page does not scroll sideways. */
export async function tooWide(page: Page): Promise<string[]> {
  await page.waitForLoadState('load');
  return page.evaluate((limit) => {
    if (document.documentElement.scrollWidth <= limit) return [];
    const reaching = [...document.body.querySelectorAll('*')].filter(
      (element) => element.getBoundingClientRect().right > limit + 1,
    );
    return [
      'the page scrolls sideways',
      ...reaching.map((element) => element.outerHTML.slice(0, 120)).slice(0, 5),
    ];
  }, page.viewportSize()?.width ?? 0);
}

/** With E2E_SCREENSHOTS=<folder>: a picture of the whole page. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['E2E_SCREENSHOTS'];
  if (!folder) return;
  const file = `${name
    .replace(/^\//, '')
    .replaceAll(/[^\w-]+/g, '.')
    .slice(0, 80)}.png`;
  await page.screenshot({ path: path.join(folder, file), fullPage: true });
}
