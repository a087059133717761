// Checks for every page, at either server.
import path from 'node:path';
import type { Page } from '@playwright/test';
import axe from 'axe-core';

/** Returns each violation that axe finds, as one readable line. */
export const violations = (page: Page): Promise<string[]> => examine(page, {});

/** Returns only the violations of the rules about contrast. */
export const contrastFaults = (page: Page): Promise<string[]> =>
  examine(page, { runOnly: ['color-contrast'] });

/** Unloaded frames are blank; their URL may be empty. */
const PREVIEW = /^(?:about:blank)?$|\/(?:admin|developer)\/preview\//;

async function examine(page: Page, options: axe.RunOptions): Promise<string[]> {
  // previews run no scripts, so axe cannot run in them; other tests check their pages
  const frames = page.frames().filter((frame) => frame !== page.mainFrame());
  const other = frames.map((frame) => frame.url()).find((url) => !PREVIEW.test(url));
  if (other !== undefined)
    throw new Error(`axe is not loaded into frames, and our pages have only previews: ${other}`);
  // colours and widths are correct only after the style sheet is loaded
  await page.waitForLoadState('load');
  // the script of axe has half a megabyte, so it is loaded only once per page
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source);
  // selectors of passing elements would need more time than the rules
  const asked: axe.RunOptions = { ...options, iframes: false, resultTypes: ['violations'] };
  const { violations: found } = await page.evaluate(
    (more) => (Reflect.get(globalThis, 'axe') as typeof axe).run(more),
    asked,
  );
  return lines(found);
}

const lines = (found: axe.Result[]): string[] =>
  found.map(
    ({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => String(node.target)).join('; ')})`,
  );

/** Returns elements beyond the right edge. Empty if the page does not scroll sideways. */
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

/** If E2E_SCREENSHOTS=<folder> is set, saves a picture of the whole page. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env['E2E_SCREENSHOTS'];
  if (!folder) return;
  const file = `${name
    .replace(/^\//, '')
    .replaceAll(/[^\w-]+/g, '.')
    .slice(0, 80)}.png`;
  await page.screenshot({ path: path.join(folder, file), fullPage: true });
}
