// A user delegates to an agent, sees it on the account page, ends the delegation.

import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makePerson } from '../../support/service/database.ts';

test('a user finds an agent by client id, delegates access to it until a date, sees its permissions, and ends the delegation', async ({
  page,
}) => {
  await enterConsole(page, await makePerson(), '/account');
  await expect(page.getByRole('heading', { name: 'No agent acts in your name' })).toBeVisible();
  await page.getByRole('link', { name: 'Let an agent act for you' }).click();
  await page.getByLabel('Search').fill('conf');
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: 'Conf at Orders' }).click();
  await page.getByRole('button', { name: 'Let it act' }).click();
  await expect(page.locator('.fault')).toHaveText(/must not be empty/);
  await page.getByRole('checkbox', { name: 'See your orders' }).check();
  await page.getByRole('button', { name: 'Let it act' }).click();
  await expect(page.getByText('The agent may act in your name until the day that you chose.')).toBeVisible();
  const row = page.getByRole('listitem').filter({ hasText: 'may act for you at' });
  await expect(row).toContainText('See your orders');
  await row.getByRole('button', { name: 'End' }).click();
  await expect(row).toHaveCount(0);
});
