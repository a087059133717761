// Objects that administrators manage: APIs, sign-in methods, people, sessions, keys and the audit log, with one path
// through each.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { violations } from '../../support/pages/page-checks.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

const fresh = (what: string) => `${what}-${randomBytes(4).toString('hex')}`;

const openAsAdministrator = (page: Page, path: string) => enterConsole(page, ADMIN, path);
const expectAccessible = async (page: Page) => expect(await violations(page)).toEqual([]);
const done = (page: Page) => page.getByRole('status').first();

/** Fills a new API's required fields; returns its id. */
async function fillInApi(page: Page, name: string): Promise<string> {
  const id = fresh('api');
  await openAsAdministrator(page, '/admin/apis/new');
  await expectAccessible(page);
  await page.getByLabel('Id', { exact: true }).fill(id);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel(/^Address/).fill(`https://api.example/${id}`);
  return id;
}

test('an API is created, edited with a warning about consequences, and deleted', async ({ page, world }) => {
  const id = await fillInApi(page, 'Parcels');
  await page.locator('[name="scopes.name"]').first().fill('parcels:read');
  await page.locator('[name="scopes.description"]').first().fill('See your parcels');
  await page.locator('form:has([name="scopes.name"]) button[type="submit"]').click();
  await expect(done(page)).toContainText('The API is created');
  await expect(page).toHaveTitle('Parcels · APIs · Gatehouse');
  await expectAccessible(page);

  await page.goto(`${world.baseUrl}/admin/apis/${id}/edit`);
  await expect(page).toHaveTitle('Settings · Parcels · APIs · Gatehouse');
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
  await expect(crumbs.getByRole('listitem')).toHaveText(['APIs', 'Parcels', 'Settings']);
  await page.getByLabel(/^Address/).fill(`https://api.example/${id}/v2`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Tokens get another audience')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Save anyway' }).click();
  await expect(done(page)).toContainText('The API is changed');
  await expect(page.getByText(`https://api.example/${id}/v2`)).toBeVisible();

  await page.goto(`${world.baseUrl}/admin/apis/${id}/delete`);
  await page.getByRole('button', { name: /^Delete/ }).click();
  await expect(done(page)).toContainText('The API is deleted');
  expect((await page.goto(`${world.baseUrl}/admin/apis/${id}`))?.status()).toBe(404);
});

