// The playground for a developer: several applications, background applications, focused questions, and the code of a
// page from pasting to the API's response.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { freePort } from '#testing/net/free-port.ts';
import { startOrders } from '../../../demo/orders.ts';
import { enterConsole, giveClient } from '../../support/console/console.ts';
import { startSite } from '../../support/pages/browser-site.ts';
import { expect, test } from '../../support/pages/browser-test.ts';
import { picture, tooWide, violations } from '../../support/pages/page-checks.ts';
import { allow, signIn } from '../../support/pages/visit.ts';
import { makeApi, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor } from '../../support/service/doors.ts';

const PLAYGROUND = `${nodeDoor.url}/developer/playground`;

/** Checks the page on a desktop and a phone, in light and dark mode. */
async function look(page: Page, name: string) {
  for (const colorScheme of ['light', 'dark'] as const)
    for (const width of [1280, 390]) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height: 844 });
      expect(await violations(page)).toEqual([]);
      expect(await tooWide(page)).toEqual([]);
      if (process.env['E2E_SCREENSHOTS']) await picture(page, `${name}-${width}-${colorScheme}`);
    }
  await page.setViewportSize({ width: 1280, height: 900 });
}

async function givenClients(kinds: readonly ('confidential' | 'browser' | 'native')[]) {
  const developer = await makePerson('developer');
  const clients = [];
  for (const kind of kinds) {
    const client = await makeClient({ kind, redirectUris: [PLAYGROUND], name: `${kind} of the playground` });
    await giveClient(client.clientId, developer);
    clients.push({ ...client, kind });
  }
  return { developer, clients };
}

test('playground: each of three applications receives its code and redeems it', async ({ page }) => {
  const { developer, clients } = await givenClients(['confidential', 'browser', 'native']);
  await enterConsole(page, developer, '/developer/playground');
  for (const { clientId, kind, secret } of clients) {
    await page.goto(PLAYGROUND);
    await page.locator('select[name=client]').selectOption(clientId);
    await page.getByRole('button', { name: 'Use', exact: true }).click();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.waitForURL(/\/(login|consent)\?/);
    if (page.url().includes('/login')) await signIn(page, developer);
    await allow(page);
    await expect(page.getByRole('region', { name: `Run for ${kind} of the playground` })).toBeVisible();
    await expect(page).toHaveURL(`${PLAYGROUND}?client=${clientId}`);
    if (secret !== undefined) await page.getByLabel('Client secret').fill(secret);
    await page.getByRole('button', { name: 'Exchange the code' }).click();
    await expect(page.getByRole('heading', { name: 'The access token' })).toBeVisible();
    await expect(page.locator('.claims > div', { hasText: 'client_id' })).toContainText(clientId);
  }
});

