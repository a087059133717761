// Cross-origin single-page application using oidc-client-ts as documented: authority, client, redirect URIs. Its
// role=status element shows the library's result.
import { readFileSync } from 'node:fs';
import { expect, type Page } from '@playwright/test';
import type { Person } from '#testing/data/world.ts';
import { type Site, startSite } from '../pages/browser-site.ts';
import { allow, signIn } from '../pages/visit.ts';

export type OidcSpa = Site & { redirectUris: string[]; postLogoutRedirectUris: string[] };
/**
 * Settings of the application. `bound`: the library keeps a key in IndexedDB. Its userinfo request contains no
 * proof, so the application skips userinfo.
 */
export type OidcSpaSettings = { authority: string; client_id: string; scope: string; bound?: boolean };

const LIBRARY = new URL(
  'dist/browser/oidc-client-ts.min.js',
  import.meta.resolve('oidc-client-ts/package.json'),
);

/** Loads settings on each page load, because client registration requires the port first. */
export async function startOidcSpa(
  settings: () => OidcSpaSettings,
  host: 'localhost' | '127.0.0.1' = 'localhost',
): Promise<OidcSpa> {
  const library = readFileSync(LIBRARY, 'utf8');
  const script = (body: string) => ({ headers: { 'content-type': 'text/javascript' }, body });
  const page = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: PAGE };
  const site = await startSite(host, ({ url }) => {
    switch (url.pathname) {
      case '/':
      case '/callback':
      case '/silent':
      case '/bye':
        return page;
      case '/settings.json':
        return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(settings()) };
      case '/oidc-client-ts.js':
        return script(library);
      case '/application.js':
        return script(SCRIPT);
      case '/favicon.ico':
        return { status: 204 };
      default:
        return { status: 404 };
    }
  });
  const { origin } = site;
  return {
    ...site,
    redirectUris: [`${origin}/callback`, `${origin}/silent`],
    postLogoutRedirectUris: [`${origin}/bye`],
  };
}

const status = (page: Page) => page.getByRole('status');

/** Waits until the application shows a result that contains this word. */
export async function shown(page: Page, word: string): Promise<Record<string, unknown>> {
  await expect(status(page)).toHaveText(new RegExp(`^${word}: \\{`));
  const text = (await status(page).textContent()) ?? '';
  return JSON.parse(text.slice(word.length + 2)) as Record<string, unknown>;
}

/** Renews through the hidden iframe or a refresh token and expects this text. */
export async function expectRenewal(page: Page, words: RegExp | string): Promise<void> {
  await page.getByRole('button', { name: 'Renew silently' }).click();
  await expect(status(page)).toHaveText(words);
}

/** Completes sign-in at the application; returns its result. */
export async function signInAtSpa(
  page: Page,
  { origin }: OidcSpa,
  person: Person,
): Promise<Record<string, unknown>> {
  await page.goto(origin);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await signIn(page, person);
  await allow(page);
  return shown(page, 'signed in');
}

/** Completes sign-out at the application; expects its confirmation. */
export async function signOutAtSpa(page: Page, { origin }: OidcSpa): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.waitForURL(`${origin}/bye**`);
  await expect(status(page)).toHaveText('signed out');
}

const PAGE = `<!doctype html><html lang="en"><title>Shop with oidc-client-ts</title>
<main><h1>Shop with oidc-client-ts</h1>
<button type="button" id="sign-in" disabled>Sign in</button>
<button type="button" id="renew" disabled>Renew silently</button>
<button type="button" id="sign-out" disabled>Sign out</button>
<p role="status"></p></main>
<script src="/oidc-client-ts.js"></script><script type="module" src="/application.js"></script></html>`;

const SCRIPT = `
const { bound = false, ...settings } = await (await fetch('/settings.json')).json();
const manager = new oidc.UserManager({
  ...settings,
  redirect_uri: location.origin + '/callback',
  silent_redirect_uri: location.origin + '/silent',
  post_logout_redirect_uri: location.origin + '/bye',
  loadUserInfo: !bound,
  ...(bound && { dpop: { bind_authorization_code: true, store: new oidc.IndexedDbDPoPStore() } }),
  includeIdTokenInSilentRenew: true,
});
const status = document.querySelector('[role=status]');
const show = (word, { profile, access_token, refresh_token, expires_in }) => {
  status.textContent = word + ': ' + JSON.stringify({
    sub: profile.sub, name: profile.name, email: profile.email, expires_in,
    token: access_token.slice(-8), refreshes: refresh_token !== undefined,
  });
};
const failed = (word) => (error) => { status.textContent = word + ' failed: ' + (error.error ?? error.message); };

document.querySelector('#sign-in').addEventListener('click', () => manager.signinRedirect().catch(failed('sign-in')));
document.querySelector('#renew').addEventListener('click', () => {
  status.textContent = 'renewing';
  manager.signinSilent().then((user) => show('renewed', user), failed('renewal'));
});
document.querySelector('#sign-out').addEventListener('click', () => manager.signoutRedirect().catch(failed('sign-out')));
// a click before the button works would be waited for without end
for (const button of document.querySelectorAll('button')) button.disabled = false;

if (location.pathname === '/silent') await manager.signinSilentCallback();
if (location.pathname === '/callback') {
  await manager.signinRedirectCallback().then((user) => show('signed in', user), failed('sign-in'));
  history.replaceState(null, '', '/');
}
if (location.pathname === '/bye') {
  await manager.signoutRedirectCallback().then(() => { status.textContent = 'signed out'; }, failed('sign-out'));
}
`;
