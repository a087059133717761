// Who signed in: OpenID Connect, with the scope `openid`.
import { keyLine, openidArguments } from './authentication.ts';
import { openidAddress, openidAddressProof, openidKeyLines, openidProof } from './bound.ts';
import type { Facts, Snippet } from './facts.ts';
import { js } from './quote.ts';

/** The API's scopes and those of the claims that most applications want. */
export const signInScope = ({ scope }: Facts) => ['openid profile email', scope].filter(Boolean).join(' ');

export function openidClientSignIn(facts: Facts): Snippet {
  const { issuer, clientId, redirectUri } = facts;
  const insecure = issuer.startsWith('http:');
  const auth = openidArguments(facts, ' ');
  const more = insecure
    ? `${auth.includes(',') ? '' : ', undefined'}, {\n  execute: [client.allowInsecureRequests], // for localhost only\n}`
    : '';
  const code = `import * as client from 'openid-client';
${keyLine(facts)}
const config = await client.discovery(new URL(${js(issuer)}), ${js(clientId)}, ${auth}${more});
${openidKeyLines(facts)}
// 1. Send the person away; keep verifier, state and nonce in their session.
const verifier = client.randomPKCECodeVerifier();
const state = client.randomState();
const nonce = client.randomNonce();
const address = ${openidAddress(facts)}(config, {
  redirect_uri: ${js(redirectUri)},
  scope: ${js(signInScope(facts))},
  state,
  nonce,
  code_challenge: await client.calculatePKCECodeChallenge(verifier),
  code_challenge_method: 'S256',
}${openidAddressProof(facts)});

// 2. They come back to your redirect address: currentUrl. The ID token is checked for you.
const tokens = await client.authorizationCodeGrant(config, currentUrl, {
  pkceCodeVerifier: verifier,
  expectedState: state,
  expectedNonce: nonce,
}${openidProof(facts, ', undefined')});
const { sub } = tokens.claims();

// 3. Their name and address.
const person = await client.fetchUserInfo(config, tokens.access_token, sub${openidProof(facts)});
`;
  return { label: 'JavaScript, openid-client 6', for: 'signed-in-user', framework: 'JavaScript', code };
}

export function authJs(facts: Facts): Snippet {
  const { issuer, clientId, by, claimsInIdToken } = facts;
  const inBody =
    by === 'client_secret_post'
      ? `\n      client: { token_endpoint_auth_method: 'client_secret_post' },`
      : '';
  const code = `import NextAuth from 'next-auth';

// Its redirect address is https://YOUR_APPLICATION/api/auth/callback/gatehouse
export const { handlers, auth, signIn, signOut } = NextAuth({
  providers: [
    {
      id: 'gatehouse',
      name: 'Gatehouse',
      type: 'oidc',
      issuer: ${js(issuer)},
      clientId: ${js(clientId)},
      clientSecret: process.env.CLIENT_SECRET,${inBody}${
        claimsInIdToken ? '' : '\n      idToken: false, // name and address come from userinfo'
      }
    },
  ],
});
`;
  return { label: 'JavaScript, Auth.js 5', for: 'signed-in-user', framework: 'Next', code, unrun: true };
}
