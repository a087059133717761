// A request for each error that the userinfo endpoint declares.
import { type Ask, post, type Requests } from './requests.ts';
import { send, type World } from './world.ts';

const twoTokens: Ask = ({ method, path }) => send(path, { method, headers: bearer('a b') });

const bearer = (token = '') => ({ authorization: `Bearer ${token}` });

export const userinfoRequests = (world: World): Requests => {
  const withTokenOf =
    (scope: string): Ask =>
    async ({ method, path }) =>
      send(path, { method, headers: bearer((await world.tokens({ scope }))['access_token']) });
  return {
    'The access token is missing': [
      ({ method, path }) => send(path, { method }),
      ({ method, path }) => send(path, { method, headers: bearer('x') }),
      (address) => withTokenOf('openid')({ ...address, path: address.path.replace('/pw/', '/ext/') }),
    ],
    'The Authorization header has more than': [twoTokens],
    'The access token was given without': [withTokenOf('read')],
  };
};

export const userinfoPostRequests: Requests = {
  'The Authorization header has more than': [twoTokens],
  'The body is unreadable, its content type': [
    (address) => post(address, '{', { headers: { 'content-type': 'application/json' } }),
    (address) => post(address, 'a=b', { headers: { 'content-type': 'text/plain' } }),
    (address) => post(address, 'a=b&a=b'),
  ],
  'The access token is in the header and': [
    (address) => post(address, { access_token: 'x' }, { headers: bearer('x') }),
  ],
};
