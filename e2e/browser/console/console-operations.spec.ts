// The page at /admin with usage data of one week: as administrators see it, with and without script, and as
// other roles see it.
import { setTimeout as sleep } from 'node:timers/promises';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { contrastFaults, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { giveUsage } from '../../support/service/usage.ts';

const ADMIN = { email: 'admin@example.com', password: 'admin-password-1' };

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('an administrator filters charts and tables of usage by day, hour, API and method', async ({
      page,
    }) => {
      // the page and the query must run in the same hour
      const left = 3_600_000 - (Date.now() % 3_600_000);
      if (left < 10_000) await sleep(left + 500);
      const { id } = await makeApi();
      await giveUsage(id);
      await enterConsole(page, ADMIN, `/admin?api=${id}`);
      await expect(page.getByRole('heading', { level: 1, name: 'Operations' })).toBeVisible();
      const picture = page.getByRole('img', { name: /^Sign-ins over time/ });
      await expect(picture).toBeVisible();
      const [sums] = await sql<{ n: number }>(
        `select sum(n)::int as n from usage_counts where api_id = $1 and minutes = 60 and kind = 'sign-in'
         and what = 'succeeded' and at > date_bin('1 hour', now(), 'epoch') - interval '24 hours'`,
        [id],
      );
      const said = (sums?.n ?? 0).toLocaleString('en-GB');
      await expect(page.getByText(`${said} sign-ins, and`).first()).toBeVisible();

      const table = page.locator('#sign-ins').getByRole('table');
      await expect(table).toBeHidden();
      await page.locator('#sign-ins summary').click();
      await expect(table.getByRole('row')).toHaveCount(25);

      await page.getByRole('navigation', { name: 'Time' }).getByRole('link', { name: 'An hour' }).click();
      await expect(page).toHaveURL(new RegExp(`range=hour&api=${id}`));
      await page.locator('#tokens summary').click();
      await expect(page.locator('#tokens').getByRole('row')).toHaveCount(13);

      await page.locator('#by-method').getByRole('link', { name: 'External' }).click();
      await expect(page).toHaveURL(new RegExp(`range=hour&api=${id}&auth_method=ext`));
      const reasons = page.getByRole('list', { name: /^Reasons for refused requests/ });
      await expect(reasons.getByRole('listitem')).toHaveCount(1);
      await expect(reasons).toContainText('The service could not respond');
      const calls = page.getByRole('list', { name: 'Verifiers and brokers' });
      await expect(calls).toContainText('without a response');
      await expect(calls).toContainText('95 % took at most 2.5 s');
      // link that removes the filter
      await page.getByRole('search').getByRole('link', { name: 'Everything' }).click();
      await expect(page).toHaveURL(/\/admin$/);
    });

    test('an unknown API, method or range on the usage page shows a message without data', async ({
      page,
    }) => {
      await enterConsole(page, ADMIN, '/admin?range=year&api=no-such-api&auth_method=%3Cscript%3E');
      await expect(page.getByText('There is no API no-such-api.')).toBeVisible();
      await expect(page.getByText('There is no sign-in method <script>.')).toBeVisible();
      await expect(page.getByRole('heading', { name: 'No matching activity in this period' })).toBeVisible();
    });
  });
}

test('table rows of an API add up to the chart totals', async ({ page }) => {
  const { id } = await makeApi();
  await giveUsage(id);
  await enterConsole(page, ADMIN, `/admin?range=week&api=${id}`);
  const number = (text: string) => Number(text.replaceAll(',', ''));
  const said = async (panel: string) =>
    ((await page.locator(`#${panel} p`).first().textContent()) ?? '').match(/\d[\d,]*/g)?.map(number) ?? [];
  const [[succeeded = 0, failed = 0], [tokens], [refused]] = [
    await said('sign-ins'),
    await said('tokens'),
    await said('refusals'),
  ];
  expect(failed).toBeGreaterThan(0);
  for (const panel of ['by-api', 'by-method']) {
    const table = page.locator(`#${panel}`).getByRole('table');
    const heads = await table.getByRole('columnheader').allTextContents();
    expect(heads.slice(1)).toEqual(['Attempts', 'Tokens', 'Refused']);
    const cells = await table.getByRole('cell').allTextContents();
    const column = (at: number) =>
      cells.filter((_, n) => n % 3 === at).reduce((sum, cell) => sum + number(cell), 0);
    expect([column(0), column(1), column(2)], panel).toEqual([succeeded + failed, tokens, refused]);
  }
});

test('WCAG 2.2 AA: the open usage tables pass axe in light and dark, and fit 320 px', async ({ page }) => {
  const { id } = await makeApi();
  await giveUsage(id);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await enterConsole(page, ADMIN, `/admin?range=week&api=${id}`);
  for (const summary of await page.locator('.chart summary').all()) await summary.click();
  await expect(page.locator('#refusals').getByRole('table')).toBeVisible();
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark', reducedMotion: 'reduce' });
  expect(await contrastFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await tooWide(page)).toEqual([]);
});

test('a pending request is one click from the console’s first page, and links in mails open it directly', async ({
  page,
  world,
}) => {
  const client = await makeClient({ trusted: true, state: 'pending' });
  await enterConsole(page, ADMIN, '/admin');
  await page.getByRole('link', { name: 'Open inbox' }).click();
  await expect(page).toHaveURL(`${world.baseUrl}/admin/approvals`);
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible();
  await page.goto(
    `${world.baseUrl}/admin?${new URLSearchParams({ client: client.clientId, api: 'orders' })}`,
  );
  await expect(page.getByRole('button', { name: 'Approve', exact: true })).toBeVisible();
});

test('an expiring rotated secret is listed and linked to its client', async ({ page }) => {
  const { clientId } = await makeClient();
  await sql("update client_secrets set expires_at = now() + interval '5 minutes' where client_id = $1", [
    clientId,
  ]);
  await enterConsole(page, ADMIN, '/admin');
  const entry = page.locator('#ending').getByRole('listitem').filter({ hasText: 'secret' }).first();
  await expect(entry).toContainText('By then the application must use its new secret');
  await page.locator(`#ending a[href="/admin/clients/${clientId}"]`).click();
  await expect(page).toHaveURL(new RegExp(`/admin/clients/${clientId}$`));
});

test('the page /admin shows an approver the inbox without usage figures', async ({ page }) => {
  await makeClient({ trusted: true, state: 'pending' });
  await enterConsole(page, await makePerson('approver'), '/admin');
  await expect(page.getByRole('heading', { level: 1, name: 'Approvals' })).toBeVisible();
  await expect(page.getByRole('img')).toHaveCount(0);
  const places = page.getByRole('navigation', { name: 'Console', exact: true });
  await expect(places.getByRole('link', { name: 'Operations' })).toHaveCount(0);
  await expect(places.getByRole('link', { name: /^Approvals/ })).toHaveAttribute('aria-current', 'page');
});
