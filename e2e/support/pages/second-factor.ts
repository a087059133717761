// A person's authenticator app in a browser test, and the way to the pages that ask for it or set it up.
import type { Page } from '@playwright/test';
import { TOTP } from 'otpauth';
import { makeApi, sql } from '../service/database.ts';
import type { World } from './browser-world.ts';
import { Visit } from './visit.ts';

/**
 * The code of now, or of a step before or after it: each counts once. One before may be too old when it arrives; one
 * after never is.
 */
export const appCode = (secret: string, step = 0): string =>
  new TOTP({ secret }).generate({ timestamp: Date.now() + step * 30_000 });

type Asked = { secondFactor?: string; callback?: string };

/** A visit of a new person at an API of its own with this policy. */
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

/** On the page that sets one up: an API wants it. */
export async function toSetUp(page: Page, world: World, asked: Asked = {}): Promise<Visit> {
  const visit = await visitWith(page, world, asked);
  await visit.start();
  await visit.signIn();
  await page.getByRole('heading', { name: 'Set up a second factor' }).waitFor();
  return visit;
}

/** The secret that the page to set up an app shows. */
async function shownSecret(page: Page): Promise<string> {
  return ((await page.locator('.copy code').textContent()) ?? '').replaceAll(' ', '');
}

/**
 * Adds the app that the page shows, by its code of now; the next that counts is of a step after. Gives its secret and
 * the recovery codes.
 */
export async function addApp(page: Page): Promise<{ secret: string; recoveryCodes: string[] }> {
  const secret = await shownSecret(page);
  // in any language of the page
  await page.locator('input[name=code]').fill(appCode(secret));
  await page.locator('input[name=code]').press('Enter');
  await page.locator('.codes').waitFor();
  return { secret, recoveryCodes: await page.locator('.codes code').allTextContents() };
}

/** On the page that asks for a code of the app, in a browser without a session. */
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
