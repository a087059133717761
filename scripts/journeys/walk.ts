// One run through a journey: users in browsers, named steps, counters.
import type { Browser, BrowserContextOptions, Page } from 'playwright';
import { devices } from 'playwright';
import { counting, countPages, type Tally } from './counting.ts';

const DEVICES: Record<Device, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { ...devices['Pixel 7'] },
};
type Device = 'desktop' | 'phone';
export type Way = { device: Device; script: boolean };
export const WAYS: readonly Way[] = [
  { device: 'desktop', script: true },
  { device: 'desktop', script: false },
  { device: 'phone', script: true },
  { device: 'phone', script: false },
];

export class Walk {
  readonly way: Way;
  readonly tally: Tally = { clicks: 0, fields: 0, pages: 0 };
  /** the current step; after a failure, the step that failed */
  at = 'preparation';
  seconds = 0;
  readonly #browser: Browser;
  readonly #pages: Page[] = [];

  constructor(browser: Browser, way: Way) {
    this.#browser = browser;
    this.way = way;
  }

  /** Opens a separate browser for another user. */
  async person(): Promise<Page> {
    const page = await this.#open();
    countPages(page, this.tally);
    return counting(page, this.tally);
  }

  /** Prepares data in a browser whose actions are not counted. */
  async before<T>(work: (page: Page) => Promise<T>): Promise<T> {
    const page = await this.#open();
    const result = await work(page);
    await page.context().close();
    this.#pages.splice(this.#pages.indexOf(page), 1);
    return result;
  }

  /** Measures steps only; pauses between steps are excluded. */
  async step<T>(name: string, work: () => Promise<T>): Promise<T> {
    this.at = name;
    const started = performance.now();
    const result = await work();
    this.seconds += (performance.now() - started) / 1_000;
    return result;
  }

  /** Saves screenshots of all pages for failure reports. */
  async pictures(file: (n: number) => string): Promise<void> {
    for (const [n, page] of this.#pages.entries())
      await page.screenshot({ path: file(n), fullPage: true }).catch(() => {});
  }

  async end(): Promise<void> {
    await Promise.all(this.#pages.map((page) => page.context().close()));
  }

  async #open(): Promise<Page> {
    const { device, script } = this.way;
    const context = await this.#browser.newContext({ ...DEVICES[device], javaScriptEnabled: script });
    context.setDefaultTimeout(20_000);
    const page = await context.newPage();
    this.#pages.push(page);
    return page;
  }
}

/** Phones hide the console's menu and sign-out behind a button. */
export async function openMenu(page: Page): Promise<void> {
  const menu = page.locator('.console-menu > summary');
  if (await menu.isVisible()) await menu.click();
}

/** Uses the console's menu. A number after the name counts pending items. */
export async function goTo(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Skip to the content' }).waitFor({ state: 'attached' });
  await openMenu(page);
  await page
    .getByRole('link', { name: new RegExp(`^${name}( \\d|$)`) })
    .filter({ visible: true })
    .click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}
