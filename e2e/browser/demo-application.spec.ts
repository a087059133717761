// The application that the quickstart starts beside the service: what a newcomer signs in to first.
import { freePort } from '#testing/free-port.ts';
import { startShop } from '../../demo/shop.ts';
import { expect, test } from '../support/browser-test.ts';

test('quickstart: the demo application ends with tokens, renews them, and gives them back', async ({
  page,
  world,
  visit,
  person,
  complaints,
}) => {
  const port = await freePort();
  const redirectUri = `http://localhost:${port}/callback`;
  const client = await world.givenClient({ redirectUris: [redirectUri] });
  const shop = await startShop({
    port,
    redirectUri,
    clientId: client.clientId,
    clientSecret: client.secret,
    scope: world.api.scopes.map((scope) => scope.name).join(' '),
    ways: [{ name: 'E-mail and password', issuer: world.issuer }],
  });
  try {
    await page.goto(shop.address);
    await page.getByRole('link', { name: 'E-mail and password' }).click();
    await visit.signIn();
    await visit.press('Allow');
    await expect(page.getByRole('heading', { name: 'Signed in' })).toBeVisible();
    await expect(page.getByText(`"sub": "${person.id}"`)).toBeVisible();
    const shown = page.locator('pre').last();
    const first = await shown.innerText();
    await page.getByRole('button', { name: 'Renew' }).click();
    await expect(shown).not.toHaveText(first);
    await page.getByRole('button', { name: 'Sign out here' }).click();
    await expect(page.getByRole('link', { name: 'E-mail and password' })).toBeVisible();
    expect(complaints).toEqual([]);
    // a state that this browser did not send
    await page.goto(`${redirectUri}?code=x&state=y`);
    await expect(page.getByText('It did not work')).toBeVisible();
  } finally {
    await shop.close();
  }
});
