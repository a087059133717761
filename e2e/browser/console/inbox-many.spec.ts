// Bulk decisions on sixty requests: names of changed requests, undo.
import type { Page } from '@playwright/test';
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

const statesOf = async (api: string) => {
  const rows = await sql<{ state: string; count: number }>(
    'select state, count(*)::int as count from subscriptions where api_id = $1 group by state order by state',
    [api],
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
};
const select = (page: Page, name: string) => page.getByRole('checkbox', { name: `Select ${name} → Billing` });
const late = (api: string) =>
  sql("update subscription_events set at = at - interval '11 seconds' where api_id = $1", [api]);

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('an approver decides sixty requests: fifty together, then ten', async ({ page }) => {
      const { api } = await givenRequests(60, oneOfThree);
      await enterConsole(page, await makePerson('approver'), `/admin/approvals?at=${api}`);
      await page.getByRole('link', { name: 'Select all' }).click();
      await button(page, 'Approve selected…').click();
      await expect(page.getByRole('heading', { name: 'Approve 50 requests?' })).toBeVisible();
      await expect(page.getByText('17 of these trusted:')).toBeVisible();
      expect(await statesOf(api)).toEqual({ pending: 60 });
      await button(page, 'Approve 50 requests').click();
      await expect(page.getByText(/^Approved: 50 requests\./)).toBeVisible();
      expect(await statesOf(api)).toEqual({ approved: 50, pending: 10 });
      await expect(requests(page)).toHaveText(teams(51, 60));
      await page.getByRole('link', { name: 'Select all' }).click();
      await select(page, 'Team 51').uncheck();
      await button(page, 'Reject selected…').click();
      await expect(page.getByRole('heading', { name: 'Reject 9 requests?' })).toBeVisible();
      await page.getByLabel('Reason for rejection').fill('Ask for less.');
      await button(page, 'Reject 9 requests').click();
      await expect(page.getByText(/^Rejected: 9 requests\./)).toBeVisible();
      expect(await statesOf(api)).toEqual({ approved: 50, pending: 1, rejected: 9 });
    });

    test('requests that another approver decided are named, and the remaining requests are decided', async ({
      page,
    }) => {
      const { api, team } = await givenRequests(4);
      await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
      await button(page, 'Approve selected…').click();
      await expect(page.getByText('Select at least one request.')).toBeVisible();
      for (const name of teams(1, 3)) await select(page, name).check();
      const decidedBy = (n: number) =>
        sql(
          `with taken as (update subscriptions set state = 'rejected', version = version + 1 where client_id = $1)
           insert into subscription_events (client_id, api_id, from_state, to_state, trusted, actor)
           values ($1, $2, 'pending', 'rejected', false, 'fast@example.com')`,
          [`${team}-${n}`, api],
        );
      await decidedBy(1);
      await button(page, 'Approve selected…').click();
      await expect(
        page.getByText(/Team 1 → Billing: fast@example.com decided first \(rejected, /),
      ).toBeVisible();
      await expect(page.getByRole('heading', { name: 'Approve 2 requests?' })).toBeVisible();
      await decidedBy(2);
      await button(page, 'Approve 2 requests').click();
      await expect(page.getByText(/^Approved: 1 request\./)).toBeVisible();
      await expect(page.getByText(/Team 2 → Billing: fast@example.com decided first/)).toBeVisible();
      expect(await statesOf(api)).toEqual({ approved: 1, pending: 1, rejected: 2 });
    });

    test('decisions about one or many requests can be undone, and an undo after the time limit shows a message', async ({
      page,
    }) => {
      const { api } = await givenRequests(5);
      await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
      await button(page, 'Approve').click();
      await expect(page.getByText(/^Approved: Team 1 → Billing\./)).toBeVisible();
      await button(page, 'Undo').click();
      await expect(page.getByText(/^Undone: Team 1 → Billing\./)).toBeVisible();
      await expect(page.getByRole('heading', { name: 'Team 1 → Billing' })).toBeVisible();
      expect(await statesOf(api)).toEqual({ pending: 5 });
      for (const name of teams(2, 4)) await select(page, name).check();
      await button(page, 'Approve selected…').click();
      await button(page, 'Approve 3 requests').click();
      await expect(page.getByText(/^Approved: 3 requests\./)).toBeVisible();
      await button(page, 'Undo').click();
      await expect(page.getByText(/^Undone: 3 requests\./)).toBeVisible();
      expect(await statesOf(api)).toEqual({ pending: 5 });
      await page.goto(`${new URL(page.url()).origin}/admin/approvals?at=${api}`);
      await button(page, 'Approve').click();
      await expect(button(page, 'Undo')).toBeVisible();
      await late(api);
      await button(page, 'Undo').click();
      await expect(page.getByText(/Nothing was undone\. more than 10 seconds have passed/i)).toBeVisible();
      expect(await statesOf(api)).toEqual({ approved: 1, pending: 4 });
    });
  });
}

test('inbox: selection, confirmation and notice pass axe, also on a small phone', async ({ page }) => {
  const { api, team } = await givenRequests(6, oneOfThree);
  await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}&select=all`);
  await picture(page, 'inbox-many');
  await button(page, 'Approve selected…').click();
  await expect(page.getByRole('heading', { name: 'Approve 6 requests?' })).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await picture(page, `inbox-many-confirm-${colorScheme}`);
  }
  const wide = page.viewportSize() ?? { width: 1280, height: 720 };
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await tooWide(page)).toEqual([]);
  await sql("update subscriptions set version = version + 1, state = 'rejected' where client_id = $1", [
    `${team}-2`,
  ]);
  await button(page, 'Approve 6 requests').click();
  await expect(page.getByText(/^Approved: 5 requests\./)).toBeVisible();
  expect(await tooWide(page)).toEqual([]);
  await picture(page, 'inbox-many-phone');
  await page.setViewportSize(wide);
  expect(await violations(page)).toEqual([]);
});
