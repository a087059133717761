// The single-page application: code with PKCE, and renewal in a hidden iframe (specification 3 and 4.5.5).
import type { Page } from '@playwright/test';
import { allow, consentHeading, signIn, signOut } from '../support/browser-steps.ts';
import { test as base, expect } from '../support/browser-test.ts';
import type { TestClient } from '../support/browser-world.ts';
import { type Spa, startSpa } from '../support/spa.ts';

const test = base.extend<{ app: { spa: Spa; client: TestClient } }>({
  app: async ({ world }, use) => {
    const spa = await startSpa(() => ({
      issuer: world.issuer,
      clientId: client.clientId,
      scope: world.api.scopes[0]?.name ?? '',
    }));
    const client = await world.givenClient({ kind: 'browser', redirectUris: spa.redirectUris });
    await use({ spa, client });
    await spa.close();
  },
});

const status = (page: Page) => page.getByRole('status');
const renew = (page: Page) => page.getByRole('button', { name: 'Renew silently' }).click();

test('SPEC 3: a browser client signs a person in, asks for consent, and fetches its token across origins', async ({
  page,
  world,
  app,
  person,
}) => {
  await page.goto(app.spa.origin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, person);
  await expect(consentHeading(page, world, app.client)).toBeVisible();
  await allow(page);
  await expect(status(page)).toHaveText(/^signed in: bearer token of \d+ s without a refresh token$/i);
  expect(await world.consentOf(person, app.client)).toEqual([world.api.scopes[0]?.name]);
});

test('SN-01: a hidden iframe with prompt=none and a fresh challenge gets a new token, twice, with no page shown', async ({
  page,
  app,
  person,
}) => {
  await page.goto(app.spa.origin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, person);
  await allow(page);
  await expect(status(page)).toHaveText(/^signed in: bearer token/i);
  const shown: string[] = [];
  page.on('framenavigated', (frame) => shown.push(new URL(frame.url()).pathname));
  for (const _ of ['first', 'second']) {
    await renew(page);
    await expect(status(page)).toHaveText(/^renewed: bearer token of \d+ s/i);
  }
  expect(shown.filter((path) => path !== '/silent' && path !== 'blank')).toEqual([]);
});

test('SN-01: without a session the hidden iframe brings login_required', async ({ page, app }) => {
  await page.goto(app.spa.origin);
  await renew(page);
  await expect(status(page)).toHaveText('renewed: error: login_required');
});

test('SN-01: signed in but never asked, the hidden iframe brings consent_required', async ({
  page,
  app,
  person,
}) => {
  await page.goto(app.spa.origin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, person);
  await expect(page.getByRole('button', { name: 'Allow', exact: true })).toBeVisible();
  await page.goto(app.spa.origin);
  await renew(page);
  await expect(status(page)).toHaveText('renewed: error: consent_required');
});

test('SF-04: after signing out the hidden iframe brings login_required', async ({
  page,
  world,
  app,
  person,
}) => {
  await page.goto(app.spa.origin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, person);
  await allow(page);
  await expect(status(page)).toHaveText(/^signed in/);
  await signOut(page, world);
  await page.goto(app.spa.origin);
  await renew(page);
  await expect(status(page)).toHaveText('renewed: error: login_required');
});
