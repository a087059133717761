// Dynamic client registration, tested by requests to the protocol core: the new client waits for an approver.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { ensureManagementApi } from '#lib/management/built-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { query } from '#lib/store/pool.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, setOf } from '#testing/clients/client-keys.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { handleHttp } from './endpoints.ts';

const PATH = '/auth/pw/api/orders';
const TOKEN = 'a-registration-token-of-tests';
const NATIVE = { redirect_uris: ['http://127.0.0.1/cb'], token_endpoint_auth_method: 'none' };
const SERVER = { redirect_uris: ['https://agent.example/cb'], client_name: 'Agent' };

beforeAll(givenFixtures);
beforeEach(() => {
  settings().registrationToken = TOKEN;
});

const sql = <Row>(text: string, values: unknown[] = []) => query<Row>({ text, values });

async function register(body: unknown, headers: Record<string, string> = {}, path = PATH) {
  const answer = await handleHttp({
    method: 'POST',
    path: `${path}/register`,
    query: '',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, ...headers },
    body: async () => Buffer.from(JSON.stringify(body)),
    peerAddress: undefined,
    requestId: 'a-registration',
  });
  if (!answer) throw new Error('nothing is here');
  return answer;
}
const registered = async (body: unknown) => {
  const answer = await register(body);
  expect(answer.status, String(answer.body)).toBe(201);
  return jsonOf(answer);
};
const metadata = async () => jsonOf(await ask(`${PATH}/.well-known/openid-configuration`));
const clients = () =>
  sql<{ id: string }>("select client_id as id from clients where origin = 'registration'");

test('without REGISTRATION_TOKEN the registration endpoint returns 404, and the metadata omit it', async () => {
  settings().registrationToken = null;
  const refused = await register(NATIVE);
  expect([refused.status, jsonOf(refused)['error_description']]).toEqual([
    404,
    expect.stringContaining('REGISTRATION_TOKEN'),
  ]);
  expect((await ask(`${PATH}/register`)).status).toBe(404);
});

test('OPEN_REGISTRATION: public clients with loopback URIs register without a token and stay pending, and all others are rejected', async () => {
  settings().registrationToken = null;
  settings().openRegistration = true;
  const without = (body: unknown, authorization?: string) =>
    handleHttp({
      method: 'POST',
      path: `${PATH}/register`,
      query: '',
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: async () => Buffer.from(JSON.stringify(body)),
      peerAddress: undefined,
      requestId: 'an-open-registration',
    });
  try {
    expect(await metadata()).toMatchObject({ registration_endpoint: expect.stringContaining('/register') });
    for (const uri of ['http://127.0.0.1/cb', 'http://localhost:33418/', 'http://[::1]/cb']) {
      const answer = await without({ ...NATIVE, redirect_uris: [uri] });
      expect(answer?.status, uri).toBe(201);
    }
    for (const body of [
      { ...NATIVE, redirect_uris: ['https://agent.example/cb'] },
      { ...NATIVE, redirect_uris: ['http://127.0.0.1/cb', 'com.example.app:/cb'] },
      { redirect_uris: ['http://127.0.0.1/cb'] },
    ])
      expect((await without(body))?.status, JSON.stringify(body)).toBe(401);
    expect((await without(NATIVE, 'Bearer wrong-token-of-somebody'))?.status).toBe(401);
    const waiting = await sql(
      "select state from subscriptions where state <> 'pending' and client_id like 'registered-%'",
    );
    expect(waiting).toEqual([]);
    settings().baseUrl = 'https://login.example';
    expect((await without(NATIVE))?.status).toBe(404);
  } finally {
    settings().openRegistration = false;
    settings().baseUrl = 'http://localhost:3000';
  }
});

test('RFC 7591 §3.2.1: the response of the registration contains all registered metadata', async () => {
  const asked = { ...NATIVE, client_name: 'My agent', scope: 'read nothing', unknown_member: { x: [1] } };
  const grant_types = ['authorization_code', 'urn:ietf:params:oauth:grant-type:jwt-bearer'];
  const pushes = { require_pushed_authorization_requests: true, dpop_bound_access_tokens: true };
  expect(await registered({ ...asked, ...pushes, grant_types, logo_uri: null })).toEqual({
    ...pushes,
    ...NATIVE,
    client_id: expect.stringMatching(/^registered-[\w-]{43}$/),
    client_id_issued_at: expect.any(Number),
    client_name: 'My agent',
    application_type: 'native',
    grant_types: ['authorization_code'],
    response_types: ['code'],
    scope: 'read',
    post_logout_redirect_uris: [],
    backchannel_logout_session_required: false,
    id_token_signed_response_alg: 'RS256',
    id_token_claims: false,
    private_use_schemes: false,
    subject_type: 'public',
    refresh_token_rotation: 'always',
  });
  const claims = { id_token_claims: true };
  expect(await registered({ ...NATIVE, ...claims })).toMatchObject(claims);
  const never = { refresh_token_rotation: 'never' };
  expect(await registered({ ...SERVER, ...never })).toMatchObject(never);
});

