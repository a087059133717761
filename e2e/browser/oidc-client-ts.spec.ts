// oidc-client-ts, unmodified, in Chromium on another origin: sign-in with PKCE, userinfo, and renewal in a hidden iframe.
import type { Page } from '@playwright/test';
import { test as base, expect } from '../support/browser-test.ts';
import type { TestClient } from '../support/browser-world.ts';
import { type OidcSpa, startOidcSpa } from '../support/oidc-spa.ts';
import { allow, signIn } from '../support/visit.ts';

type App = { spa: OidcSpa; client: TestClient };

const test = base.extend<{ open: (host: 'localhost' | '127.0.0.1') => Promise<App> }>({
  open: async ({ world }, use) => {
    const sites: OidcSpa[] = [];
    await use(async (host) => {
      const spa = await startOidcSpa(
        () => ({
          authority: world.issuer,
          client_id: client.clientId,
          scope: 'openid profile email offline_access',
        }),
        host,
      );
      sites.push(spa);
      const client = await world.givenClient({ kind: 'browser', redirectUris: spa.redirectUris });
      return { spa, client };
    });
    await Promise.all(sites.map((site) => site.close()));
  },
});

const status = (page: Page) => page.getByRole('status');

/** What the application shows once it is told. */
async function shown(page: Page, word: string): Promise<Record<string, unknown>> {
  await expect(status(page)).toHaveText(new RegExp(`^${word}: \\{`));
  return JSON.parse(((await status(page).textContent()) ?? '').slice(word.length + 2)) as Record<
    string,
    unknown
  >;
}

for (const host of ['localhost', '127.0.0.1'] as const) {
  test(`oidc-client-ts at ${host}: signs a person in with PKCE and asks userinfo across origins`, async ({
    page,
    open,
    person,
    complaints,
  }) => {
    const { spa } = await open(host);
    await page.goto(spa.origin);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await signIn(page, person);
    await allow(page);
    expect(await shown(page, 'signed in')).toMatchObject({
      sub: person.id,
      name: person.name,
      email: person.email,
      expires_in: expect.any(Number),
      // browser clients get none, whatever they ask for
      refreshes: false,
    });
    expect(complaints).toEqual([]);
  });
}

test('oidc-client-ts renews in a hidden iframe, with its ID token as the hint, and no page is shown', async ({
  page,
  open,
  person,
}) => {
  const { spa } = await open('localhost');
  await page.goto(spa.origin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, person);
  await allow(page);
  const first = await shown(page, 'signed in');
  const hidden: URL[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'document') hidden.push(new URL(request.url()));
  });
  await page.getByRole('button', { name: 'Renew silently' }).click();
  const second = await shown(page, 'renewed');
  expect(second).toMatchObject({ sub: person.id, name: person.name });
  expect(second['token']).not.toBe(first['token']);
  expect(hidden.map(({ pathname }) => pathname.split('/').at(-1))).toEqual(['authorize', 'silent']);
  expect(hidden[0]?.searchParams.get('prompt')).toBe('none');
  expect(hidden[0]?.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
});

test('oidc-client-ts where nobody is signed in: the renewal is refused as login_required', async ({
  page,
  open,
}) => {
  const { spa } = await open('localhost');
  await page.goto(spa.origin);
  await page.getByRole('button', { name: 'Renew silently' }).click();
  await expect(status(page)).toHaveText('renewal failed: login_required');
});
