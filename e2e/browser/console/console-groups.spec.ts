// A group that controls a scope of an API: an administrator creates the group, assigns it to the scope, and
// manages its members in the console.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { passwordGrant } from '#testing/service/token.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { violations } from '../../support/pages/page-checks.ts';
import { makeApi, makeClient } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

const expectAccessible = async (page: Page) => expect(await violations(page)).toEqual([]);
const done = (page: Page) => page.getByRole('status').first();

test('an administrator creates a group for a scope, and members have the scope until their removal', async ({
  page,
  person,
  world,
}) => {
  const api = await makeApi();
  const client = await makeClient({ kind: 'native', trusted: true, apis: [api.id] });
  const scopes = async () => {
    const answer = await passwordGrant(nodeDoor, client, person, {}, { at: { api: api.id } });
    return String(answer.json()['scope'] ?? '').split(' ');
  };
  const id = `editors-${randomBytes(4).toString('hex')}`;
  await enterConsole(page, ADMIN, '/admin/groups/new');
  await expectAccessible(page);
  await page.getByLabel('Id', { exact: true }).fill(id);
  await page.getByLabel('Name', { exact: true }).fill('Editors');
  await page.locator('[name="from.auth_method"]').first().selectOption('brk');
  await page.getByRole('button', { name: 'Add group' }).click();
  await expect(page.locator('[name="from.claim"]').first()).toHaveAttribute('aria-invalid', 'true');
  await page.locator('[name="from.claim"]').first().fill('groups');
  await page.locator('[name="from.values"]').first().fill('CN=Editors,DC=example\neditors');
  await page.getByRole('button', { name: 'Add group' }).click();
  await expect(done(page)).toContainText('The group is created');
  await expect(page.getByText('CN=Editors,DC=example')).toBeVisible();
  await expectAccessible(page);

  await page.goto(`${world.baseUrl}/admin/apis/${api.id}/edit`);
  await page.locator('[name="scopes.groups"]').first().fill(`${id} nobody-knows`);
  const [scope = ''] = await page
    .locator('[name="scopes.name"]')
    .evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('there is no group nobody-knows')).toBeVisible();
  await page.locator('[name="scopes.groups"]').first().fill(id);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('other people can have these scopes')).toBeVisible();
  await page.getByRole('button', { name: 'Save anyway' }).click();
  await expect(done(page)).toContainText('The API is changed');
  expect(await scopes()).not.toContain(scope);

  await page.goto(`${world.baseUrl}/admin/groups/${id}`);
  await expect(page.getByText(`scope ${scope}`)).toBeVisible();
  await page.getByLabel('Person').fill(person.id);
  await page.getByRole('button', { name: 'Add to group' }).click();
  await expect(done(page)).toContainText('The person was added to the group manually');
  expect(await scopes()).toContain(scope);
  // the API form preserves unchanged values
  await page.goto(`${world.baseUrl}/admin/apis/${api.id}/edit`);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(done(page)).toContainText('The API is changed');

  await page.goto(`${world.baseUrl}/admin/groups/${id}/delete`);
  await expect(page.getByText(`Used by APIs: ${api.id}`)).toBeVisible();
  await page.goto(`${world.baseUrl}/admin/people/${person.id}/access`);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Remove from group Editors' }).click();
  await expect(done(page)).toContainText('manual membership in the group was removed');
  expect(await scopes()).not.toContain(scope);
});
