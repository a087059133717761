// How a snippet's client proves that it is the client: as it is registered.
import type { Facts } from './facts.ts';

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
