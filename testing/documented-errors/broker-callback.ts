// Requests for each error of broker callback endpoints.
import type { Requests } from './requests.ts';
import { send, sql, type World } from './world.ts';

export const callbackRequests: Requests = {
  'The query cannot be read': [
    ({ path }) => send(path, { query: 'code=%zz' }),
    ({ path }) => send(path, { query: 'a=b&'.repeat(101) }),
  ],
  'state is longer': [({ path }) => send(path, { query: { code: 'x', state: 'x'.repeat(2_049) } })],
  'state or iss is repeated': [
    ({ path }) => send(path, { query: 'code=x&state=a&state=b' }),
    ({ path }) => send(path, { query: 'code=x&iss=a&iss=b' }),
  ],
};

export const formRequests: Requests = {
  'Both code and error are missing, or code is': [
    ({ path }) => send(path, { form: { state: 'S' } }),
    ({ path }) => send(path, { form: { code: 'a b' } }),
    ({ path }) => send(path, { form: 'code=a&code=b' }),
  ],
  'state is longer': [({ path }) => send(path, { form: { code: 'x', state: 'x'.repeat(2_049) } })],
  'state or iss is repeated': [
    ({ path }) => send(path, { form: 'code=x&state=a&state=b' }),
    ({ path }) => send(path, { form: 'code=x&iss=a&iss=b' }),
  ],
  'The form cannot be read': [
    ({ path }) => send(path, { form: 'code=x', headers: { 'content-type': 'application/json' } }),
    ({ path }) => send(path, { form: 'code=%zz' }),
    ({ path }) => send(path, { form: 'a=b&'.repeat(101) }),
  ],
};

const html = { accept: 'text/html' };
const issuerOfPartner = async () =>
  (
    await sql<{ issuer: string }>("select config->>'issuer' as issuer from auth_methods where id = 'partner'")
  )[0]?.issuer ?? '';

export const redirectRequests = (world: World): Requests => ({
  'Both code and error are missing, or code is': [
    ({ path }) => send(path, { query: { state: 'S' } }),
    ({ path }) => send(path, { query: { code: 'a b' } }),
    ({ path }) => send(path, { query: 'code=a&code=b' }),
  ],
  'In a browser: the broker refused': [
    ({ path }) => send(path, { query: { code: 'x', state: 'unknown' }, headers: html }),
    async ({ path }) => {
      const { state, cookie } = await world.depart();
      const query = { error: 'access_denied', state };
      return send(path, { query, headers: { ...html, cookie } });
    },
  ],
  'In a browser: the broker cannot': [
    async ({ path }) => {
      const { state, cookie } = await world.depart();
      const query = { code: 'x', state, iss: await issuerOfPartner() };
      return world.withoutBroker(() => send(path, { query, headers: { ...html, cookie } }));
    },
  ],
});
