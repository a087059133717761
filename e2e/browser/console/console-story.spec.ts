// Lifecycle of a trusted subscription: registration, approval, a change that removes approval, renewed
// approval. The test uses browsers, mails and token requests.
import type { Page } from '@playwright/test';
import { type Client, fixturePerson } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import type { Answer } from '#testing/net/sent.ts';
import { claimsOf, passwordGrant } from '#testing/service/token.ts';
import { enterConsole } from '../../support/console/console.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { makeApi, makePerson } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';
import { linkInMail, linkToRequest, mailTo } from '../../support/service/mail.ts';

const OLD_REDIRECT = 'https://counter.example/callback';
const NEW_REDIRECT = 'https://counter.example/back';
const REASON = 'Reading is enough for a counter. Ask for that, and tell us who uses it.';

type Seat = { person: Person; page: Page };

const notice = (page: Page) => page.getByRole('status').first();

test('issue 4: client trust is requested, rejected, granted, lost by a change and granted again', async ({
  browser,
}) => {
  test.setTimeout(120_000);
  const api = await makeApi({ name: 'Parcels' });
  const sit = async (person: Person, page: string): Promise<Seat> => {
    const seat = { person, page: await (await browser.newContext()).newPage() };
    await enterConsole(seat.page, person, page);
    return seat;
  };
  const dana = await sit(await makePerson('developer'), '/developer');
  const first = await makePerson('approver');
  const second = await makePerson('approver');
  const grant = (client: Client): Promise<Answer> =>
    passwordGrant(nodeDoor, client, fixturePerson('alice'), {}, { at: { api: api.id } });

  const client = await test.step('the developer registers an application', () => register(dana.page));
  await test.step('the developer requests a trusted subscription with a reason', () =>
    ask(dana.page, api.id));
  const request = { client: client.clientId, api: api.id };
  expect((await grant(client)).json()).toMatchObject({ error: 'unauthorized_client' });

  await test.step('an approver, notified by mail, rejects with a reason', async () => {
    const link = await linkToRequest(first, request);
    await linkToRequest(second, request);
    const approver = await sit(first, link.slice(nodeDoor.url.length));
    await expect(approver.page.getByText('We print labels at the counter.')).toBeVisible();
    await expect(approver.page.getByText(OLD_REDIRECT)).toBeVisible();
    await expect(approver.page.getByText('Trusted means:')).toBeVisible();
    await approver.page.getByText('Reject with a reason…').click();
    await approver.page.getByLabel('Reason for rejection').fill(REASON);
    await approver.page.getByRole('button', { name: 'Reject with reason', exact: true }).click();
    await expect(notice(approver.page)).toContainText(
      /Rejected: .+ → .+\. The requester will be notified of the reason\./,
    );
  });
  expect((await grant(client)).json()).toMatchObject({ error: 'unauthorized_client' });

  await test.step('the developer reads the reason and requests fewer scopes', async () => {
    const { page, person } = dana;
    await page.goto(await linkInMail(person, 'Gatehouse: Counter → Parcels: rejected'));
    expect((await mailTo(person))[0]?.text).toContain(REASON);
    await expect(page.getByText(`Rejected by ${first.email}.`)).toBeVisible();
    await expect(page.getByText(REASON).first()).toBeVisible();
    await page.getByRole('checkbox', { name: 'Place and change orders' }).uncheck();
    await page.getByLabel('Message to the approver').fill('Reading only. Four people at our own counter.');
    await page.getByRole('button', { name: 'Request again' }).click();
    await expect(notice(page)).toContainText('The request is sent.');
  });

  await test.step('another approver approves, and the password grant works', async () => {
    const link = await linkToRequest(second, request, 2);
    const approver = await sit(second, link.slice(nodeDoor.url.length));
    await expect(approver.page.getByText('Reading only. Four people at our own counter.')).toBeVisible();
    await approver.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await approver.page.getByRole('button', { name: 'Approve as trusted' }).click();
    await expect(notice(approver.page)).toContainText(/Approved: .+ → .+\. It takes effect immediately/);
    await linkInMail(dana.person, 'Gatehouse: Counter → Parcels: approved');
  });
  const tokens = await grant(client);
  expect(tokens.status, tokens.text).toBe(200);
  expect(claimsOf(String(tokens.json()['access_token']))['client_id']).toBe(client.clientId);

  await test.step('a change of the redirect URI warns, before it is saved, that the approval is lost', async () => {
    const { page } = dana;
    await page.goto(`${nodeDoor.url}/developer/clients/${client.clientId}/edit`);
    await page.getByLabel('redirect address 1').fill(NEW_REDIRECT);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect(page.getByText('The trusted subscription to Parcels needs approval again.')).toBeVisible();
    expect((await grant(client)).status).toBe(200);
    await page.getByRole('button', { name: 'Save anyway' }).click();
    await expect(notice(page)).toContainText('The application is changed.');
    await expect(page.getByText(NEW_REDIRECT)).toBeVisible();
  });
  expect((await grant(client)).json()).toMatchObject({ error: 'unauthorized_client' });

  await test.step('the approver sees the change, and the approval restores the grant', async () => {
    const link = await linkToRequest(first, request, 3);
    const approver = await sit(first, link.slice(nodeDoor.url.length));
    await expect(approver.page.getByText(`New redirect address: ${NEW_REDIRECT}`)).toBeVisible();
    await expect(approver.page.getByText(`Removed redirect address: ${OLD_REDIRECT}`)).toBeVisible();
    await approver.page.getByRole('button', { name: 'Approve', exact: true }).click();
    await approver.page.getByRole('button', { name: 'Approve as trusted' }).click();
    await expect(notice(approver.page)).toContainText(/Approved: .+ → .+\. It takes effect immediately/);
    await linkInMail(dana.person, 'Gatehouse: Counter → Parcels: approved', 2);
  });
  expect((await grant(client)).status).toBe(200);
});

async function register(page: Page): Promise<Client> {
  await page.getByRole('link', { name: 'Register an application' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Counter');
  await page.getByRole('radio', { name: 'On a server' }).check();
  await page.getByLabel('redirect address 1').fill(OLD_REDIRECT);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  // shown by the form, or by a separate page if React was not hydrated before the click
  const title = page.getByRole('heading', { level: 1, name: 'The application is registered' });
  const shown = page.getByRole('main').filter({ has: title });
  await shown.waitFor();
  const [clientId = '', secret = ''] = await shown.getByRole('definition').locator('code').allTextContents();
  expect(secret.length).toBeGreaterThan(30);
  await shown.getByRole('link', { name: 'I’ve saved it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Counter');
  await expect(page.getByText(secret)).toHaveCount(0);
  return { clientId, secret, redirectUri: OLD_REDIRECT };
}

async function ask(page: Page, apiId: string): Promise<void> {
  await page.getByRole('link', { name: 'Choose an API' }).click();
  await page.getByRole('searchbox').fill(apiId);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.locator(`a[href$="/apis/${apiId}"]`).click();
  await page.getByRole('checkbox', { name: 'Request a trusted subscription' }).check();
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await expect(page.getByText('Explain why the application should be trusted')).toBeVisible();
  await page.getByLabel('Message to the approver').fill('We print labels at the counter.');
  await page.getByRole('button', { name: 'Subscribe', exact: true }).click();
  await expect(notice(page)).toContainText('The request is sent.');
}
