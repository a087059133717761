// Visible words of a page, by language.
import { expect, type Page } from '@playwright/test';
import { CATALOGUE } from '#lib/language/messages/catalogue.ts';
import type { Language } from '#lib/settings/languages.ts';

/** Names chosen by users or operators, and program output, are untranslated. */
const DATA = 'bdi, code, kbd, pre, [translate=no], .languages, svg, script, style, noscript, template';

/** Returns visible texts and accessible names, without data. */
export const wordsOn = (page: Page): Promise<string[]> =>
  page.evaluate(wordsOf, { html: null, data: DATA }).then(({ words }) => words);

/**
 * Loads a page in several languages through its chooser. The browser sends its normal request, but renders nothing and
 * runs no script, because the server has written the complete text.
 */
export async function* sentIn<L extends Language>(
  page: Page,
  languages: readonly L[],
): AsyncGenerator<[L, string[]]> {
  let address = page.url();
  let { choices } = await page.evaluate(wordsOf, { html: null, data: DATA });
  for (const language of languages) {
    address = asked(address, language) ?? new URL(choices[language] ?? 'no-chooser:', address).href;
    const answer = await page.request.get(address, { headers: { accept: 'text/html' } });
    address = answer.url();
    const sent = await page.evaluate(wordsOf, { html: await answer.text(), data: DATA });
    expect([sent.lang, sent.dir]).toEqual([language, language === 'ar' ? 'rtl' : 'ltr']);
    choices = sent.choices;
    yield [language, sent.words];
  }
}

/** Returns the words; runs in the browser. `html`: text of a page; null: the current document. */
function wordsOf({ html, data }: { html: string | null; data: string }) {
  const shown = html === null ? document : new DOMParser().parseFromString(html, 'text/html');
  const hasWords = (text: string) => /\p{L}{2}/u.test(text);
  const texts: string[] = [];
  const walker = shown.createTreeWalker(shown.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent?.replaceAll(/\s+/g, ' ').trim() ?? '';
    if (hasWords(text) && !node.parentElement?.closest(data)) texts.push(text);
  }
  for (const element of shown.body.querySelectorAll('[aria-label], [title], [placeholder], [alt]'))
    if (!element.closest(data))
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        const text = element.getAttribute(name)?.trim() ?? '';
        if (hasWords(text)) texts.push(text);
      }
  const choices: Record<string, string> = {};
  for (const link of shown.querySelectorAll('.languages a[hreflang]'))
    choices[link.getAttribute('hreflang') ?? ''] = link.getAttribute('href') ?? '';
  const { lang, dir } = shown.documentElement;
  return { lang, dir, choices, words: [...new Set([shown.title, ...texts])] };
}

/** Lengthens each word by 40 %, simulating languages with long words. */
export async function lengthen(page: Page): Promise<void> {
  await page.evaluate(() => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.parentElement?.closest('bdi, code, script, style')) continue;
      node.textContent = (node.textContent ?? '').replaceAll(
        /\p{L}{2,}/gu,
        (word) => word + word.repeat(2).slice(0, Math.ceil(word.length * 0.4)),
      );
    }
  });
}

/** Returns elements with truncated or overflowing text. */
export function cutOff(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [
      ...document.body.querySelectorAll<HTMLElement>(
        'a, button, label, summary, h1, h2, h3, p, li, dt, dd, span',
      ),
    ]
      .filter((element) => {
        const style = getComputedStyle(element);
        const shown =
          element.getClientRects().length > 0 && style.clip === 'auto' && style.clipPath === 'none';
        return shown && style.display !== 'inline' && element.scrollWidth > element.clientWidth + 1;
      })
      .map((element) => element.outerHTML.slice(0, 160)),
  );
}

/**
 * Uses the page's language chooser, which works without scripts; for direct responses, the request's language
 * parameter.
 */
export async function inLanguage(page: Page, language: string): Promise<void> {
  const address = asked(page.url(), language);
  if (address !== null) {
    await page.goto(address);
    return expectLanguage(page, language);
  }
  const link = page.locator(`.languages a[hreflang="${language}"]`);
  await expect(link, 'a chooser').toHaveCount(1, { timeout: 3_000 });
  await page.goto(new URL((await link.getAttribute('href')) ?? '', page.url()).href);
  await expectLanguage(page, language);
}

function asked(address: string, language: string): string | null {
  if (!address.includes('/authorize?')) return null;
  const url = new URL(address);
  url.searchParams.set('ui_locales', language);
  return url.href;
}

async function expectLanguage(page: Page, language: string): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('lang', language);
  await expect(page.locator('html')).toHaveAttribute('dir', language === 'ar' ? 'rtl' : 'ltr');
}

/**
 * Returns the English text that remains on a translated page, without names, addresses, and single words that
 * several languages share.
 */
export function leftOf(
  english: readonly string[],
  shown: readonly string[],
  language: Language,
  names: readonly string[],
) {
  const theirs = new Set(Object.values(CATALOGUE[language]).flatMap((texts) => Object.values(texts)));
  const shared = (text: string) => theirs.has(text) && !text.includes(' ');
  return shown.filter(
    (text) => english.includes(text) && !names.includes(text) && !shared(text) && !/^\S+@\S+$/.test(text),
  );
}
