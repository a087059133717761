// Sign-in pages in the reader's language.
import { expect, test } from '../../support/pages/browser-test.ts';
import { tooWide } from '../../support/pages/page-checks.ts';

for (const [tag, words] of Object.entries({
  ar: { heading: 'تسجيل الدخول', email: 'البريد الإلكتروني', password: 'كلمة المرور' },
  de: { heading: 'Anmelden', email: 'E-Mail', password: 'Passwort' },
})) {
  test(`ui_locales=${tag}: the sign-in and consent pages use the language, at 390 px`, async ({
    page,
    visit,
    person,
  }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await visit.start({ ui_locales: `xx ${tag}` });
    await expect(page.getByRole('heading', { name: words.heading })).toBeVisible();
    await expect(page.locator('html')).toHaveAttribute('lang', tag);
    await expect(page.locator('html')).toHaveAttribute('dir', tag === 'ar' ? 'rtl' : 'ltr');
    await page.getByLabel(words.email).fill(person.email);
    await page.getByLabel(words.password).fill('not this one');
    await page.getByLabel(words.password).press('Enter');
    await expect(page.getByRole('alert').filter({ hasText: /./ })).not.toContainText('Incorrect');
    await page.getByLabel(words.password).fill(person.password);
    await page.getByLabel(words.password).press('Enter');
    await expect(page).toHaveURL(/\/consent\?/);
    await expect(page.locator('html')).toHaveAttribute('lang', tag);
    expect(await tooWide(page)).toEqual([]);
  });
}

test('the user’s chosen language persists and overrides the request’s language', async ({ page, visit }) => {
  await visit.start({ ui_locales: 'de' });
  await page.getByText('Sprache: Deutsch').click();
  await page.getByRole('link', { name: 'Polski' }).click();
  await expect(page.getByRole('heading', { name: 'Zaloguj się' })).toBeVisible();
  await page.reload();
  await page.goto(page.url().replace(/[?&]language=pl/, ''));
  await expect(page.locator('html')).toHaveAttribute('lang', 'pl');
});
