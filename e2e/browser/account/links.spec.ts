// Linking a broker as second sign-in method in a real browser: broker sign-in, confirmation, one user.

import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test('sign-in at a linked broker opens the same account', async ({
  page,
  world,
  visit,
  person,
  complaints,
}) => {
  await visit.but({ issuer: world.issuerOf('broker') }).start();
  await page.getByLabel('Name').fill(`Way of ${person.email}`);
  await visit.press('Sign in');
  await expect(visit.consent).toBeVisible();
  await visit.press('Allow');
  await visit.answer();

  await enterConsole(page, person, '/account/links');
  await expect(page.getByRole('heading', { name: 'Sign-in methods' })).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await picture(page, 'ways');
  await page
    .getByRole('region', { name: 'Add Broker' })
    .getByRole('button', { name: 'Link account' })
    .click();
  await expect(page.getByRole('heading', { name: 'Demo broker' })).toBeVisible();
  await page.getByLabel('Name').fill(`Way of ${person.email}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { name: 'Add this sign-in method?' })).toBeVisible();
  await expect(page.getByText('It was a separate account here')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await contrastFaults(page)).toEqual([]);
  expect(await tooWide(page)).toEqual([]);
  await picture(page, 'ways-join');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(page.getByText('You can sign in with the new sign-in method from now on.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Remove', exact: true })).toBeVisible();
  await picture(page, 'ways-after');
  expect(complaints).toEqual([]);
});
