// Every documented error is asked for at every endpoint that documents it, and comes. The table has a row for each; a
// declared error without a row fails.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Answer } from '#lib/http/index.ts';
import { setLogLevel } from '#lib/kit/index.ts';
import { DELETE as deleteOpenapi } from '../../app/openapi.json/route.ts';
import {
  ALICE,
  authorizeQuery,
  bodyOf,
  CHALLENGE,
  CONF,
  CONF_REQUEST,
  givenWorld,
  jsonOf,
  locationOf,
  overLimit,
  PW,
  type Sent,
  send,
  sql,
  TRU,
  type Values,
  VERIFIER,
  withoutDatabase,
  withoutTables,
} from '../../scripts/testing/documented-errors.ts';
import { authorizeDeclaration, authorizePostDeclaration } from './authorize/declaration.ts';
import {
  brokerCodeDeclaration,
  brokerRedirectDeclaration,
  ownBrokerRedirectDeclaration,
} from './broker-callback-declaration.ts';
import {
  badClient,
  bodyErrors,
  broken,
  credentialErrors,
  type Declaration,
  type DeclaredError,
  methodNotAllowed,
  prefetched,
  unavailable,
  unknownIssuer,
} from './declaration.ts';
import { declarations } from './declarations.ts';
import * as errors from './errors.ts';
import { exchangeDeclaration, TOKEN_EXCHANGE } from './exchange/declaration.ts';
import { introspectionDeclaration } from './introspection-declaration.ts';
import { tokenDeclaration } from './token/declaration.ts';

type Address = { method: string; path: string; declares: Declaration };
/** A request that is answered by the error; several where the sentence names several causes. */
type Ask = (address: Address) => Promise<Answer>;

let world: Awaited<ReturnType<typeof givenWorld>>;
beforeAll(async () => {
  setLogLevel('silent');
  world = await givenWorld();
});
afterAll(() => world.close());

/** The error of a declaration whose sentence begins so. */
function errorOf({ errors }: Declaration, beginning: string): DeclaredError {
  const [found, ...more] = errors.filter(({ when }) => when.startsWith(beginning));
  if (!found || more.length > 0) throw new Error(`not one error begins: ${beginning}`);
  return found;
}

const token = (form: Values, sent: Sent = {}) => send(`${PW}/token`, { form, ...sent });
const exchange = (form: Values) => send('/auth/token', { form: { ...TRU, ...form } });
const authorize = (changes: Values = {}, headers: Record<string, string> = {}, method = 'pw') =>
  world.authorize(changes, headers, method);
const post = ({ path }: Address, form: Values | string, sent: Sent = {}) => send(path, { form, ...sent });
const onTrust = () => world.tokens();
const subject = async (changes: Values = {}): Promise<Values> => ({
  grant_type: TOKEN_EXCHANGE,
  subject_token: (await onTrust())['access_token'],
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
  audience: 'orders',
  ...changes,
});
const basic = `Basic ${Buffer.from('tru:tru-secret-of-the-fixtures').toString('base64')}`;
/** A request of any kind that reads the registry, or a state that waits for a broker. */
const anything: Ask = async ({ method, path }) =>
  send(path, {
    method,
    query: { state: 'S', code: 'x' },
    headers: { cookie: `gatehouse-transaction=${'x'.repeat(43)}` },
    ...(method === 'POST' ? { form: { ...TRU, token: 'x', grant_type: 'refresh_token' } } : {}),
  });

