// The first day: the checklists of operators and developers, and the page Service.
import { send } from '#testing/net/http.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nextDoor, nodeDoor } from '../../support/service/doors.ts';

const list = '#first-day';

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('an administrator marks a first-day step as done, hides the checklist, and shows it again', async ({
      page,
    }) => {
      const admin = await makePerson('administrator');
      await sql("delete from checklist_steps where step = 'role'");
      await enterConsole(page, admin, '/admin');
      const role = page.locator(`${list} li`, { hasText: 'A separate database role' });
      await role.getByRole('button', { name: /^Not needed here/ }).click();
      await expect(page.getByText('Marked as done for all administrators.')).toBeVisible();
      await expect(role).toContainText('confirmed by an administrator');
      await role.getByRole('button', { name: /^Mark as not done/ }).click();
      await expect(page.getByText('Marked as open again.')).toBeVisible();
      await expect(role).not.toContainText('confirmed by an administrator');

      await page.getByRole('button', { name: 'Hide this list' }).click();
      await expect(page.getByText('The list is hidden.')).toBeVisible();
      await expect(page.locator(list)).toHaveCount(0);
      await page.goto(`${nodeDoor.url}/admin/service`);
      await page.getByRole('button', { name: 'Show the first-day list again' }).click();
      await expect(page.locator(list)).toBeVisible();
    });

    test('an administrator who lost the role is rejected, and the checklist step stays open', async ({
      page,
    }) => {
      const admin = await makePerson('administrator');
      await sql("delete from checklist_steps where step = 'role'");
      await enterConsole(page, admin, '/admin');
      await sql("update people set roles = '{}' where id = $1", [admin.id]);
      const role = page.locator(`${list} li`, { hasText: 'A separate database role' });
      await role.getByRole('button', { name: /^Not needed here/ }).click();
      await expect(page.getByText(/is (?:not|no longer) allowed/).first()).toBeVisible();
      expect(await sql("select from checklist_steps where step = 'role'")).toEqual([]);
    });
  });
}

test('the console pages list expiring objects and offer no calendar, and an old calendar address returns 404', async ({
  page,
}) => {
  await enterConsole(page, await makePerson('administrator', 'developer'), '/admin/service');
  for (const address of ['/admin/service', '/developer/expiring']) {
    await page.goto(nodeDoor.url + address);
    await expect(page.locator('#expiring')).toBeVisible();
    await expect(page.locator('#calendar')).toHaveCount(0);
  }
  for (const door of [nodeDoor, nextDoor])
    expect((await send(`${door.url}/calendar/${'x'.repeat(43)}.ics`)).status).toBe(404);
});

test('a developer’s checklist follows the developer’s progress and links to each step', async ({ page }) => {
  const developer = await makePerson('developer');
  await enterConsole(page, developer, '/developer');
  await expect(page.locator(list)).toContainText('0 of 5 done');
  await page.locator(list).getByRole('link', { name: 'An application' }).click();
  await expect(page).toHaveURL(/\/developer\/clients\/new$/);
  const { clientId } = await makeClient();
  await sql('update clients set owner_id = $2 where client_id = $1', [clientId, developer.id]);
  await page.goto(`${nodeDoor.url}/developer`);
  await expect(page.locator(list)).toContainText('3 of 5 done');
  await page.getByRole('button', { name: 'Hide this list' }).click();
  await expect(page.locator(list)).toHaveCount(0);
  await page.getByRole('button', { name: 'Show the first-day list again' }).click();
  await expect(page.locator(list)).toBeVisible();
});

test('the Service page shows the doctor’s findings, checks remote systems on request, and hides secrets', async ({
  page,
}) => {
  const admin = await makePerson('administrator');
  await enterConsole(page, admin, '/admin/service');
  const health = page.locator('#health');
  await expect(health).toContainText('PostgreSQL');
  await expect(health).not.toContainText('pages at');
  await health.getByRole('link', { name: 'Check verifiers, brokers and our own pages as well' }).click();
  await expect(health).toContainText('pages at');
  await page.getByText('Not configured').click();
  await expect(page.getByRole('list', { name: 'Settings that are not set' })).toBeVisible();
  const text = (await page.locator('main').textContent()) ?? '';
  for (const secret of [process.env['E2E_SECRET'], process.env['E2E_DATABASE_URL']]) {
    expect(secret ?? '').not.toBe('');
    expect(text).not.toContain(secret);
  }
  await page.goto(`${nodeDoor.url}/admin/service`);
  await page.locator('#settings').getByRole('link', { name: 'BASE_URL' }).click();
  await expect(page).toHaveURL(/\/documentation\/guides\/settings/);
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`${colorScheme}: the pages of the first day pass axe, and fit 320 px with long names`, async ({
    browser,
  }) => {
    const context = await browser.newContext({ colorScheme });
    const page = await context.newPage();
    const person = await makePerson('administrator', 'developer');
    const { clientId } = await makeClient({ name: 'W'.repeat(120) });
    await sql('update clients set owner_id = $2 where client_id = $1', [clientId, person.id]);
    await sql("update client_secrets set expires_at = now() + interval '3 days' where client_id = $1", [
      clientId,
    ]);
    await enterConsole(page, person, '/admin');
    for (const address of ['/admin', '/developer', '/admin/service?elsewhere=yes', '/developer/expiring']) {
      for (const width of [1280, 320]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(nodeDoor.url + address);
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        await picture(page, `first-day-${colorScheme}-${width}-${address}`);
        expect(await tooWide(page)).toEqual([]);
        expect(await violations(page)).toEqual([]);
      }
    }
    await context.close();
  });
}
