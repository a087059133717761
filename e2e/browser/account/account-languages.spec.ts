// Account pages in every language: no English text remains, long words fit small phones, form messages are translated.

import { LANGUAGES } from '#lib/settings/languages.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { cutOff, inLanguage, leftOf, lengthen, sentIn, wordsOn } from '../../support/pages/page-words.ts';
import { makePerson, sql } from '../../support/service/database.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

const others = LANGUAGES.filter((language) => language !== 'en');
const PAGES = [
  '/account',
  '/account/address',
  '/account/again',
  '/account/agents',
  '/account/data',
  '/account/delete',
  '/account/device?session=none',
  '/account/password',
  '/account/security',
  '/account/security/add',
  '/account/security/app?id=none',
  '/account/security/passkey?id=none',
  '/account/security/replace',
  '/account/sign-ins',
  '/account/links',
  '/account/links/join?proof=none',
];
/** Names that operators and users chose. */
const NAMES = ['Gatehouse', 'Password', 'Orders', 'Campus', 'Partner', 'See your orders', 'developer'];

/** Creates a user with a role and with a consent for an application. */
async function somebody() {
  const person = await makePerson();
  await sql("update people set roles = '{developer}' where email = $1", [person.email]);
  await sql(
    `insert into consents (person_id, client_id, api_id, scopes)
     select p.id, 'trunat', 'orders', '{read}' from people p where p.email = $1`,
    [person.email],
  );
  return person;
}

/** English is last, because other languages are compared with English. */
const SEEN = ['ar', 'de', 'en'] as const;

test('for a signed-in user, the account pages contain no English text in nine languages', async ({
  page,
}) => {
  test.setTimeout(300_000);
  await enterConsole(page, await somebody(), '/account');
  const { origin } = new URL(page.url());
  for (const path of PAGES) {
    await page.goto(origin + path);
    await inLanguage(page, 'en');
    const english = await wordsOn(page);
    expect(english.length, path).toBeGreaterThan(2);
    for await (const [language, words] of sentIn(page, others))
      expect(leftOf(english, words, language, NAMES), `${language} ${path}`).toEqual([]);
  }
});

test('for a signed-out user, the sign-in to the account uses the reader’s language', async ({
  page,
  world,
}) => {
  await page.goto(`${world.baseUrl}/account`);
  const english = await wordsOn(page);
  for await (const [language, words] of sentIn(page, others))
    expect(leftOf(english, words, language, [...NAMES, world.api.name]), language).toEqual([]);
});

test.describe('on a small phone', () => {
  test.use({ viewport: { width: 320, height: 640 }, isMobile: true, hasTouch: true });
  test('the account pages in Arabic and German cut nothing off with 40 % longer words, and pass axe in light and dark', async ({
    page,
  }) => {
    test.setTimeout(300_000);
    await enterConsole(page, await somebody(), '/account');
    const { origin } = new URL(page.url());
    for (const path of PAGES) {
      await page.goto(origin + path);
      const words: Record<string, string[]> = {};
      for (const language of SEEN) {
        await inLanguage(page, language);
        await picture(page, `${path}-${language}`);
        words[language] = await wordsOn(page);
        if (language === 'ar') {
          expect(await violations(page), `${path} light`).toEqual([]);
          await page.emulateMedia({ colorScheme: 'dark' });
          expect(await contrastFaults(page), `${path} dark`).toEqual([]);
          await page.emulateMedia({ colorScheme: 'light' });
        }
        expect(await tooWide(page), `${language} ${path}`).toEqual([]);
        await lengthen(page);
        expect(await tooWide(page), `${language} ${path}, long`).toEqual([]);
        expect(await cutOff(page), `${language} ${path}, long`).toEqual([]);
      }
      for (const language of SEEN.slice(0, -1))
        expect(leftOf(words['en'] ?? [], words[language] ?? [], language, NAMES), language).toEqual([]);
    }
  });
});

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled });
    test('rejected and accepted account forms use the chosen language, and afterwards the profile language applies', async ({
      page,
    }) => {
      const person = await makePerson();
      await enterConsole(page, person, '/account/password');
      await inLanguage(page, 'de');
      await page.locator('input[name=oldPassword]').fill(person.password);
      await page.locator('input[name=password]').fill('password1');
      await page.getByRole('button', { name: 'Passwort ändern' }).click();
      await expect(page.getByText('Es wurde noch nichts gespeichert.')).toBeVisible();
      await expect(page.getByText('zu leicht zu erraten').first()).toBeVisible();
      await page.locator('input[name=oldPassword]').fill(person.password);
      await page.locator('input[name=password]').fill(`neu-${person.password}`);
      await page.getByRole('button', { name: 'Passwort ändern' }).click();
      await expect(page.getByRole('status').first()).toBeVisible();
      await expect(page.locator('html')).toHaveAttribute('lang', 'de');
      await expect(page.getByText('Your password is changed')).toHaveCount(0);

      // without a chosen language, the profile's language applies
      await sql("update people set locale = 'pl' where email = $1", [person.email]);
      await page.context().clearCookies({ name: /language/ });
      const { origin, pathname } = new URL(page.url());
      await page.goto(origin + pathname);
      await expect(page.locator('html')).toHaveAttribute('lang', 'pl');
    });
  });