const AUTHORIZE: Record<string, Ask[]> = {
  'client_id is missing': [
    () => authorize({ client_id: undefined }),
    () => send(`${PW}/authorize`, { query: 'client_id=tru&client_id=tru' }),
    () => send(`${PW}/authorize`, { query: 'client_id=tru&redirect_uri=x&redirect_uri=x' }),
  ],
  'The client is unknown': [
    () => authorize({ client_id: 'nobody' }),
    () => authorize({ client_id: 'dis', redirect_uri: 'https://dis.example/cb' }),
  ],
  'redirect_uri is missing': [() => authorize({ client_id: 'nat', redirect_uri: undefined })],
  'redirect_uri is not one': [() => authorize({ redirect_uri: 'https://tru.example/cb/' })],
  'The query cannot be read': [
    () => send(`${PW}/authorize`, { query: 'client_id=%zz' }),
    () => send(`${PW}/authorize`, { query: 'a=b&'.repeat(101) }),
  ],
  'response_type is missing': [
    () => authorize({ response_type: undefined }),
    () => send(`${PW}/authorize`, { query: `${new URLSearchParams(authorizeQuery() as never)}&scope=read` }),
  ],
  'response_type is anything': [() => authorize({ response_type: 'token' })],
  'A public client sent no': [
    () => authorize({ client_id: 'spa', redirect_uri: 'https://spa.example/cb' }),
    () => authorize({ client_id: 'spa', redirect_uri: 'https://spa.example/cb', code_challenge: CHALLENGE }),
  ],
  'code_challenge_method is not': [
    () => authorize({ code_challenge: CHALLENGE, code_challenge_method: 'plain' }),
    () => authorize({ code_challenge: 'short', code_challenge_method: 'S256' }),
  ],
  'state is longer': [() => authorize({ state: 'x'.repeat(2_049) })],
  'prompt=none with a code_challenge': [
    async () => {
      const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' };
      expect(await world.code(pkce)).not.toBe('');
      return authorize({ ...pkce, prompt: 'none' }, world.alice);
    },
  ],
  'prompt, max_age or response_mode': [
    () => authorize({ prompt: 'create' }),
    () => authorize({ max_age: '-1' }),
    () => authorize({ response_mode: 'fragment' }),
  ],
  'A scope is unknown': [
    () => authorize({ scope: 'nothing' }),
    async () => {
      await sql("update apis set require_scope = true where id = 'orders'");
      const answer = await authorize({ scope: undefined });
      await sql("update apis set require_scope = false where id = 'orders'");
      return answer;
    },
  ],
  'The client has no approved': [
    () => authorize({ client_id: 'pend', redirect_uri: 'https://pend.example/cb' }),
  ],
  'The person refused consent': [() => world.denied()],
  'prompt=none, and there is no session': [
    () => authorize({ prompt: 'none' }),
    () => authorize({ prompt: 'none', max_age: '0' }, world.alice),
  ],
  'prompt=none, and the person': [() => authorize({ ...CONF_REQUEST, prompt: 'none' }, world.alice)],
  'The database cannot be reached, or the person': [
    () => withoutDatabase(() => authorize({}, world.alice), { forgotten: false }),
  ],
  'A fault of ours, after': [() => withoutTables(['sessions'], () => authorize({}, world.alice))],
  'Broker methods only: the request': [() => authorize({ login_hint: 'x'.repeat(8_200) }, {}, 'partner')],
  'The person is needed, and the request': [() => authorize({}, { 'sec-fetch-dest': 'iframe' })],
  'Broker methods only: 3,000': [() => overLimit('1all', 500, () => authorize({}, {}, 'partner'))],
};

const PAGES: Record<string, Ask[]> = {
  'The authentication method or the API': [
    ({ method }) => send('/auth/nothing/api/orders/authorize', { method }),
    ({ method }) => send('/auth/pw/api/nothing/authorize', { method }),
  ],
  'The method is neither': [() => send(`${PW}/authorize`, { method: 'PUT' })],
  'The database cannot be reached, the service': [(address) => withoutDatabase(() => anything(address))],
  'A fault of ours. Report': [(address) => withoutTables(['directory_version'], () => anything(address))],
};

const AUTHORIZE_POST: Record<string, Ask[]> = {
  'The body is not a form': [
    (address) => post(address, '{}', { headers: { 'content-type': 'application/json' } }),
    (address) => post(address, 'a=b c'),
    (address) => post(address, `state=${'x'.repeat(8_192)}`),
  ],
};

