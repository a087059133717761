// Registration during sign-in for a client: user's language, phone and desktop, with and without script.
// E2E_SCREENSHOTS=<folder> saves screenshots of each step.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { issuerOf } from '#testing/net/door.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { clearAddressAttempts, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';
import { mailTo } from '../../support/service/mail.ts';

// clears the limit of thirty mails per address in fifteen minutes, because all tests share one address
test.beforeEach(clearAddressAttempts);

// axe would measure colours during their transition
test.use({ contextOptions: { reducedMotion: 'reduce' } });

const PASSWORD = 'correct horse battery';
const READERS = [
  {
    tag: 'ar',
    size: { width: 390, height: 844 },
    email: 'البريد الإلكتروني',
    send: 'إرسال الرمز',
    subject: 'Gatehouse: أكّد عنوانك',
    wrong: 'هذا الرمز غير صحيح.',
    code: 'الرمز',
    go: 'متابعة',
    name: 'الاسم',
    password: 'كلمة المرور',
    show: 'إظهار',
    missing: 'ينقص حرفان',
    strong: 'قوية',
    create: 'إنشاء الحساب',
    allow: 'سماح',
  },
  {
    tag: 'de',
    size: { width: 1280, height: 900 },
    email: 'E-Mail',
    send: 'Code senden',
    subject: 'Gatehouse: Bestätigen Sie Ihre Adresse',
    wrong: 'Dieser Code ist nicht richtig.',
    code: 'Code',
    go: 'Weiter',
    name: 'Name',
    password: 'Passwort',
    show: 'Anzeigen',
    missing: 'Es fehlen noch 2 Zeichen',
    strong: 'Stark',
    create: 'Konto anlegen',
    allow: 'Erlauben',
  },
] as const;

/** Creates a local method with open registration for this test. */
async function makeOpenMethod(): Promise<string> {
  const id = `join${randomBytes(5).toString('hex')}`;
  await sql("insert into auth_methods (id, type, name, config) values ($1, 'local', 'Join', $2)", [
    id,
    JSON.stringify({ registration: 'open' }),
  ]);
  await sql("insert into combinations (auth_method_id, api_id) values ($1, 'orders')", [id]);
  return issuerOf(nodeDoor, id);
}

/** Runs the checks of each step. */
async function look(page: Page, name: string, size: { width: number; height: number }): Promise<void> {
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await violations(page), `${name}, light`).toEqual([]);
  await picture(page, `${name}-light`);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations(page), `${name}, dark`).toEqual([]);
  await picture(page, `${name}-dark`);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await tooWide(page), name).toEqual([]);
  await picture(page, `${name}-320`);
  await page.setViewportSize(size);
}

for (const script of [true, false]) {
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script });
    for (const { tag, size, ...words } of READERS)
      test(`ui_locales=${tag}, ${size.width} px: address, code and password create an account, and the browser returns to the client`, async ({
        page,
        visit,
        complaints,
      }) => {
        const email = `${tag}-${randomBytes(5).toString('hex')}@example.com`;
        const step = async (name: string) => {
          await expect(page.locator('html')).toHaveAttribute('lang', tag);
          await expect(page.locator('html')).toHaveAttribute('dir', tag === 'ar' ? 'rtl' : 'ltr');
          // checked only with scripts enabled, because axe is a script
          if (script) await look(page, `register-${tag}-${name}`, size);
        };
        await page.setViewportSize(size);
        await visit.but({ issuer: await makeOpenMethod() }).start({ prompt: 'create', ui_locales: tag });
        await step('address');
        await expect(page.getByLabel(words.email)).toHaveAttribute('dir', 'ltr');
        await page.getByLabel(words.email).fill(email);
        await page.getByRole('button', { name: words.send }).click();
        await expect(page.getByRole('main')).toContainText(email);
        await step('code');
        await page.getByLabel(words.code, { exact: true }).fill('12');
        await page.getByRole('button', { name: words.go }).click();
        await expect(page.getByRole('alert')).toContainText(words.wrong);
        const mails = async () =>
          (await mailTo({ email })).filter(({ subject }) => subject === words.subject);
        await expect.poll(async () => (await mails()).length).toBe(1);
        const [, code = ''] = /(\d{3} \d{3})/.exec((await mails())[0]?.text ?? '') ?? [];
        await page.getByLabel(words.code, { exact: true }).fill(code);
        await page.getByRole('button', { name: words.go }).click();

        const field = page.getByLabel(words.password, { exact: true });
        const show = page.getByRole('button', { name: words.show });
        await expect(show).toHaveCount(script ? 1 : 0);
        if (script) {
          await field.fill('abcdef');
          await expect(page.getByText(words.missing)).toBeVisible();
          await field.fill(PASSWORD);
          await expect(page.getByText(words.strong, { exact: true })).toBeVisible();
          await show.click();
          await expect(field).toHaveAttribute('type', 'text');
        }
        await step('password');
        await page.getByLabel(words.name).fill('Nora');
        await field.fill(PASSWORD);
        await page.getByRole('button', { name: words.create }).click();
        await page.getByRole('button', { name: words.allow }).click();
        expect((await visit.answer()).get('code')).toBeTruthy();
        expect(await sql('select name from people where email = $1', [email])).toEqual([{ name: 'Nora' }]);
        expect(complaints).toEqual([]);
      });
  });
}

test('a user who chooses a language keeps the token of the invitation', async ({ page, world }) => {
  await page.goto(`${world.baseUrl}/register?invitation=none`);
  await page.locator('.languages summary').first().click();
  await page.getByRole('link', { name: 'Deutsch' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Diese Einladung funktioniert nicht');
  expect(page.url()).toContain('invitation=none');
});
