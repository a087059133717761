// Signed-out developer with a local application, until it receives an access token. Copies client id, secret and issuer
// into its settings, as the page Code shows.
import { expect } from '@playwright/test';
import { startWebClient, type WebClientSettings } from '../../e2e/support/clients/web-client.ts';
import { allow, signIn } from '../../e2e/support/pages/visit.ts';
import type { Service } from './service.ts';
import type { Walk } from './walk.ts';

export async function developerToToken(walk: Walk, { url, world }: Service): Promise<void> {
  const person = await world.makePerson('developer');
  const settings: WebClientSettings = { issuer: '', clientId: '', secret: '', scope: 'orders:read' };
  const application = await startWebClient(() => settings);
  const page = await walk.person();
  try {
    await walk.step('find where applications are registered', async () => {
      await page.goto(url);
      await page.getByRole('link', { name: 'Register it' }).click();
    });
    await walk.step('sign in', () => signIn(page, person));
    await walk.step('register an application', async () => {
      await page.getByRole('link', { name: 'Register an application' }).click();
      await page.getByRole('radio', { name: 'On a server' }).check();
      await page.getByLabel('Name', { exact: true }).fill('Counter');
      await page.getByLabel('redirect address 1').fill(`${application.origin}/callback`);
      await page.getByRole('button', { name: 'Register' }).click();
      await page.getByRole('heading', { name: 'The application is registered' }).waitFor();
      const [id = '', secret = ''] = await page.getByRole('definition').locator('code').allTextContents();
      Object.assign(settings, { clientId: id, secret });
    });
    await walk.step('choose an API', async () => {
      await page.getByRole('link', { name: 'Choose an API' }).click();
      await page.getByRole('link', { name: 'Orders' }).click();
    });
    await walk.step('subscribe', () => page.getByRole('button', { name: 'Subscribe', exact: true }).click());
    await walk.step('read the code', async () => {
      await page.getByRole('link', { name: 'Starter code' }).click();
      const code = page.locator('pre', { hasText: '/auth/' }).first();
      settings.issuer = /https?:\/\/[^\s'"]+\/api\/orders/.exec((await code.textContent()) ?? '')?.[0] ?? '';
    });
    await walk.step('sign in to the application', async () => {
      await page.goto(application.origin);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await signIn(page, person);
      await allow(page);
      await expect(page.getByText('refreshed as bearer')).toBeVisible();
    });
  } finally {
    await application.close();
  }
}
