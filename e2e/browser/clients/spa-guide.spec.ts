// The program of docs/start/spa.md, served by Vite to Chromium, with the Orders API of the demo.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { blockIn, replaceIn } from '#testing/code/doc-snippets.ts';
import { issuerOf } from '#testing/net/door.ts';
import { freePort } from '#testing/net/free-port.ts';
import { startOrders } from '../../../demo/orders.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';
import { allow, signIn } from '../../support/pages/visit.ts';
import { makeApi, sql } from '../../support/service/database.ts';

const DPOP_LINE = '  dpop: { bind_authorization_code: true, store: new IndexedDbDPoPStore() },\n';
const IMPORT = 'import { IndexedDbDPoPStore, type User, UserManager }';

const test = base.extend<{ open: (dpop: boolean) => Promise<string> }>({
  open: async ({ world }, use) => {
    const ends: (() => Promise<void>)[] = [];
    await use(async (dpop) => {
      const url = `http://localhost:${await freePort()}/orders`;
      const api = await makeApi({ url });
      const document = `${world.baseUrl}/.well-known/oauth-protected-resource/apis/${api.id}`;
      ends.push((await startOrders({ url, document, scope: 'read' })).close);
      const port = await freePort();
      const origin = `http://localhost:${port}/`;
      const kind = 'browser';
      const uris = { redirectUris: [origin], postLogoutRedirectUris: [origin] };
      const client = await world.givenClient({ kind, dpop, apis: [api.id], name: 'My shop', ...uris });
      await sql('update clients set id_token_claims = true where client_id = $1', [client.clientId]);
      const program = replaceIn(blockIn('docs/start/spa.md', 'tsx'), {
        'http://localhost:3000/auth/local/api/orders': issuerOf({ url: world.baseUrl }, 'pw', api.id),
        'http://localhost:4603/orders': url,
        "'my-spa'": `'${client.clientId}'`,
        'orders:read': 'read',
        ...(!dpop && { [DPOP_LINE]: '', [IMPORT]: 'import { type User, UserManager }' }),
      });
      ends.push(await serve(program, port));
      return origin;
    });
    for (const end of ends) await end();
  },
});

/** Creates a Vite project like the React template of Vite, with this `src/App.tsx`. */
async function serve(program: string, port: number): Promise<() => Promise<void>> {
  mkdirSync('test-results', { recursive: true });
  const root = path.resolve(mkdtempSync(path.join('test-results', 'spa-')));
  mkdirSync(path.join(root, 'src'));
  const files = {
    'index.html': '<!doctype html><div id="root"></div><script type="module" src="/src/main.tsx"></script>',
    'tsconfig.json': '{"compilerOptions":{"jsx":"react-jsx","module":"esnext","target":"es2023"}}',
    'src/main.tsx': `import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import App from './App.tsx';
createRoot(document.getElementById('root')!).render(<StrictMode><App /></StrictMode>);`,
    'src/App.tsx': program,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, name), text);
  const { createServer } = await import('vite');
  const server = await createServer({
    root,
    configFile: false,
    logLevel: 'error',
    cacheDir: path.join(root, 'cache'),
    optimizeDeps: { include: ['react', 'react/jsx-dev-runtime', 'react-dom/client', 'oidc-client-ts'] },
    server: { port, strictPort: true, host: 'localhost', hmr: false },
  });
  await server.listen();
  return () => server.close();
}

for (const dpop of [true, false]) {
  test(`docs/start/spa.md ${dpop ? 'with DPoP' : 'with a hidden iframe'}: signs in, calls the API, renews and signs out`, async ({
    page,
    open,
    person,
  }) => {
    const origin = await open(dpop);
    const status = page.getByRole('status');
    await page.goto(origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, person);
    await allow(page);
    const greeting = page.getByText(`Hello ${person.name}, token …`);
    await expect(greeting).toBeVisible();
    const first = await greeting.textContent();

    const call = async () => {
      const sent = page.waitForRequest(
        (request) => request.url().endsWith('/orders') && request.method() === 'GET',
      );
      await page.getByRole('button', { name: 'Call the API' }).click();
      await expect(status).toHaveText(/^200 \{"caller":".+Coffee beans/);
      expect((await sent).headers()['authorization']).toMatch(dpop ? /^DPoP / : /^Bearer /);
    };
    await call();

    let frames = 0;
    page.on('frameattached', () => frames++);
    await page.getByRole('button', { name: 'Renew' }).click();
    await expect(status).toHaveText('renewed');
    await expect(greeting).not.toHaveText(first ?? '');
    expect(frames).toBe(dpop ? 0 : 1);
    await call();

    await page.reload();
    await expect(greeting).toBeVisible();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${origin}**`);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
  });
}
