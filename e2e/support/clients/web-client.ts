// A confidential client with a server of its own, built on openid-client: discovery, code with PKCE and a state, the
// exchange with its secret. Its pages need no script.
import { randomUUID } from 'node:crypto';
import * as oauth from 'openid-client';
import { htmlPage, type Site, type SiteAnswer, type SiteRequest, startSite } from '../pages/browser-site.ts';

export type WebClient = Site & { redirectUris: string[] };
export type WebClientSettings = { issuer: string; clientId: string; secret: string; scope: string };
type Pending = { state: string; verifier: string };

/** Loads settings on each sign-in, because client registration requires the port first. */
export async function startWebClient(settings: () => WebClientSettings): Promise<WebClient> {
  const pending = new Map<string, Pending>();
  const site = await startSite('localhost', async (request) => {
    const redirectUri = `${request.url.origin}/callback`;
    switch (request.url.pathname) {
      case '/':
        return htmlPage('Shop', '<p><a href="/login">Sign in</a></p>');
      case '/login':
        return begin(settings(), redirectUri, pending);
      case '/callback':
        return finish(settings(), request, pending);
      default:
        return { status: 404 };
    }
  });
  return { ...site, redirectUris: [`${site.origin}/callback`] };
}

function discover({ issuer, clientId, secret }: WebClientSettings): Promise<oauth.Configuration> {
  return oauth.discovery(new URL(issuer), clientId, secret, oauth.ClientSecretBasic(secret), {
    algorithm: 'oauth2',
    execute: [oauth.allowInsecureRequests],
  });
}

async function begin(
  settings: WebClientSettings,
  redirectUri: string,
  pending: Map<string, Pending>,
): Promise<SiteAnswer> {
  const one = { state: oauth.randomState(), verifier: oauth.randomPKCECodeVerifier() };
  const handle = randomUUID();
  pending.set(handle, one);
  const url = oauth.buildAuthorizationUrl(await discover(settings), {
    redirect_uri: redirectUri,
    scope: settings.scope,
    state: one.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(one.verifier),
    code_challenge_method: 'S256',
  });
  return {
    status: 302,
    headers: { location: url.href, 'set-cookie': `shop=${handle}; Path=/; HttpOnly; SameSite=Lax` },
  };
}

async function finish(
  settings: WebClientSettings,
  { url, headers }: SiteRequest,
  pending: Map<string, Pending>,
): Promise<SiteAnswer> {
  const handle = /(?:^|; )shop=([\w-]+)/.exec(headers.cookie ?? '')?.[1] ?? '';
  const one = pending.get(handle);
  pending.delete(handle);
  if (!one) return htmlPage('Not signed in', '<p>This browser did not start the sign-in.</p>');
  const config = await discover(settings);
  try {
    const tokens = await oauth.authorizationCodeGrant(config, url, {
      pkceCodeVerifier: one.verifier,
      expectedState: one.state,
    });
    const refreshed = await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '');
    return htmlPage(
      'Signed in',
      `<p>Token type ${tokens.token_type}, refreshed as ${refreshed.token_type}.</p>`,
    );
  } catch (error) {
    const code = error instanceof oauth.AuthorizationResponseError ? error.error : String(error);
    return htmlPage('Not signed in', `<p>The answer was ${code}.</p>`);
  }
}
