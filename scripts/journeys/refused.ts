// Developer whose application receives an error: follows the error to the rejecting step.
import { expect } from '@playwright/test';
import { startWebClient } from '../../e2e/support/clients/web-client.ts';
import { signIn } from '../../e2e/support/pages/visit.ts';
import type { Service } from './service.ts';
import type { Walk } from './walk.ts';

export async function askWhyRefused(walk: Walk, { url, sql, world }: Service): Promise<void> {
  const person = await world.makePerson('developer');
  const settings = {
    issuer: `${url}/auth/local/api/billing`,
    clientId: '',
    secret: '',
    scope: 'billing:read',
  };
  const application = await startWebClient(() => settings);
  const { redirectUris } = application;
  const { clientId, secret = '' } = await world.makeClient({
    redirectUris,
    apis: ['billing'],
    state: 'pending',
  });
  Object.assign(settings, { clientId, secret });
  await sql('update clients set owner_id = $2, name = $3 where client_id = $1', [
    clientId,
    person.id,
    'Counter',
  ]);
  const page = await walk.person();
  try {
    await walk.step('be refused', async () => {
      await page.goto(application.origin);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await page.getByText('The answer was').waitFor();
    });
    await walk.step('find the application', async () => {
      await page.goto(`${url}/developer`);
      await signIn(page, person);
      await page.getByRole('link', { name: 'Counter' }).click();
    });
    await walk.step('ask why', async () => {
      await page.getByRole('link', { name: 'Why?' }).click();
      await page.getByLabel('API', { exact: true }).selectOption('billing');
      await page.getByRole('button', { name: 'Explain' }).click();
    });
    await walk.step('read which step refuses', async () => {
      await page.getByRole('heading', { name: 'No, the request would be rejected' }).waitFor();
      await expect(page.getByRole('list', { name: 'Steps' })).toContainText(/subscription/i);
    });
  } finally {
    await application.close();
  }
}
