// From a client's request to its token, in a real browser (contract sections 5 and 7).
import type { Page } from '@playwright/test';
import {
  allow,
  answerAt,
  authorizeUrl,
  consentHeading,
  signIn,
  silentAnswer,
  WRONG_PASSWORD,
} from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';
import type { World } from '../support/browser-world.ts';
import { startWebClient } from '../support/web-client.ts';

async function openWebClient(world: World) {
  const web = await startWebClient(() => ({
    issuer: world.issuer,
    clientId: client.clientId,
    secret: client.secret,
    scope: world.api.scopes[0]?.name ?? '',
  }));
  const client = await world.givenClient({ kind: 'confidential', redirectUris: web.redirectUris });
  return { web, client };
}

async function signInAtWebClient(page: Page, world: World): Promise<void> {
  const person = await world.givenPerson();
  const { web, client } = await openWebClient(world);
  try {
    await page.goto(web.origin);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await signIn(page, person);
    await expect(consentHeading(page, world, client)).toBeVisible();
    await allow(page);
    await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible();
    await expect(page.getByText(/Token type bearer, refreshed as bearer/i)).toBeVisible();
  } finally {
    await web.close();
  }
}

test('SPEC 4.5, 4.6: a confidential web client (openid-client) gets a person signed in, a token and a refresh', async ({
  page,
  world,
}) => {
  await signInAtWebClient(page, world);
});

test.describe('with JavaScript switched off', () => {
  test.use({ javaScriptEnabled: false });

  test('contract 7: the whole way from the client to its token works without a script', async ({
    page,
    world,
  }) => {
    await signInAtWebClient(page, world);
  });

  test('contract 7: a wrong password, a refusal and a sign-out work without a script', async ({
    page,
    world,
    client,
    person,
    shop,
  }) => {
    await page.goto(authorizeUrl(world, client));
    await signIn(page, { email: person.email, password: 'wrong' });
    await expect(page.getByRole('alert').filter({ hasText: WRONG_PASSWORD })).toBeVisible();
    await signIn(page, person);
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    expect((await answerAt(page, `${shop.origin}/cb`)).get('error')).toBe('access_denied');
    await page.goto(`${world.baseUrl}/logout`);
    await page.getByRole('button', { name: /^Sign out/ }).click();
    expect((await silentAnswer(page, world, client)).get('error')).toBe('login_required');
  });
});

test('contract 7: the sign-in page names the client and the API', async ({ page, world, client }) => {
  await page.goto(authorizeUrl(world, client));
  await expect(page).toHaveURL(/\/login\?/);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  const main = page.getByRole('main');
  await expect(main).toContainText(client.name);
  await expect(main).toContainText(world.api.name);
});

test('contract 7: an external method asks for a Username instead of an E-mail', async ({
  page,
  world,
  client,
}) => {
  const url = authorizeUrl(world, client).replace(world.issuer, world.issuerOf('external'));
  await page.goto(url);
  await expect(page.getByLabel('Username')).toBeVisible();
  await expect(page.getByLabel('E-mail')).toHaveCount(0);
});

test('contract 7: a wrong password shows one alert and keeps the e-mail, never the password', async ({
  page,
  world,
  client,
  person,
}) => {
  await page.goto(authorizeUrl(world, client));
  await signIn(page, { email: person.email, password: 'not this one' });
  await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveText(WRONG_PASSWORD);
  await expect(page.getByLabel('E-mail')).toHaveValue(person.email);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await signIn(page, person);
  await expect(consentHeading(page, world, client)).toBeVisible();
});

test('contract 7: an unknown e-mail gets the very same message as a wrong password', async ({
  page,
  world,
  client,
}) => {
  await page.goto(authorizeUrl(world, client));
  await signIn(page, { email: 'nobody-at-all@example.com', password: 'whatever it is' });
  await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveText(WRONG_PASSWORD);
});

test('contract 7: the form is filled and sent with the keyboard alone', async ({
  page,
  world,
  client,
  person,
  shop,
}) => {
  await page.goto(authorizeUrl(world, client));
  await page.getByLabel('E-mail').focus();
  await page.keyboard.type(person.email);
  await page.getByLabel('Password', { exact: true }).focus();
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await expect(consentHeading(page, world, client)).toBeVisible();
  await page.getByRole('button', { name: 'Allow', exact: true }).focus();
  await page.keyboard.press('Enter');
  expect((await answerAt(page, `${shop.origin}/cb`)).get('code')).toBeTruthy();
});

test('CN-04: Cancel on the sign-in page gives the client access_denied with its state, and nobody is signed in', async ({
  page,
  world,
  client,
  shop,
}) => {
  await page.goto(authorizeUrl(world, client, { state: 'kept as it is' }));
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const answer = await answerAt(page, `${shop.origin}/cb`);
  expect(answer.get('error')).toBe('access_denied');
  expect(answer.get('state')).toBe('kept as it is');
  expect(answer.get('iss')).toBe(world.issuer);
  expect(answer.has('code')).toBe(false);
  expect((await silentAnswer(page, world, client)).get('error')).toBe('login_required');
});

test('AZ-26: two clients in two tabs, finished in swapped order, each get their own code and state', async ({
  context,
  world,
  client,
  shop,
  openSite,
  person,
}) => {
  const other = await openSite();
  const otherClient = await world.givenClient({ kind: 'browser', redirectUris: [`${other.origin}/cb`] });
  const [first, second] = [await context.newPage(), await context.newPage()];
  await first.goto(authorizeUrl(world, client, { state: 'first' }));
  await second.goto(authorizeUrl(world, otherClient, { state: 'second' }));

  await signIn(second, person);
  await expect(consentHeading(second, world, otherClient)).toBeVisible();
  await allow(second);
  const secondAnswer = await answerAt(second, `${other.origin}/cb`);
  await signIn(first, person);
  await expect(consentHeading(first, world, client)).toBeVisible();
  await allow(first);
  const firstAnswer = await answerAt(first, `${shop.origin}/cb`);

  expect(firstAnswer.get('state')).toBe('first');
  expect(secondAnswer.get('state')).toBe('second');
  expect(firstAnswer.get('code')).not.toBe(secondAnswer.get('code'));
  expect([await world.codesOf(client), await world.codesOf(otherClient)]).toEqual([1, 1]);
});
