// Common paths from application to application through all pages: with and without script, phone and desktop, English
// and Arabic. Finds fields by purpose, because labels are translated.
import type { Page } from '@playwright/test';
import { expect, test } from '../../support/pages/browser-test.ts';
import { tooWide } from '../../support/pages/page-checks.ts';
import { clearAddressAttempts } from '../../support/service/database.ts';
import { mailTo } from '../../support/service/mail.ts';

// clears the limit of thirty mails per address in fifteen minutes, because all tests share one address
test.beforeEach(clearAddressAttempts);

const SIZES = {
  phone: { viewport: { width: 360, height: 740 }, isMobile: true, hasTouch: true },
  desktop: { viewport: { width: 1280, height: 900 } },
};

const field = (page: Page, name: string) => page.locator(`input[name=${name}]`);
/** Presses the button that continues; every page has exactly one. */
const goOn = (page: Page) =>
  page.locator('main form button[type=submit].button:not(.quiet):not(.plain):visible').first();

async function expectPage(page: Page, path: RegExp, language: string): Promise<void> {
  await expect(page).toHaveURL(path);
  await expect(page.locator('html')).toHaveAttribute('lang', language);
  await expect(page.locator('html')).toHaveAttribute('dir', language === 'ar' ? 'rtl' : 'ltr');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await tooWide(page)).toEqual([]);
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await field(page, 'username').or(field(page, 'email')).first().fill(email);
  await field(page, 'password').fill(password);
  await goOn(page).click();
}

for (const language of ['en', 'ar'])
  for (const [size, device] of Object.entries(SIZES))
    for (const javaScriptEnabled of [true, false])
      test.describe(`${language}, ${size}, ${javaScriptEnabled ? 'with' : 'without'} a script`, () => {
        test.use({ ...device, javaScriptEnabled });

        test('a user enters a wrong and the right password, consents, and signs out, and the client receives a code', async ({
          page,
          visit,
          person,
          world,
        }) => {
          await visit.start({ ui_locales: language });
          await expectPage(page, /\/login\?/, language);
          await signIn(page, person.email, 'not this one');
          await expect(page.getByRole('alert').filter({ hasText: /./ })).toBeVisible();
          await expectPage(page, /\/login\?/, language);
          await signIn(page, person.email, person.password);
          await expectPage(page, /\/consent\?/, language);
          await goOn(page).click();
          await visit.expectCode();

          await page.goto(`${world.baseUrl}/logout?language=${language}`);
          await expectPage(page, /\/logout/, language);
          await page.locator('main form button[type=submit]').first().click();
          await expectPage(page, /\/logout\?done=1/, language);
        });

        test('forgotten password: the user opens the mail, sets a new password, and returns to the application', async ({
          page,
          visit,
          person,
        }) => {
          await visit.start({ ui_locales: language });
          await signIn(page, person.email, 'not-this-one');
          await page.locator('a[href*="forgot-password"]').click();
          await expectPage(page, /forgot-password/, language);
          await expect(field(page, 'email')).toHaveValue(person.email);
          await goOn(page).click();
          await expect(page.getByRole('status')).toBeVisible();
          await expectPage(page, /done=reset-asked/, language);
          await expect.poll(async () => (await mailTo(person)).length).toBeGreaterThan(0);
          const [mail] = await mailTo(person);
          expect(/[\u0600-\u06ff]/.test(mail?.subject ?? '')).toBe(language === 'ar');
          await page.goto(/https?:\/\/\S+reset-password\S+/.exec(mail?.text ?? '')?.[0] ?? '');
          await expectPage(page, /reset-password/, language);
          await field(page, 'password').fill('short');
          await goOn(page).click();
          await expect(page.getByRole('alert').filter({ hasText: /./ })).toBeVisible();
          const password = `another-${person.password}`;
          await field(page, 'password').fill(password);
          await goOn(page).click();
          await expectPage(page, /\/login\?/, language);
          await signIn(page, person.email, password);
          await expectPage(page, /\/consent\?/, language);
          await goOn(page).click();
          await visit.expectCode();
        });
      });
