import * as client from 'openid-client';
{{#signs}}
{{>parts/key.mjs}}
{{/signs}}

const config = await client.discovery(new URL({{issuer}}), {{clientId}}, {{^inBody}}undefined, {{/inBody}}{{>parts/openid-authentication.mjs}}{{#insecure}}{{#inBody}}, undefined{{/inBody}}, {
  execute: [client.allowInsecureRequests], // for localhost only
}{{/insecure}});
{{#bound}}
{{>parts/openid-key.mjs}}
{{/bound}}

// 1. Send the person away; keep verifier, state and nonce in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const nonce = client.randomNonce();
const address = {{>parts/openid-address.mjs}}(config, {
  redirect_uri: {{redirectUri}},
  scope: {{signInScope}},
  state,
  nonce,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}{{#pushes}}{{#bound}}, { DPoP }{{/bound}}{{/pushes}});

// 2. They come back to your redirect address: currentUrl. The ID token is checked for you.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
  expectedNonce: nonce,
}{{#bound}}, undefined, { DPoP }{{/bound}});
const { sub } = tokens.claims();

// 3. Their name and address.
const person = await client.fetchUserInfo(config, tokens.access_token, sub{{#bound}}, { DPoP }{{/bound}});
