// Counts user actions in a page. Wraps locators, so actions in helpers of browser tests are counted, too.
import type { Page } from 'playwright';

export type Tally = { clicks: number; fields: number; pages: number };

const CLICKS = ['click', 'check', 'uncheck'];
const FIELDS = ['fill', 'selectOption'];

/** Wraps a page or locator so that its actions are counted. A tap on a phone counts as a click. */
export function counting<Of extends object>(of: Of, tally: Tally): Of {
  return new Proxy(of, {
    get(_, name) {
      const value: unknown = Reflect.get(of, name, of);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        if (CLICKS.includes(String(name))) tally.clicks += 1;
        if (FIELDS.includes(String(name))) tally.fields += 1;
        const result: unknown = Reflect.apply(value, of, given);
        return isLocator(result) ? counting(result, tally) : result;
      };
    },
  });
}

const isLocator = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof Promise) && 'selectOption' in value;

/** Counts documents and script navigations to another URL. Partial updates do not count. */
export function countPages(page: Page, tally: Tally): void {
  let shown = '';
  let isLoading = false;
  page.on('request', (request) => {
    const isDocument = request.isNavigationRequest() && request.frame() === page.mainFrame();
    if (!isDocument || request.redirectedFrom() !== null) return;
    isLoading = true;
    tally.pages += 1;
  });
  page.on('domcontentloaded', () => {
    isLoading = false;
  });
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame()) return;
    const address = frame.url().replace(/#.*$/, '');
    if (address !== shown && !isLoading) tally.pages += 1;
    shown = address;
  });
}
