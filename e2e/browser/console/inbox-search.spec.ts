// Inbox with sixty requests: search, filters, navigation, fixed button positions.
import type { BrowserContextOptions, Locator } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import {
  button,
  forgetRequests,
  givenRequests,
  oneOfThree,
  requests,
  teams,
} from '../../support/console/inbox.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makePerson, sql } from '../../support/service/database.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

test.afterEach(forgetRequests);

/** Waits until the style sheet is applied. */
const placeOf = async (of: Locator) => {
  await of.page().waitForLoadState('load');
  const { x, y } = (await of.boundingBox()) ?? { x: -1, y: -1 };
  return { x, y };
};

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('inbox: sixty requests are counted, sorted naturally, and paged in both directions', async ({
      page,
    }) => {
      const { api } = await givenRequests(60);
      await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
      await expect(page.getByText('60 pending requests')).toBeVisible();
      await expect(requests(page)).toHaveText(teams(1, 50));
      await page.getByRole('link', { name: 'Next page' }).click();
      await expect(requests(page)).toHaveText(teams(51, 60));
      await page.getByRole('link', { name: 'Previous page' }).click();
      await expect(requests(page)).toHaveText(teams(1, 50));
      await page.getByRole('searchbox').fill('Team 4');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page.getByText('11 pending requests')).toBeVisible();
      await expect(requests(page)).toHaveText(['Team 4', ...teams(40, 49)]);
      expect(new URL(page.url()).searchParams.get('at')).toBe(api);
      await page.getByRole('searchbox').fill('Nothing of this name');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page.getByRole('heading', { name: 'No matching requests' })).toBeVisible();
    });

    test('the inbox can be filtered for requests of one kind, and the approval of a trusted request requires confirmation', async ({
      page,
    }) => {
      const { api, team } = await givenRequests(6, oneOfThree);
      await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
      await page.getByLabel('Kind').selectOption('Trusted');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(requests(page)).toHaveText(['Team 1', 'Team 4']);
      await button(page, 'Approve').click();
      await expect(page.getByRole('heading', { name: 'Approve Team 1 as trusted?' })).toBeVisible();
      // a habitual second click approves nothing: it opens the same question with another draft
      const question = page.url();
      await button(page, 'Approve').click();
      await expect(page).not.toHaveURL(question);
      await expect(page.getByRole('heading', { name: 'Approve Team 1 as trusted?' })).toBeVisible();
      expect(await sql('select state from subscriptions where client_id = $1', [`${team}-1`])).toEqual([
        { state: 'pending' },
      ]);
      await button(page, 'Approve as trusted').click();
      await expect(page.getByText(/^Approved: Team 1 → Billing\./)).toBeVisible();
      await expect(requests(page)).toHaveText(['Team 4']);
      await page.getByLabel('Kind').selectOption('Machine');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(requests(page)).toHaveText(['Team 2', 'Team 5']);
    });

    test('inbox buttons keep their position for every request, before and after decisions', async ({
      page,
    }) => {
      const { api } = await givenRequests(6, oneOfThree);
      await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
      const [approve, reject] = [button(page, 'Approve'), page.getByText('Reject with a reason…')];
      const first = [await placeOf(approve), await placeOf(reject)];
      for (const name of teams(2, 4)) {
        await requests(page).filter({ hasText: name }).click();
        await expect(page.getByRole('heading', { name: `${name} → Billing` })).toBeVisible();
        expect([await placeOf(approve), await placeOf(reject)]).toEqual(first);
      }
      await requests(page).filter({ hasText: 'Team 3' }).click();
      await expect(page.getByRole('heading', { name: 'Team 3 → Billing' })).toBeVisible();
      await approve.click();
      await expect(page.getByText(/^Approved: Team 3 → Billing\./)).toBeVisible();
      expect([await placeOf(approve), await placeOf(reject)]).toEqual(first);
      await reject.click();
      expect(await placeOf(approve)).toEqual(first[0]);
    });
  });
}

test('the inbox passes axe in both themes and on a small phone', async ({ page }) => {
  const { api, team } = await givenRequests(23, (n) => (n === 1 ? 'trusted' : 'plain'));
  await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
  await button(page, 'Approve').click();
  await expect(page.getByRole('heading', { name: 'Approve Team 1 as trusted?' })).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await picture(page, `inbox-confirm-${colorScheme}`);
  }
  await button(page, 'Approve as trusted').click();
  await expect(page.getByText(/^Approved: Team 1 → Billing\./)).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await picture(page, `inbox-${colorScheme}`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await tooWide(page)).toEqual([]);
  await picture(page, 'inbox-phone');
  await page.goto(`${new URL(page.url()).origin}/admin/approvals?at=${api}&client=${team}-2&api=${api}`);
  expect(await tooWide(page)).toEqual([]);
  await picture(page, 'inbox-phone-request');
});

test('on a phone, nothing on the inbox page moves when the script starts', async ({ browser }) => {
  const { api } = await givenRequests(3);
  const person = await makePerson('administrator');
  const narrow = { viewport: { width: 390, height: 844 } };
  const shown = async (options: BrowserContextOptions) => {
    const context = await browser.newContext({ ...narrow, ...options });
    const page = await context.newPage();
    await enterConsole(page, person, `/admin/approvals?at=${api}`);
    const place = await placeOf(button(page, 'Approve selected…'));
    await context.close();
    return place;
  };
  expect(await shown({})).toEqual(await shown({ javaScriptEnabled: false }));
  const touched = { isMobile: true, hasTouch: true };
  expect(await shown(touched)).toEqual(await shown({ ...touched, javaScriptEnabled: false }));
});