const refresh = { ...TRU, grant_type: 'refresh_token' };
const redeem = { ...TRU, grant_type: 'authorization_code' };
const TOKEN: Record<string, Ask[]> = {
  'grant_type is unknown': [() => token({ ...TRU, grant_type: 'client_credentials' })],
  'grant_type is `password`': [
    () => send('/auth/partner/api/orders/token', { form: { ...TRU, ...ALICE, grant_type: 'password' } }),
  ],
  'The client has no approved': [
    () =>
      token({
        client_id: 'pend',
        client_secret: 'pend-secret-of-the-fixtures',
        grant_type: 'refresh_token',
        refresh_token: 'x',
      }),
  ],
  'The code is unknown': [
    () => token({ ...redeem, code: 'unknown' }),
    async () => token({ ...CONF, grant_type: 'authorization_code', code: await world.code() }),
    async () => send('/auth/ext/api/orders/token', { form: { ...redeem, code: await world.code() } }),
  ],
  'The code was used before': [
    async () => {
      const code = await world.code();
      expect((await token({ ...redeem, code })).status).toBe(200);
      return token({ ...redeem, code });
    },
  ],
  'redirect_uri is sent and differs': [
    async () => token({ ...redeem, code: await world.code(), redirect_uri: 'https://tru.example/other' }),
  ],
  'code_verifier is missing, wrong': [
    async () => {
      const code = await world.code({ code_challenge: CHALLENGE, code_challenge_method: 'S256' });
      return token({ ...redeem, code });
    },
    async () => token({ ...redeem, code: await world.code(), code_verifier: VERIFIER }),
  ],
  'code_verifier is not 43': [
    async () => token({ ...redeem, code: await world.code(), code_verifier: 'short' }),
  ],
  'The password grant without': [() => token({ ...CONF, ...ALICE, grant_type: 'password' })],
  'The username or password': [
    () => token({ ...TRU, ...ALICE, grant_type: 'password', password: 'wrong' }),
    () =>
      token({
        ...TRU,
        grant_type: 'password',
        username: 'dave@example.com',
        password: 'dave-password-1',
      }),
  ],
  'Too many wrong passwords': [
    () =>
      overLimit('4account', 10, () => token({ ...TRU, ...ALICE, grant_type: 'password', password: 'wrong' })),
    () =>
      overLimit('3address', 60, () =>
        token(
          { client_id: 'trunat', ...ALICE, grant_type: 'password', password: 'wrong' },
          { ip: '192.0.2.7' },
        ),
      ),
  ],
  'The external verifier': [
    () => send('/auth/ext/api/orders/token', { form: { ...TRU, ...ALICE, grant_type: 'password' } }),
  ],
  'The refresh token is unknown': [
    () => token({ ...refresh, refresh_token: 'unknown' }),
    async () =>
      token({ ...CONF, grant_type: 'refresh_token', refresh_token: (await onTrust())['refresh_token'] }),
  ],
  'The refresh token was used before': [
    async () => {
      const { refresh_token } = await onTrust();
      expect((await token({ ...refresh, refresh_token })).status).toBe(200);
      return token({ ...refresh, refresh_token });
    },
  ],
  'A browser client sends anything': [
    async () => {
      const { refresh_token } = await onTrust();
      return token({ client_id: 'spa', grant_type: 'refresh_token', refresh_token });
    },
  ],
  'The family rests on trust': [
    async () => {
      const { refresh_token } = await onTrust();
      await sql("update subscriptions set trusted = false where client_id = 'tru'");
      const answer = await token({ ...refresh, refresh_token });
      await sql("update subscriptions set trusted = true where client_id = 'tru'");
      return answer;
    },
  ],
  'scope asks for more': [
    async () => token({ ...refresh, refresh_token: (await onTrust())['refresh_token'], scope: 'read write' }),
  ],
};

