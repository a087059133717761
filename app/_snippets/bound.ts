// The lines of snippets whose tokens are bound to a key (DPoP, RFC 9449), and whose requests are pushed (RFC 9126).
import type { Facts } from './facts.ts';
import { js } from './quote.ts';

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
