// Contents of the consent page. Storage of consents by person: e2e/protocol/authorize/consent.spec.ts.
import { startDevice } from '../../support/pages/browser-pages.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';

test('contract 7: the consent page describes each scope in a sentence and shows the signed-in user', async ({
  page,
  world,
  visit,
  person,
}) => {
  const scopes = world.api.scopes.slice(0, 2);
  await visit.toConsent({ scope: scopes.map(({ name }) => name).join(' ') });
  await expect(page.getByRole('listitem')).toHaveText(scopes.map(({ description }) => description));
  await expect(page.getByText(person.email)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Deny', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Not you?' })).toBeVisible();
});

test('an API’s terms, privacy policy and contact are linked on its page and at consent', async ({
  page,
  world,
  visit,
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
  await visit.toConsent();
  await expectLinks();
});

test('contract 9, RFC 8628: a user types the code, signs in and consents, and the device receives tokens', async ({
  page,
  world,
  person,
}) => {
  const { issuer, clientId, device } = await startDevice(page, world, { scope: 'openid' });
  const poll = () =>
    page.request.post(`${issuer}/token`, {
      form: {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: clientId,
        device_code: device['device_code'] ?? '',
      },
    });
  expect(await (await poll()).json()).toMatchObject({ error: 'authorization_pending' });

  await page.goto(device['verification_uri'] ?? '');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Connect a device');
  // users may type the code in lower case
  await page.getByLabel('Code').fill((device['user_code'] ?? '').toLowerCase().replace('-', ' '));
  await page.getByRole('button', { name: 'Continue' }).click();
  await signIn(page, person);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Television');
  await allow(page);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('The device is connected');

  const answer = await poll();
  expect(answer.status(), await answer.text()).toBe(200);
  const { access_token } = await answer.json();
  const claims = await page.request.get(`${issuer}/userinfo`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  expect(claims.status()).toBe(200);
  expect((await claims.json()).sub).toBeTruthy();
  expect(await (await poll()).json()).toMatchObject({ error: 'invalid_grant' });
});
