// Debian's mod_auth_openidc: a client configured only with issuer, id and secret.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '#testing/net/free-port.ts';
import { hasApacheClient, newFolder, type RunningProxy, startApache } from '#testing/net/proxies.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';

const YESTERDAY = new Date(Date.now() - 86_400_000);

test.skip(!hasApacheClient(), 'Apache with mod_auth_openidc is not installed');

test('mod_auth_openidc signs a user in and gives the page the user data, and single sign-out works in both directions', async ({
  page,
  world,
  person,
}) => {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const client = await world.givenClient({
    redirectUris: [`${origin}/private/callback`],
    postLogoutRedirectUris: [`${origin}/bye.html`],
    backchannelLogoutUri: `${origin}/private/callback?logout=backchannel`,
  });
  const apache = await startClient(port, world.issuer, client);
  try {
    await page.goto(`${origin}/private/page.html`);
    await signIn(page, person);
    const [answer] = await Promise.all([page.waitForResponse(`${origin}/private/page.html`), allow(page)]);
    expect(await answer.headerValue('x-person')).toBe(person.email);
    await expect(page.getByText('The private page')).toBeVisible();

    await page.goto(`${origin}/private/callback?logout=${encodeURIComponent(`${origin}/bye.html`)}`);
    await expect(page.getByText('Good bye')).toBeVisible();
    await page.goto(`${origin}/private/page.html`);
    await signIn(page, person);
    await expect(page.getByText('The private page')).toBeVisible();

    await page.goto(`${world.baseUrl}/logout`);
    await page.getByRole('button', { name: /^Sign out/ }).click();
    // waits for this page, because the next page load would interrupt it
    await page.waitForURL(/\/logout\?done=1/);
    await expect(async () => {
      await page.goto(`${origin}/private/page.html`);
      await expect(page.getByLabel('Password', { exact: true })).toBeVisible({ timeout: 1_000 });
    }).toPass();
  } finally {
    await apache.stop();
  }
});

async function startClient(
  port: number,
  issuer: string,
  client: { clientId: string; secret: string },
): Promise<RunningProxy> {
  const folder = newFolder();
  const pages = path.join(folder, 'pages');
  mkdirSync(path.join(pages, 'private'), { recursive: true });
  writeFileSync(path.join(pages, 'private/page.html'), '<!doctype html><p>The private page');
  // without cache headers, browsers would cache a file of this age for hours
  utimesSync(path.join(pages, 'private/page.html'), YESTERDAY, YESTERDAY);
  writeFileSync(path.join(pages, 'bye.html'), '<!doctype html><p>Good bye');
  return startApache(
    folder,
    port,
    `DocumentRoot ${pages}
<Directory ${pages}>
  Require all granted
</Directory>
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCClientID ${client.clientId}
OIDCClientSecret ${client.secret}
OIDCRedirectURI http://localhost:${port}/private/callback
OIDCCryptoPassphrase ${'x'.repeat(32)}
OIDCScope "openid profile email"
OIDCPKCEMethod S256
<Location /private>
  AuthType openid-connect
  Require valid-user
  Header set X-Person "%{OIDC_CLAIM_email}e"
  Header set Cache-Control no-store
</Location>`,
  );
}
