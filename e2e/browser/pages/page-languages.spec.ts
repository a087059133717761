// Every page that exists in several languages: no English text remains, the text direction is correct, and long words
// fit a small phone. E2E_SCREENSHOTS=<folder> saves a screenshot of each page (npm run screenshots).
import { LANGUAGES } from '#lib/settings/languages.ts';
import { knownPages } from '../../support/pages/browser-pages.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import type { World } from '../../support/pages/browser-world.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { cutOff, inLanguage, leftOf, lengthen, sentIn, wordsOn } from '../../support/pages/page-words.ts';
import { addApp, toSetUp } from '../../support/pages/second-factor.ts';
import { clearAddressAttempts } from '../../support/service/database.ts';

// clears the limit of thirty mails per address in fifteen minutes, because all tests share one address
test.beforeEach(clearAddressAttempts);

test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** Pages for developers and operators, which are in English. */
const ENGLISH = new Set([
  'home',
  'apis',
  'api',
  'documentation',
  'endpoint',
  'resource',
  'guides',
  'guide',
  'not-found',
]);
/** Pages that are shown only once, so they have no address at which another language could be requested. */
const ONCE = new Set(['recovery-codes']);
const pages = knownPages.filter(({ name }) => !ENGLISH.has(name) && !ONCE.has(name));
const others = LANGUAGES.filter((language) => language !== 'en');

/**
 * Languages in which a browser with scripts shows each page. English is last, because the other languages are
 * compared with it.
 */
const SEEN = ['ar', 'de', 'en'] as const;

const namesIn = ({ api }: World) => [api.name, 'Gatehouse', 'Shop', 'Password'];

for (const { name, open } of pages) {
  test(`${name}: the page contains no English in nine languages, and has the correct text direction`, async ({
    page,
    world,
  }) => {
    test.setTimeout(120_000);
    await open(page, world);
    const english = await wordsOn(page);
    expect(english.length).toBeGreaterThan(2);
    for await (const [language, words] of sentIn(page, others))
      expect(leftOf(english, words, language, namesIn(world)), language).toEqual([]);
    // a screenshot requires a rendered page
    if (process.env['E2E_SCREENSHOTS'])
      for (const language of LANGUAGES) {
        await inLanguage(page, language);
        await picture(page, `${name}-${language}`);
      }
  });
}

test('recovery-codes: the page contains no English in nine languages', async ({ page, world }) => {
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
    test(`${name}: 40 % longer words fit at 320 px, in English, German and Arabic, and the page passes axe in Arabic, light and dark`, async ({
      page,
      world,
    }) => {
      await open(page, world);
      const words: Record<string, string[]> = {};
      for (const language of SEEN) {
        await inLanguage(page, language);
        words[language] = await wordsOn(page);
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
      for (const language of SEEN.slice(0, -1))
        expect(leftOf(words['en'] ?? [], words[language] ?? [], language, namesIn(world)), language).toEqual(
          [],
        );
    });
  }
});
