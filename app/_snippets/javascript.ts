import { keyLine, oauthAuthentication, openidArguments } from './authentication.ts';
import {
  oauthKeyLines,
  openidAddress,
  openidAddressProof,
  openidCall,
  openidKeyLines,
  openidProof,
} from './bound.ts';
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
  const { issuer, clientId, redirectUri } = facts;
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
${openidKeyLines(facts)}
// 1. Send the person away; keep verifier and state in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const address = ${openidAddress(facts)}(config, {
  redirect_uri: ${js(redirectUri)},${scopeLine(facts)}
  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}${openidAddressProof(facts)});

// 2. They come back to your redirect address: currentUrl. State and iss are checked for you.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
}${openidProof(facts, ', undefined')});

// 3. Call the API.
await ${openidCall(facts)};

// 4. Later: renew, and keep the new refresh token.
const renewed = await client.refreshTokenGrant(config, tokens.refresh_token${openidProof(facts, ', undefined')});
`;
  return { label: 'JavaScript, openid-client 6', framework: 'JavaScript', code };
}

export function oauth4webapi(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri, confidential, refreshes } = facts;
  const discovery = insecure(facts)
    ? "{ algorithm: 'oauth2', [oauth.allowInsecureRequests]: true /* for localhost only */ }"
    : "{ algorithm: 'oauth2' }";
  const renew = refreshes
    ? `
// 4. Later: renew, and keep the new refresh token.
const renewed = await ${sent(facts, 'oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token', 'RefreshToken')};
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
${oauthKeyLines(facts)}
// 1. Send the person away; keep verifier and state (${confidential ? 'in their session' : 'sessionStorage in a browser'}).
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const parameters = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: ${js(redirectUri)},${scopeLine(facts)}
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
});
${addressLines(facts)}
// 2. They come back to your redirect address: currentUrl.
const params = oauth.validateAuthResponse(as, client, currentUrl, state);
const tokens = await ${sent(facts, `oauth.authorizationCodeGrantRequest(as, client, auth, params, ${js(redirectUri)}, verifier`, 'AuthorizationCode')};

// 3. Call the API.
await ${oauthCall(facts)};
${renew}`;
  return { label: 'JavaScript, oauth4webapi 3', framework: 'JavaScript', code };
}

/** The last argument of a request. */
function optionsOf(facts: Facts): string {
  const options = [
    ...(facts.bound ? ['DPoP'] : []),
    ...(insecure(facts) ? ['[oauth.allowInsecureRequests]: true'] : []),
  ];
  return options.length === 0 ? '' : `, { ${options.join(', ')} }`;
}

/** A request, `call` but for its last argument, and its answer. */
function sent(
  facts: Facts,
  call: string,
  kind: 'RefreshToken' | 'AuthorizationCode' | 'PushedAuthorization',
) {
  const all = `${call}${optionsOf(facts)})
  .then((response) => oauth.process${kind}Response(as, client, response))`;
  return facts.bound ? `twice(() => ${all})` : all;
}

const addressLines = (facts: Facts): string =>
  facts.pushes
    ? `const { request_uri } = await ${sent(facts, 'oauth.pushedAuthorizationRequest(as, client, auth, parameters', 'PushedAuthorization')};
const address = new URL(as.authorization_endpoint);
address.search = new URLSearchParams({ client_id: client.client_id, request_uri }).toString();
`
    : `const address = new URL(as.authorization_endpoint);
address.search = parameters.toString();
`;

const oauthCall = (facts: Facts): string =>
  facts.bound
    ? `twice(() => oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(
  ${js(facts.apiUrl)},
), undefined, undefined${optionsOf(facts)}))`
    : `fetch(${js(facts.apiUrl)}, {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
})`;
