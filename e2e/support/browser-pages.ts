// How a browser opens each page: for the checks that every page must pass, and for the screenshots.
import type { Page } from '@playwright/test';
import type { World } from './browser-world.ts';
import { sql } from './database.ts';
import { errorPageUrl, Visit } from './visit.ts';

export type KnownPage = { name: string; open(page: Page, world: World): Promise<unknown> };

/** A sign-in that is not finished: nothing listens at the client's address. */
async function startSignIn(page: Page, world: World): Promise<Visit> {
  const client = await world.givenClient({ name: 'Shop', redirectUris: ['https://shop.example/callback'] });
  const visit = new Visit({ page, world, client, person: await world.givenPerson() });
  await visit.start({ scope: world.api.scopes.map(({ name }) => name).join(' ') });
  return visit;
}

async function toConsent(page: Page, world: World): Promise<Visit> {
  const visit = await startSignIn(page, world);
  await visit.signIn();
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  return visit;
}

async function forgetPassword(page: Page, world: World): Promise<void> {
  await startSignIn(page, world);
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('button', { name: 'Send the link' }).waitFor();
}

const plain = (name: string, path: (world: World) => string): KnownPage => ({
  name,
  open: (page, world) => page.goto(world.baseUrl + path(world)),
});

export const knownPages: readonly KnownPage[] = [
  plain('home', () => '/'),
  plain('apis', () => '/apis'),
  plain('api', ({ api }) => `/apis/${api.id}`),
  plain('documentation', () => '/documentation'),
  plain('not-found', () => '/no/such/page'),
  { name: 'sign-in', open: startSignIn },
  {
    name: 'sign-in-with-error',
    open: async (page, world) => {
      await (await startSignIn(page, world)).signIn('not this one');
      await page.getByText('E-mail or password is not right.').waitFor();
    },
  },
  {
    name: 'sign-in-after-reset',
    open: async (page, world) => {
      await startSignIn(page, world);
      await page.goto(`${page.url()}&done=password-reset`);
    },
  },
  { name: 'forgotten-password', open: forgetPassword },
  {
    name: 'forgotten-password-asked',
    open: async (page, world) => {
      await forgetPassword(page, world);
      await page.getByLabel('E-mail').fill('nobody-at-all@example.com');
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByText('within 30 minutes').waitFor();
    },
  },
  plain('reset-link-used', () => '/account/reset-password?token=none'),
  plain('password-changed', () => '/login?done=password-reset'),
  { name: 'consent', open: toConsent },
  {
    name: 'consent-again',
    open: async (page, world) => {
      const visit = await toConsent(page, world);
      await sql("update clients set name = 'Another shop' where client_id = $1", [visit.client.clientId]);
      await visit.press('Allow');
      await page.getByText('What is asked of you has changed').waitFor();
    },
  },
  { name: 'error', open: (page, world) => page.goto(errorPageUrl(world)) },
  {
    name: 'error-incomplete',
    open: (page, world) => page.goto(`${world.issuer}/authorize?response_type=code`),
  },
  plain('unusable-sign-in', () => '/login'),
  {
    name: 'logout',
    open: async (page, world) => {
      await toConsent(page, world);
      await page.goto(`${world.baseUrl}/logout`);
    },
  },
  plain('signed-out', () => '/logout'),
];
