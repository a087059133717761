// Links from console and API pages to guides and next steps.
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

test('the console menu links to the documentation, and a page links to its guide', async ({ page }) => {
  await enterConsole(page, ADMIN, '/admin/apis');
  await page.getByRole('link', { name: 'Guide to this page' }).click();
  await expect(page).toHaveURL(/\/documentation\/guides\/configuration#apis$/);
  await page.goBack();
  await page.getByRole('navigation').getByRole('link', { name: 'Documentation' }).first().click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Documentation');
});

test('users without a role see neither the documentation nor the guide link', async ({ page, world }) => {
  const person = await world.givenPerson();
  await enterConsole(page, person, '/account');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: /Guide to this page|Documentation/ })).toHaveCount(0);
});

test('an API page links to “Register an application” and its catalogue entry', async ({ page, world }) => {
  await enterConsole(page, ADMIN, '/developer');
  await page.goto(`${world.baseUrl}/apis/${world.api.id}`);
  await page.getByRole('link', { name: 'Subscribe', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('API catalogue');
  await expect(page.getByText(world.api.id).first()).toBeVisible();
  await page.goBack();
  await page.getByRole('link', { name: 'Register an application' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Register an application');
});
