// "Why?" pages of clients and APIs: steps and token for the current user or another user. Tested with JavaScript
// enabled and disabled.
import { enterConsole, giveClient } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide } from '../../support/pages/page-checks.ts';
import { makePerson } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled });

    test('an administrator checks the access of a user and sees the failing step with its solution', async ({
      page,
      world,
      shop,
    }) => {
      const client = await world.givenClient({ redirectUris: [`${shop.origin}/cb`] });
      const person = await world.givenPerson();
      await enterConsole(page, ADMIN, `/admin/clients/${client.clientId}/why`);
      await page.getByLabel('API', { exact: true }).selectOption(world.api.id);
      await page.getByText('A person’s token', { exact: true }).click();
      await page.getByLabel('Email').fill(person.email);
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await expect(
        page.getByRole('heading', { name: 'Yes, the application would get a token' }),
      ).toBeVisible();
      const steps = page.getByRole('list', { name: 'Steps' });
      await expect(steps).toContainText('The person is asked for consent.');
      await expect(page.getByText(`"client_id": "${client.clientId}"`)).toBeVisible();
      await page.getByLabel('Scope').fill('no-such-scope');
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await expect(page.getByRole('heading', { name: 'No, the request would be rejected' })).toBeVisible();
      await expect(steps.getByRole('listitem').last()).toContainText('Request scopes that the API has');
      await page.getByLabel('Scope').fill('');
      await page.getByText('With a refresh token', { exact: true }).click();
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await expect(steps).toContainText('The client has no refresh token of this person.');
      await page.getByText('With another token', { exact: true }).click();
      await page.getByLabel('The application acts for the person').check();
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await expect(steps.getByRole('listitem').last()).toContainText('has not allowed it to act');
      await expect(page.getByLabel('The application acts for the person')).toBeChecked();
      await picture(page, `why-${javaScriptEnabled ? 'script' : 'plain'}`);
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await tooWide(page)).toEqual([]);
    });

    test('the pages of an API and a subscription link to “Why?” with a preselected client', async ({
      page,
      world,
      shop,
    }) => {
      const client = await world.givenClient({ redirectUris: [`${shop.origin}/cb`] });
      const { id } = world.api;
      await enterConsole(page, ADMIN, `/admin/apis/${id}`);
      await page.getByRole('link', { name: 'Why?' }).click();
      await page.getByLabel('Application', { exact: true }).selectOption(client.clientId);
      await page.getByText('The application’s token').click();
      await page.getByRole('button', { name: 'Explain', exact: true }).click();
      await expect(page.getByRole('heading', { name: 'No, the request would be rejected' })).toBeVisible();
      await expect(page.getByLabel('Application', { exact: true })).toHaveValue(client.clientId);
      await page.goto(`${world.baseUrl}/admin/subscriptions/${client.clientId}/${id}`);
      await page.getByRole('link', { name: 'Why?' }).click();
      await expect(page).toHaveURL(`${world.baseUrl}/admin/apis/${id}/why?client=${client.clientId}`);
      await expect(page.getByRole('list', { name: 'Steps' })).toBeVisible();
      const developer = await makePerson('developer');
      await giveClient(client.clientId, developer);
      await page.context().clearCookies();
      await enterConsole(page, developer, `/developer/clients/${client.clientId}/apis/${id}`);
      await page.getByRole('link', { name: 'Why?' }).first().click();
      await expect(page.getByLabel('API', { exact: true })).toHaveValue(id);
      await expect(page.getByRole('list', { name: 'Steps' })).toBeVisible();
      await page.setViewportSize({ width: 320, height: 800 });
      expect(await tooWide(page)).toEqual([]);
    });

    test('every breadcrumb link of an approver’s page “Why?” leads to a page that approvers can open', async ({
      page,
      world,
    }) => {
      await enterConsole(page, await makePerson('approver'), `/admin/apis/${world.api.id}/why`);
      const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' });
      await expect(crumbs.getByRole('listitem')).toHaveCount(3);
      const links = await crumbs
        .getByRole('link')
        .evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? ''));
      expect(links).toEqual(['/admin/subscriptions']);
      for (const link of links) expect((await page.goto(world.baseUrl + link))?.status(), link).toBe(200);
    });
  });