test('the brand page of the built-in API shows a refusal', async ({ page, world }) => {
  await openAsAdministrator(page, '/admin/apis/management/brand');
  await expect(page.locator('.refusal')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Save brand' })).toHaveCount(0);
  await page.goto(`${world.baseUrl}/admin/apis/${world.api.id}/brand`);
  await expect(page.getByRole('button', { name: 'Save brand' })).toBeVisible();
});

test('an introspection secret is shown once', async ({ page }) => {
  await fillInApi(page, 'Letters');
  await page.locator('form:has([name="scopes.name"]) button[type="submit"]').click();
  await page.getByRole('link', { name: 'Create credentials…' }).click();
  await page.getByRole('button', { name: 'Create new credentials' }).click();
  // the secret is shown in place, or on a separate page if the click came before the script
  const secret = page.locator('code', { hasText: /^ghcs_/ });
  await expect(secret).toBeVisible();
  const value = (await secret.textContent()) ?? '';
  expect(value.length).toBeGreaterThan(30);
  await page.reload();
  await expect(page.getByText(value)).toHaveCount(0);
});

test('the form of a new sign-in method shows the settings of its type, and an invalid value is marked', async ({
  page,
  world,
}) => {
  const id = fresh('campus');
  await openAsAdministrator(page, '/admin/auth-methods/new?type=external');
  await expectAccessible(page);
  await page.locator('[name="id"]').fill(id);
  await page.locator('[name="name"]').fill('Another campus');
  await page.locator('[name="secret"]').fill(fresh('token'));
  const address = page.locator('[name="config.verify_url"]');
  await address.fill('http://campus.example/verify');
  await page.getByRole('button', { name: 'Add method' }).click();
  await expect(address).toHaveAttribute('aria-invalid', 'true');
  await address.fill('https://campus.example/verify');
  await page.getByRole('button', { name: 'Add method' }).click();
  await expect(done(page)).toContainText('The sign-in method is created');
  await expectAccessible(page);
  await page.goto(`${world.baseUrl}/admin/auth-methods`);
  await expect(page.getByText(id)).toBeVisible();
  await expectAccessible(page);
});

test('an administrator finds a user, grants a role, disables the user and deletes the user', async ({
  page,
  person,
  world,
}) => {
  await openAsAdministrator(page, '/admin/people');
  await expectAccessible(page);
  await page.getByRole('searchbox').fill(person.email);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('link', { name: person.name }).click();
  await expectAccessible(page);
  const tab = (name: string) =>
    page.getByRole('navigation', { name: person.name }).getByRole('link', { name, exact: true });
  // an address of the time before the tabs
  await page.goto(`${world.baseUrl}/admin/people/${person.id}#sessions`);
  await expect(page.locator('.tabs a:target')).toHaveText('Sign-in');
  await expect(page.locator('.tabs a:target')).toBeFocused();
  await tab('Roles and groups').click();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Grant role… Developer' }).click();
  await expect(page.getByText('What this role involves')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Grant role' }).click();
  await expect(done(page)).toContainText('The role is granted');
  await tab('Overview').click();
  await page.getByRole('link', { name: /^Disable person/ }).click();
  await expect(page.getByText('What this ends')).toBeVisible();
  await expect(page.getByText('The person is a developer.')).toBeVisible();
  await page.getByRole('link', { name: 'Keep as it is' }).click();
  await page.getByRole('link', { name: /^Disable person/ }).click();
  await page.getByRole('button', { name: 'Disable person' }).click();
  await expect(done(page)).toContainText('The person is disabled');
  await page.goto(`${world.baseUrl}/admin/people/${person.id}/disable`);
  await expect(page.getByText('This person is already disabled.')).toBeVisible();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('link', { name: /^Delete person/ }).click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Delete person permanently' }).click();
  await expect(done(page)).toContainText('The person is deleted');
});

test.describe('with JavaScript switched off', () => {
  test.use({ javaScriptEnabled: false });

  test('if another tab changes a user while a confirmation is open, the confirmation appears again with the new changes', async ({
    page,
    person,
    world,
  }) => {
    await openAsAdministrator(page, `/admin/people/${person.id}/disable`);
    const other = await page.context().newPage();
    await other.goto(`${world.baseUrl}/admin/people/${person.id}/grant-developer`);
    await other.getByRole('button', { name: 'Grant role' }).click();
    await page.getByRole('button', { name: 'Disable person' }).click();
    await expect(page.getByText('New since you opened this page')).toBeVisible();
    await expect(page.getByText('The person is a developer.')).toBeVisible();
    await other.goto(page.url());
    await page.getByRole('button', { name: 'Disable person' }).click();
    await expect(done(page)).toContainText('The person is disabled');
    await other.reload();
    await expect(other.getByText('This person is already disabled.')).toBeVisible();
  });

  test('adding a user succeeds, and a duplicate address is rejected', async ({ page, person }) => {
    await openAsAdministrator(page, '/admin/people/new');
    await page.getByLabel('Email').fill(person.email);
    await page.getByRole('button', { name: 'Add person' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'already exists' })).toBeVisible();
    await page.getByLabel('Email').fill(`${fresh('new')}@example.com`);
    await page.getByRole('button', { name: 'Add person' }).click();
    await expect(done(page)).toContainText('The person is created');
  });
});

test('an administrator signs a user out everywhere', async ({ page, world, person, browser }) => {
  const theirs = await browser.newContext();
  try {
    const other = await theirs.newPage();
    await enterConsole(other, person, '/account');
    await expect(other.getByRole('heading', { name: 'Your account' })).toBeVisible();

    await openAsAdministrator(page, `/admin/sessions?person=${person.id}`);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Sign out everywhere' }).click();
    await expect(page.getByText('1 sign-in ends, in every browser.')).toBeVisible();
    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await expect(done(page)).toContainText('signed out everywhere');
    await other.goto(`${world.baseUrl}/account`);
    await expect(other.getByRole('heading', { name: 'Sign in', exact: true })).toBeVisible();
  } finally {
    await theirs.close();
  }
});

test('to retire a key, an administrator must confirm the consequences', async ({
  page,
  world,
  person,
  shop,
}) => {
  // the first token creates the first signing key
  const client = await world.givenClient({
    kind: 'native',
    trusted: true,
    redirectUris: [`${shop.origin}/cb`],
  });
  const token = await page.request.post(`${world.issuer}/token`, {
    form: {
      grant_type: 'password',
      client_id: client.clientId,
      username: person.email,
      password: person.password,
    },
  });
  expect(token.status(), await token.text()).toBe(200);
  await openAsAdministrator(page, '/admin/keys');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Rotate keys' }).click();
  await expect(done(page)).toContainText('A new key');
  // the next key has signed no token, so retiring it cannot affect other tests
  const next = page.getByRole('listitem').filter({ hasText: 'signs next' }).first();
  await next.getByRole('link', { name: /^Retire/ }).click();
  await expect(page.getByText('it has not signed any tokens yet')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Retire key' }).click();
  await expect(done(page)).toContainText('The key is retired');
});

test('the audit log shows actor, action, subject, old and new values', async ({ page, world, person }) => {
  await openAsAdministrator(page, `/admin/people/${person.id}`);
  await page.getByLabel('Name', { exact: false }).first().fill('Somebody Else');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(done(page)).toContainText('The person is changed');
  await page.getByRole('link', { name: 'Events about this person' }).click();
  const event = page.getByRole('listitem').filter({ hasText: 'person.changed' }).first();
  await expect(event.getByRole('link', { name: ADMIN.email })).toBeVisible();
  await event.getByText('Details').click();
  await expect(event.locator('del')).toHaveText(person.name);
  await expect(event.locator('ins')).toHaveText('Somebody Else');
  await expectAccessible(page);
  await page.goto(`${world.baseUrl}/admin/audit?person=nobody@nowhere.example&since=yesterday`);
  await expect(page.getByText('No one has the address nobody@nowhere.example.')).toBeVisible();
  await expect(page.getByText('yesterday is not a valid time.')).toBeVisible();
});