test('RFC 7591 §2: a client that registers without metadata is confidential, and receives its secret once', async () => {
  const answer = await register({ redirect_uris: SERVER.redirect_uris });
  expect(answer.headers['cache-control']).toBe('no-store');
  const made = jsonOf(answer);
  expect(made).toMatchObject({
    client_name: 'agent.example',
    token_endpoint_auth_method: 'client_secret_basic',
    client_secret_expires_at: 0,
    scope: 'read write',
  });
  const secret = String(made['client_secret']);
  expect(secret.length).toBeGreaterThan(40);
  const told = await sql("select * from audit_events where request_id = 'a-registration'");
  expect(JSON.stringify(told)).not.toContain(secret);
});

test('RFC 7591 §2.2: names in other languages are stored and returned, and invalid language tags are ignored', async () => {
  const names = { client_name: 'Agent', 'client_name#fr': 'Assistant', 'client_name#pt-br': 'Agente' };
  const made = await registered({ ...SERVER, ...names, 'client_name#zz': 'X', 'client_name#de': 7 });
  expect(made).toMatchObject({
    client_name: 'Agent',
    'client_name#fr': 'Assistant',
    'client_name#pt-BR': 'Agente',
  });
  expect(Object.keys(made).filter((name) => name.includes('#'))).toHaveLength(2);
  const client = (await currentSnapshot()).clients.get(String(made['client_id']));
  expect(client?.name).toEqual({ und: 'Agent', fr: 'Assistant', 'pt-BR': 'Agente' });
  expect(
    (await registered({ ...SERVER, client_name: undefined, 'client_name#fr': 'Assistant' }))['client_name'],
  ).toBe('Assistant');
  const long = await register({ ...SERVER, 'client_name#fr': 'x'.repeat(201) });
  expect(jsonOf(long)).toMatchObject({
    error: 'invalid_client_metadata',
    error_description: 'client_name#fr must not be longer than 200 characters.',
  });
});

test('client_credentials: the approver sees a machine client, and no redirect URI is required', async () => {
  const made = await registered({
    client_name: 'Night job',
    grant_types: ['client_credentials', 'password'],
  });
  expect(made).toMatchObject({ grant_types: ['client_credentials'], redirect_uris: [] });
  const [row] = await sql('select state, machine, trusted from subscriptions where client_id = $1', [
    made['client_id'],
  ]);
  expect(row).toEqual({ state: 'pending', machine: true, trusted: false });
  const grants = { ...NATIVE, grant_types: ['client_credentials'] };
  expect(jsonOf(await register(grants))['error']).toBe('invalid_client_metadata');
});

test('a registered client is pending, and its first code requires approval', async () => {
  const { client_id: clientId } = await registered(SERVER);
  const { cookie } = await signInTo('alice@example.com');
  const authorize = async () => {
    const asked = {
      client_id: String(clientId),
      response_type: 'code',
      redirect_uri: 'https://agent.example/cb',
    };
    return locationOf(await ask(`${PATH}/authorize?${new URLSearchParams(asked)}`, { headers: { cookie } }));
  };
  expect(await authorize()).not.toContain('/consent');
  await decideSubscription(OPERATOR, { clientId: String(clientId), api: 'orders', action: 'approve' });
  expect(await authorize()).toContain('/consent');
});

test('RFC 7517 §5: of a registered key set the signing keys are stored, and the client authenticates with one of them', async () => {
  const pair = await makePair();
  const others = [
    { ...pair.jwk, use: 'enc', alg: 'ECDH-ES' },
    { kty: 'AKP', alg: 'ML-DSA-44', pub: 'x' },
  ];
  const method = { token_endpoint_auth_method: 'private_key_jwt' };
  const made = jsonOf(await register({ ...SERVER, ...method, jwks: { keys: [...others, pair.jwk] } }));
  expect(made['jwks']).toEqual(setOf(pair));
  const clientId = String(made['client_id']);
  const assertion = await makeAssertion({ clientId, audience: `${settings().authUrl}${PATH}`, pair });
  const form = {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: assertion,
  };
  expect(jsonOf(await ask(`${PATH}/token`, { form }))['error']).toBe('unauthorized_client');
});

