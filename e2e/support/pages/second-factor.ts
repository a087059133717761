// Authenticator app for browser tests, and helpers that reach confirmation and setup pages.
import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { makeApi, sql } from '../service/database.ts';
import type { World } from './browser-world.ts';
import { Visit } from './visit.ts';

/**
 * Code of the current, previous or next step; each works once. A previous code may expire in transit, a next code never
 * does.
 */
export const appCode = (secret: string, step = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + step * 30_000 });

type Asked = { secondFactor?: string; callback?: string };

/** Starts a visit: new user, new API with this policy. */
async function visitWith(
  page: Page,
  world: World,
  { secondFactor = 'required', callback = 'https://shop.example/callback' }: Asked,
): Promise<Visit> {
  const api = await makeApi({ name: 'Orders', second_factor: secondFactor });
  const client = await world.givenClient({
    name: 'Shop',
    apis: [api.id],
    redirectUris: [callback],
  });
  const person = await world.givenPerson();
  const issuer = world.issuer.replace(/[^/]+$/, api.id);
  return new Visit({ page, world, client, person, issuer });
}

/** Opens the setup page through an API that requires a second factor. */
export async function toSetUp(page: Page, world: World, asked: Asked = {}): Promise<Visit> {
  const visit = await visitWith(page, world, asked);
  await visit.start();
  await visit.signIn();
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  return visit;
}

/** Returns the secret that the setup page displays. */
async function shownSecret(page: Page): Promise<string> {
  return ((await page.locator('.copy code').textContent()) ?? '').replaceAll(' ', '');
}

/**
 * Adds the displayed app with its current code; later codes must use the next step. Returns secret and recovery codes.
 */
export async function addApp(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  const secret = await shownSecret(page);
  // found by name, which is the same in every language of the page
  await page.locator('input[name=code]').fill(appCode(secret));
  await page.locator('input[name=code]').press('Enter');
  await page.locator('.codes').waitFor();
  return { secret, recoveryCodes: await page.locator('.codes code').allTextContents() };
}

/** Opens the confirmation page in a browser without session. */
export async function toConfirm(
  page: Page,
  world: World,
): Promise<{ visit: Visit; secret: string; recoveryCodes: string[] }> {
  const visit = await toSetUp(page, world);
  const added = await addApp(page);
  await page.context().clearCookies();
  await visit.start();
  await visit.signIn();
  await page.getByRole('heading', { name: 'Confirm it is you' }).waitFor();
  return { visit, ...added };
}

export const forgetBrowsers = (email: string) =>
  sql('delete from trusted_browsers where person_id = (select id from people where email = $1)', [email]);
