// Every page, and how a browser gets to it: for the checks that hold on all of them, and for the screenshots.
import type { Page } from '@playwright/test';
import { authorizeUrl, signIn } from './browser-steps.ts';
import type { World } from './browser-world.ts';

/** Nobody listens there: these pages are looked at, not finished. */
const REDIRECT_URI = 'https://shop.example/callback';

export type KnownPage = { name: string; open(page: Page, world: World): Promise<void> };

async function startSignIn(page: Page, world: World): Promise<void> {
  const client = await world.givenClient({
    type: 'confidential',
    name: 'Shop',
    redirectUris: [REDIRECT_URI],
  });
  const scope = world.api.scopes.map((one) => one.name).join(' ');
  await page.goto(authorizeUrl(world, client, { scope }));
}

async function toConsent(page: Page, world: World): Promise<void> {
  await startSignIn(page, world);
  await signIn(page, await world.givenPerson());
  await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
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
  { name: 'consent', open: toConsent },
  {
    name: 'error',
    open: async (page, world) => {
      await page.goto(`${world.issuer}/authorize?client_id=no-such-client`);
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