const EXCHANGE: Record<string, Ask[]> = {
  'grant_type is neither': [() => exchange({ grant_type: 'password' })],
  'The client has no approved': [async () => exchange({ ...(await subject()), ...CONF })],
  'The subject or actor token': [
    async () => exchange(await subject({ subject_token: 'x' })),
    async () => exchange(await subject({ subject_token_type: undefined })),
    async () => exchange(await subject({ subject_token_type: 'urn:x' })),
    async () => exchange(await subject({ actor_token: 'x', actor_token_type: 'urn:x' })),
  ],
  'Nothing says which': [async () => exchange({ ...redeem, code: 'x', state: (await world.depart()).state })],
  'audience or resource names no API': [
    async () => exchange(await subject({ audience: 'nothing' })),
    async () => exchange(await subject({ resource: 'https://api.example/nothing' })),
  ],
  'A scope is unknown': [async () => exchange(await subject({ scope: 'nothing' }))],
  "The broker's code is refused": [
    () => exchange({ ...redeem, code: 'x', state: 'unknown' }),
    async () =>
      exchange({ ...redeem, code: 'x', state: (await world.depart()).state, code_verifier: VERIFIER }),
    async () => {
      const { state } = await world.depart();
      return exchange({ ...redeem, code: 'x', state, redirect_uri: CALLBACK });
    },
    async () => {
      const { state } = await world.depart();
      await sql("delete from combinations where auth_method_id = 'partner'");
      const answer = await exchange({ ...redeem, code: 'x', state });
      await sql("insert into combinations (auth_method_id, api_id) values ('partner', 'orders')");
      return answer;
    },
  ],
  'The broker that has to be asked': [
    async () => {
      const { state } = await world.depart();
      return world.withoutBroker(() => exchange({ ...redeem, code: 'x', state, redirect_uri: CALLBACK }));
    },
  ],
};
const CALLBACK = 'http://localhost:3000/auth/callback/partner';

const INTROSPECTION: Record<string, Ask[]> = {
  'The credential is missing': [
    (address) => post(address, { token: 'x' }),
    (address) => post(address, { ...TRU, client_secret: 'wrong', token: 'x' }),
    (address) => post(address, { client_id: 'spa', token: 'x' }),
  ],
};

