// What holds on every page, whoever serves it.
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';

/** Each violation that axe finds as one readable line. */
export async function violations(page: Page): Promise<string[]> {
  // before the stylesheet is there, no colour and no width is what a person sees
  await page.waitForLoadState('load');
  // no page of ours has a frame, and without them axe needs no second window
  return lines((await new AxeBuilder({ page }).setLegacyMode().analyze()).violations);
}

type Found = { id: string; help: string; nodes: { target: unknown }[] };
type Axe = { run: (options: object) => Promise<{ violations: Found[] }> };

/** The same of contrast alone, on a page that `violations` has looked at: axe is there already. */
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
