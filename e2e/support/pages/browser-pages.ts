// Opens each page in a browser, for the checks that every page must pass.
import type { Page } from '@playwright/test';
import { mint } from '#lib/tokens/formats.ts';
import { makeApi, makeClient, sql } from '../service/database.ts';
import { linkInMail } from '../service/mail.ts';
import type { World } from './browser-world.ts';
import { addApp, appCode, toConfirm, toSetUp } from './second-factor.ts';
import { errorPageUrl, signIn, Visit } from './visit.ts';

export type KnownPage = { name: string; open(page: Page, world: World): Promise<unknown> };

/** Opens the sign-in page of a request. No server listens at the client's redirect URI. */
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

async function toRecoveryCodes(page: Page, world: World): Promise<void> {
  await toSetUp(page, world);
  await addApp(page);
}

/**
 * Waits for the whole document. Chromium aborts a document that still loads when its form is sent: its scripts find an
 * incomplete payload, and React logs error 412, "Connection closed".
 */
async function followForgotten(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.waitForURL('**/forgot-password*', { waitUntil: 'load' });
}

async function forgetPassword(page: Page, world: World): Promise<void> {
  await startSignIn(page, world);
  await followForgotten(page);
  await page.getByRole('button', { name: 'Send the link' }).waitFor();
}

async function openReset(page: Page, world: World): Promise<void> {
  await startSignIn(page, world);
  const person = await world.givenPerson();
  await followForgotten(page);
  await page.getByLabel('Email').fill(person.email);
  await page.getByRole('button', { name: 'Send the link' }).click();
  await page.getByText('within 30 minutes').waitFor();
  await page.goto(await linkInMail(person, 'Gatehouse: choose a new password'));
}

/** Creates a user who must replace the password. */
async function givenOwing(world: World) {
  const person = await world.givenPerson();
  await sql('update people set must_change_password = true where email = $1', [person.email]);
  return person;
}

async function toNewPassword(page: Page, world: World): Promise<void> {
  const visit = (await startSignIn(page, world)).but({ person: await givenOwing(world) });
  await visit.signIn();
  await page.getByRole('button', { name: 'Save the password' }).waitFor();
}

/** Starts a device authorization at a new API. */
export async function startDevice(page: Page, world: World, form: Record<string, string> = {}) {
  const api = await makeApi();
  await sql("update apis set device_grant = 'on' where id = $1", [api.id]);
  const { clientId } = await makeClient({ name: 'Television', kind: 'native', apis: [api.id] });
  await sql('update subscriptions set device = true where client_id = $1', [clientId]);
  const issuer = `${world.baseUrl}/auth/pw/api/${api.id}`;
  const asked = await page.request.post(`${issuer}/device_authorization`, {
    form: { client_id: clientId, ...form },
  });
  return { issuer, clientId, device: (await asked.json()) as Record<string, string> };
}

/** Opens the device's link with the code, as a signed-in user. */
async function toDeviceDecision(page: Page, world: World): Promise<void> {
  const { device } = await startDevice(page, world);
  await page.goto(String(device['verification_uri_complete']));
  await page.getByRole('button', { name: 'Continue' }).click();
  await signIn(page, await world.givenPerson());
  await page.getByRole('button', { name: 'Deny' }).waitFor();
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
  plain('endpoint', () => '/documentation/endpoints/token'),
  plain('resource', () => '/documentation/management/clients'),
  plain('guides', () => '/documentation/guides?q=token'),
  plain('guide', () => '/documentation/guides/configuration'),
  plain('not-found', () => '/no/such/page'),
  plain('device', () => '/device'),
  {
    name: 'device-with-error',
    open: async (page, world) => {
      await page.goto(`${world.baseUrl}/device`);
      await page.getByLabel('Code').fill('WDJB-MJHT');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('alert').waitFor();
    },
  },
  { name: 'device-decision', open: toDeviceDecision },
  { name: 'sign-in', open: startSignIn },
  {
    name: 'sign-in-with-error',
    open: async (page, world) => {
      await (await startSignIn(page, world)).signIn('not this one');
      await page.getByText('Incorrect email or password.').waitFor();
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
      await page.getByLabel('Email').fill('nobody-at-all@example.com');
      await page.getByRole('button', { name: 'Send the link' }).click();
      await page.getByText('within 30 minutes').waitFor();
    },
  },
  { name: 'reset-password', open: openReset },
  {
    name: 'reset-password-refused',
    open: async (page, world) => {
      await openReset(page, world);
      await page.getByLabel('New password', { exact: true }).fill('password1');
      await page.getByRole('button', { name: 'Save the password' }).click();
      await page.getByText('too easy to guess').waitFor();
    },
  },
  {
    name: 'verify-email',
    open: async (page, world) => {
      const person = await world.givenPerson();
      const { value, hash } = mint('mail');
      await sql(
        `insert into mail_tokens (token_hash, purpose, person_id, email, expires_at)
         select $1, 'verify-email', id, email, now() + interval '1 hour' from people where email = $2`,
        [hash, person.email],
      );
      await page.goto(`${world.baseUrl}/account/verify-email?token=${value}`);
    },
  },
  { name: 'new-password', open: toNewPassword },
  {
    name: 'new-password-refused',
    open: async (page, world) => {
      await toNewPassword(page, world);
      await page.getByLabel('New password', { exact: true }).fill('password1');
      await page.getByRole('button', { name: 'Save the password' }).click();
      await page.getByText('too easy to guess').waitFor();
    },
  },
  {
    name: 'new-password-of-console',
    open: async (page, world) => {
      const person = await givenOwing(world);
      await page.goto(`${world.baseUrl}/account`);
      await signIn(page, person);
      await page.getByRole('button', { name: 'Save the password' }).waitFor();
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
      await page.getByText('The request has changed').waitFor();
    },
  },
  { name: 'set-up', open: (page, world) => toSetUp(page, world) },
  {
    name: 'set-up-with-error',
    open: async (page, world) => {
      await toSetUp(page, world);
      await page.getByLabel('Code', { exact: true }).fill('000000');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('That code is not right').waitFor();
    },
  },
  { name: 'recovery-codes', open: toRecoveryCodes },
  { name: 'confirm', open: toConfirm },
  {
    name: 'confirm-recovery-code',
    open: async (page, world) => {
      await toConfirm(page, world);
      await page.getByRole('link', { name: 'Use a recovery code' }).click();
      await page.getByLabel('Recovery code').waitFor();
    },
  },
  {
    name: 'confirmed-elsewhere',
    open: async (page, world) => {
      const { secret } = await toConfirm(page, world);
      const address = page.url();
      await page.getByLabel('Code', { exact: true }).fill(appCode(secret, 1));
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByRole('button', { name: 'Allow', exact: true }).waitFor();
      await page.goto(address);
      await page.getByText('This step is already done').waitFor();
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
