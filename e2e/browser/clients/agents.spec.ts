// An unregistered client in a real browser: it waits for approval, continues by the same link after the
// approval, and is blocked.
import { startDocumentHost } from '#testing/clients/unregistered.ts';
import { issuerOf } from '#testing/net/door.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makeApi, makePerson } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

test('an agent is unknown, then pending, then approved: the same link leads to consent and a code, and a block ends the access', async ({
  visit,
  page,
  browser,
}) => {
  const api = await makeApi({ agents: 'ask' });
  const host = await startDocumentHost();
  const approver = await (await browser.newContext()).newPage();
  try {
    const clientId = host.at('/agent', '127.0.0.1');
    const callback = host.at('/callback', '127.0.0.1');
    host.say('/agent', { client_name: 'Careful Agent', redirect_uris: [callback] });
    const coming = visit.but({ issuer: issuerOf(nodeDoor, 'pw', api.id) });
    const link = coming.url({ client_id: clientId, redirect_uri: callback, scope: 'read' });
    await page.goto(link);
    await expect(page.getByText('Careful Agent')).toBeVisible();
    await expect(page.getByText('127.0.0.1')).toBeVisible();
    await coming.signIn();
    await expect(page.getByRole('heading', { name: 'Waiting for approval' })).toBeVisible();
    const requestId = (await page.getByText(/^[0-9a-f-]{36}$/).textContent()) ?? '';

    await enterConsole(
      approver,
      await makePerson('administrator'),
      `/admin/approvals?client=${encodeURIComponent(clientId)}&api=${api.id}`,
    );
    await expect(approver.getByText(requestId)).toBeVisible();
    await approver.getByLabel('Days until people are asked again').fill('30');
    await approver.getByLabel('Only for people with the claim').fill('email');
    await approver.getByLabel('value 1').fill('somebody@else.example');
    await approver.getByRole('button', { name: 'Approve', exact: true }).click();
    await expect(approver.getByText(/^Approved: .+ → .+\. It takes effect immediately/)).toBeVisible();

    await page.getByRole('link', { name: 'Look again' }).click();
    await expect(page.getByRole('heading', { name: 'You may not use this application here' })).toBeVisible();
    await page.getByRole('link', { name: 'Back to the application' }).click();
    await page.waitForURL(/error=access_denied/);

    const origin = new URL(approver.url()).origin;
    await approver.goto(`${origin}/admin/subscriptions/${encodeURIComponent(clientId)}/${api.id}`);
    await expect(approver.getByText('people whose email is somebody@else.example')).toBeVisible();
    await approver.getByLabel('Only for people with the claim').fill('');
    await approver.getByRole('button', { name: 'Change terms' }).click();
    await expect(approver.getByText('must be 1 to 100 visible ASCII characters')).toBeVisible();
    await approver.getByLabel('value 1').fill('');
    await approver.getByRole('button', { name: 'Change terms' }).click();
    await expect(approver.getByText('The terms are changed')).toBeVisible();

    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'Careful Agent wants access' })).toBeVisible();
    await expect(page.getByText('The application returns to this computer only')).toBeVisible();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.waitForURL(/\?code=/);

    await approver.goto(`${origin}/admin/clients/${encodeURIComponent(clientId)}`);
    await approver.getByRole('link', { name: 'Revoke all' }).click();
    await expect(
      approver.getByText('0 active sign-ins and tokens, 1 stored consent, of 1 person'),
    ).toBeVisible();
    await approver.getByRole('button', { name: 'Revoke all' }).click();
    await expect(approver.getByText(/^Revoked\. .* of 1 person/)).toBeVisible();
    await approver.getByRole('button', { name: 'Block application' }).click();
    await expect(approver.getByRole('button', { name: 'Unblock application' })).toBeVisible();
    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'This application is blocked' })).toBeVisible();
  } finally {
    await approver.context().close();
    await host.close();
  }
});