test('playground: approved applications stay unchanged, and background applications have no sign-in', async ({
  page,
}) => {
  const developer = await makePerson('developer');
  const trusted = await makeClient({ trusted: true, name: 'Trusted' });
  // an API with a machine offers client_credentials, which other tests of the fixtures' API do not expect
  const { id } = await makeApi();
  const machine = await makeClient({ machine: true, apis: [id], redirectUris: [], name: 'Nightly' });
  for (const { clientId } of [trusted, machine]) await giveClient(clientId, developer);
  await enterConsole(page, developer, `/developer/playground?client=${trusted.clientId}`);
  await expect(page.getByText('The playground does not change Trusted')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Register', exact: true })).toHaveCount(0);
  await look(page, 'playground-untouched');
  expect(
    await sql(
      'select state, redirect_uris from subscriptions join clients using (client_id) where client_id = $1',
      [trusted.clientId],
    ),
  ).toEqual([{ state: 'approved', redirect_uris: [trusted.redirectUri] }]);
  await page.goto(`${PLAYGROUND}?client=${machine.clientId}`);
  await expect(page.getByText('Nightly does not sign people in')).toBeVisible();
});

test('a background application: machine tokens are preselected, and pages warn if they are not selected', async ({
  page,
}) => {
  const developer = await makePerson('developer');
  const api = await makeApi();
  const { clientId } = await makeClient({ redirectUris: [], apis: [] });
  await giveClient(clientId, developer);
  const subscription = `/developer/clients/${clientId}/apis/${api.id}`;
  await enterConsole(page, developer, subscription);
  const machine = page.getByRole('checkbox', { name: 'Request tokens without a person' });
  await expect(machine).toBeChecked();
  await machine.uncheck();
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await expect(page.getByText('but no tokens are issued yet: see below.')).toBeVisible();
  await expect(page.getByText('Active: the application gets tokens')).toHaveCount(0);
  await look(page, 'subscription-idle');
  await page.goto(`${nodeDoor.url}/developer/clients/${clientId}/code?api=${api.id}&for=all`);
  await expect(page.getByText('curl: get a token for the application')).toBeVisible();
  await expect(page.getByText('The code on this page gets no tokens for')).toBeVisible();
});

test('confirmations and the results of the page “Why?” receive focus and are visible', async ({ page }) => {
  const developer = await makePerson('developer');
  const client = await makeClient({ trusted: true });
  await giveClient(client.clientId, developer);
  await enterConsole(page, developer, `/developer/clients/${client.clientId}/edit`);
  await page.getByLabel('redirect address 1').fill('https://other.example/callback');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  const asked = page.locator('#asked');
  await expect(asked).toContainText('Saving this has consequences');
  await expect(asked).toBeFocused();
  await expect(asked).toBeInViewport();
  await look(page, 'question-focused');
  await page.goto(`${nodeDoor.url}/developer/clients/${client.clientId}/why`);
  await page.getByLabel('API', { exact: true }).selectOption('orders');
  await page.getByRole('button', { name: 'Explain', exact: true }).click();
  const answer = page.locator('#answer');
  await expect(answer).toBeFocused();
  await expect(answer).toBeInViewport();
});

test('React: the code of the page, pasted into Vite, signs a user in, calls the Orders API, and signs the user out', async ({
  page,
}) => {
  const port = await freePort();
  const api = await makeApi({ url: `http://localhost:${port}/orders` });
  const document = `${nodeDoor.url}/.well-known/oauth-protected-resource/apis/${api.id}`;
  const orders = await startOrders({ url: `http://localhost:${port}/orders`, document, scope: 'read' });
  let built = '';
  const site = await startSite('localhost', ({ url }) => {
    if (url.pathname === '/favicon.ico') return { status: 204 };
    const isScript = url.pathname.endsWith('.js');
    const file = path.join(built, isScript ? url.pathname : 'index.html');
    const type = isScript ? 'text/javascript' : 'text/html; charset=utf-8';
    return { headers: { 'content-type': type }, body: readFileSync(file, 'utf8') };
  });
  const developer = await makePerson('developer');
  const client = await makeClient({
    kind: 'browser',
    redirectUris: [`${site.origin}/`],
    postLogoutRedirectUris: [`${site.origin}/`],
    apis: [api.id],
  });
  await giveClient(client.clientId, developer);
  try {
    await enterConsole(
      page,
      developer,
      `/developer/clients/${client.clientId}/code?api=${api.id}&method=pw&for=React`,
    );
    const code = (await page.locator('#code pre').first().textContent()) ?? '';
    expect(code).toContain(`--port ${new URL(site.origin).port}`);
    built = buildWithVite(code);
    await page.goto(site.origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL('**/login?*');
    await signIn(page, developer);
    await allow(page);
    await expect(page.getByText(`Hello ${developer.name}`)).toBeVisible();
    await page.getByRole('button', { name: 'Call the API' }).click();
    await expect(page.getByRole('status')).toContainText('200 {');
    await expect(page.getByRole('status')).toContainText('Coffee beans');
    await orders.close();
    await page.getByRole('button', { name: 'Call the API' }).click();
    await expect(page.getByRole('status')).toContainText('No answer, or the API does not allow this origin');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL((url) => url.origin !== site.origin || url.pathname === '/');
  } finally {
    await orders.close();
    await site.close();
    rmSync(path.dirname(built), { recursive: true, force: true });
  }
});

/** Builds Vite's React template with this `src/App.tsx`; returns the output folder. */
function buildWithVite(app: string): string {
  const root = path.resolve(import.meta.dirname, '../../..');
  mkdirSync(path.join(root, 'test-results'), { recursive: true });
  const dir = mkdtempSync(path.join(root, 'test-results', 'vite-'));
  const write = (name: string, text: string) => writeFileSync(path.join(dir, name), text);
  mkdirSync(path.join(dir, 'src'));
  write('src/App.tsx', app);
  write(
    'src/main.tsx',
    `import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from './App.tsx';

createRoot(document.getElementById('root')!).render(<StrictMode><App /></StrictMode>);
`,
  );
  write('tsconfig.json', '{ "compilerOptions": { "jsx": "react-jsx" } }');
  write('vite.config.js', 'export default {};');
  write('index.html', '<div id="root"></div><script type="module" src="/src/main.tsx"></script>');
  const vite = path.join(root, 'node_modules/vite/bin/vite.js');
  execFileSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: dir });
  return path.join(dir, 'dist');
}
