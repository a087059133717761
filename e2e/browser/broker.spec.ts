// Sign-in at a broker in a real browser: the broker is another site, with a form of its own.
import type { Page } from '@playwright/test';
import { allow, answerAt, authorizeUrl, consentHeading } from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';
import type { World } from '../support/browser-world.ts';

const atBroker = (world: World): World => ({ ...world, issuer: world.issuerOf('broker') });

async function signInAtBroker(page: Page, name: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'Demo broker' })).toBeVisible();
  await page.getByLabel('Name').fill(name);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

test('contract 5: the person signs in at the broker, consents here, and the client gets its code', async ({
  page,
  world,
  client,
  complaints,
}) => {
  await page.goto(authorizeUrl(atBroker(world), client));
  // straight to the broker: no page of ours came before
  expect(new URL(page.url()).hostname).toBe('127.0.0.1');
  await signInAtBroker(page, 'Bea Broker');
  await expect(consentHeading(page, world, client)).toBeVisible();
  await expect(page.getByText('Bea Broker')).toBeVisible();
  await allow(page);
  const answer = await answerAt(page, client.redirectUris[0] ?? '');
  expect(answer.get('code')).toBeTruthy();
  expect(answer.get('iss')).toBe(world.issuerOf('broker'));
  expect(complaints).toEqual([]);
});

test('SN-02: after it the client renews silently, and a local issuer knows nobody', async ({
  page,
  world,
  shop,
}) => {
  const client = await world.givenClient({
    kind: 'confidential',
    redirectUris: [`${shop.origin}/cb`],
    trusted: true,
  });
  await page.goto(authorizeUrl(atBroker(world), client));
  await signInAtBroker(page, 'Sid Silent');
  expect((await answerAt(page, client.redirectUris[0] ?? '')).get('code')).toBeTruthy();
  await page.goto(authorizeUrl(atBroker(world), client, { prompt: 'none' }));
  expect((await answerAt(page, client.redirectUris[0] ?? '')).get('code')).toBeTruthy();
  await page.goto(authorizeUrl(world, client, { prompt: 'none' }));
  expect((await answerAt(page, client.redirectUris[0] ?? '')).get('error')).toBe('login_required');
});

test('contract 6: who presses Cancel at the broker sees a page that leads back to the application', async ({
  page,
  world,
  client,
}) => {
  await page.goto(authorizeUrl(atBroker(world), client));
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.getByRole('heading', { name: 'You are not signed in' })).toBeVisible();
  await page.getByRole('link', { name: 'Try again' }).click();
  await expect(page.getByRole('heading', { name: 'Demo broker' })).toBeVisible();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Back to the application' }).click();
  expect((await answerAt(page, client.redirectUris[0] ?? '')).get('error')).toBe('access_denied');
});

test('who goes back in the history can go on from there', async ({ page, world, client }) => {
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('/auth/callback/brk')) calls.push(request.url());
  });
  await page.goto(authorizeUrl(atBroker(world), client));
  await signInAtBroker(page, 'Hal History');
  await expect(consentHeading(page, world, client)).toBeVisible();
  await page.goto(calls[0] ?? '');
  await expect(page.getByRole('heading', { name: 'This step is already done' })).toBeVisible();
  await page.getByRole('link', { name: 'Continue' }).click();
  await expect(consentHeading(page, world, client)).toBeVisible();
});

test('"Not you?" leads to the broker, and another person comes back', async ({ page, world, client }) => {
  await page.goto(authorizeUrl(atBroker(world), client));
  await signInAtBroker(page, 'First Person');
  await page.getByRole('button', { name: 'Not you?' }).click();
  await signInAtBroker(page, 'Second Person');
  await expect(page.getByText('Second Person')).toBeVisible();
});
