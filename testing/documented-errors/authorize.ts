// A request for each error that the authorize endpoint declares.
import { expect } from 'vitest';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { anything, post, type Requests } from './requests.ts';
import {
  authorizeQuery,
  CHALLENGE,
  CONF_REQUEST,
  forOthers,
  jsonOf,
  ORDERS,
  overLimit,
  PW,
  send,
  sql,
  TRU,
  underOAuth21,
  type World,
  withoutDatabase,
  withoutTables,
} from './world.ts';

export async function withAgents<T>(agents: string, work: () => Promise<T>): Promise<T> {
  await sql('update apis set agents = $1', [agents]);
  await currentSnapshot();
  try {
    return await work();
  } finally {
    await sql("update apis set agents = 'off'");
  }
}

const push = async () =>
  String(jsonOf(await send(`${PW}/par`, { form: { ...authorizeQuery(), ...TRU } }))['request_uri']);

async function withPolicy<T>(policy: string, work: () => Promise<T>): Promise<T> {
  await sql(`update apis set second_factor = $1 where id = 'orders'`, [policy]);
  await currentSnapshot();
  try {
    return await work();
  } finally {
    await sql(`update apis set second_factor = null where id = 'orders'`);
  }
}

export const authorizeRequests = (world: World): Requests => ({
  'client_id is missing': [
    () => world.authorize({ client_id: undefined }),
    () => send(`${PW}/authorize`, { query: 'client_id=tru&client_id=tru' }),
    () => send(`${PW}/authorize`, { query: 'client_id=tru&redirect_uri=x&redirect_uri=x' }),
  ],
  'The client is unknown': [
    () => world.authorize({ client_id: 'nobody' }),
    () => world.authorize({ client_id: 'dis', redirect_uri: 'https://dis.example/cb' }),
  ],
  'redirect_uri is missing': [() => world.authorize({ client_id: 'nat', redirect_uri: undefined })],
  'redirect_uri is not exactly one of the registered addresses': [
    () => world.authorize({ redirect_uri: 'https://tru.example/cb/' }),
  ],
  'The query cannot be read': [
    () => send(`${PW}/authorize`, { query: 'client_id=%zz' }),
    () => send(`${PW}/authorize`, { query: 'a=b&'.repeat(101) }),
  ],
  'request_uri of a pushed request is repeated or was': [
    () => world.authorize({ request_uri: 'urn:ietf:params:oauth:request_uri:x' }),
    async () => {
      const request_uri = await push();
      return world.authorize({ client_id: 'conf', request_uri });
    },
  ],
  'The client must push its requests (`require_pushed_authorization_requests`), and this': [
    async () => {
      const require = (on: boolean) =>
        sql("update clients set require_pushed_authorization_requests = $1 where client_id = 'tru'", [on]);
      await require(true);
      const answer = await world.authorize();
      await require(false);
      return answer;
    },
  ],
  'The pushed request already returned a code, or its': [
    async () => {
      const request_uri = await push();
      expect(await world.code({ request_uri })).not.toBe('');
      return world.authorize({ request_uri });
    },
  ],
  'The document at client_id does not describe a client,': [
    () => withAgents('ask', () => world.authorize({ client_id: 'https://127.0.0.1/client.json' })),
  ],
  'client_id is the address of a document, and its client': [
    () => withAgents('listed', () => world.authorize({ client_id: 'https://agent.example/client.json' })),
  ],
  'client_id is the address of a document, and its host': [
    () => withAgents('ask', () => world.authorize({ client_id: 'https://nothing.invalid/client.json' })),
  ],
  'response_type is missing': [
    () => world.authorize({ response_type: undefined }),
    () => send(`${PW}/authorize`, { query: `${new URLSearchParams(authorizeQuery() as never)}&scope=read` }),
  ],
  'response_type is not `code`.': [() => world.authorize({ response_type: 'token' })],
  'A public client, or any': [
    () => underOAuth21(() => world.authorize({})),
    () => world.authorize({ client_id: 'spa', redirect_uri: 'https://spa.example/cb' }),
    () =>
      world.authorize({
        client_id: 'spa',
        redirect_uri: 'https://spa.example/cb',
        code_challenge: CHALLENGE,
      }),
  ],
  'code_challenge_method is not': [
    () => world.authorize({ code_challenge: CHALLENGE, code_challenge_method: 'plain' }),
    () => world.authorize({ code_challenge: 'short', code_challenge_method: 'S256' }),
  ],
  'state is longer': [() => world.authorize({ state: 'x'.repeat(2_049) })],
  'prompt=none with a code_challenge': [
    async () => {
      const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      expect(await world.code(pkce)).not.toBe('');
      return world.authorize({ ...pkce, prompt: 'none' }, world.alice);
    },
  ],
  'prompt, max_age, response_mode, nonce': [
    () => world.authorize({ prompt: 'register' }),
    () => world.authorize({ max_age: '-1' }),
    () => world.authorize({ response_mode: 'fragment' }),
    () => world.authorize({ scope: 'openid', nonce: 'x'.repeat(2_049) }),
    () => world.authorize({ scope: 'openid', claims: '[]' }),
    () => world.authorize({ scope: 'openid', id_token_hint: 'x' }),
  ],
  'A request object was sent with': [() => world.authorize({ scope: 'openid', request: 'x' })],
  'A request object was sent by reference': [
    () => world.authorize({ scope: 'openid', request_uri: 'https://x.example' }),
  ],
  'The parameter registration': [() => world.authorize({ scope: 'openid', registration: '{}' })],
  'The person who signed in is not': [() => world.somebodyElse()],
  'A scope is unknown': [
    () => world.authorize({ scope: 'nothing' }),
    async () => {
      await sql("update apis set require_scope = true where id = 'orders'");
      const answer = await world.authorize({ scope: undefined });
      await sql("update apis set require_scope = false where id = 'orders'");
      return answer;
    },
  ],
  'A resource is not the API of this issuer,': [
    () => world.authorize({ resource: 'https://other.example/' }),
    () => world.authorize({ resource: `${ORDERS}#top` }),
    () => world.authorize({ resource: 'orders' }),
    () => {
      const query = new URLSearchParams([...Object.entries(authorizeQuery()), ['resource', ORDERS]] as never);
      query.append('resource', 'https://other.example/');
      return send(`${PW}/authorize`, { query: String(query) });
    },
  ],
  'The client has no approved': [
    () => world.authorize({ client_id: 'pend', redirect_uri: 'https://pend.example/cb' }),
  ],
  'The person refused consent': [() => world.denied()],
  'claims requests an essential acr that no sign-in method': [
    () =>
      world.authorize({
        scope: 'openid',
        claims: '{"id_token":{"acr":{"essential":true,"value":"urn:example:gold"}}}',
      }),
  ],
  'The client is limited to people with a certain': [
    () => forOthers(() => world.authorize({ prompt: 'none' }, world.alice)),
  ],
  'The API, a scope, acr_values or claims': [
    () => withPolicy('off', () => world.authorize({ acr_values: 'urn:gatehouse:acr:mfa' }, world.alice)),
  ],
  'prompt=none, and the person must first confirm a second': [
    () => world.authorize({ prompt: 'none', acr_values: 'urn:gatehouse:acr:mfa' }, world.alice),
    () => withPolicy('required', () => world.authorize({ prompt: 'none' }, world.alice)),
  ],
  'prompt=none, and this browser has no session for this': [
    () => world.authorize({ prompt: 'none' }),
    () => world.authorize({ prompt: 'none', max_age: '0' }, world.alice),
  ],
  'prompt=none from a native client': [
    () =>
      world.authorize(
        {
          client_id: 'trunat',
          redirect_uri: 'com.example.trunat:/cb',
          code_challenge: CHALLENGE,
          code_challenge_method: 'S256',
          prompt: 'none',
        },
        world.alice,
      ),
  ],
  'prompt=none, and the person has not': [
    () => world.authorize({ ...CONF_REQUEST, prompt: 'none' }, world.alice),
  ],
  'The database cannot be reached, or the person': [
    () => withoutDatabase(() => world.authorize({}, world.alice), { forgotten: false }),
  ],
  'An internal error, after client and redirect_uri were verified.': [
    () => withoutTables(['sessions'], () => world.authorize({}, world.alice)),
  ],
  'Broker methods only: the request': [
    () => world.authorize({ login_hint: 'x'.repeat(8_200) }, {}, 'partner'),
  ],
  'The request needs a page, and came from a': [() => world.authorize({}, { 'sec-fetch-dest': 'iframe' })],
  'Broker methods only. Limit of unfinished sign-ins: 3,000 from': [
    () => overLimit('1all', 500, () => world.authorize({}, {}, 'partner')),
  ],
});

/** Errors that cause no redirect, because the browser receives a page. */
export const authorizePageRequests: Requests = {
  'The authentication method or the API': [
    ({ method }) => send('/auth/nothing/api/orders/authorize', { method }),
    ({ method }) => send('/auth/pw/api/nothing/authorize', { method }),
  ],
  'The method is neither': [() => send(`${PW}/authorize`, { method: 'PUT' })],
  'The database cannot be reached, the service': [(address) => withoutDatabase(() => anything(address))],
  'An internal error. Report the request id on the': [
    (address) => withoutTables(['directory_version'], () => anything(address)),
  ],
};

export const authorizePostRequests: Requests = {
  'The body is not a form': [
    (address) => post(address, '{}', { headers: { 'content-type': 'application/json' } }),
    (address) => post(address, 'a=b c'),
    (address) => post(address, `state=${'x'.repeat(8_192)}`),
  ],
};
