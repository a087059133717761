// What the consent page shows. What is remembered, and for which person: e2e/protocol/authorize/consent.spec.ts.
import { expect, test } from '../../support/pages/browser-test.ts';

test('contract 7: the consent page lists each scope as a sentence, and says who is signed in', async ({
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
