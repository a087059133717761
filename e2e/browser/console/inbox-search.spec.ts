// The inbox with sixty requests: searched, filtered, gone through, and decided by buttons that do not move.
import { randomBytes } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makeApi, makePerson, sql } from '../../support/service/database.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

const clients: string[] = [];
// the inbox of other tests is as it was
test.afterEach(async () => {
  await sql('delete from clients where client_id = any($1)', [clients.splice(0)]);
});

type Power = 'plain' | 'trusted' | 'machine';

const oneOfThree = (n: number): Power => (n % 3 === 1 ? 'trusted' : n % 3 === 2 ? 'machine' : 'plain');

/** Requests of one hour ago for an API of their own: Team 1, Team 2 and so on. */
async function givenRequests(count: number, powerOf: (n: number) => Power = () => 'plain') {
  const { id: api } = await makeApi({ name: 'Billing' });
  const team = `team${randomBytes(4).toString('hex')}`;
  for (let n = 1; n <= count; n += 1) {
    const clientId = `${team}-${n}`;
    clients.push(clientId);
    await sql(
      "insert into clients (client_id, name, confidential, application_type) values ($1, $2, true, 'web')",
      [clientId, `Team ${n}`],
    );
  }
  await sql(
    `insert into subscriptions (client_id, api_id, state, trusted, machine, created_at, updated_at)
     select id, $2, 'pending', power = 'trusted', power = 'machine', now() - interval '1 hour', now() - interval '1 hour'
     from unnest($1::text[], $3::text[]) as q (id, power)`,
    [clients, api, clients.map((_, at) => powerOf(at + 1))],
  );
  return { api, team };
}

const requests = (page: Page) => page.getByRole('list', { name: 'Requests' }).getByRole('link');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const teams = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, n) => `Team ${from + n}`);
const placeOf = async (of: Locator) => {
  const { x, y } = (await of.boundingBox()) ?? { x: -1, y: -1 };
  return { x, y };
};

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('sixty requests are counted, in the order of people, and gone through both ways', async ({
      page,
    }) => {
      const { api } = await givenRequests(60);
      await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
      await expect(page.getByText('60 requests wait')).toBeVisible();
      await expect(requests(page)).toHaveText(teams(1, 20));
      await page.getByRole('link', { name: 'Next page' }).click();
      await expect(requests(page)).toHaveText(teams(21, 40));
      await page.getByRole('link', { name: 'Next page' }).click();
      await expect(requests(page)).toHaveText(teams(41, 60));
      await page.getByRole('link', { name: 'Previous page' }).click();
      await expect(requests(page)).toHaveText(teams(21, 40));
      await page.getByRole('searchbox').fill('Team 4');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page.getByText('11 requests wait')).toBeVisible();
      await expect(requests(page)).toHaveText(['Team 4', ...teams(40, 49)]);
      expect(new URL(page.url()).searchParams.get('at')).toBe(api);
      await page.getByRole('searchbox').fill('Nothing of this name');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(page.getByRole('heading', { name: 'No request matches' })).toBeVisible();
    });

    test('power is filtered, and is approved only once it was agreed to', async ({ page }) => {
      const { api, team } = await givenRequests(6, oneOfThree);
      await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
      await page.getByLabel('Kind').selectOption('Trusted');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(requests(page)).toHaveText(['Team 1', 'Team 4']);
      await button(page, 'Approve').click();
      await expect(page.getByRole('heading', { name: 'Approve Team 1 as trusted?' })).toBeVisible();
      // a second click of habit agrees to nothing
      await button(page, 'Approve').click();
      await expect(page.getByRole('heading', { name: 'Approve Team 1 as trusted?' })).toBeVisible();
      expect(await sql('select state from subscriptions where client_id = $1', [`${team}-1`])).toEqual([
        { state: 'pending' },
      ]);
      await button(page, 'Approve it as trusted').click();
      await expect(page.getByText(/^Approved: Team 1 → Billing\./)).toBeVisible();
      await expect(requests(page)).toHaveText(['Team 4']);
      await page.getByLabel('Kind').selectOption('Machine');
      await page.getByRole('button', { name: 'Search' }).click();
      await expect(requests(page)).toHaveText(['Team 2', 'Team 5']);
    });

    test('the buttons are in one place, whatever is asked for and whatever was decided', async ({ page }) => {
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

test('the inbox has no fault that a program finds, in both themes and on a small phone', async ({ page }) => {
  const { api, team } = await givenRequests(23, (n) => (n === 1 ? 'trusted' : 'plain'));
  await enterConsole(page, await makePerson('administrator'), `/admin/approvals?at=${api}`);
  await button(page, 'Approve').click();
  await expect(page.getByRole('heading', { name: 'Approve Team 1 as trusted?' })).toBeVisible();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await violations(page)).toEqual([]);
    await picture(page, `inbox-confirm-${colorScheme}`);
  }
  await button(page, 'Approve it as trusted').click();
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
