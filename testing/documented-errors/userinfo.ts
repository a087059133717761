// A request for each error that the userinfo endpoint declares.
import { settings } from '#lib/settings/settings.ts';
import { type Ask, post, type Requests } from './requests.ts';
import { send, type World } from './world.ts';

const twoTokens: Ask = ({ method, path }) => send(path, { method, headers: bearer('a b') });

const bearer = (token = '') => ({ authorization: `Bearer ${token}` });

export const userinfoRequests = (world: World): Requests => {
  const withTokenOf =
    (scope: string): Ask =>
    async ({ method, path }) =>
      send(path, { method, headers: bearer((await world.tokens({ scope }))['access_token']) });
  const withBound =
    (sends: (proof: string) => Record<string, string>, claims = {}): Ask =>
    async ({ method, path }) => {
      const { token, proof } = await world.bound(method, `${settings().authUrl}${path}`, claims);
      return send(path, { method, headers: { authorization: `DPoP ${token}`, ...sends(proof) } });
    };
  const bearerOfBound: Ask = async ({ method, path }) => {
    const { token } = await world.bound(method, `${settings().authUrl}${path}`);
    return send(path, { method, headers: bearer(token) });
  };
  return {
    'The access token is bound to a key': [
      withBound(() => ({})),
      withBound((dpop) => ({ dpop: `${dpop}x` })),
      withBound((dpop) => ({ dpop }), { htm: 'PUT' }),
    ],
    'The DPoP proof must contain the nonce from': [withBound((dpop) => ({ dpop }), { iat: 1 })],
    'The access token is missing': [
      ({ method, path }) => send(path, { method }),
      ({ method, path }) => send(path, { method, headers: bearer('x') }),
      bearerOfBound,
      (address) => withTokenOf('openid')({ ...address, path: address.path.replace('/pw/', '/ext/') }),
    ],
    'The Authorization header contains more than one token.': [twoTokens],
    'The access token was issued without the scope': [withTokenOf('read')],
  };
};

export const userinfoPostRequests: Requests = {
  'The Authorization header contains more than one token.': [twoTokens],
  'The body is unreadable, its content type': [
    (address) => post(address, '{', { headers: { 'content-type': 'application/json' } }),
    (address) => post(address, 'a=b', { headers: { 'content-type': 'text/plain' } }),
    (address) => post(address, 'a=b&a=b'),
  ],
  'The access token is in the header and': [
    (address) => post(address, { access_token: 'x' }, { headers: bearer('x') }),
  ],
};
