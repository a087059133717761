// A request for each error that the endpoint for pushed authorization requests declares.
import { withAgents } from './authorize.ts';
import type { Requests } from './requests.ts';
import { authorizeQuery, CHALLENGE, ORDERS, PW, send, sql, TRU, underOAuth21, type Values } from './world.ts';

const push = (changes: Values) => send(`${PW}/par`, { form: { ...authorizeQuery(), ...TRU, ...changes } });
const spa = { client_id: 'spa', client_secret: undefined, redirect_uri: 'https://spa.example/cb' };
const ofDocument = (client_id: string) => () => push({ client_id, client_secret: undefined });

export const pushedRequests: Requests = {
  'request_uri was sent': [() => push({ request_uri: 'https://x.example' })],
  'redirect_uri is missing': [
    () => push({ redirect_uri: 'https://tru.example/cb/' }),
    () => push({ client_id: 'nat', client_secret: undefined, redirect_uri: undefined }),
  ],
  'response_type is missing': [() => push({ response_type: undefined })],
  'A public client, or any': [
    () => underOAuth21(() => push({})),
    () => push(spa),
    () => push({ ...spa, code_challenge: CHALLENGE }),
  ],
  'code_challenge_method is not': [
    () => push({ code_challenge: CHALLENGE, code_challenge_method: 'plain' }),
    () => push({ code_challenge: 'short', code_challenge_method: 'S256' }),
  ],
  'state is longer': [() => push({ state: 'x'.repeat(2_049) })],
  'prompt, max_age, response_mode, nonce': [
    () => push({ prompt: 'register' }),
    () => push({ max_age: '-1' }),
    () => push({ response_mode: 'fragment' }),
    () => push({ scope: 'openid', nonce: 'x'.repeat(2_049) }),
    () => push({ scope: 'openid', claims: '[]' }),
    () => push({ scope: 'openid', id_token_hint: 'x' }),
  ],
  'The request is longer': [() => push({ login_hint: 'x'.repeat(8_200) })],
  'The document at client_id': [() => withAgents('ask', ofDocument('https://127.0.0.1/client.json'))],
  'response_type is not `code`.': [() => push({ response_type: 'token' })],
  'A request object was sent': [() => push({ scope: 'openid', request: 'x' })],
  'The parameter registration': [() => push({ scope: 'openid', registration: '{}' })],
  'A scope is unknown': [
    () => push({ scope: 'nothing' }),
    async () => {
      await sql("update apis set require_scope = true where id = 'orders'");
      const answer = await push({ scope: undefined });
      await sql("update apis set require_scope = false where id = 'orders'");
      return answer;
    },
  ],
  'A resource is not the API of this issuer,': [
    () => push({ resource: 'https://other.example/' }),
    () => push({ resource: `${ORDERS}#top` }),
    () => {
      const form = new URLSearchParams([
        ...Object.entries({ ...authorizeQuery(), ...TRU }),
        ['resource', ORDERS],
      ] as never);
      form.append('resource', 'https://other.example/');
      return send(`${PW}/par`, { form: String(form) });
    },
  ],
  'The client has no approved': [
    () =>
      push({
        client_id: 'pend',
        client_secret: 'pend-secret-of-the-fixtures',
        redirect_uri: 'https://pend.example/cb',
      }),
    () => withAgents('listed', ofDocument('https://agent.example/client.json')),
  ],
  'claims requests an essential acr that no sign-in method': [
    () =>
      push({
        scope: 'openid',
        claims: '{"id_token":{"acr":{"essential":true,"value":"urn:example:gold"}}}',
      }),
  ],
  'client_id is the address of a document': [
    () => withAgents('ask', ofDocument('https://nothing.invalid/client.json')),
  ],
};
