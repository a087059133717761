// A single-page application of another origin on oidc-client-ts, as its documentation says: an authority, a client and two
// redirect addresses. It shows in role=status what the library told it.
import { readFileSync } from 'node:fs';
import { type Site, startSite } from './browser-site.ts';

export type OidcSpa = Site & { redirectUris: string[] };
export type OidcSpaSettings = { authority: string; client_id: string; scope: string };

const LIBRARY = new URL(
  'dist/browser/oidc-client-ts.min.js',
  import.meta.resolve('oidc-client-ts/package.json'),
);

/** The settings are asked for at each load: the client is registered only once the port is known. */
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
  return { ...site, redirectUris: [`${site.origin}/callback`, `${site.origin}/silent`] };
}

const PAGE = `<!doctype html><html lang="en"><title>Shop with oidc-client-ts</title>
<main><h1>Shop with oidc-client-ts</h1>
<button type="button" id="sign-in">Sign in</button> <button type="button" id="renew">Renew silently</button>
<p role="status"></p></main>
<script src="/oidc-client-ts.js"></script><script type="module" src="/application.js"></script></html>`;

const SCRIPT = `
const manager = new oidc.UserManager({
  ...(await (await fetch('/settings.json')).json()),
  redirect_uri: location.origin + '/callback',
  silent_redirect_uri: location.origin + '/silent',
  loadUserInfo: true,
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

if (location.pathname === '/silent') await manager.signinSilentCallback();
if (location.pathname === '/callback') {
  await manager.signinRedirectCallback().then((user) => show('signed in', user), failed('sign-in'));
  history.replaceState(null, '', '/');
}
`;
