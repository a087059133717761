// oidc-client-ts, unmodified, in Chromium on another origin: sign-in with PKCE, userinfo, renewal in a hidden iframe
// or by a refresh token that is bound to a key, sign-out. oidc-client-ts-other-site.spec.ts tests an application on
// another site, with https.

import type { Page } from '@playwright/test';
import {
  expectRenewal,
  type OidcSpa,
  shown,
  signInAtSpa,
  signOutAtSpa,
  startOidcSpa,
} from '../../support/clients/oidc-spa.ts';
import { test as base, expect } from '../../support/pages/browser-test.ts';

type Open = (host: 'localhost' | '127.0.0.1', bound?: boolean) => Promise<OidcSpa>;
const test = base.extend<{ open: Open }>({
  open: async ({ world }, use) => {
    const sites: OidcSpa[] = [];
    await use(async (host, bound = false) => {
      const spa = await startOidcSpa(
        () => ({
          authority: world.issuer,
          client_id: client.clientId,
          scope: 'openid profile email offline_access',
          bound,
        }),
        host,
      );
      sites.push(spa);
      const { redirectUris, postLogoutRedirectUris } = spa;
      const client = await world.givenClient({
        kind: 'browser',
        redirectUris,
        postLogoutRedirectUris,
        dpop: bound,
      });
      return spa;
    });
    await Promise.all(sites.map((site) => site.close()));
  },
});

for (const host of ['localhost', '127.0.0.1'] as const) {
  test(`oidc-client-ts at ${host}: signs a user in with PKCE, requests userinfo across origins, and signs the user out at Gatehouse too`, async ({
    page,
    open,
    person,
    complaints,
  }) => {
    const spa = await open(host);
    expect(await signInAtSpa(page, spa, person)).toMatchObject({
      sub: person.id,
      name: person.name,
      email: person.email,
      expires_in: expect.any(Number),
      // the client gets no refresh token, because browser clients never receive one, even on request
      refreshes: false,
    });
    const asked = page.waitForRequest((request) => request.url().includes('/logout?'));
    await signOutAtSpa(page, spa);
    expect(new URL((await asked).url()).searchParams.get('id_token_hint')).toMatch(/^eyJ/);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect(page.getByLabel('Password', { exact: true })).toBeVisible();
    expect(complaints).toEqual([]);
  });
}

test('oidc-client-ts renews in a hidden iframe, with its ID token as the hint, and shows no page', async ({
  page,
  open,
  person,
}) => {
  const first = await signInAtSpa(page, await open('localhost'), person);
  const hidden: URL[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'document') hidden.push(new URL(request.url()));
  });
  await expectRenewal(page, /^renewed: /);
  const second = await shown(page, 'renewed');
  expect(second).toMatchObject({ sub: person.id, name: person.name });
  expect(second['token']).not.toBe(first['token']);
  expect(hidden.map(({ pathname }) => pathname.split('/').at(-1))).toEqual(['authorize', 'silent']);
  expect(hidden[0]?.searchParams.get('prompt')).toBe('none');
  expect(hidden[0]?.searchParams.get('id_token_hint')).toMatch(/^eyJ/);
});

test('oidc-client-ts without a session: the renewal returns login_required', async ({ page, open }) => {
  await page.goto((await open('localhost')).origin);
  await expectRenewal(page, 'renewal failed: login_required');
});

test('oidc-client-ts on another site, over http: the browser sends no cookie, and the renewal fails', async ({
  page,
  open,
  person,
}) => {
  await signInAtSpa(page, await open('127.0.0.1'), person);
  await expectRenewal(page, 'renewal failed: login_required');
});

test('oidc-client-ts with a key in IndexedDB: cross-site renewal uses the refresh token, and a lost key requires a new sign-in', async ({
  page,
  open,
  person,
}) => {
  const first = await signInAtSpa(page, await open('127.0.0.1', true), person);
  expect(first).toMatchObject({ sub: person.id, refreshes: true });
  const frames: string[] = [];
  page.on('frameattached', (frame) => frames.push(frame.url()));
  await expectRenewal(page, /^renewed: /);
  const second = await shown(page, 'renewed');
  expect(second).toMatchObject({ sub: person.id, refreshes: true });
  expect(second['token']).not.toBe(first['token']);
  expect(frames).toEqual([]);
  await loseKey(page);
  await expectRenewal(page, 'renewal failed: invalid_grant');
  // active session: sign-in requires no interaction
  await page.getByRole('button', { name: 'Sign in' }).click();
  expect(await shown(page, 'signed in')).toMatchObject({ sub: person.id, refreshes: true });
  await expectRenewal(page, /^renewed: /);
});

/** Simulates clearing site data without clearing the page's memory. */
const loseKey = (page: Page) =>
  page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opened = indexedDB.open('oidc');
        opened.onerror = reject;
        opened.onsuccess = () => {
          const emptied = opened.result.transaction('dpop', 'readwrite').objectStore('dpop').clear();
          emptied.onsuccess = () => resolve(null);
          emptied.onerror = reject;
        };
      }),
  );
