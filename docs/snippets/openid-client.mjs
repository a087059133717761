import * as client from 'openid-client';
{{#signs}}
{{>parts/key.mjs}}
{{/signs}}

const config = await client.discovery(
  new URL({{issuer}}),
  {{clientId}},
{{^inBody}}
  undefined,
{{/inBody}}
  {{>parts/openid-authentication.mjs}},
{{#inBody}}
  undefined,
{{/inBody}}
  {
    algorithm: 'oauth2',
{{#insecure}}
    execute: [client.allowInsecureRequests], // for localhost only
{{/insecure}}
  },
);
{{#bound}}
{{>parts/openid-key.mjs}}
{{/bound}}

// 1. Send the person away; keep verifier and state in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const address = {{>parts/openid-address.mjs}}(config, {
  redirect_uri: {{redirectUri}},
{{#scope}}
  scope: {{scope}},
{{/scope}}
  state,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}{{#pushes}}{{#bound}}, { DPoP }{{/bound}}{{/pushes}});

// 2. They come back to your redirect address: currentUrl. State and iss are checked for you.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
}{{#bound}}, undefined, { DPoP }{{/bound}});

// 3. Call the API.
await {{>parts/openid-call.mjs}};

// 4. Later: renew, and keep the new refresh token.
const renewed = await client.refreshTokenGrant(config, tokens.refresh_token{{#bound}}, undefined, { DPoP }{{/bound}});
