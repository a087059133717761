// The program of docs/start/web-app.md, signed in with Chromium, with the Orders API of the demo.
import { readFileSync } from 'node:fs';
import { blockIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { startOrders } from '../../../demo/orders.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { startModule } from '../../support/pages/printed-code.ts';
import { allow, signIn } from '../../support/pages/visit.ts';
import { makeApi, sql } from '../../support/service/database.ts';

const GUIDE = 'docs/start/web-app.md';

/** Returns the text in the page's table about this error. */
function messageOf(error: string): string {
  const [, message] = new RegExp(`^\\| \`(${error}: .+?)\``, 'm').exec(readFileSync(GUIDE, 'utf8')) ?? [];
  if (!message) throw new Error(`${GUIDE} has no ${error}`);
  return message;
}

const test = base.extend<{ home: string }>({
  home: async ({ world }, use) => {
    const url = `http://localhost:${await freePort()}/orders`;
    const api = await makeApi({ url });
    const document = `${world.baseUrl}/.well-known/oauth-protected-resource/apis/${api.id}`;
    const orders = await startOrders({ url, document, scope: 'read' });
    const home = `http://localhost:${await freePort()}/`;
    const client = await world.givenClient({
      kind: 'confidential',
      apis: [api.id],
      name: 'My shop',
      redirectUris: [`${home}callback`],
      postLogoutRedirectUris: [home],
    });
    await sql('update clients set id_token_claims = true where client_id = $1', [client.clientId]);
    const program = replaceIn(blockIn(GUIDE, 'js'), {
      'http://localhost:3000/auth/local/api/orders': issuerOf({ url: world.baseUrl }, 'pw', api.id),
      'http://localhost:4603/orders': url,
      'http://localhost:8080/': home,
      "'my-web'": `'${client.clientId}'`,
      'orders:read': 'read',
    });
    const application = await startModule(program, { CLIENT_SECRET: client.secret }, home);
    await use(home);
    await application.stop();
    await orders.close();
  },
});

test(`${GUIDE}: signs in, calls the API, renews and signs out`, async ({ page, home, person }) => {
  const press = (name: string) => page.getByRole('button', { name }).click();
  const enter = () => page.getByRole('link', { name: 'Sign in' }).click();
  const greeting = page.getByText(`Hello ${person.name}, token …`);
  const answer = page.getByText(/^200 \{"caller":".+Coffee beans/);

  await page.goto(home);
  await enter();
  await signIn(page, person);
  await page.getByRole('button', { name: 'Deny' }).click();
  await expect(page.getByText(messageOf('access_denied'))).toBeVisible();

  await page.goto(home);
  await enter();
  await allow(page);
  await expect(greeting).toBeVisible();
  const first = (await greeting.textContent()) ?? '';
  await press('Call the API');
  await expect(answer).toBeVisible();
  await page.goBack();
  await press('Renew');
  await expect(greeting).not.toHaveText(first);
  await press('Call the API');
  await expect(answer).toBeVisible();
  await page.goBack();
  await press('Sign out');
  await page.waitForURL(home);
  await enter();
  await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
});

test(`${GUIDE}: a renewal after the sign-out at Gatehouse ends the application’s session`, async ({
  page,
  home,
  person,
  world,
  context,
}) => {
  await page.goto(home);
  await page.getByRole('link', { name: 'Sign in' }).click();
  await signIn(page, person);
  await allow(page);
  await expect(page.getByText(`Hello ${person.name}`)).toBeVisible();
  const other = await context.newPage();
  await other.goto(`${world.baseUrl}/logout`);
  await other.getByRole('button', { name: /^Sign out/ }).click();
  await other.waitForURL(/\/logout\?done=1/);
  await page.getByRole('button', { name: 'Renew' }).click();
  await expect(page.getByText(messageOf('invalid_grant'))).toBeVisible();
  await page.goto(home);
  await expect(page.getByRole('link', { name: 'Sign in' })).toBeVisible();
});
