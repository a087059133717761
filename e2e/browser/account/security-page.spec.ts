// A user's factors in a real browser, and a console sign-in in two steps. The authenticator is Chromium's virtual
// one.
import type { Page } from '@playwright/test';
import { codeOf } from '#testing/factors/factors.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { VirtualAuthenticator } from '../../support/pages/virtual-authenticator.ts';
import { signIn } from '../../support/pages/visit.ts';
import { makePerson } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

// axe would measure colours during their transition
test.use({ contextOptions: { reducedMotion: 'reduce' } });

/** Runs axe in light and dark mode, on a desktop and a phone. */
async function look(page: Page, name: string): Promise<void> {
  expect(await violations(page), name).toEqual([]);
  await picture(page, `${name}-desktop`);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await contrastFaults(page), name).toEqual([]);
  expect(await tooWide(page), name).toEqual([]);
  await picture(page, `${name}-phone-dark`);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1280, height: 900 });
}

test('a user adds an authenticator app and a passkey, signs in with each, and removes both', async ({
  page,
  complaints,
}) => {
  test.setTimeout(60_000);
  const authenticator = await VirtualAuthenticator.of(page);
  const person = await makePerson();
  await enterConsole(page, person, '/account/security');
  await page.getByRole('link', { name: 'Set up an app' }).click();
  await look(page, 'security-add');
  const secret = (await page.locator('.app-secret code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Code').fill('000000');
  await page.getByRole('button', { name: 'Set up the app' }).click();
  await expect(page.getByText('That code is not right. Look at your app again')).toBeVisible();
  await page.getByLabel('Code').fill(codeOf(secret));
  await page.getByRole('button', { name: 'Set up the app' }).click();
  await expect(page.getByRole('heading', { name: 'Your recovery codes' })).toBeVisible();
  await look(page, 'security-codes');
  await page.getByRole('link', { name: 'I have saved them' }).click();

  await page.getByRole('link', { name: 'Add a passkey' }).click();
  await page.getByRole('region', { name: 'A passkey' }).getByLabel('Name').fill('My phone');
  await page.getByRole('button', { name: 'Add a passkey' }).click();
  await expect(page.getByRole('link', { name: 'My phone' })).toBeVisible();
  await look(page, 'security');

  // without a present user, the conditional passkey UI does not sign in automatically
  await authenticator.setPresent(false);
  // the console requires the second factor before showing anything
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, person);
  await expect(page.getByRole('heading', { level: 1, name: 'Confirm it is you' })).toBeVisible();
  await expect(page.getByRole('navigation')).toHaveCount(0);
  await look(page, 'confirm');
  await page.getByLabel('Code').fill('999999');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('alert').first()).toContainText('not right');
  await page.getByLabel('Code').fill(codeOf(secret, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();

  // this sign-in uses only the passkey: a present user accepts the conditional UI
  await authenticator.setPresent(true);
  await Promise.all([
    page.waitForURL(/done=signed-out/),
    page.getByRole('button', { name: 'Sign out' }).click(),
  ]);
  await expect(page.getByRole('heading', { level: 1, name: 'Your account' })).toBeVisible();
  await page.goto(`${nodeDoor.url}/account/security`);
  await page.getByRole('link', { name: 'My phone' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByRole('link', { name: 'My phone' })).toHaveCount(0);
  await page.getByRole('list', { name: 'Authenticator apps' }).getByRole('link').first().click();
  await look(page, 'security-app');
  await page.getByRole('button', { name: 'Remove the app' }).click();
  await expect(page.getByText('You have no second factor yet')).toBeVisible();
  expect(complaints.filter((line) => !/422|401|403/.test(line))).toEqual([]);
});

test('a recovery code lets the user register another phone, and of two tabs only one replaces the authenticator app', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const person = await makePerson();
  await enterConsole(page, person, '/account/security');
  await page.getByRole('link', { name: 'Set up an app' }).click();
  const secretOf = async (tab: Page) =>
    (await tab.locator('.app-secret code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Code').fill(codeOf(await secretOf(page)));
  await page.getByRole('button', { name: 'Set up the app' }).click();
  await expect(page.getByRole('heading', { name: 'Your recovery codes' })).toBeVisible();
  // the codes are in one block if the script runs, or in a list if the form was sent before React was
  // hydrated
  const codes = page.locator('.shown-once code').or(page.getByRole('list', { name: 'Recovery codes' }));
  const [code = ''] = (await codes.innerText()).split('\n');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download' }).click();
  expect((await download).suggestedFilename()).toBe('recovery-codes.txt');
  await expect(page.getByRole('button', { name: 'Print' })).toBeVisible();
  await page.getByRole('link', { name: 'I have saved them' }).click();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, person);
  await page.getByText('I have none of these').click();
  await expect(page.getByText('to reset your second factor')).toBeVisible();
  await look(page, 'confirm-neither');
  await page.getByLabel('Code').fill(code);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText(/You used a recovery code .* 9 are left/)).toBeVisible();
  await look(page, 'account-nudge');
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await tooWide(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 900 });

  await page.getByRole('link', { name: 'Set up the new phone' }).click();
  await look(page, 'security-replace');
  const other = await page.context().newPage();
  await other.goto(page.url());
  const typed = await secretOf(other);
  await page.getByLabel('Code').fill(codeOf(await secretOf(page)));
  await page.getByRole('button', { name: 'Replace the app' }).click();
  await expect(page.getByText('The new app is active.')).toBeVisible();
  await expect(page.getByText('You used a recovery code')).toHaveCount(0);
  await other.getByLabel('Code').fill(codeOf(typed));
  await other.getByRole('button', { name: 'Replace the app' }).click();
  await expect(other.getByText('was replaced or removed in the meantime')).toBeVisible();
});

test('a user adds and names a second authenticator app, signs in with it, and removes only the selected app', async ({
  page,
}) => {
  test.setTimeout(120_000);
  const person = await makePerson();
  const secretNow = async () => (await page.locator('.app-secret code').innerText()).replaceAll(' ', '');
  await enterConsole(page, person, '/account/security');
  await page.getByRole('link', { name: 'Set up an app' }).click();
  const phone = await secretNow();
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(phone));
  await page.getByRole('region', { name: 'An authenticator app' }).getByLabel('Name').fill('Phone');
  await page.getByRole('button', { name: 'Set up the app' }).click();
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await page.getByRole('link', { name: 'Add another app' }).click();
  const tablet = await secretNow();
  await page.getByRole('textbox', { name: 'Code' }).fill(codeOf(tablet));
  await page.getByRole('button', { name: 'Set up the app' }).click();
  const apps = page.getByRole('list', { name: 'Authenticator apps' });
  await apps.getByRole('link', { name: 'Authenticator app' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Tablet');
  await page.getByRole('button', { name: 'Save the name' }).click();
  await expect(page.getByText('The app has its new name.')).toBeVisible();
  await expect(apps.getByRole('link')).toHaveText(['Phone', 'Tablet']);
  await look(page, 'security-apps');

  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page, person);
  await page.getByLabel('Code').fill(codeOf(tablet, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.goto(`${nodeDoor.url}/account/security`);
  await apps.getByRole('link', { name: 'Phone' }).click();
  await page.getByRole('button', { name: 'Remove the app' }).click();
  await expect(apps.getByRole('link')).toHaveText(['Tablet']);
  await expect(page.getByText('10 codes are left.')).toBeVisible();
});
