// Searches in the audit log: kinds of events, parts of names, and unknown names.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { passwordGrant } from '#testing/service/token.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const fresh = (what: string) => `${what} ${randomBytes(4).toString('hex')}`;
const events = (page: Page) => page.getByRole('list', { name: 'Events' }).getByRole('listitem');
const filter = (page: Page) => page.getByRole('button', { name: 'Filter', exact: true }).click();

/** Creates a client and an API with unique names, one successful sign-in and one failed sign-in. */
async function givenEvents() {
  const [clientName, apiName] = [fresh('Parcel Counter'), fresh('Warehouse')];
  const api = await makeApi();
  await sql('update apis set name = $2 where id = $1', [api.id, apiName]);
  const client = await makeClient({ name: clientName, apis: [api.id], trusted: true });
  const person = await makePerson();
  const at = { at: { api: api.id } };
  const answers = [
    await passwordGrant(nodeDoor, client, person, {}, at),
    await passwordGrant(nodeDoor, client, { ...person, password: 'wrong' }, {}, at),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400]);
  return { client, clientName, api, apiName };
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('the audit filter finds events by one part of the event kind, before or after the dot, and by part of a client or API name', async ({
      page,
    }) => {
      const { client, clientName, api, apiName } = await givenEvents();
      await enterConsole(page, await makePerson('administrator'), '/admin/audit');
      for (const [label, value] of [
        ['Client', clientName.slice(3).toUpperCase()],
        ['API', apiName.slice(2).toLowerCase()],
      ] as const) {
        await page.getByRole('link', { name: 'Everything' }).click();
        await page.getByLabel(label, { exact: true }).fill(value);
        await page.getByLabel('Event', { exact: true }).fill('sign_in');
        await filter(page);
        await expect(page).toHaveURL(/event=sign_in(&|$)/);
        await expect(events(page).filter({ hasText: 'sign_in.refused' })).toHaveCount(1);
        await expect(events(page).getByRole('link', { name: client.clientId }).first()).toBeVisible();
        await expect(events(page).getByRole('link', { name: api.id }).first()).toBeVisible();
        await page.getByLabel('Event', { exact: true }).fill('Refused');
        await filter(page);
        await expect(events(page)).toHaveCount(1);
      }
    });

    test('an unknown event name in the audit filter shows a suggestion instead of an empty log', async ({
      page,
    }) => {
      await enterConsole(page, await makePerson('administrator'), '/admin/audit');
      await page.getByLabel('Event', { exact: true }).fill('sing_in');
      await filter(page);
      await expect(page.getByText('No event is called sing_in. Did you mean sign_in.?')).toBeVisible();
      await expect(events(page)).toHaveCount(0);
      await expect(page.getByRole('main')).not.toContainText('happened');
      await page.getByLabel('Event', { exact: true }).fill('key.retired');
      await page.getByLabel('Client', { exact: true }).fill(fresh('no such client'));
      await filter(page);
      await expect(page.getByText('No matching events. Remove a filter.')).toBeVisible();
    });
  });
}

test('the event field of the audit filter suggests events and event kinds', async ({ page }) => {
  await enterConsole(page, await makePerson('administrator'), '/admin/audit');
  const list = await page.getByLabel('Event', { exact: true }).getAttribute('list');
  const offered = await page
    .locator(`datalist[id="${list}"] option`)
    .evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
  expect(offered).toEqual(
    expect.arrayContaining(['sign_in.', 'sign_in.refused', 'subscription.', 'client.created']),
  );
  expect(new Set(offered).size).toBe(offered.length);
});
