// A proxy that sets `Referrer-Policy: no-referrer` on every response: browsers then post Gatehouse's forms with
// `Origin: null`.

import { fixtureClient, fixturePerson } from '#testing/data/fixtures.ts';
import { freePort } from '#testing/net/free-port.ts';
import { freshPkce } from '#testing/net/pkce.ts';
import { isInstalled, newFolder, startNginx } from '#testing/net/proxies.ts';
import { authorizeUrl } from '#testing/service/browser.ts';
import { startOwnService } from '#testing/service/service.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';

test('Fetch §3.2: a user signs in, consents and uses the console behind an nginx that sets Referrer-Policy: no-referrer', async ({
  page,
  context,
}) => {
  test.skip(!isInstalled('nginx'), 'nginx is not installed');
  test.slow();
  const port = await freePort();
  const door = { url: `http://localhost:${port}` };
  const service = await startOwnService({ BASE_URL: door.url, TRUST_PROXY: '1', HOST: '127.0.0.1' });
  const nginx = await startNginx(
    newFolder(),
    port,
    `server {
      listen 127.0.0.1:${port};
      proxy_hide_header Referrer-Policy;
      add_header Referrer-Policy no-referrer always;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto http;
      proxy_set_header X-Forwarded-Host $http_host;
      proxy_set_header Host $http_host;
      location / { proxy_pass ${service.url.replace('localhost', '127.0.0.1')}; }
    }`,
  );
  try {
    const origins: (string | undefined)[] = [];
    context.on('request', async (request) => {
      if (request.method() === 'POST') origins.push((await request.allHeaders())['origin']);
    });
    const client = fixtureClient('conf');
    const query = {
      ...{
        client_id: client.clientId,
        redirect_uri: client.redirectUri,
        response_type: 'code',
        scope: 'read',
      },
      ...freshPkce().params,
    };
    await page.goto(authorizeUrl(door, query));
    const alice = fixturePerson('alice');
    await signIn(page, alice);
    // nothing listens at the client's address, so the test only waits for the browser's request
    const back = page.waitForRequest((request) => request.url().startsWith(`${client.redirectUri}?`));
    await allow(page);
    expect((await back).url()).toContain('code=');

    const account = await context.newPage();
    await account.goto(`${door.url}/account`);
    await signIn(account, alice);
    await account.getByRole('button', { name: 'Sign out', exact: true }).first().click();
    await expect(account.getByLabel('Password', { exact: true })).toBeVisible();
    // only posts of forms have the origin `null`; scripts send their origin
    expect(origins.filter((origin) => origin === 'null').length).toBeGreaterThanOrEqual(2);
  } finally {
    await nginx.stop();
    await service.stop();
  }
});
