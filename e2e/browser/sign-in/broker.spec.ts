// Sign-in at a broker in a real browser: the broker is another site with its own form. Other rules for brokers:
// e2e/protocol/brokers/broker.spec.ts and broker-callback.spec.ts.
import { expect, test } from '../../support/pages/browser-test.ts';
import type { Visit } from '../../support/pages/visit.ts';

async function signInAtBroker(visit: Visit, name: string): Promise<void> {
  await expect(visit.page.getByRole('heading', { name: 'Demo broker' })).toBeVisible();
  await visit.page.getByLabel('Name').fill(name);
  await visit.press('Sign in');
}

test('contract 5: a user signs in at the broker and consents at Gatehouse, and the client receives a code', async ({
  page,
  world,
  visit,
  complaints,
}) => {
  const issuer = world.issuerOf('broker');
  await visit.but({ issuer }).start();
  // direct redirect to the broker, without a Gatehouse page
  expect(new URL(page.url()).hostname).toBe('127.0.0.1');
  await signInAtBroker(visit, 'Bea Broker');
  await expect(visit.consent).toBeVisible();
  await expect(page.getByText('Bea Broker')).toBeVisible();
  await visit.press('Not you?');
  await signInAtBroker(visit, 'Second Person');
  await expect(page.getByText('Second Person')).toBeVisible();
  await visit.press('Allow');
  const answer = await visit.answer();
  expect(answer.get('code')).toBeTruthy();
  expect(answer.get('iss')).toBe(issuer);
  expect(complaints).toEqual([]);
});

test('contract 6: a user who presses Cancel at the broker sees a page that leads back to the application', async ({
  page,
  world,
  visit,
}) => {
  await visit.but({ issuer: world.issuerOf('broker') }).start();
  await visit.press('Cancel');
  await expect(page.getByRole('heading', { name: 'You are not signed in' })).toBeVisible();
  await page.getByRole('link', { name: 'Try again' }).click();
  await visit.press('Cancel');
  await page.getByRole('link', { name: 'Back to the application' }).click();
  expect((await visit.answer()).get('error')).toBe('access_denied');
});

test('the browser’s Back button after a broker sign-in returns to a page that continues the sign-in', async ({
  page,
  world,
  visit,
}) => {
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/auth/callback/brk')) calls.push(request.url());
  });
  await visit.but({ issuer: world.issuerOf('broker') }).start();
  await signInAtBroker(visit, 'Hal History');
  await expect(visit.consent).toBeVisible();
  await page.goto(calls[0] ?? '');
  await expect(page.getByRole('heading', { name: 'This step is already done' })).toBeVisible();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(visit.consent).toBeVisible();
});
