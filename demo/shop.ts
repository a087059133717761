// An application that people sign in to, for the laptop: a confidential client by `openid-client`, as
// docs/openid-connect.md describes it. It knows who signed in, and signs them out. `npm run quickstart` starts it. It
// shows its tokens, which no real application does. Never for a server.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';

export type ShopOptions = {
  /** 0: any free one */
  port: number;
  clientId: string;
  clientSecret: string;
  /** its address is ours; where people come back to after signing out is `/` there */
  redirectUri: string;
  scope: string;
  /** the ways to sign in: an issuer each */
  ways: { name: string; issuer: string }[];
};
export type Shop = { address: string; close: () => Promise<void> };

type Tokens = Awaited<ReturnType<typeof oauth.authorizationCodeGrant>>;
type Person = Record<string, unknown>;
/** One sign-in on its way, or done; the browser's cookie names it. */
type Visit = {
  way: number;
  verifier: string;
  state: string;
  nonce: string;
  done?: { tokens: Tokens; idToken: string; person: Person };
};

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
    const config = await configurationOf(options, visit.way);
    const { verifier, state, nonce } = visit;
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce };
    const tokens = await oauth.authorizationCodeGrant(config, url, checks);
    const sub = tokens.claims()?.sub ?? '';
    const person = await oauth.fetchUserInfo(config, tokens.access_token, sub);
    visit.done = { tokens, idToken: tokens.id_token ?? '', person };
    return leaveFor(response, '/');
  }
  const posted = request.method === 'POST' && request.headers['sec-fetch-site'] === 'same-origin';
  if (posted && visit?.done?.tokens.refresh_token && url.pathname === '/renew') {
    const config = await configurationOf(options, visit.way);
    visit.done.tokens = await oauth.refreshTokenGrant(config, visit.done.tokens.refresh_token);
    return leaveFor(response, '/');
  }
  if (posted && visit?.done && url.pathname === '/sign-out') {
    visits.delete(id);
    const address = oauth.buildEndSessionUrl(await configurationOf(options, visit.way), {
      id_token_hint: visit.done.idToken,
      post_logout_redirect_uri: new URL('/', options.redirectUri).href,
    });
    return leaveFor(response, address.href);
  }
  if (url.pathname !== '/') return show(response, 404, `<h1>There is nothing here</h1>${BACK}`);
  show(response, 200, visit?.done ? signedInPage(visit.done) : startPage(options));
}

async function signIn(
  options: ShopOptions,
  visits: Map<string, Visit>,
  way: number,
  response: ServerResponse,
): Promise<void> {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const nonce = oauth.randomNonce();
  const address = oauth.buildAuthorizationUrl(await configurationOf(options, way), {
    redirect_uri: options.redirectUri,
    scope: `openid profile email ${options.scope}`,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const id = oauth.randomState();
  visits.set(id, { way, verifier, state, nonce });
  response.setHeader('set-cookie', `demo_shop=${id}; HttpOnly; SameSite=Lax; Path=/`);
  leaveFor(response, address.href);
}

/** The issuer's metadata say the rest. */
function configurationOf({ ways, clientId, clientSecret }: ShopOptions, way: number) {
  const issuer = new URL(ways[way]?.issuer ?? '');
  const insecure = issuer.protocol === 'http:' ? { execute: [oauth.allowInsecureRequests] } : {};
  return oauth.discovery(issuer, clientId, clientSecret, undefined, insecure);
}

function startPage({ ways }: ShopOptions): string {
  const links = ways.map(
    ({ name }, at) => `<p><a class="button" href="/sign-in/${at}">${escaped(name)}</a></p>`,
  );
  return `<h1>Demo shop</h1><p>An application that Gatehouse knows. Sign in with</p>${links.join('')}`;
}

function signedInPage({ tokens, idToken, person }: NonNullable<Visit['done']>): string {
  const parts = [
    ['Who you are, from userinfo', person],
    ['What is in the ID token', decodeJwt(idToken)],
    ['What is in the access token', decodeJwt(tokens.access_token)],
    ['What the token address answered', tokens],
  ].map(([title, value]) => `<h2>${title}</h2><pre>${escaped(JSON.stringify(value, null, 2))}</pre>`);
  const name = escaped(String(person['name'] ?? person['email'] ?? person['sub']));
  return `<h1>Signed in as ${name}</h1>
<form method="post"><button formaction="/renew">Renew</button> <button formaction="/sign-out">Sign out</button></form>
${parts.join('')}`;
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
