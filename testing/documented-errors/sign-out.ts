// Requests for each sign-out endpoint error.
import { post, type Requests } from './requests.ts';
import { send, type World, withoutDatabase, withoutTables } from './world.ts';

const gone: Requests = {
  'The authentication method or the API does not': [
    ({ method, path }) => send(path.replace('/pw/', '/nothing/'), { method }),
    ({ method, path }) => send(path.replace('/orders', '/nothing'), { method }),
  ],
  'The method is neither GET nor POST': [({ path }) => send(path, { method: 'DELETE' })],
  'The database cannot be reached': [
    ({ method, path }) => withoutDatabase(() => send(path, { method, ...formOf(method) })),
  ],
  'An internal error. Report the request id on the': [
    ({ method, path }) =>
      withoutTables(['directory_version'], () => send(path, { method, ...formOf(method) })),
  ],
};
const formOf = (method: string) => (method === 'POST' ? { form: { state: 'x' } } : {});

export const signOutRequests = (world: World): Requests => ({
  ...gone,
  'client_id is not the client': [
    async ({ path }) => {
      const { id_token: hint } = await world.tokens({ scope: 'openid' });
      return send(path, { query: { id_token_hint: hint, client_id: 'conf' } });
    },
  ],
  'A parameter is repeated': [
    ({ path }) => send(path, { query: 'state=a&state=b' }),
    ({ path }) => send(path, { query: 'state=%' }),
    ({ path }) => send(path, { query: 'x=1&'.repeat(101) }),
  ],
  'A step of a sign-out that': [({ path }) => send(path, { query: { interaction: 'x' } })],
  'The person must confirm, and the request came from': [
    ({ path }) => send(path, { headers: { 'sec-fetch-dest': 'iframe' } }),
  ],
});

export const signOutPostRequests: Requests = {
  ...gone,
  'The body is not a form': [
    (address) => post(address, '{}', { headers: { 'content-type': 'application/json' } }),
    (address) => post(address, 'a=%'),
    (address) => post(address, `a=${'x'.repeat(8_192)}`),
  ],
};