test.each([
  ['client_secret_basic', { token_endpoint_auth_method: 'client_secret_basic' }],
  ['client_secret_post', { token_endpoint_auth_method: 'client_secret_post' }],
  ['the default', {}],
  ['none', { token_endpoint_auth_method: 'none', redirect_uris: NATIVE.redirect_uris }],
])(
  'RFC 7591 §2: if the authentication method is %s, registered keys are ignored and the response omits them',
  async (_, method) => {
    const { jwk } = await makePair();
    for (const keys of [{ jwks: { keys: [jwk] } }, { jwks_uri: 'https://agent.example/jwks' }]) {
      const made = await registered({ ...SERVER, ...method, ...keys });
      expect(made).not.toHaveProperty('jwks');
      expect(made).not.toHaveProperty('jwks_uri');
      expect('client_secret' in made).toBe(!('redirect_uris' in method));
    }
  },
);

test('a rejected registration stores nothing', async () => {
  const before = await clients();
  for (const body of [
    { ...NATIVE, redirect_uris: ['https://a.example/#x'] },
    { ...SERVER, token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [] } },
    { ...SERVER, token_endpoint_auth_method: 'private_key_jwt' },
    { ...SERVER, client_name: 'x\u0000y' },
    {
      ...SERVER,
      jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0' }] },
      token_endpoint_auth_method: 'private_key_jwt',
    },
    { ...NATIVE, redirect_uris: Array.from({ length: 101 }, (_, at) => `https://a.example/${at}`) },
  ])
    expect((await register(body)).status, JSON.stringify(body).slice(0, 80)).toBe(400);
  expect(await clients()).toEqual(before);
});

test('a wrong registration token returns 401 with a challenge, and counts as a guess', async () => {
  const wrong = await register(NATIVE, { authorization: 'Bearer wrong' });
  expect([wrong.status, wrong.headers['www-authenticate']]).toEqual([
    401,
    'Bearer realm="Gatehouse", error="invalid_token"',
  ]);
  const none = await register(NATIVE, { authorization: 'Basic eDp5' });
  expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer realm="Gatehouse"']);
});

test('at most 100 registered clients wait at an API, even if they register concurrently, and further ones are rejected', async () => {
  await sql("delete from clients where origin = 'registration'");
  await sql(`insert into clients (client_id, name, confidential, application_type, origin)
    select 'waits-' || n, 'x', false, 'native', 'registration' from generate_series(1, 95) n`);
  await sql(`insert into subscriptions (client_id, api_id, state)
    select client_id, 'orders', 'pending' from clients where client_id like 'waits-%'`);
  const answers = await Promise.all(Array.from({ length: 15 }, () => register(NATIVE)));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([...Array(5).fill(201), ...Array(10).fill(429)]);
  const full = answers.find(({ status }) => status === 429);
  expect(full && jsonOf(full)['error_description']).toContain('waiting for approval');
  expect(await clients()).toHaveLength(100);
});

test('after a month, registered clients that were never approved, even rejected ones, are deleted, and revoked clients remain', async () => {
  await sql("delete from clients where origin = 'registration'");
  const made = async () => String((await registered(SERVER))['client_id']);
  const [waits, rejected, revoked, fresh] = [await made(), await made(), await made(), await made()];
  const decide = (clientId: string, action: 'approve' | 'reject' | 'revoke') =>
    decideSubscription(OPERATOR, { clientId, api: 'orders', action });
  await decide(rejected, 'reject');
  await decide(revoked, 'approve');
  await decide(revoked, 'revoke');
  await sql("update clients set created_at = now() - interval '31 days' where client_id = any ($1)", [
    [waits, rejected, revoked],
  ]);
  await deleteExpired();
  const left = (await clients()).map(({ id }) => id);
  expect(new Set(left)).toEqual(new Set([revoked, fresh]));
  const told = await sql("select from audit_events where event = 'client.removed' and client_id = $1", [
    waits,
  ]);
  expect(told).toHaveLength(1);
});

test('the issuer metadata contain the registration endpoint', async () => {
  expect((await metadata())['registration_endpoint']).toBe(`${settings().authUrl}${PATH}/register`);
});

test('a machine client for the management API must register scopes', async () => {
  await ensureManagementApi();
  const program = { ...SERVER, grant_types: ['client_credentials'] };
  const management = '/auth/pw/api/management';
  const answer = await register(program, {}, management);
  expect(jsonOf(answer)).toMatchObject({ error: 'invalid_client_metadata' });
  expect((await register({ ...program, scope: 'audit:read' }, {}, management)).status).toBe(201);
});

test.each(['\u202e', '\u2066', '\u061c', '\u200b', '\u00ad', '\u3164', '\u2800', '\u0007', '\n'])(
  'client_name containing %j is rejected in every language and creates nothing',
  async (sign) => {
    const before = await clients();
    for (const member of ['client_name', 'client_name#de']) {
      const answer = await register({ ...SERVER, [member]: `Your${sign}bank` });
      expect(answer.status).toBe(400);
      expect(jsonOf(answer)['error_description']).toContain(member);
    }
    expect(await clients()).toEqual(before);
  },
);
