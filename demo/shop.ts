// An application that people sign in to, for the laptop: a confidential client by `openid-client`, as docs/clients.md
// describes it. `npm run quickstart` starts it. It shows its tokens, which no real application does. Never for a server.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';

export type ShopOptions = {
  /** 0: any free one */
  port: number;
  clientId: string;
  clientSecret: string;
  /** its address is ours */
  redirectUri: string;
  scope: string;
  /** the ways to sign in: an issuer each */
  ways: { name: string; issuer: string }[];
};
export type Shop = { address: string; close: () => Promise<void> };

/** One sign-in on its way, or done; the browser's cookie names it. */
type Visit = { way: number; verifier: string; state: string; tokens?: oauth.TokenEndpointResponse };

export async function startShop(options: ShopOptions): Promise<Shop> {
  const visits = new Map<string, Visit>();
  const server = createServer((request, response) => {
    answer(options, visits, request, response).catch((error: oauth.ResponseBodyError) => {
      const said = [error.error, error.error_description ?? error.message].filter(Boolean).join(': ');
      show(response, 400, `<h1>It did not work</h1><p>${escaped(said)}</p>${BACK}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { address: `http://localhost:${(server.address() as AddressInfo).port}`, close };
}

async function answer(
  options: ShopOptions,
  visits: Map<string, Visit>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', options.redirectUri);
  const id = /(?:^|; )demo_shop=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const visit = visits.get(id);
  const way = /^\/sign-in\/(\d{1,2})$/.exec(url.pathname)?.[1];
  if (way !== undefined) return signIn(options, visits, Number(way), response);
  if (url.pathname === new URL(options.redirectUri).pathname) {
    if (!visit) throw new Error('This answer belongs to no request of this browser.');
    visit.tokens = await oauth.authorizationCodeGrant(await configurationOf(options, visit.way), url, {
      pkceCodeVerifier: visit.verifier,
      expectedState: visit.state,
    });
    return leaveFor(response, '/');
  }
  const posted = request.method === 'POST' && request.headers['sec-fetch-site'] === 'same-origin';
  if (posted && visit?.tokens?.refresh_token && url.pathname === '/renew') {
    const config = await configurationOf(options, visit.way);
    visit.tokens = await oauth.refreshTokenGrant(config, visit.tokens.refresh_token);
    return leaveFor(response, '/');
  }
  if (posted && visit?.tokens?.refresh_token && url.pathname === '/sign-out') {
    await oauth.tokenRevocation(await configurationOf(options, visit.way), visit.tokens.refresh_token);
    visits.delete(id);
    return leaveFor(response, '/');
  }
  if (url.pathname !== '/') return show(response, 404, `<h1>There is nothing here</h1>${BACK}`);
  show(response, 200, visit?.tokens ? signedInPage(visit.tokens) : startPage(options));
}

async function signIn(
  options: ShopOptions,
  visits: Map<string, Visit>,
  way: number,
  response: ServerResponse,
): Promise<void> {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const address = oauth.buildAuthorizationUrl(await configurationOf(options, way), {
    redirect_uri: options.redirectUri,
    scope: options.scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const id = oauth.randomState();
  visits.set(id, { way, verifier, state });
  response.setHeader('set-cookie', `demo_shop=${id}; HttpOnly; SameSite=Lax; Path=/`);
  leaveFor(response, address.href);
}

/** The issuer's metadata say the rest. */
function configurationOf({ ways, clientId, clientSecret }: ShopOptions, way: number) {
  const issuer = new URL(ways[way]?.issuer ?? '');
  const insecure = issuer.protocol === 'http:' ? { execute: [oauth.allowInsecureRequests] } : {};
  return oauth.discovery(issuer, clientId, clientSecret, undefined, { algorithm: 'oauth2', ...insecure });
}

function startPage({ ways }: ShopOptions): string {
  const links = ways.map(
    ({ name }, at) => `<p><a class="button" href="/sign-in/${at}">${escaped(name)}</a></p>`,
  );
  return `<h1>Demo shop</h1><p>An application that Gatehouse knows. Sign in with</p>${links.join('')}`;
}

function signedInPage(tokens: oauth.TokenEndpointResponse): string {
  const claims = decodeJwt(tokens.access_token);
  const parts = [
    ['What is in the access token', claims],
    ['What the token address answered', tokens],
  ].map(([title, value]) => `<h2>${title}</h2><pre>${escaped(JSON.stringify(value, null, 2))}</pre>`);
  return `<h1>Signed in</h1><p>The code was exchanged for these tokens.</p>${parts.join('')}
<form method="post"><button formaction="/renew">Renew</button> <button formaction="/sign-out">Sign out here</button></form>`;
}

const BACK = '<p><a href="/">Start again</a></p>';
const STYLE = `body { max-width: 44rem; margin: 10vh auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif }
pre { padding: 1rem; border: 1px solid; border-radius: .5rem; white-space: pre-wrap; overflow-wrap: anywhere }
.button, button { display: inline-block; padding: .5rem 1rem; border: 1px solid; border-radius: .5rem; font: inherit }`;

function show(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  response.end(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>Demo shop</title><style>${STYLE}</style></head>
<body>${body}</body></html>
`);
}

function leaveFor(response: ServerResponse, address: string): void {
  response.writeHead(303, { location: address, 'cache-control': 'no-store' }).end();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const shop = await startShop(JSON.parse(process.argv[2] ?? '{}'));
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void shop.close());
  process.stdout.write(`${shop.address}\n`);
}
