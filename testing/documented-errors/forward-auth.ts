// A request for each error that the forward auth address declares.
import { loadSettings, settings } from '#lib/settings/settings.ts';
import type { Ask, Requests } from './requests.ts';
import { overLimit, send, type World } from './world.ts';

const PATH = '/verify/orders';

/** Runs `work` while the service trusts a gateway in front of it. */
async function behindGateway<T>(work: () => Promise<T>): Promise<T> {
  const { baseUrl } = settings();
  loadSettings({ ...process.env, BASE_URL: baseUrl, TRUST_PROXY: '1' });
  try {
    return await work();
  } finally {
    loadSettings({ ...process.env, BASE_URL: baseUrl });
  }
}

export const forwardAuthRequests = (world: World): Requests => {
  const withToken =
    (query: string): Ask =>
    async () => {
      const { access_token: token = '' } = await world.tokens({ scope: 'read' });
      return send(PATH, { query, headers: { authorization: `Bearer ${token}` } });
    };
  const unknown: Ask = () => send(PATH, { headers: { authorization: 'Bearer x' }, ip: '192.0.2.90' });
  const withBound =
    (proves: boolean, claims = {}): Ask =>
    async () => {
      const address = 'https://api.example/orders/1';
      const { token, proof } = await world.bound('GET', address, claims);
      const original = { 'x-original-method': 'GET', 'x-original-url': address };
      const headers = { authorization: `DPoP ${token}`, ...original, ...(proves && { dpop: proof }) };
      return send(PATH, { headers });
    };
  return {
    'The token is bound to a key': [withBound(false), withBound(true)],
    'The DPoP proof must contain the nonce from': [
      (address) => behindGateway(() => withBound(true, { iat: 1 })(address)),
    ],
    'No token was sent': [() => send(PATH), () => send(PATH, { headers: { authorization: 'Basic eDp5' } })],
    'acr, max_age or preflight': ['acr=x', 'max_age=', 'preflight=no', 'scope=%22', 'scope=%'].map(withToken),
    'The token is malformed': [
      unknown,
      () => send(PATH, { headers: { authorization: 'Bearer a, Bearer b' } }),
      () => send(PATH, { headers: { authorization: 'DPoP x' } }),
    ],
    'The sign-in is weaker': [withToken('acr=phr')],
    'The token lacks a scope': [withToken('scope=write')],
    'No API has this id': [() => send('/verify/nothing')],
    'Limit of unknown tokens from an address (a /64': [
      () =>
        overLimit('3address', 28, async () => {
          let answer = await unknown({ method: 'GET', path: PATH });
          // repeated, because memory counts the first requests, and only a share of the limit is stored at a time
          for (let more = 0; more < 50 && answer.status === 401; more += 1)
            answer = await unknown({ method: 'GET', path: PATH });
          return answer;
        }),
    ],
  };
};
