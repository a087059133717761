// Users with lost phones, with and without recovery codes: sign in with a new phone, or set up a new phone.
import { expect, type Page } from '@playwright/test';
import { appCode } from '../../e2e/support/pages/second-factor.ts';
import { signIn } from '../../e2e/support/pages/visit.ts';
import type { Account, Service } from './service.ts';
import { goTo, openMenu, type Walk } from './walk.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true });
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Returns the secret that the setup page shows for an authenticator app. */
async function scan(page: Page): Promise<string> {
  return (await page.locator('.app-secret code').innerText()).replaceAll(' ', '');
}

/** Sets up an authenticator app. Returns its secret and one recovery code. */
export async function setUpApp(page: Page): Promise<{ secret: string; recoveryCode: string }> {
  const secret = await scan(page);
  await page.getByRole('textbox', { name: 'Code' }).fill(appCode(secret));
  await press(page, 'Set up the app');
  await heading(page, 'Your recovery codes').waitFor();
  const [recoveryCode = ''] = (await page.getByRole('definition').first().innerText()).split('\n');
  await page.getByRole('link', { name: 'I have saved them' }).click();
  await heading(page, 'Sign-in and security').waitFor();
  return { secret, recoveryCode };
}

/** Creates a user whose authenticator app is on the lost phone. */
async function givenPersonWithApp(walk: Walk, { url, world }: Service) {
  const person = await world.makePerson();
  const app = await walk.before(async (page) => {
    await page.goto(`${url}/account/security/add`);
    await signIn(page, person);
    return setUpApp(page);
  });
  return { person, ...app };
}

async function signInAgain(page: Page, url: string, person: Account): Promise<void> {
  await page.goto(`${url}/account`);
  await signIn(page, person);
}

export async function lostPhoneWithCodes(walk: Walk, service: Service): Promise<void> {
  const { person, recoveryCode } = await givenPersonWithApp(walk, service);
  const page = await walk.person();
  await walk.step('sign in with a recovery code', async () => {
    await signInAgain(page, service.url, person);
    await page.getByLabel('Code').fill(recoveryCode);
    await press(page, 'Continue');
  });
  const secret = await walk.step('replace the app', async () => {
    await page.getByRole('link', { name: 'Set up the new phone' }).click();
    const scanned = await scan(page);
    await page.getByLabel('Code').fill(appCode(scanned));
    await press(page, 'Replace the app');
    await page.getByText('The new app is active.').waitFor();
    return scanned;
  });
  await walk.step('sign in with the new app', async () => {
    await openMenu(page);
    await page.getByRole('button', { name: 'Sign out' }).filter({ visible: true }).click();
    await signIn(page, person);
    await page.getByLabel('Code').fill(appCode(secret, 1));
    await press(page, 'Continue');
    await heading(page, 'Your account').waitFor();
  });
}

export async function lostPhoneWithoutCodes(walk: Walk, service: Service): Promise<void> {
  const { person } = await givenPersonWithApp(walk, service);
  const [page, other] = [await walk.person(), await walk.person()];
  await walk.step('read what to do without the phone and the codes', async () => {
    await signInAgain(page, service.url, person);
    await page.getByText('I have none of these').click();
    await page.getByText('to reset your second factor').waitFor();
  });
  await walk.step('an administrator finds the person', async () => {
    await other.goto(`${service.url}/admin`);
    await signIn(other, service.account('admin'));
    await goTo(other, 'People');
    await other.getByRole('searchbox').fill(person.email);
    await other.getByRole('searchbox').press('Enter');
    await other.getByRole('link', { name: person.name }).click();
  });
  await walk.step('the administrator resets the second factor', async () => {
    await other.getByRole('link', { name: 'Reset factors…' }).click();
    await press(other, 'Reset factors');
    await other.getByText('The person’s factors are removed').waitFor();
  });
  await walk.step('sign in with the password, and set up the new phone', async () => {
    await signInAgain(page, service.url, person);
    await page.getByRole('link', { name: 'Add a second factor' }).click();
    await setUpApp(page);
    await expect(page.getByRole('list', { name: 'Authenticator apps' })).toBeVisible();
  });
}
