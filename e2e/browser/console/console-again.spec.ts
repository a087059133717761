// Sensitive forms require a sign-in within 15 minutes. Typed input survives the new sign-in (case AD-12).
import type { Page } from '@playwright/test';
import type { Person } from '#testing/data/world.ts';
import { codeOf, wrongCodeOf } from '#testing/factors/factors.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

/** Moves the person's sign-in into the past by this number of minutes. */
async function ageSignIn(person: Person, minutes: number): Promise<void> {
  await sql('update sessions set auth_time = now() - make_interval(mins => $2) where person_id = $1', [
    person.id,
    minutes,
  ]);
}

async function signInAgain(page: Page, person: Person): Promise<void> {
  await expect(page.getByRole('heading', { level: 1, name: 'Please confirm that it is you' })).toBeVisible();
  await page.getByLabel('Password').fill('not this one');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('alert').first()).toBeVisible();
  await page.getByLabel('Password').fill(person.password);
  await page.getByRole('button', { name: 'Continue' }).click();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('AD-12: an approval 16 minutes after the sign-in requires a new one, returns to the request, and succeeds', async ({
      page,
    }) => {
      const approver = await makePerson('approver');
      const client = await makeClient({ trusted: true, state: 'pending' });
      const address = `/admin?${new URLSearchParams({ client: client.clientId, api: 'orders' })}`;
      await enterConsole(page, approver, address);
      await ageSignIn(approver, 16);
      await page.getByRole('button', { name: 'Approve', exact: true }).click();
      await page.getByRole('button', { name: 'Approve as trusted' }).click();
      await signInAgain(page, approver);
      await expect(page.getByText('Check your entries, then send the form.')).toBeVisible();
      await page.getByRole('button', { name: 'Approve as trusted' }).click();
      await expect(page.getByRole('status').first()).toContainText(
        /Approved: .+ → .+\. It takes effect immediately/,
      );
    });

    test('AD-12: a sensitive form keeps its input during sign-in', async ({ page, world }) => {
      const administrator = await makePerson('administrator');
      await enterConsole(page, administrator, '/admin/people/new');
      await ageSignIn(administrator, 16);
      const email = `new-${Date.now()}-${javaScriptEnabled}@example.com`;
      await page.getByLabel('Email').fill(email);
      await page.getByLabel('Name').fill('Somebody New');
      await page.getByRole('checkbox', { name: 'Approver' }).check();
      await page.getByRole('button', { name: 'Add person' }).click();
      await signInAgain(page, administrator);
      await expect(page).toHaveURL(new RegExp(`^${world.baseUrl}/admin/people/new`));
      await expect(page.getByLabel('Email')).toHaveValue(email);
      await expect(page.getByLabel('Name')).toHaveValue('Somebody New');
      await expect(page.getByRole('checkbox', { name: 'Approver' })).toBeChecked();
      await page.getByRole('button', { name: 'Add person' }).click();
      await expect(page.getByRole('status').first()).toContainText('The person is created');
    });
  });
}

test('AD-12: after the new sign-in, the return address leads only to the console', async ({ page }) => {
  const developer = await makePerson('developer');
  await enterConsole(page, developer, '/account/again?to=https://evil.example/');
  await page.getByLabel('Password').fill(developer.password);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page).toHaveURL(`${nodeDoor.url}/account`);
});

test('AD-12: a wrong second-factor code shows an error and keeps the input of the console form', async ({
  page,
}) => {
  const administrator = await makePerson('administrator');
  await enterConsole(page, administrator, '/account/security/add');
  const secret = (await page.locator('.app-secret code').innerText()).replaceAll(' ', '');
  await page.getByLabel('Code').fill(codeOf(secret));
  await page.getByRole('button', { name: 'Set up the app' }).click();
  await expect(page.getByRole('heading', { name: 'Your recovery codes' })).toBeVisible();
  await page.goto(`${nodeDoor.url}/admin/people/new`);
  await ageSignIn(administrator, 16);
  const email = `kept-${Date.now()}@example.com`;
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Add person' }).click();
  await signInAgain(page, administrator);
  await expect(page.getByRole('heading', { level: 1, name: 'Confirm it is you' })).toBeVisible();
  for (const [code, words] of [
    ['12', 'The code has six digits.'],
    [wrongCodeOf(secret), 'not right'],
  ] as const) {
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Continue' }).click();
    await expect(page.getByRole('alert').first()).toContainText(words);
  }
  await page.getByLabel('Code').fill(codeOf(secret, 1));
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByLabel('Email')).toHaveValue(email);
});
