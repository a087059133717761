// Every page in several languages, in each of them: no English is left, it reads in its direction, and long words fit on a small
// phone. With E2E_SCREENSHOTS=<folder> a picture of each (npm run screenshots).
import type { Page } from '@playwright/test';
import { CATALOGUE } from '#lib/language/messages/index.ts';
import { LANGUAGES, type Language } from '#lib/settings/index.ts';
import { knownPages } from '../support/browser-pages.ts';
import { expect, test } from '../support/browser-test.ts';
import type { World } from '../support/browser-world.ts';
import { contrastFaults, picture, tooWide, violations } from '../support/page-checks.ts';
import { cutOff, lengthen, wordsOn } from '../support/page-words.ts';
import { addApp, toSetUp } from '../support/second-factor.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** For developers and operators: in English. */
const ENGLISH = new Set(['home', 'apis', 'api', 'documentation', 'not-found']);
/** Shown once: they have no address to open in another language. */
const ONCE = new Set(['recovery-codes']);
const pages = knownPages.filter(({ name }) => !ENGLISH.has(name) && !ONCE.has(name));
const others = LANGUAGES.filter((language) => language !== 'en');

/** By the page's own chooser, which works without a script; of an answer to the request itself, as the request asks. */
async function inLanguage(page: Page, language: string): Promise<void> {
  if (page.url().includes('/authorize?')) {
    const asked = new URL(page.url());
    asked.searchParams.set('ui_locales', language);
    await page.goto(asked.href);
    return expectLanguage(page, language);
  }
  const link = page.locator(`.languages a[hreflang="${language}"]`);
  await expect(link, 'a chooser').toHaveCount(1, { timeout: 3_000 });
  await page.goto(new URL((await link.getAttribute('href')) ?? '', page.url()).href);
  await expectLanguage(page, language);
}

async function expectLanguage(page: Page, language: string): Promise<void> {
  await expect(page.locator('html')).toHaveAttribute('lang', language);
  await expect(page.locator('html')).toHaveAttribute('dir', language === 'ar' ? 'rtl' : 'ltr');
}

/** What is left of the English page: but for names and addresses, and single words that the languages share. */
function leftOf(
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

const namesIn = ({ api }: World) => [api.name, 'Gatehouse', 'Shop', 'Password'];

for (const { name, open } of pages) {
  test(`${name}: in nine languages no word of English is left, and it reads in its direction`, async ({
    page,
    world,
  }) => {
    test.setTimeout(120_000);
    await open(page, world);
    const english = await wordsOn(page);
    expect(english.length).toBeGreaterThan(2);
    await picture(page, `${name}-en`);
    for (const language of others) {
      await inLanguage(page, language);
      expect(leftOf(english, await wordsOn(page), language, namesIn(world)), language).toEqual([]);
      await picture(page, `${name}-${language}`);
    }
  });
}

test('recovery-codes: in nine languages no word of English is left', async ({ page, world }) => {
  test.setTimeout(120_000);
  const english: string[] = [];
  for (const language of LANGUAGES) {
    await page.context().clearCookies();
    await toSetUp(page, world);
    await inLanguage(page, language);
    await addApp(page);
    const shown = await wordsOn(page);
    if (language === 'en') english.push(...shown);
    else expect(leftOf(english, shown, language, namesIn(world)), language).toEqual([]);
    await picture(page, `recovery-codes-${language}`);
  }
  expect(english.length).toBeGreaterThan(2);
});

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true });
  for (const { name, open } of pages) {
    test(`${name}: words longer by 40 % fit at 320 px, in English and in Arabic, and axe finds nothing in Arabic, light and dark`, async ({
      page,
      world,
    }) => {
      await open(page, world);
      for (const language of ['ar', 'en']) {
        await inLanguage(page, language);
        if (language === 'ar') {
          expect(await violations(page), 'light').toEqual([]);
          await page.emulateMedia({ colorScheme: 'dark' });
          expect(await contrastFaults(page), 'dark').toEqual([]);
          await page.emulateMedia({ colorScheme: 'light' });
        }
        expect(await tooWide(page), language).toEqual([]);
        await lengthen(page);
        await picture(page, `${name}-${language}-long`);
        expect(await tooWide(page), `${language}, long`).toEqual([]);
        expect(await cutOff(page), `${language}, long`).toEqual([]);
      }
    });
  }
});
