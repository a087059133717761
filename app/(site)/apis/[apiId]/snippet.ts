import type { PublishedApi } from '#lib/oauth/index.ts';

/** A sign-in with openid-client 6 against this API's first issuer; null while it has none. */
export function snippet(api: PublishedApi): string | null {
  const issuer = api.issuers[0]?.issuer;
  if (issuer === undefined) return null;
  const scope = api.scopes.map(({ name }) => name).join(' ');
  const insecure = issuer.startsWith('http:')
    ? ', undefined, { execute: [client.allowInsecureRequests] }'
    : '';
  return `import * as client from 'openid-client';

// A public client has no secret: undefined, and client.None() as the fourth argument.
const config = await client.discovery(
  new URL('${issuer}'),
  'CLIENT_ID',
  'CLIENT_SECRET',${insecure}
);

// 1. Send the person here, and keep verifier and state in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const address = client.buildAuthorizationUrl(config, {
  redirect_uri: 'YOUR_REDIRECT_URI',${scope ? `\n  scope: ${JSON.stringify(scope)},` : ''}
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
  state,
});

// 2. They come back to your redirect address: currentUrl.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
});

// 3. Call the API.
await fetch('${api.url}', {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
});
`;
}
