// Global search by keyboard, with and without script: names open pages, tokens are inspected and never stored.
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { sql } from '../../support/service/database.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };
/** A token that no key of Gatehouse signed. */
const TOKEN = [
  { alg: 'ES256', kid: 'elsewhere', typ: 'at+jwt' },
  { sub: 'someone', exp: 1_700_000_000 },
]
  .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
  .concat('c2lnbmF0dXJl')
  .join('.');

const field = (page: Page) => page.getByRole('textbox', { name: 'Find anything' });
const asked = (page: Page) => page.getByRole('textbox', { name: 'What are you looking for?' });

for (const script of [true, false])
  test.describe(script ? 'with a script' : 'without a script', () => {
    test.use({ javaScriptEnabled: script });

    test('a search for an id opens the page of its object, and a search for a prefix opens a result page, also repeatedly', async ({
      page,
      world,
      client,
    }) => {
      await enterConsole(page, ADMIN, '/admin/keys');
      await field(page).fill(client.clientId);
      await field(page).press('Enter');
      await expect(page).toHaveURL(`${world.baseUrl}/admin/clients/${client.clientId}`);
      // the same page, whose form was submitted earlier
      await page.goBack();
      await field(page).fill(client.clientId.slice(0, -3));
      await field(page).press('Enter');
      await expect(page).toHaveURL(/\/admin\/find\?q=/);
      await expect(
        page.getByRole('region', { name: 'Applications' }).getByRole('link').first(),
      ).toBeVisible();
      expect(await asked(page).inputValue()).toBe(client.clientId.slice(0, -3));
    });

    test('an inspected token appears in no address, page or table row', async ({ page, world }) => {
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      await enterConsole(page, ADMIN, '/admin/keys');
      await field(page).fill(TOKEN);
      await field(page).press('Enter');
      await expect(page.getByRole('heading', { name: 'This token has expired' })).toBeVisible();
      await expect(
        page.getByText('The token was not signed by a published key of this service'),
      ).toBeVisible();
      await expect(page.getByText('1700000000 (2023-11-14T22:13:20.000Z)')).toBeVisible();
      expect(await page.content()).not.toContain(TOKEN.slice(0, 40));
      expect(addresses.filter((address) => address.includes(TOKEN.slice(0, 40)))).toEqual([]);
      const kept = await sql('select 1 from audit_events e where e::text like $1', [`%${TOKEN.slice(-30)}%`]);
      expect(kept).toEqual([]);
      if (script) {
        expect(await violations(page)).toEqual([]);
        await picture(page, 'find-token');
      }
      await page.getByRole('link', { name: 'Find something else' }).click();
      await expect(page).toHaveURL(`${world.baseUrl}/admin/find`);
      await page.goto(`${world.baseUrl}/admin/find?q=${TOKEN}`);
      await expect(page.getByText('must not be part of an address. It was removed')).toBeVisible();
      expect(page.url()).not.toContain(TOKEN.slice(0, 40));
      expect(await page.locator('main').innerHTML()).not.toContain(TOKEN.slice(0, 40));
    });
  });

test('the key / moves the focus to the search field, unless the user is typing or disabled the key', async ({
  page,
  world,
}) => {
  await enterConsole(page, ADMIN, '/admin/find');
  await asked(page).press('/');
  await expect(asked(page)).toHaveValue('/');
  await asked(page).blur();
  await expect(async () => {
    await page.keyboard.press('/');
    await expect(field(page)).toBeFocused({ timeout: 1_000 });
  }).toPass();
  await expect(field(page)).toHaveValue('');
  await field(page).blur();
  await page.getByLabel('Press / to search').uncheck();
  await page.getByLabel('Press / to search').blur();
  await page.keyboard.press('/');
  await expect(field(page)).not.toBeFocused();
  await page.goto(`${world.baseUrl}/admin/find`);
  await expect(page.getByLabel('Press / to search')).not.toBeChecked();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`the search page passes axe and fits 320 px, ${colorScheme}`, async ({ page, world }) => {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await enterConsole(page, ADMIN, '/admin/find');
    expect(await violations(page)).toEqual([]);
    await page.goto(`${world.baseUrl}/admin/find?q=orders`);
    await expect(page.getByText('exact match')).toBeVisible();
    expect(await violations(page)).toEqual([]);
    await picture(page, `find-${colorScheme}`);
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await contrastFaults(page)).toEqual([]);
    expect(await tooWide(page)).toEqual([]);
    await page.locator('.console-menu > summary').click();
    await expect(field(page)).toBeVisible();
    expect(await tooWide(page)).toEqual([]);
    await picture(page, `find-phone-${colorScheme}`);
  });
