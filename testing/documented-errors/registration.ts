// A request for each error that dynamic registration declares.
import { settings } from '#lib/settings/settings.ts';
import { type Address, type Ask, post, type Requests } from './requests.ts';
import { overLimit, type Sent, send, sql } from './world.ts';

const TOKEN = 'registration-token-of-the-tests';
const NATIVE = { redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'none' };

/** Headers with a bearer token and the content type of JSON. */
const headers = (token: string | null = TOKEN) => ({
  'content-type': 'application/json',
  ...(token !== null && { authorization: `Bearer ${token}` }),
});
const register = (address: Address, body: unknown, sent: Sent = {}) =>
  post(address, JSON.stringify(body), { headers: headers(), ...sent });
const asked =
  (body: unknown): Ask =>
  (address) =>
    register(address, { ...NATIVE, ...(body as object) });

/** Sets the token for registration, so that the endpoint exists. */
export const allowRegistration = (): void => {
  settings().registrationToken = TOKEN;
};

export const registrationRequests: Requests = {
  'The authentication method or the API does not exist, the API does not list this method, or': [
    ({ path }) => send(path.replace('/pw/', '/nothing/'), { method: 'POST' }),
    async (address) => {
      settings().registrationToken = null;
      try {
        return await register(address, NATIVE);
      } finally {
        allowRegistration();
      }
    },
  ],
  'The registration token is missing': [
    (address) => register(address, NATIVE, { headers: headers(null) }),
    (address) => register(address, NATIVE, { headers: headers('wrong') }),
  ],
  'The body is not a JSON object': [
    (address) => post(address, '{', { headers: headers() }),
    (address) => register(address, [NATIVE]),
    (address) =>
      post(address, 'a=b', {
        headers: { ...headers(), 'content-type': 'application/x-www-form-urlencoded' },
      }),
  ],
  'The body is larger': [(address) => post(address, 'x'.repeat(70_000), { headers: headers() })],
  'redirect_uris is missing': [
    asked({ redirect_uris: undefined }),
    asked({ redirect_uris: [] }),
    asked({ redirect_uris: ['http://shop.example/cb'] }),
    asked({ redirect_uris: [7] }),
  ],
  'Another member has an invalid value, members contradict each': [
    asked({ client_name: '' }),
    asked({ token_endpoint_auth_method: 'private_key_jwt', jwks: 'x' }),
    asked({ token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'http://shop.example/keys' }),
    asked({ token_endpoint_auth_method: 'client_secret_jwt' }),
    asked({ grant_types: ['password'] }),
    asked({ response_types: ['token'] }),
    asked({ scope: 'nothing' }),
    asked({ sector_identifier_uri: 'https://shop.example/uris' }),
  ],
  'A software_statement was sent': [asked({ software_statement: 'x.y.z' })],
  'Limit of wrong registration tokens: 60 from an address': [
    (address) =>
      overLimit('3address', 60, () =>
        register(address, NATIVE, { headers: headers('wrong'), ip: '192.0.2.78' }),
      ),
  ],
  'Limit: 100 registered clients can wait for approval at': [
    async (address) => {
      await sql(`insert into clients (client_id, name, confidential, application_type, origin)
        select 'waiting-' || n, 'x', false, 'native', 'registration' from generate_series(1, 100) n`);
      await sql(`insert into subscriptions (client_id, api_id, state)
        select client_id, 'orders', 'pending' from clients where client_id like 'waiting-%'`);
      try {
        return await register(address, NATIVE);
      } finally {
        await sql("delete from clients where client_id like 'waiting-%'");
      }
    },
  ],
};
