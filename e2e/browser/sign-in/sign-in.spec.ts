// From a client's request to its token, in a real browser (contract sections 5 and 7).

import { startWebClient } from '../../support/clients/web-client.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import type { World } from '../../support/pages/browser-world.ts';
import { type Visit, WRONG_PASSWORD } from '../../support/pages/visit.ts';

async function signInAtWebClient(visit: Visit, world: World): Promise<void> {
  const web = await startWebClient(() => ({
    issuer: world.issuer,
    clientId: client.clientId,
    secret: client.secret,
    scope: world.api.scopes[0]?.name ?? '',
  }));
  const client = await world.givenClient({ redirectUris: web.redirectUris });
  const { page } = visit;
  try {
    await page.goto(web.origin);
    await page.getByRole('link', { name: 'Sign in' }).click();
    await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
    await visit.signIn();
    await expect(visit.but({ client }).consent).toBeVisible();
    await visit.press('Allow');
    await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible();
    await expect(page.getByText(/Token type bearer, refreshed as bearer/i)).toBeVisible();
  } finally {
    await web.close();
  }
}

test('SPEC 4.5, 4.6: a confidential web client (openid-client) signs a user in, receives tokens and refreshes them', async ({
  visit,
  world,
}) => {
  await signInAtWebClient(visit, world);
});

test.describe('with JavaScript switched off', () => {
  test.use({ javaScriptEnabled: false });

  test('contract 7: the client’s request, sign-in, consent and token work without scripts', async ({
    visit,
    world,
  }) => {
    await signInAtWebClient(visit, world);
  });

  test('contract 7: wrong password, denial and sign-out work without scripts', async ({ visit }) => {
    await visit.start();
    await visit.signIn('wrong');
    await expect(visit.page.getByRole('alert').filter({ hasText: WRONG_PASSWORD })).toBeVisible();
    await visit.signIn();
    await visit.press('Deny');
    expect((await visit.answer()).get('error')).toBe('access_denied');
    await visit.signOut();
    expect(await visit.silently()).toBe('login_required');
  });
});

test('contract 7: the sign-in page names the client and the API', async ({ page, world, client, visit }) => {
  await visit.start();
  await expect(page).toHaveURL(/\/login\?/);
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  for (const name of [client.name, world.api.name]) await expect(page.getByRole('main')).toContainText(name);
});

test('contract 7: a wrong password shows one alert and keeps the email, never the password', async ({
  page,
  visit,
  person,
}) => {
  await visit.start();
  await visit.signIn('not this one');
  await expect(page.getByRole('alert').filter({ hasText: /./ })).toHaveText(WRONG_PASSWORD);
  await expect(page.getByLabel('Email')).toHaveValue(person.email);
  await expect(page.getByLabel('Password', { exact: true })).toHaveValue('');
  await visit.signIn();
  await expect(visit.consent).toBeVisible();
});

test('contract 7: the sign-in form can be filled and submitted with the keyboard alone', async ({
  page,
  visit,
  person,
}) => {
  await visit.start();
  await page.getByLabel('Email').focus();
  await page.keyboard.type(person.email);
  await page.getByLabel('Password', { exact: true }).focus();
  await page.keyboard.type(person.password);
  await page.keyboard.press('Enter');
  await expect(visit.consent).toBeVisible();
  await page.getByRole('button', { name: 'Allow', exact: true }).focus();
  await page.keyboard.press('Enter');
  await visit.expectCode();
});

test('AZ-26: two clients in two tabs that complete in swapped order each receive their own code and state', async ({
  context,
  world,
  visit,
  openSite,
}) => {
  const client = await world.givenClient({
    kind: 'browser',
    redirectUris: [`${(await openSite()).origin}/cb`],
  });
  const first = visit.but({ page: await context.newPage() });
  const second = visit.but({ page: await context.newPage(), client });
  await first.start({ state: 'first' });
  await second.start({ state: 'second' });
  const codes = [];
  for (const [tab, state] of [
    [second, 'second'],
    [first, 'first'],
  ] as const) {
    await tab.signIn();
    await expect(tab.consent).toBeVisible();
    await tab.press('Allow');
    const answer = await tab.answer();
    expect(answer.get('state')).toBe(state);
    codes.push(answer.get('code'));
  }
  expect(codes[0]).not.toBe(codes[1]);
  expect([await world.codesOf(visit.client), await world.codesOf(client)]).toEqual([1, 1]);
});
