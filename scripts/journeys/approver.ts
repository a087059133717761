// Path of an approver with sixty requests: the approver approves 58, rejects one with a reason after undoing a
// mistaken approval, leaves one. The inbox shows fifty per page.
import { expect } from '@playwright/test';
import { giveRequests } from '#testing/data/requests.ts';
import { signIn } from '../../e2e/support/pages/visit.ts';
import type { Service } from './service.ts';
import { goTo, type Walk } from './walk.ts';

const COUNT = 60;

export async function approveSixty(walk: Walk, { url, sql, account }: Service): Promise<void> {
  await sql("delete from subscriptions where api_id = 'billing'");
  await giveRequests(sql, { api: 'billing', count: COUNT });
  const page = await walk.person();
  const press = (name: string | RegExp) =>
    page.getByRole('button', { name, ...(typeof name === 'string' && { exact: true }) }).click();
  const waitForText = (text: RegExp) => page.getByText(text).waitFor();
  const leave = (name: string) => page.getByRole('checkbox', { name: `Select ${name} →` }).uncheck();
  await walk.step('sign in', async () => {
    await page.goto(`${url}/admin`);
    await signIn(page, account('approver'));
  });
  await walk.step('open the inbox', () => goTo(page, 'Approvals'));
  await walk.step('approve fifty at once', async () => {
    await page.getByRole('link', { name: 'Select all' }).click();
    await press('Approve selected…');
    await press('Approve 50 requests');
    await waitForText(/^Approved: 50 requests\./);
  });
  await walk.step('approve eight of the others', async () => {
    await page.getByRole('link', { name: 'Select all' }).click();
    await leave('Team 51');
    await leave('Team 52');
    await press('Approve selected…');
    await press('Approve 8 requests');
    await waitForText(/^Approved: 8 requests\./);
  });
  await walk.step('approve one by mistake, and undo it', async () => {
    // on phones, the page shows the list first, and a request only after a click
    if (walk.way.device === 'phone')
      await page.getByRole('list', { name: 'Requests' }).getByRole('link').first().click();
    await press('Approve');
    await waitForText(/^Approved: Team 51 /);
    await press('Undo');
    await waitForText(/^Undone: Team 51 /);
  });
  await walk.step('reject it with a reason', async () => {
    await page.getByText('Reject with a reason…').click();
    await page.getByLabel('Reason for rejection').fill('Ask for less.');
    await press('Reject with reason');
    await waitForText(/^Rejected: Team 51 /);
  });
  const states = await sql<{ state: string; count: number }>(
    "select state, count(*)::int as count from subscriptions where api_id = 'billing' group by state order by state",
  );
  expect(states).toEqual([
    { state: 'approved', count: COUNT - 2 },
    { state: 'pending', count: 1 },
    { state: 'rejected', count: 1 },
  ]);
}
