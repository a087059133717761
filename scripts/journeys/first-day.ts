// Path of an operator on the first day of an empty service. The operator completes the checklist except for the
// https address, which a local machine lacks.
import { expect, type Page } from '@playwright/test';
import { signIn } from '../../e2e/support/pages/visit.ts';
import { setUpApp } from './lost-phone.ts';
import { startEmpty } from './service.ts';
import { goTo, type Walk } from './walk.ts';

const list = (page: Page) => page.locator('#first-day');
const follow = (page: Page, name: string) => list(page).getByRole('link', { name, exact: true }).click();
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Marks a checklist line as done, because the service cannot detect it. */
async function tick(page: Page, line: string): Promise<void> {
  const item = list(page).getByRole('listitem').filter({ hasText: line });
  await item.getByRole('button').click();
  await expect(item).toContainText('confirmed by an administrator');
}

export async function firstDay(walk: Walk): Promise<void> {
  const service = await startEmpty();
  const page = await walk.person();
  try {
    await walk.step('sign in', async () => {
      await page.goto(`${service.url}/admin`);
      await signIn(page, service.administrator);
      await list(page).waitFor();
    });
    await walk.step('send a test message', async () => {
      await follow(page, 'A mail server');
      await press(page, 'Send test message');
      await page.getByText('The server accepted the message').waitFor();
      expect(service.mails()).toBeGreaterThan(0);
      await goTo(page, 'Operations');
      await tick(page, 'A mail server');
    });
    await walk.step('say what the service cannot see', async () => {
      await tick(page, 'A separate database role');
      await tick(page, 'A backup');
      await tick(page, 'Metrics');
    });
    await walk.step('set up a second factor', async () => {
      await follow(page, 'A second factor for every administrator');
      await page.getByRole('link', { name: 'Set up an app' }).click();
      await setUpApp(page);
      await goTo(page, 'Operations');
    });
    await walk.step('publish an API', async () => {
      await follow(page, 'An API that people sign in for');
      await page.getByRole('link', { name: 'Publish an API' }).click();
      await page.getByLabel('Id', { exact: true }).fill('orders');
      await page.getByLabel('Name', { exact: true }).fill('Orders');
      await page.getByLabel(/^Address/).fill('https://api.example/orders');
      await press(page, 'Publish API');
      await page.getByText('The API is created').waitFor();
      await goTo(page, 'Operations');
    });
    await walk.step('register a client', async () => {
      await follow(page, 'A client');
      await page.getByRole('radio', { name: 'In the browser' }).check();
      await page.getByLabel('Name', { exact: true }).fill('Shop');
      await page.getByLabel('redirect address 1').fill('https://shop.example/callback');
      await press(page, 'Register');
      await page.getByText('The application is registered').first().waitFor();
      await goTo(page, 'Operations');
    });
    await walk.step('read that the list is done', async () => {
      await expect(list(page)).toContainText('8 of 9 done');
    });
  } finally {
    await service.stop();
  }
}
