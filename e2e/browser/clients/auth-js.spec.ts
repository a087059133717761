// Auth.js configured with issuer, id and secret, following its OpenID Provider documentation: sign-in, session,
// sign-out.
import http from 'node:http';
import { Auth, type AuthConfig } from '@auth/core';
import { type Listening, listen, textOf } from '#testing/net/listen.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import type { TestClient } from '../../support/pages/browser-world.ts';
import { allow, signIn } from '../../support/pages/visit.ts';

type Application = { origin: string; client: TestClient };

/** Starts the application's server: Auth.js handles /auth, and every other path shows the home page. */
async function startApplication(config: () => AuthConfig): Promise<Listening> {
  const server = http.createServer(async (request, response) => {
    const { method = 'GET', headers, url = '' } = request;
    if (!url.startsWith('/auth/')) return response.end('Home');
    const body = method === 'POST' ? { body: await textOf(request) } : {};
    const asked = new Request(`http://${headers.host}${url}`, {
      method,
      headers: new Headers(headers as Record<string, string>),
      ...body,
    });
    const answer = await Auth(asked, config());
    for (const [name, value] of answer.headers) response.appendHeader(name, value);
    response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
  });
  return listen(server, { host: 'localhost' });
}

const test = base.extend<{ application: Application }>({
  application: async ({ world }, use) => {
    const server = await startApplication(() => ({
      basePath: '/auth',
      trustHost: true,
      secret: 'x'.repeat(32),
      providers: [
        {
          id: 'gatehouse',
          name: 'Gatehouse',
          type: 'oidc',
          issuer: world.issuer,
          clientId: client.clientId,
          clientSecret: client.secret,
          // the claims come from userinfo, because Gatehouse returns name and address there
          // (docs/how-to/openid-connect.md)
          idToken: false,
        },
      ],
    }));
    const { url: origin } = server;
    const client = await world.givenClient({
      redirectUris: [`${origin}/auth/callback/gatehouse`],
      postLogoutRedirectUris: [`${origin}/auth/signin`],
    });
    await use({ origin, client });
    await server.close();
  },
});

test('Auth.js signs a user in, its page shows name and address, and single sign-out works', async ({
  page,
  world,
  person,
  application: { origin, client },
}) => {
  const begin = async () => {
    await page.goto(`${origin}/auth/signin`);
    await page.getByRole('button', { name: 'Sign in with Gatehouse' }).click();
  };
  const home = () => page.waitForURL(`${origin}/`);
  const session = async () => (await page.request.get(`${origin}/auth/session`)).json();

  await begin();
  await signIn(page, person);
  await allow(page);
  await home();
  expect(await session()).toMatchObject({ user: { name: person.name, email: person.email } });

  // local sign-out ends only Auth.js's session; Gatehouse's session signs in without interaction
  await page.goto(`${origin}/auth/signout`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await home();
  expect(await session()).toBeNull();
  await begin();
  await home();
  expect(await session()).toMatchObject({ user: { email: person.email } });

  // end-session link without ID token: the user confirms and returns
  const query = new URLSearchParams({
    client_id: client.clientId,
    post_logout_redirect_uri: `${origin}/auth/signin`,
  });
  await page.goto(`${world.issuer}/logout?${query}`);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${origin}/auth/signin`);
  await page.getByRole('button', { name: 'Sign in with Gatehouse' }).click();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});
