// A developer answers three questions to register an application, with and without script, then chooses an API.
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { enterConsole, giveClient } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const NEW = '/developer/clients/new';
const SIZES = [
  [1280, 900],
  [390, 844],
  [320, 640],
] as const;

/** Checks the page in every size, in light and dark mode. */
async function look(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    for (const [width, height] of SIZES) {
      await page.setViewportSize({ width, height });
      expect(await violations(page)).toEqual([]);
      expect(await tooWide(page)).toEqual([]);
      await picture(page, `register-${name}-${width}-${colorScheme}`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

const send = (page: Page) => page.getByRole('button', { name: 'Register', exact: true }).click();

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('registration of a server application asks three questions, shows the secret as .env file, and offers APIs', async ({
      page,
    }) => {
      await enterConsole(page, await makePerson('developer'), NEW);
      await expect(page.getByRole('radio').filter({ visible: true })).toHaveCount(4);
      await expect(page.getByLabel('Client id')).toBeHidden();
      await page.getByRole('radio', { name: 'On a server' }).check();
      await page.getByLabel('Name', { exact: true }).fill('Counter');
      await send(page);
      await expect(page.getByText('Enter the address that people return to after signing in.')).toBeVisible();
      await expect(page.getByLabel('Name', { exact: true })).toHaveValue('Counter');
      await expect(page.getByRole('radio', { name: 'On a server' })).toBeChecked();
      await page.getByLabel('redirect address 1').fill('localhost:3000/callback');
      await send(page);
      await expect(page.getByText('Did you mean http://localhost:3000/callback?')).toBeVisible();
      await expect(page.getByLabel('redirect address 1')).toHaveValue('localhost:3000/callback');
      if (javaScriptEnabled) await look(page, 'fault');
      await page.getByLabel('redirect address 1').fill('http://localhost:3000/callback');
      await page.getByText('Advanced', { exact: true }).click();
      await page.getByLabel('Client id').fill('orders');
      await send(page);
      await expect(page.locator('.fault', { hasText: 'is already used' })).toBeVisible();
      const clientId = `counter-${crypto.randomUUID().slice(0, 8)}`;
      await page.getByLabel('Client id').fill(clientId);
      await send(page);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('The application is registered');
      const secret = await page.getByRole('definition').locator('code').last().textContent();
      if (javaScriptEnabled) await look(page, 'secret');
      else await picture(page, 'register-secret-no-script');
      const downloading = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Download as a file' }).click();
      const download = await downloading;
      expect(download.suggestedFilename()).toBe(`${clientId}.env`);
      const kept = await download.path();
      expect(await readFile(kept, 'utf8')).toBe(`CLIENT_ID=${clientId}\nCLIENT_SECRET=${secret}\n`);
      await expect(page.getByRole('link', { name: 'I’ve saved it' })).toBeVisible();
      await page.getByRole('link', { name: 'Choose an API' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('API catalogue');
      await expect(page.getByLabel('Application')).toHaveValue(clientId);
    });

    test('registration asks a background application for no redirect URI, and shows a browser application no secret', async ({
      page,
    }) => {
      await enterConsole(page, await makePerson('developer'), NEW);
      await page.getByRole('radio', { name: 'In the background' }).check();
      await expect(page.getByLabel('redirect address 1')).toBeHidden();
      await page.getByText('Advanced', { exact: true }).click();
      await expect(page.getByRole('radio', { name: 'With its own key pair' })).toBeVisible();
      await page.getByRole('radio', { name: 'In the browser' }).check();
      await expect(page.getByLabel('redirect address 1')).toBeVisible();
      await expect(page.getByLabel('origin 1')).toBeVisible();
      await expect(page.getByRole('radio', { name: 'With its own key pair' })).toBeHidden();
      await expect(page.getByLabel('Back-channel sign-out address')).toBeHidden();
      await page.getByRole('radio', { name: 'In the background' }).check();
      const name = `Nightly ${crypto.randomUUID()}`;
      await page.getByLabel('Name', { exact: true }).fill(name);
      await send(page);
      await page.getByRole('link', { name: 'I’ve saved it' }).click();
      await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
      expect(await sql('select confidential, redirect_uris from clients where name = $1', [name])).toEqual([
        { confidential: true, redirect_uris: [] },
      ]);
    });
  });
}

test('the redirect URI placeholder matches the platform, a suggested URL is one click away, and the pages pass axe', async ({
  page,
}) => {
  await enterConsole(page, await makePerson('developer'), NEW);
  await look(page, 'empty');
  await page.getByRole('radio', { name: 'On a phone or desktop' }).check();
  const address = page.getByLabel('redirect address 1');
  await expect(address).toHaveAttribute('placeholder', 'com.example.app:/callback');
  await page.getByRole('radio', { name: 'On a server' }).check();
  await expect(address).toHaveAttribute('placeholder', 'https://shop.example/callback');
  await address.fill('localhost/callback');
  await page.getByRole('button', { name: 'Use http://localhost/callback' }).click();
  await expect(address).toHaveValue('http://localhost/callback');
  await expect(page.locator('.fault', { hasText: 'Must be' })).toHaveCount(0);
  await page.getByText('Advanced', { exact: true }).click();
  await look(page, 'advanced');
});

test('the page of a client without a redirect URI shows a message, and the playground’s URI can be removed', async ({
  page,
}) => {
  const owner = await makePerson('developer');
  const { clientId } = await makeClient({ kind: 'browser' });
  await giveClient(clientId, owner);
  const set = (...uris: string[]) =>
    sql('update clients set redirect_uris = $2 where client_id = $1', [clientId, uris]);
  await set('https://shop.example/callback', `${nodeDoor.url}/developer/playground`);
  const path = `/developer/clients/${clientId}`;
  await enterConsole(page, owner, path);
  await expect(page.getByText('The console’s playground returns to this address.')).toBeVisible();
  await page.getByRole('button', { name: 'Remove the playground’s address' }).click();
  await expect(page.getByText('Removing this address has consequences')).toBeVisible();
  if (process.env['E2E_SCREENSHOTS']) await look(page, 'playground');
  await page.getByRole('button', { name: 'Remove anyway' }).click();
  await expect(page.getByText('The playground’s address is removed.')).toBeVisible();
  await expect(page.getByText('returns to this address')).toHaveCount(0);
  await expect(page.getByText('https://shop.example/callback')).toBeVisible();
  await set();
  await page.goto(nodeDoor.url + path);
  await expect(page.getByText('None. The application cannot send people to the sign-in page.')).toBeVisible();
  await look(page, 'no-redirect');
  await page.getByRole('link', { name: 'Add redirect address' }).click();
  await expect(page.getByLabel('redirect address 1')).toBeVisible();
});
