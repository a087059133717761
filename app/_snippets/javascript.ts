import { keyLine, oauthAuthentication, openidArguments } from './authentication.ts';
import type { Facts, Snippet } from './facts.ts';
import { js } from './quote.ts';

const insecure = ({ issuer }: Facts) => issuer.startsWith('http:');
const scopeLine = ({ scope }: Facts) => (scope ? `\n  scope: ${js(scope)},` : '');

/** Both arguments, since options follow. */
function argumentsOf(facts: Facts): string {
  const given = openidArguments(facts, '\n  ');
  return given.includes(',') ? given : `${given},\n  undefined`;
}

export function openidClient(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, apiUrl } = facts;
  const more = insecure(facts) ? '\n    execute: [client.allowInsecureRequests], // for localhost only' : '';
  const code = `import * as client from 'openid-client';
${keyLine(facts)}
const config = await client.discovery(
  new URL(${js(issuer)}),
  ${js(clientId)},
  ${argumentsOf(facts)},
  {
    algorithm: 'oauth2',${more}
  },
);

// 1. Send the person away; keep verifier and state in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const address = client.buildAuthorizationUrl(config, {
  redirect_uri: ${js(redirectUri)},${scopeLine(facts)}
  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
});

// 2. They come back to your redirect address: currentUrl. State and iss are checked for you.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
});

// 3. Call the API.
await fetch(${js(apiUrl)}, {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
});

// 4. Later: renew, and keep the new refresh token.
const renewed = await client.refreshTokenGrant(config, tokens.refresh_token);
`;
  return { label: 'JavaScript, openid-client 6', framework: 'JavaScript', code };
}

export function oauth4webapi(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, confidential, refreshes, apiUrl } = facts;
  const options = insecure(facts) ? ', { [oauth.allowInsecureRequests]: true }' : '';
  const discovery = insecure(facts)
    ? "{ algorithm: 'oauth2', [oauth.allowInsecureRequests]: true /* for localhost only */ }"
    : "{ algorithm: 'oauth2' }";
  const renew = refreshes
    ? `
// 4. Later: renew, and keep the new refresh token.
const renewal = await oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token${options});
const renewed = await oauth.processRefreshTokenResponse(as, client, renewal);
`
    : `
// 4. Later: renew without a refresh token, in a hidden iframe, with prompt=none and a fresh verifier.
`;
  const code = `import * as oauth from 'oauth4webapi';
${keyLine(facts)}
const issuer = new URL(${js(issuer)});
const as = await oauth
  .discoveryRequest(issuer, ${discovery})
  .then((response) => oauth.processDiscoveryResponse(issuer, response));
const client = { client_id: ${js(clientId)} };
const auth = ${oauthAuthentication(facts)};

// 1. Send the person away; keep verifier and state (${confidential ? 'in their session' : 'sessionStorage in a browser'}).
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const address = new URL(as.authorization_endpoint);
address.search = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: ${js(redirectUri)},${scopeLine(facts)}
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}).toString();

// 2. They come back to your redirect address: currentUrl.
const params = oauth.validateAuthResponse(as, client, currentUrl, state);
const response = await oauth.authorizationCodeGrantRequest(
  as, client, auth, params, ${js(redirectUri)}, verifier${options},
);
const tokens = await oauth.processAuthorizationCodeResponse(as, client, response);

// 3. Call the API.
await fetch(${js(apiUrl)}, {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
});
${renew}`;
  return { label: 'JavaScript, oauth4webapi 3', framework: 'JavaScript', code };
}
