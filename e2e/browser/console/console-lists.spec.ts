// Console lists: ordering, filtering during typing, clickable rows; also without scripts.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { tooWide, violations } from '../../support/pages/page-checks.ts';
import { makePerson, sql } from '../../support/service/database.ts';

/** Creates three people whose names share a unique word. */
async function givenTeam(): Promise<string> {
  const word = `Crew${randomBytes(4).toString('hex')}`;
  for (const [name, seen] of [
    [`${word} 10`, '2 days'],
    [`${word} 2`, null],
    [`${word} 1`, '40 days'],
  ])
    await sql(`insert into people (name, last_sign_in_at) values ($1, now() - $2::interval)`, [name, seen]);
  return word;
}

const names = (page: Page, word: string) =>
  page.getByRole('list', { name: 'People' }).getByRole('link', { name: word }).allTextContents();
const sort = (page: Page, by: string) =>
  page.getByRole('navigation', { name: 'Sort by' }).getByRole('link', { name: by }).click();

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('users can be sorted by name, in numeric order, and by last sign-in', async ({ page }) => {
      const word = await givenTeam();
      await enterConsole(page, await makePerson('administrator'), `/admin/people?search=${word}`);
      const expectNames = (...numbers: number[]) =>
        expect.poll(() => names(page, word)).toEqual(numbers.map((n) => `${word} ${n}`));
      await expect(page.getByText('3 in all')).toBeVisible();
      await sort(page, 'Name');
      await expectNames(1, 2, 10);
      await sort(page, 'Name ascending');
      await expectNames(10, 2, 1);
      await sort(page, 'Last sign-in');
      await expectNames(10, 1, 2);
      await expect(page.getByText('never', { exact: true })).toBeVisible();
      await page.getByRole('combobox', { name: 'Last sign-in' }).selectOption('not-30');
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
      await expectNames(1, 2);
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      if (javaScriptEnabled) expect(await tooWide(page)).toEqual([]);
    });
  });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(`filter by day, ${javaScriptEnabled ? 'with' : 'without'} JavaScript`, () => {
    test.use({ javaScriptEnabled });

    test('users can be filtered by the date of their last sign-in, and invalid dates show an error', async ({
      page,
    }) => {
      const word = await givenTeam();
      await enterConsole(page, await makePerson('administrator'), `/admin/people?search=${word}&order=name`);
      await page.getByText('Dates', { exact: true }).click();
      const seen = page.getByRole('group', { name: 'Last sign-in' });
      const monthAgo = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
      await seen.getByLabel('End date').fill(monthAgo);
      if (!javaScriptEnabled) await page.getByRole('button', { name: 'Search' }).click();
      await expect.poll(() => names(page, word)).toEqual([`${word} 1`]);
      await expect(seen.getByLabel('End date')).toHaveValue(monthAgo);
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      if (javaScriptEnabled) expect(await tooWide(page)).toEqual([]);
      const here = `${new URL(page.url()).origin}/admin/people?search=${word}`;
      await page.goto(`${here}&seenFrom=2026-02-30`);
      await expect(page.getByText('2026-02-30 is not a date. Use the format 2026-01-31.')).toBeVisible();
      await expect.poll(() => names(page, word)).toHaveLength(3);
      await page.goto(`${here}&seenFrom=2026-02-03&seenTo=2026-02-02`);
      await expect(
        page.getByText('The end date 2026-02-02 is before the start date 2026-02-03.'),
      ).toBeVisible();
    });
  });
}

test('the search in console lists filters during typing and keeps the text of the field', async ({
  page,
}) => {
  const word = await givenTeam();
  await enterConsole(page, await makePerson('administrator'), '/admin/people?order=name');
  await page.getByRole('searchbox').pressSequentially(`${word} 1`);
  await expect.poll(() => names(page, word)).toEqual([`${word} 1`, `${word} 10`]);
  await expect(page.getByRole('searchbox')).toBeFocused();
  await page.getByRole('searchbox').pressSequentially('0');
  await expect.poll(() => names(page, word)).toEqual([`${word} 10`]);
  await expect(page).toHaveURL(new RegExp(`search=${word}\\+10&order=name$`));
});

test('a click anywhere in the row of a user or an event opens its page', async ({ page }) => {
  const word = await givenTeam();
  const admin = await makePerson('administrator');
  await enterConsole(page, admin, `/admin/people?search=${word}&order=name`);
  const row = page.getByRole('list', { name: 'People' }).getByRole('listitem').first();
  // the style sheet adds the overlay that makes rows clickable
  await page.waitForLoadState('load');
  const { width } = (await row.boundingBox()) as { width: number };
  await row.click({ position: { x: width / 2, y: 8 } });
  await expect(page.getByRole('heading', { level: 1, name: `${word} 1` })).toBeVisible();
  await page.goto(`${new URL(page.url()).origin}/admin/audit?event=sign_in.succeeded`);
  const event = page.getByRole('list', { name: 'Events' }).getByRole('listitem').first();
  await event.click({ position: { x: width / 2, y: 8 } });
  await expect(event.getByText('request id')).toBeVisible();
  await event.getByRole('link').first().click();
  await expect(page).toHaveURL(/\/admin\/people\//);
});
