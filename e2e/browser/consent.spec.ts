// What a person is asked, and what is remembered (cases CN).
import {
  allow,
  answerAt,
  authorizeUrl,
  consentHeading,
  signIn,
  signInAndAllow,
  signOut,
} from '../support/browser-steps.ts';
import { expect, test } from '../support/browser-test.ts';
import type { World } from '../support/browser-world.ts';

const scopesOf = (world: World, count: number) =>
  world.api.scopes
    .slice(0, count)
    .map((scope) => scope.name)
    .join(' ');

test('contract 7: the consent page lists each scope as a sentence, and says who is signed in', async ({
  page,
  world,
  client,
  person,
}) => {
  await page.goto(authorizeUrl(world, client, { scope: scopesOf(world, 2) }));
  await signIn(page, person);
  await expect(consentHeading(page, world, client)).toBeVisible();
  const items = page.getByRole('listitem');
  await expect(items).toHaveText(world.api.scopes.slice(0, 2).map((scope) => scope.description));
  await expect(page.getByText(person.email)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Deny', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Not you?' })).toBeVisible();
});

test('an API’s terms, privacy policy and contact are linked on its page and at consent', async ({
  page,
  world,
  client,
  person,
}) => {
  const links = {
    'Terms of service': 'https://api.example/terms',
    'Privacy policy': 'https://api.example/privacy',
    Contact: 'mailto:help@api.example',
  };
  const expectLinks = async () => {
    for (const [name, href] of Object.entries(links))
      await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute('href', href);
  };
  await page.goto(`${world.baseUrl}/apis/orders`);
  await expectLinks();
  await page.goto(`${world.baseUrl}/apis/billing`);
  for (const name of Object.keys(links))
    await expect(page.getByRole('link', { name, exact: true })).toHaveCount(0);
  await page.goto(authorizeUrl(world, client, { scope: scopesOf(world, 1) }));
  await signIn(page, person);
  await expect(consentHeading(page, world, client)).toBeVisible();
  await expectLinks();
});

test('CN-02: a trusted client gets its code without a consent page', async ({
  page,
  world,
  shop,
  person,
}) => {
  const redirectUri = `${shop.origin}/cb`;
  const trusted = await world.givenClient({
    kind: 'confidential',
    redirectUris: [redirectUri],
    trusted: true,
  });
  await page.goto(authorizeUrl(world, trusted));
  await signIn(page, person);
  expect((await answerAt(page, redirectUri)).get('code')).toBeTruthy();
  expect(await world.consentOf(person, trusted)).toBeNull();
});

test('CN-03: a consent is remembered for its scopes; one more scope is asked again', async ({
  page,
  world,
  client,
  shop,
  person,
}) => {
  await signInAndAllow(page, world, client, person);
  await page.goto(authorizeUrl(world, client, { state: 'again' }));
  const again = await answerAt(page, `${shop.origin}/cb`);
  expect(again.get('code')).toBeTruthy();
  expect(again.get('state')).toBe('again');

  await page.goto(authorizeUrl(world, client, { scope: scopesOf(world, 2) }));
  await expect(consentHeading(page, world, client)).toBeVisible();
  await allow(page);
  expect((await answerAt(page, `${shop.origin}/cb`)).get('code')).toBeTruthy();
  expect((await world.consentOf(person, client))?.toSorted()).toEqual(
    scopesOf(world, 2).split(' ').toSorted(),
  );
});

test('CN-03: prompt=consent asks again although the consent is remembered', async ({
  page,
  world,
  client,
  shop,
  person,
}) => {
  await signInAndAllow(page, world, client, person);
  await page.goto(authorizeUrl(world, client, { prompt: 'consent' }));
  await expect(consentHeading(page, world, client)).toBeVisible();
  await allow(page);
  expect((await answerAt(page, `${shop.origin}/cb`)).get('code')).toBeTruthy();
});

test('CN-04: Deny gives the client access_denied with its state, and nothing is stored', async ({
  page,
  world,
  client,
  shop,
  person,
}) => {
  await page.goto(authorizeUrl(world, client, { state: 'kept & exact' }));
  await signIn(page, person);
  await page.getByRole('button', { name: 'Deny', exact: true }).click();
  const answer = await answerAt(page, `${shop.origin}/cb`);
  expect(answer.get('error')).toBe('access_denied');
  expect(answer.get('state')).toBe('kept & exact');
  expect(answer.get('iss')).toBe(world.issuer);
  expect(answer.has('code')).toBe(false);
  expect(await world.consentOf(person, client)).toBeNull();
  expect(await world.codesOf(client)).toBe(0);
});

test('contract 7: Not you? leads to the sign-in page, and the code is for whoever signs in there', async ({
  page,
  world,
  client,
  shop,
  person,
}) => {
  const other = await world.givenPerson();
  await page.goto(authorizeUrl(world, client));
  await signIn(page, person);
  await page.getByRole('button', { name: 'Not you?' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible();
  await signIn(page, other);
  await expect(page.getByText(other.email)).toBeVisible();
  await allow(page);
  expect((await answerAt(page, `${shop.origin}/cb`)).get('code')).toBeTruthy();
  expect(await world.consentOf(other, client)).not.toBeNull();
  expect(await world.consentOf(person, client)).toBeNull();
});

test('CN-08: a consent page left open while the person signs out in another tab gives nothing away', async ({
  page,
  context,
  world,
  client,
  person,
}) => {
  await page.goto(authorizeUrl(world, client));
  await signIn(page, person);
  await expect(consentHeading(page, world, client)).toBeVisible();
  await signOut(await context.newPage(), world);
  const [response] = await Promise.all([page.waitForResponse(/\/consent\/submit$/), allow(page)]);
  expect(response.status()).toBe(403);
  await expect(page.getByRole('heading', { name: 'This form is no longer valid' })).toBeVisible();
  expect(await world.consentOf(person, client)).toBeNull();
  expect(await world.codesOf(client)).toBe(0);
});

test('CN-08: a consent page left open while somebody else signs in gives away neither of them', async ({
  page,
  context,
  world,
  client,
  person,
}) => {
  const other = await world.givenPerson();
  await page.goto(authorizeUrl(world, client));
  await signIn(page, person);
  await expect(consentHeading(page, world, client)).toBeVisible();
  const tab = await context.newPage();
  await tab.goto(authorizeUrl(world, client, { prompt: 'login' }));
  await signIn(tab, other);
  await expect(consentHeading(tab, world, client)).toBeVisible();
  await allow(page);
  await expect(page.getByRole('heading', { name: 'This form is no longer valid' })).toBeVisible();
  expect([await world.consentOf(person, client), await world.consentOf(other, client)]).toEqual([null, null]);
});

test('CN-10: a native client with a loopback address is asked for each time, also when remembered', async ({
  page,
  world,
  openSite,
  person,
}) => {
  const loopback = await openSite(undefined, '127.0.0.1');
  const native = await world.givenClient({ kind: 'native', redirectUris: ['http://127.0.0.1/cb'] });
  const redirectUri = `${loopback.origin}/cb`;
  await page.goto(authorizeUrl(world, native, { redirect_uri: redirectUri }));
  await signIn(page, person);
  for (const _ of ['asked', 'asked again']) {
    await allow(page);
    expect((await answerAt(page, redirectUri)).get('code')).toBeTruthy();
    await page.goto(authorizeUrl(world, native, { redirect_uri: redirectUri }));
    await expect(consentHeading(page, world, native)).toBeVisible();
  }
});
