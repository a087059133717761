// Inbox with several approvers and pages, and messages about pending APIs for developers.
import { randomBytes } from 'node:crypto';
import type { Page } from '@playwright/test';
import { consoleJar, enterConsole, giveClient, postForm } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { tooWide, violations } from '../../support/pages/page-checks.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

test.use({ contextOptions: { reducedMotion: 'reduce' } });

type Waiting = { id: string; email: string };

const methods: string[] = [];
const clients: string[] = [];
// restores the inbox for later tests
test.afterEach(async () => {
  await sql('delete from auth_methods where id = any($1)', [methods.splice(0)]);
  await sql('delete from clients where client_id = any($1)', [clients.splice(0)]);
});

/** Creates users of a separate method who wait for approval, the oldest first. */
async function givenWaiting(count: number, name: string, since = 'now()'): Promise<Waiting[]> {
  const method = `wait${randomBytes(5).toString('hex')}`;
  const config = JSON.stringify({ registration: 'approval' });
  await sql("insert into auth_methods (id, type, name, config) values ($1, 'local', $1, $2)", [
    method,
    config,
  ]);
  methods.push(method);
  return sql<Waiting>(
    `insert into person_registrations (auth_method_id, email, kind, handle_hash, state, name, created_at, expires_at)
     select $1, $1 || '-' || n || '@example.com', 'waiting', decode(md5($1 || n), 'hex'), 'proved', $2 || ' ' || n,
       ${since} + n * interval '1 second', now() + interval '1 day'
     from generate_series(1, $3::int) n returning id, email`,
    [method, name, count],
  );
}

const WROTE = 'No, wrong team.';

async function rejectWithReason(page: Page): Promise<void> {
  await page.getByText('Reject with a reason…').click();
  await page.getByLabel('Reason for rejection').fill(WROTE);
  await page.getByRole('button', { name: 'Reject with reason', exact: true }).click();
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? 'with JavaScript' : 'without JavaScript', () => {
    test.use({ javaScriptEnabled });

    test('of two approvers who decide, the second sees the first decision and keeps the typed reason', async ({
      page,
    }) => {
      const [who] = await givenWaiting(1, 'Nora Neu');
      const first = await makePerson('approver');
      await enterConsole(page, await makePerson('approver'), `/admin/approvals?person=${who?.id}`);
      await expect(page.getByRole('heading', { name: 'Nora Neu 1 asks for an account' })).toBeVisible();
      const decided = await postForm(
        await consoleJar(nodeDoor, first),
        'person-decide',
        { id: who?.id ?? '', action: 'approve' },
        { area: 'admin' },
      );
      expect(decided.status, decided.text).toBe(200);
      await rejectWithReason(page);
      const told = page.getByRole('alert').filter({ hasText: 'Your decision was not saved' });
      await expect(told).toContainText(`${first.email} has already decided (approved, `);
      const kept = javaScriptEnabled ? page.getByLabel('Reason for rejection') : told.getByRole('blockquote');
      if (javaScriptEnabled) await expect(kept).toHaveValue(WROTE);
      else await expect(kept).toHaveText(WROTE);
      if (javaScriptEnabled) expect(await violations(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      if (javaScriptEnabled) expect(await tooWide(page)).toEqual([]);
    });
  });
}

test('both inbox lists keep their scroll position when a request is opened and decided', async ({ page }) => {
  const api = await makeApi();
  for (let n = 0; n < 51; n += 1)
    clients.push((await makeClient({ apis: [api.id], trusted: true, state: 'pending' })).clientId);
  // dates in the future sort these users after the rows of other tests
  await givenWaiting(45, 'Late', "now() + interval '1 hour'");
  await enterConsole(page, await makePerson('administrator'), '/admin/approvals');
  const pagers = page.getByRole('navigation', { name: 'Pages' });
  await pagers.first().getByRole('link', { name: 'Next page' }).click();
  const requests = new URL(page.url()).searchParams.get('cursor');
  expect(requests).toBeTruthy();
  const people = page.getByRole('list', { name: 'People' });
  await pagers.last().getByRole('link', { name: 'Next page' }).click();
  await expect(page).toHaveURL(/people=/);
  const place = () => {
    const { searchParams } = new URL(page.url());
    return { cursor: searchParams.get('cursor'), people: searchParams.get('people') };
  };
  const here = place();
  expect(here.cursor).toBe(requests);
  const names = await people.getByRole('link').allTextContents();
  const row = people.getByRole('link').nth(3);
  const name = (await row.textContent()) ?? '';
  await row.click();
  await expect(page.getByRole('heading', { level: 2, name: `${name} asks for an account` })).toBeVisible();
  expect(place()).toEqual(here);
  expect(await people.getByRole('link').allTextContents()).toEqual(names);
  await expect(people.getByRole('link', { name, exact: true })).toHaveAttribute('aria-current', 'true');
  await page.getByRole('button', { name: 'Reject', exact: true }).click();
  await expect(page.getByText(/^Rejected: .+@.+\. The person will be notified by email\.$/)).toBeVisible();
  expect(place()).toEqual(here);
  await expect(people.getByRole('link', { name, exact: true })).toHaveCount(0);
});

test('the code page preselects an approved API, and shows the state of a pending API', async ({
  page,
  world,
}) => {
  // the pending API sorts first by name
  const [waits, approved] = [await makeApi({ name: 'Billing' }), await makeApi({ name: 'Orders' })];
  const developer = await makePerson('developer');
  const client = await makeClient({ apis: [approved.id] });
  await giveClient(client.clientId, developer);
  await sql("insert into subscriptions (client_id, api_id, state) values ($1, $2, 'pending')", [
    client.clientId,
    waits.id,
  ]);
  const at = `/developer/clients/${client.clientId}/code`;
  await enterConsole(page, developer, at);
  await expect(page.getByRole('heading', { name: /^Sign-in with .+ for Orders$/ })).toBeVisible();
  await expect(page.getByText('gets no tokens')).toHaveCount(0);
  await page.locator('select[name="api"]').selectOption(waits.id);
  await page.getByRole('button', { name: 'Show' }).click();
  await expect(page.getByRole('heading', { name: /^Sign-in with .+ for Billing$/ })).toBeVisible();
  await expect(page.getByText('The code on this page gets no tokens for Billing yet.')).toBeVisible();
  await expect(page.getByText('A decision is pending.')).toBeVisible();
  for (const state of ['suspended', 'rejected']) {
    await sql('update subscriptions set state = $3 where client_id = $1 and api_id = $2', [
      client.clientId,
      waits.id,
      state,
    ]);
    await page.goto(`${world.baseUrl}${at}?api=${waits.id}`);
    await expect(page.getByText('The code on this page gets no tokens for Billing yet.')).toBeVisible();
  }
  expect(await violations(page)).toEqual([]);
});
