// What snippets are made of: what a snippet is filled with, values quoted as each language does, how its client proves that
// it is the client, the lines of tokens that are bound to a key (RFC 9449, RFC 9126), and who signed in.

export type Facts = {
  issuer: string;
  token: string;
  clientId: string;
  redirectUri: string;
  /** a registered address after sign-out; null: none */
  signedOutUri: string | null;
  /** its ID tokens contain the claims of the granted scopes */
  claimsInIdToken: boolean;
  scope: string;
  apiUrl: string;
  confidential: boolean;
  /** `token_endpoint_auth_method`; null: a secret either way, or none */
  by: string | null;
  refreshes: boolean;
  /** the client, or the API, asks for pushed requests (RFC 9126) */
  pushes: boolean;
  /** the client, or the API, asks for tokens that are bound to a key (RFC 9449) */
  bound: boolean;
};
/** `framework`: what a developer picks it by. `install`: a shell command. `unrun`: no test runs it, some only read it. */
/** `for`: another purpose than a sign-in with an API call, which the page names in its reader's language. */
export type Snippet = {
  label: string;
  for?: 'signed-in-user' | 'application-token';
  framework: string;
  code: string;
  install?: string;
  unrun?: true;
};

// Quotes values that others chose, as each language does: a quote in an address must not end the string.

/** JavaScript, in the quotes of the code around it. */
export const js = (value: string): string =>
  `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** Python, Go and YAML read a text as JSON writes it. */
export const quoted = (value: string): string => JSON.stringify(value);

/** PHP, in single quotes, where only they and backslashes are escaped. */
export const php = (value: string): string => `'${value.replaceAll(/['\\]/g, '\\$&')}'`;

/** POSIX shell: in single quotes, which take everything literally; bare where no quotes are needed. */
export const sh = (value: string): string =>
  /^[\w@%+=:,./-]+$/.test(value) ? value : `'${value.replaceAll("'", "'\\''")}'`;

/** A value in a query, within the double quotes of a shell, where an interactive one reads `!` too. */
export const inUrl = (value: string): string => encodeURIComponent(value).replaceAll('!', '%21');

// How a snippet's client proves that it is the client: as it is registered.

type By = Pick<Facts, 'confidential' | 'by'>;

const SECRET = 'process.env.CLIENT_SECRET';

export const signs = ({ by }: By): boolean => by === 'private_key_jwt';

/** The statement before the others, for a client with keys of its own. */
export const keyLine = (facts: By): string =>
  signs(facts)
    ? `
// The private half of a registered key, ES256 here. Its kid is that of the registered one.
const jwk = JSON.parse(process.env.PRIVATE_KEY);
const curve = { name: 'ECDSA', namedCurve: 'P-256' };
const key = await crypto.subtle.importKey('jwk', jwk, curve, false, ['sign']);
`
    : '';

/** openid-client: the arguments after the client id, `between` between them. */
export function openidArguments(facts: By, between: string): string {
  if (!facts.confidential) return `undefined,${between}client.None()`;
  if (signs(facts)) return `undefined,${between}client.PrivateKeyJwt({ key, kid: jwk.kid })`;
  if (facts.by === 'client_secret_basic') return `undefined,${between}client.ClientSecretBasic(${SECRET})`;
  return SECRET;
}

/** oauth4webapi. */
export function oauthAuthentication(facts: By): string {
  if (!facts.confidential) return 'oauth.None()';
  if (signs(facts)) return 'oauth.PrivateKeyJwt({ key, kid: jwk.kid })';
  return `oauth.ClientSecret${facts.by === 'client_secret_basic' ? 'Basic' : 'Post'}(${SECRET})`;
}

// The lines of snippets whose tokens are bound to a key (DPoP, RFC 9449), and whose requests are pushed (RFC 9126).

/** openid-client: after the configuration. */
export const openidKeyLines = ({ bound }: Facts): string =>
  bound
    ? `
// The key that the tokens are bound to. Keep it, and the handle, as long as the tokens.
const keys = await client.randomDPoPKeyPair('ES256');
const DPoP = client.getDPoPHandle(config, keys);
`
    : '';

/** openid-client: the last argument of a call. `before`: those that are left out */
export const openidProof = ({ bound }: Facts, before = ''): string => (bound ? `${before}, { DPoP }` : '');

/** openid-client: what makes the address to send a person to. */
export const openidAddress = ({ pushes }: Facts): string =>
  pushes ? 'await client.buildAuthorizationUrlWithPAR' : 'client.buildAuthorizationUrl';
export const openidAddressProof = (facts: Facts): string => (facts.pushes ? openidProof(facts) : '');

/** openid-client: a call of the API with the token. */
export const openidCall = ({ bound, apiUrl }: Facts): string =>
  bound
    ? `client.fetchProtectedResource(config, tokens.access_token, new URL(
  ${js(apiUrl)},
), 'GET', undefined, undefined, { DPoP })`
    : `fetch(${js(apiUrl)}, {
  headers: { authorization: \`Bearer \${tokens.access_token}\` },
})`;

/** oauth4webapi: after the client. */
export const oauthKeyLines = ({ bound }: Facts): string =>
  bound
    ? `
// The key that the tokens are bound to. Keep it as long as the tokens: in a browser in IndexedDB.
const keys = await oauth.generateKeyPair('ES256');
const DPoP = oauth.DPoP(client, keys);
// Once more, with the nonce that the service asks for.
const twice = (send) =>
  send().catch((error) => {
    if (oauth.isDPoPNonceError(error)) return send();
    throw error;
  });
`
    : '';

// Who signed in: OpenID Connect, with the scope `openid`.

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
