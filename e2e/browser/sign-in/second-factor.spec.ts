// Second factor for users: setup during sign-in, required at the next sign-in, skipped in a trusted browser.
import { expect, test } from '../../support/pages/browser-test.ts';
import { addApp, appCode, forgetBrowsers, toSetUp } from '../../support/pages/second-factor.ts';

test.describe('with JavaScript switched off', () => {
  test.use({ javaScriptEnabled: false });

  test('a user sets up an authenticator app and enters its codes, and a trusted browser or a recovery code replaces a code', async ({
    page,
    context,
    world,
    shop,
  }) => {
    const visit = await toSetUp(page, world, { callback: `${shop.origin}/cb` });
    await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeHidden();
    await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible();
    await expect(page.getByRole('button', { name: 'Later' })).toHaveCount(0);
    const { secret, recoveryCodes } = await addApp(page);
    expect(recoveryCodes).toHaveLength(10);
    await page.getByRole('link', { name: 'Continue' }).click();
    await visit.press('Allow');
    await visit.expectCode();

    const again = async () => {
      const kept = (await context.cookies()).filter(({ name }) => !name.includes('sign-in'));
      await context.clearCookies();
      await context.addCookies(kept);
      await visit.start();
      await visit.signIn();
    };
    const heading = page.getByRole('heading', { name: 'Confirm it is you' });
    const code = page.getByLabel('Code', { exact: true });
    await again();
    await expect(heading).toBeVisible();
    await expect(code).toBeFocused();
    await expect(code).toHaveAttribute('inputmode', 'numeric');
    await expect(code).toHaveAttribute('autocomplete', 'one-time-code');
    await code.fill('000000');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveText('That code is not right.');
    await page.getByLabel('Do not ask in this browser for 30 days').check();
    await code.fill(appCode(secret, 1));
    await page.keyboard.press('Enter');
    await visit.expectCode();

    await again();
    await visit.expectCode();
    await forgetBrowsers(visit.email);
    await visit.start();
    await expect(heading).toBeVisible();
    await page.getByRole('link', { name: 'Use a recovery code' }).click();
    const recovery = page.getByLabel('Recovery code');
    await expect(recovery).not.toHaveAttribute('inputmode', /./);
    await recovery.fill(recoveryCodes[0] ?? '');
    await page.getByRole('button', { name: 'Continue' }).click();
    await visit.expectCode();
  });
});

test('an optional second factor is offered once after a password, with a Later button', async ({
  page,
  context,
  world,
  shop,
}) => {
  const visit = await toSetUp(page, world, { secondFactor: 'optional', callback: `${shop.origin}/cb` });
  await expect(page.getByRole('button', { name: 'Use a passkey' })).toBeVisible();
  await visit.press('Later');
  await visit.press('Allow');
  await visit.expectCode();
  await context.clearCookies();
  await visit.start();
  await visit.signIn();
  await visit.expectCode();
});
