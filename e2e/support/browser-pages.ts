// Every page, and how a browser gets to it: for the checks that hold on all of them, and for the screenshots.
import type { Page } from '@playwright/test';
import { authorizeUrl, signIn } from './browser-steps.ts';
import type { TestClient, World } from './browser-world.ts';
import { sql } from './database.ts';

/** Nobody listens there: these pages are looked at, not finished. */
const REDIRECT_URI = 'https://shop.example/callback';

export type KnownPage = { name: string; open(page: Page, world: World): Promise<unknown> };

async function startSignIn(page: Page, world: World): Promise<TestClient> {
  const client = await world.givenClient({
    kind: 'confidential',
    name: 'Shop',
    redirectUris: [REDIRECT_URI],
  });
  const scope = world.api.scopes.map((one) => one.name).join(' ');
  await page.goto(authorizeUrl(world, client, { scope }));
  return client;
}

async function toConsent(page: Page, world: World): Promise<TestClient> {
  const client = await startSignIn(page, world);
  await signIn(page, await world.givenPerson());
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
  return client;
}

const plain = (name: string, path: (world: World) => string): KnownPage => ({
  name,
  open: async (page, world) => {
    await page.goto(world.baseUrl + path(world));
  },
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
      await startSignIn(page, world);
      const { email } = await world.givenPerson();
      await signIn(page, { email, password: 'not this one' });
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
  {
    name: 'forgotten-password',
    open: async (page, world) => {
      await startSignIn(page, world);
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
      await page.getByRole('button', { name: 'Send the link' }).waitFor();
    },
  },
  {
    name: 'forgotten-password-asked',
    open: async (page, world) => {
      await startSignIn(page, world);
      await page.getByRole('link', { name: 'Forgot your password?' }).click();
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
      const { clientId } = await toConsent(page, world);
      await sql("update clients set name = 'Another shop' where client_id = $1", [clientId]);
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.getByText('What is asked of you has changed').waitFor();
    },
  },
  {
    name: 'error',
    open: async (page, world) => {
      await page.goto(`${world.issuer}/authorize?client_id=no-such-client`);
    },
  },
  {
    name: 'error-incomplete',
    open: async (page, world) => {
      await page.goto(`${world.issuer}/authorize?response_type=code`);
    },
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
