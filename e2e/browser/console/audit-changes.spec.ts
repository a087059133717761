// Audit log: readable changes and exports, with and without JavaScript.
import type { Page } from '@playwright/test';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makeApi, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const events = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem');

/**
 * Creates an API for whose access tokens an administrator has set a longer lifetime, and opens the page of
 * this event.
 */
async function givenChange(page: Page): Promise<string> {
  const { id } = await makeApi();
  await sql('update apis set access_token_ttl = 300 where id = $1', [id]);
  await enterConsole(page, await makePerson('administrator'), `/admin/apis/${id}/edit`);
  await page.getByLabel('Access token lifetime (seconds)').fill('600');
  await page.getByLabel('Terms of service').fill('https://orders.example/terms');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(new RegExp(`/admin/apis/${id}\\?`));
  await page.goto(`${nodeDoor.url}/admin/audit?event=api.changed&api=${id}`);
  return id;
}

const openEvent = (page: Page) =>
  events(page)
    .first()
    .getByRole('link', { name: /^Full change/ })
    .click();

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('the audit list and the event page show changes in words, and need no buttons', async ({ page }) => {
      await givenChange(page);
      await expect(events(page).first()).toContainText('5 minutes → 10 minutes');
      await expect(events(page).first()).toContainText('added https://orders.example/terms');
      await openEvent(page);
      await expect(page.locator('#event')).toContainText('5 minutes → 10 minutes');
      await expect(page.locator('#event')).toContainText('added https://orders.example/terms');
      await expect(page.locator('main').getByRole('button')).toHaveCount(0);
    });
  });
}

test('an authorized user exports the audit list as CSV and JSON with the page’s filters', async ({
  page,
}) => {
  const id = await givenChange(page);
  const files = page.getByText('Export all matching events');
  const fetched = async (form: string) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      files.getByRole('link', { name: form }).click(),
    ]);
    const stream = await download.createReadStream();
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(Buffer.from(chunk));
    return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() };
  };
  const json = await fetched('JSON');
  expect(json.name).toMatch(/^audit-\d{4}-\d\d-\d\d\.json$/);
  expect(JSON.parse(json.text)).toMatchObject([
    {
      event: 'api.changed',
      api_id: id,
      details: { before: { accessTokenTtlSeconds: 300 }, after: { accessTokenTtlSeconds: 600 } },
    },
  ]);
  const csv = await fetched('CSV');
  expect(csv.text.split('\r\n')).toHaveLength(3);
  expect(csv.text).toMatch(/^id,at,event,/);
  const empty = await page.request.get(
    `${nodeDoor.url}/admin/audit/file?form=json&client=nothing-like-it-at-all`,
  );
  expect(await empty.json()).toEqual([]);
  // with an invalid filter or without permission, the address of the file redirects to the page
  const wrong = await page.request.get(`${nodeDoor.url}/admin/audit/file?event=sing_in`, { maxRedirects: 0 });
  expect(wrong.headers()['location']).toContain('/admin/audit?event=sing_in');
  await page.context().clearCookies();
  await enterConsole(page, await makePerson('approver'), '/admin/approvals');
  const refused = await page.request.get(`${nodeDoor.url}/admin/audit/file?form=csv`, { maxRedirects: 0 });
  expect(refused.status()).toBe(303);
});
