// A single-page application of another origin on the same site: code with PKCE, the token fetched across origins, and
// silent renewal in a hidden iframe with prompt=none and a fresh challenge. It shows what happened in role=status.
import type { Site } from '../pages/browser-site.ts';
import { startSite } from '../pages/browser-site.ts';

export type Spa = Site & { redirectUris: string[] };
export type SpaSettings = { issuer: string; clientId: string; scope: string };

/** Loads settings on each page load, because client registration requires the port first. */
export async function startSpa(settings: () => SpaSettings): Promise<Spa> {
  const site = await startSite('localhost', ({ url }) => {
    switch (url.pathname) {
      case '/':
      case '/callback':
        return page(APPLICATION);
      case '/silent':
        return page(SILENT);
      case '/settings.json':
        return { headers: { 'content-type': 'application/json' }, body: JSON.stringify(settings()) };
      case '/application.js':
        return { headers: { 'content-type': 'text/javascript' }, body: SCRIPT };
      default:
        return { status: 404 };
    }
  });
  return { ...site, redirectUris: [`${site.origin}/callback`, `${site.origin}/silent`] };
}

const page = (body: string) => ({ headers: { 'content-type': 'text/html; charset=utf-8' }, body });

const APPLICATION = `<!doctype html><html lang="en"><title>Shop in the browser</title>
<main><h1>Shop in the browser</h1>
<button type="button" id="sign-in" disabled>Sign in</button>
<button type="button" id="renew" disabled>Renew silently</button>
<p role="status"></p></main>
<script type="module" src="/application.js"></script></html>`;

/** Hidden iframe page: sends its result only to a same-origin parent. */
const SILENT = `<!doctype html><html lang="en"><title>Silent renewal</title>
<script>parent.postMessage(location.search, location.origin);</script></html>`;

const SCRIPT = `
const settings = await (await fetch('/settings.json')).json();
const status = document.querySelector('[role=status]');
const base64url = (bytes) =>
  btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
const random = () => base64url(crypto.getRandomValues(new Uint8Array(32)));
const challengeOf = async (verifier) =>
  base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))));

async function request(redirectUri, extra = {}) {
  const pending = { verifier: random(), state: random(), redirectUri };
  const url = new URL(settings.issuer + '/authorize');
  url.search = new URLSearchParams({
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: settings.scope,
    state: pending.state,
    code_challenge: await challengeOf(pending.verifier),
    code_challenge_method: 'S256',
    ...extra,
  });
  return { url: url.href, pending };
}

async function finish(search, pending) {
  const answer = new URLSearchParams(search);
  if (answer.get('state') !== pending.state) return 'wrong state';
  if (answer.get('iss') !== settings.issuer) return 'wrong issuer';
  if (answer.has('error')) return 'error: ' + answer.get('error');
  const response = await fetch(settings.issuer + '/token', {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: settings.clientId,
      code: answer.get('code'),
      redirect_uri: pending.redirectUri,
      code_verifier: pending.verifier,
    }),
  });
  const token = await response.json();
  if (!response.ok) return 'token error: ' + token.error;
  const kept = 'refresh_token' in token ? 'with' : 'without';
  return token.token_type + ' token of ' + token.expires_in + ' s ' + kept + ' a refresh token';
}

document.querySelector('#sign-in').addEventListener('click', async () => {
  const { url, pending } = await request(location.origin + '/callback');
  sessionStorage.setItem('pending', JSON.stringify(pending));
  location.assign(url);
});

document.querySelector('#renew').addEventListener('click', async () => {
  status.textContent = 'renewing';
  const { url, pending } = await request(location.origin + '/silent', { prompt: 'none' });
  const frame = document.createElement('iframe');
  frame.hidden = true;
  frame.title = 'Silent renewal';
  const answered = new Promise((resolve) => {
    addEventListener('message', function take(event) {
      if (event.origin !== location.origin || event.source !== frame.contentWindow) return;
      removeEventListener('message', take);
      resolve(event.data);
    });
  });
  frame.src = url;
  document.body.append(frame);
  const search = await answered;
  frame.remove();
  status.textContent = 'renewed: ' + (await finish(search, pending));
});

// a click before the button works would be waited for without end
for (const button of document.querySelectorAll('button')) button.disabled = false;

if (location.pathname === '/callback') {
  const pending = JSON.parse(sessionStorage.getItem('pending'));
  sessionStorage.removeItem('pending');
  const search = location.search;
  history.replaceState(null, '', '/');
  status.textContent = 'signed in: ' + (await finish(search, pending));
}
`;