const html = { accept: 'text/html' };
const REDIRECT: Record<string, Ask[]> = {
  'There is neither code nor error': [
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
};
const issuerOfPartner = async () =>
  (
    await sql<{ issuer: string }>("select config->>'issuer' as issuer from auth_methods where id = 'partner'")
  )[0]?.issuer ?? '';

const CALLBACKS: Record<string, Ask[]> = {
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

const rows = (declaration: Declaration, table: Record<string, Ask[]>) =>
  Object.entries(table).map(([beginning, asks]) => [errorOf(declaration, beginning), asks] as const);

const [unreadable, tooLarge] = bodyErrors as [DeclaredError, DeclaredError];
const [twoCredentials, manySecrets] = credentialErrors as [DeclaredError, DeclaredError];

const REQUESTS: ReadonlyMap<DeclaredError, Ask[]> = new Map([
  ...rows(authorizeDeclaration, { ...AUTHORIZE, ...PAGES }),
  ...rows(authorizePostDeclaration, AUTHORIZE_POST),
  ...rows(tokenDeclaration, TOKEN),
  ...rows(exchangeDeclaration, EXCHANGE),
  ...rows(introspectionDeclaration, INTROSPECTION),
  ...rows(brokerCodeDeclaration, {
    'code is longer': [
      () => send('/auth/callback/broker/a%20b'),
      () => send(`/auth/callback/broker/${'x'.repeat(4_097)}`),
    ],
    ...CALLBACKS,
  }),
  ...rows(brokerRedirectDeclaration, REDIRECT),
  ...rows(ownBrokerRedirectDeclaration, {
    'There is no broker method': [
      () => send('/auth/callback/nothing', { query: { code: 'x' } }),
      () => send('/auth/callback/pw', { query: { code: 'x' } }),
    ],
  }),
  [
    unreadable,
    [
      (address) => post(address, '{', { headers: { 'content-type': 'application/json' } }),
      (address) => post(address, 'a=b', { headers: { 'content-type': 'text/plain' } }),
      (address) => post(address, { ...TRU }),
      (address) => post(address, 'client_id=tru&client_id=tru'),
    ],
  ],
  [tooLarge, [(address) => post(address, 'x'.repeat(70_000))]],
  [
    twoCredentials,
    [
      (address) => post(address, { ...TRU, grant_type: 'password' }, { headers: { authorization: basic } }),
      (address) =>
        post(address, { client_id: 'conf', grant_type: 'password' }, { headers: { authorization: basic } }),
    ],
  ],
  [
    manySecrets,
    [
      (address) =>
        overLimit('4secret', 60, () =>
          post(
            address,
            { ...TRU, client_secret: 'wrong', grant_type: 'refresh_token' },
            { ip: '192.0.2.77' },
          ),
        ),
    ],
  ],
  [
    badClient,
    [
      { client_id: 'nobody' },
      { client_id: 'dis', client_secret: 'dis-secret-of-the-fixtures' },
      { client_id: 'tru' },
      { ...TRU, client_secret: 'wrong' },
      { client_id: 'spa', client_secret: 'any' },
    ].map(
      (form): Ask =>
        (address) =>
          post(address, { ...form, grant_type: 'refresh_token', token: 'x' }),
    ),
  ],
  [
    unknownIssuer,
    [
      ({ method, path }) => send(path.replace('/pw/', '/nothing/'), { method }),
      ({ method, path }) => send(path.replace('/orders', '/nothing'), { method }),
    ],
  ],
  [methodNotAllowed, [({ path }) => send(path, { method: 'DELETE' })]],
  [prefetched, [({ path }) => send(path, { headers: { 'sec-purpose': 'prefetch' } })]],
  [unavailable, [(address) => withoutDatabase(() => anything(address))]],
  [broken, [(address) => withoutTables(['directory_version', 'broker_states'], () => anything(address))]],
]);

const NAMES: Record<string, string> = { authMethodId: 'pw', apiId: 'orders', code: 'x' };
const ADDRESSES: Address[] = Object.entries(declarations).map(([endpoint, declares]) => {
  const [method = '', pattern = ''] = endpoint.split(' ');
  const path = pattern
    .replace('/callback/:authMethodId', '/callback/partner')
    .replaceAll(/:(\w+)/g, (_, name: string) => NAMES[name] ?? '');
  return { method, path, declares };
});

describe.each(ADDRESSES)('$method $path', (address) => {
  test.each(address.declares.errors)('$status $error: $when', async (declared) => {
    const asks = REQUESTS.get(declared) ?? [];
    expect(asks.length, 'a documented error that nobody asks for').toBeGreaterThan(0);
    for (const [at, ask] of asks.entries())
      expect(seen(await ask(address), declared), `request ${at + 1}`).toEqual(expected(declared));
  });
});

test('DELETE /openapi.json is the 405 that it documents', async () => {
  const answer = deleteOpenapi();
  expect([answer.status, (await answer.json()).error]).toEqual([
    methodNotAllowed.status,
    methodNotAllowed.error,
  ]);
});

test('the token endpoint declares the grant types of the metadata', async () => {
  const metadata = JSON.parse(bodyOf(await send(`${PW}/.well-known/oauth-authorization-server`)));
  const { grant_type } = tokenDeclaration.body?.shape ?? {};
  for (const grantType of metadata.grant_types_supported)
    expect(grant_type?.safeParse(grantType).success, grantType).toBe(true);
});

test('every error class is documented somewhere', () => {
  const documented = new Set(ADDRESSES.flatMap(({ declares }) => declares.errors.map(({ error }) => error)));
  const codes = Object.values(errors).flatMap((kind) => ('code' in kind && kind.code ? [kind.code] : []));
  expect(codes.length).toBeGreaterThan(10);
  expect(codes.filter((code) => !documented.has(code))).toEqual([]);
});

const expected = ({ status, error, as }: DeclaredError) => ({
  status,
  as,
  error: as === 'page' ? '' : error,
});

/** What came, in the terms of the declaration. A page has no code. */
function seen(answer: Answer, { as }: DeclaredError) {
  const { status, headers } = answer;
  const type = String(headers['content-type'] ?? '');
  if (as === 'redirect')
    return {
      status,
      as: headers['location'] ? as : type,
      error: locationOf(answer).searchParams.get('error'),
    };
  if (bodyOf(answer) === '') return { status, as: 'empty', error: 'no body' };
  if (type.startsWith('text/html')) return { status, as: 'page', error: '' };
  if (status === 422)
    return { status, as: 'validation', error: 'detail' in jsonOf(answer) ? 'HTTPValidationError' : '' };
  return { status, as: 'json', error: jsonOf(answer)['error'] };
}
