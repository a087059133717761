import * as oauth from 'oauth4webapi';
{{#signs}}
{{>parts/key.mjs}}
{{/signs}}

const issuer = new URL({{issuer}});
const as = await oauth
  .discoveryRequest(issuer, { algorithm: 'oauth2'{{#insecure}}, [oauth.allowInsecureRequests]: true /* for localhost only */{{/insecure}} })
  .then((response) => oauth.processDiscoveryResponse(issuer, response));
const client = { client_id: {{clientId}} };
const auth = oauth.{{^confidential}}None(){{/confidential}}{{#confidential}}{{#signs}}PrivateKeyJwt({ key, kid: jwk.kid }){{/signs}}{{#inHeader}}ClientSecretBasic(process.env.CLIENT_SECRET){{/inHeader}}{{#inBody}}ClientSecretPost(process.env.CLIENT_SECRET){{/inBody}}{{/confidential}};
{{#bound}}

// Tokens are bound to this key. Store it as long as the tokens; a browser stores it in IndexedDB.
const keys = await oauth.generateKeyPair('ES256');
const DPoP = oauth.DPoP(client, keys);
// Repeats the request with the nonce of the DPoP-Nonce header.
const twice = (send) =>
  send().catch((error) => {
    if (oauth.isDPoPNonceError(error)) return send();
    throw error;
  });
{{/bound}}

// 1. Send the person away; keep verifier and state ({{#confidential}}in their session{{/confidential}}{{^confidential}}sessionStorage in a browser{{/confidential}}).
const verifier = oauth.generateRandomCodeVerifier();
const state = oauth.generateRandomState();
const parameters = new URLSearchParams({
  response_type: 'code',
  client_id: client.client_id,
  redirect_uri: {{redirectUri}},
{{#scope}}
  scope: {{scope}},
{{/scope}}
  state,
  code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
});
{{#pushes}}
const { request_uri } = await {{#bound}}twice(() => {{/bound}}oauth.pushedAuthorizationRequest(as, client, auth, parameters{{>parts/oauth-options.mjs}})
  .then((response) => oauth.processPushedAuthorizationResponse(as, client, response)){{#bound}}){{/bound}};
const address = new URL(as.authorization_endpoint);
address.search = new URLSearchParams({ client_id: client.client_id, request_uri }).toString();
{{/pushes}}
{{^pushes}}
const address = new URL(as.authorization_endpoint);
address.search = parameters.toString();
{{/pushes}}

// 2. They come back to your redirect address: currentUrl.
const params = oauth.validateAuthResponse(as, client, currentUrl, state);
const tokens = await {{#bound}}twice(() => {{/bound}}oauth.authorizationCodeGrantRequest(as, client, auth, params, {{redirectUri}}, verifier{{>parts/oauth-options.mjs}})
  .then((response) => oauth.processAuthorizationCodeResponse(as, client, response)){{#bound}}){{/bound}};

// 3. Call the API.
{{#bound}}
await twice(() => oauth.protectedResourceRequest(tokens.access_token, 'GET', new URL(
  {{apiUrl}},
), undefined, undefined{{>parts/oauth-options.mjs}}));
{{/bound}}
{{^bound}}
await fetch({{apiUrl}}, {
  headers: { authorization: `Bearer ${tokens.access_token}` },
});
{{/bound}}

{{#refreshes}}
// 4. Later: renew, and keep the new refresh token.
const renewed = await {{#bound}}twice(() => {{/bound}}oauth.refreshTokenGrantRequest(as, client, auth, tokens.refresh_token{{>parts/oauth-options.mjs}})
  .then((response) => oauth.processRefreshTokenResponse(as, client, response)){{#bound}}){{/bound}};
{{/refreshes}}
{{^refreshes}}
// 4. Later: renew without a refresh token, in a hidden iframe, with prompt=none and a fresh verifier.
{{/refreshes}}
