// The application that the quickstart starts beside the service: what a newcomer signs in to first.
import { freePort } from '#testing/net/free-port.ts';
import { startShop } from '../../../demo/shop.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { sql } from '../../support/service/database.ts';

test('quickstart: the demo application says who signed in, renews its tokens, and signs the person out everywhere', async ({
  page,
  world,
  visit,
  person,
  complaints,
}) => {
  const port = await freePort();
  const redirectUri = `http://localhost:${port}/callback`;
  const client = await world.givenClient({ redirectUris: [redirectUri] });
  await sql('update clients set post_logout_redirect_uris = $2 where client_id = $1', [
    client.clientId,
    [`http://localhost:${port}/`],
  ]);
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
    await expect(page.getByRole('heading', { name: `Signed in as ${person.name}` })).toBeVisible();
    await expect(page.getByText(`"email": "${person.email}"`)).toBeVisible();
    await expect(page.getByText(`"sub": "${person.id}"`)).toHaveCount(3);
    const shown = page.locator('pre').last();
    const first = await shown.innerText();
    await page.getByRole('button', { name: 'Renew' }).click();
    await expect(shown).not.toHaveText(first);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect(page).toHaveURL(`${shop.address}/`);
    await page.getByRole('link', { name: 'E-mail and password' }).click();
    await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
    expect(complaints).toEqual([]);
    // a state that this browser did not send
    await page.goto(`${redirectUri}?code=x&state=y`);
    await expect(page.getByText('It did not work')).toBeVisible();
  } finally {
    await shop.close();
  }
});
