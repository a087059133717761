// Demo client application for a laptop: confidential client with `openid-client`, following
// docs/how-to/openid-connect.md. It signs users in and out, and shows the content of tokens, which a real application
// never does. `npm run quickstart` starts it. Not for production.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { decodeJwt } from 'jose';
import * as oauth from 'openid-client';
import { answerFile, chosenLanguage, type Reader, readerOf, show } from './page.ts';
import { failedPage, type Showcase, signedInPage, startPage } from './shop-pages.ts';

export type ShopOptions = {
  /** 0: any free port */
  port: number;
  clientId: string;
  clientSecret: string;
  /** URL of this application. After a sign-out, users return to its `/`. */
  redirectUri: string;
  scope: string;
} & Showcase;
export type Shop = { address: string; close: () => Promise<void> };

type Tokens = Awaited<ReturnType<typeof oauth.authorizationCodeGrant>>;
type Person = Record<string, unknown>;
/** A sign-in that is pending or completed, identified by the cookie of the browser. */
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
    if (answerFile(request, response)) return;
    const reader = readerOf(request);
    answer(options, visits, request, response, reader).catch((error: oauth.ResponseBodyError) => {
      const said = [error.error, error.error_description ?? error.message].filter(Boolean).join(': ');
      const title = reader.say('failed');
      show(response, reader, { status: 400, title, body: failedPage(title, said, options.service, reader) });
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
  reader: Reader,
): Promise<void> {
  const { service } = options;
  const url = new URL(request.url ?? '/', options.redirectUri);
  const id = /(?:^|; )demo_shop=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1] ?? '';
  const visit = visits.get(id);
  const way = /^\/sign-in\/(\d{1,2})$/.exec(url.pathname)?.[1];
  if (way !== undefined) return signIn(options, visits, Number(way), chosenLanguage(request), response);
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
  if (url.pathname !== '/') {
    const title = reader.say('nothing');
    return show(response, reader, { status: 404, title, body: failedPage(title, null, service, reader) });
  }
  const body = visit?.done ? signedInPage(toldBy(visit.done), options, reader) : startPage(options, reader);
  show(response, reader, { title: reader.say('shop'), body });
}

async function signIn(
  options: ShopOptions,
  visits: Map<string, Visit>,
  way: number,
  language: string | undefined,
  response: ServerResponse,
): Promise<void> {
  const verifier = oauth.randomPKCECodeVerifier();
  const state = oauth.randomState();
  const nonce = oauth.randomNonce();
  const hint = options.ways[way]?.account?.name;
  const address = oauth.buildAuthorizationUrl(await configurationOf(options, way), {
    redirect_uri: options.redirectUri,
    scope: `openid profile email ${options.scope}`,
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // Gatehouse knows the language of the browser, but not the language that the user selected in this application
    ...(language && { ui_locales: language }),
    ...(hint && { login_hint: hint }),
  });
  const id = oauth.randomState();
  visits.set(id, { way, verifier, state, nonce });
  response.setHeader('set-cookie', `demo_shop=${id}; HttpOnly; SameSite=Lax; Path=/`);
  leaveFor(response, address.href);
}

/** Returns the configuration of the client library; all other settings come from the issuer's metadata. */
function configurationOf({ ways, clientId, clientSecret }: ShopOptions, way: number) {
  const issuer = new URL(ways[way]?.issuer ?? '');
  const insecure = issuer.protocol === 'http:' ? { execute: [oauth.allowInsecureRequests] } : {};
  return oauth.discovery(issuer, clientId, clientSecret, undefined, insecure);
}

/** Returns the claims of each token; an opaque token has no readable content. */
function toldBy({ tokens, idToken, person }: NonNullable<Visit['done']>) {
  const isJwt = tokens.access_token.split('.').length === 3;
  return {
    id_token: decodeJwt(idToken),
    access_token: isJwt ? decodeJwt(tokens.access_token) : null,
    userinfo: person,
  };
}

function leaveFor(response: ServerResponse, address: string): void {
  response.writeHead(303, { location: address, 'cache-control': 'no-store' }).end();
}
