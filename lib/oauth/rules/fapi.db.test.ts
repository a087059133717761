// An API with `profile: fapi-2.0` (FAPI 2.0 Security Profile): each thing that the profile takes away.
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import {
  changeApi,
  createClient,
  decideSubscription,
  OPERATOR,
  requestSubscription,
} from '#lib/management/index.ts';
import { settings } from '#lib/settings/index.ts';
import {
  ASSERTION_TYPE,
  type Changes,
  makeAssertion,
  makePair,
  type Pair,
  setOf,
} from '#testing/clients/client-keys.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';

const CLIENT = 'bank';
const RETURN = 'https://bank.example/cb';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let cookie = '';
let pair: Pair;
let rsa: Pair;
let key: ProofKey;
/** from before the API kept to the profile */
let bySecret: Record<string, string>;

const issuer = () => `${settings().authUrl}${OPENID_PATH}`;

beforeAll(async () => {
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
  [pair, rsa, key] = await Promise.all([makePair('ES256'), makePair('RS256'), proofKey()]);
  await createClient(OPERATOR, {
    clientId: CLIENT,
    name: 'Bank',
    kind: 'confidential',
    redirectUris: [RETURN],
    tokenEndpointAuthMethod: 'private_key_jwt',
    tokenEndpointAsAudience: true,
    jwks: setOf(pair, rsa),
  });
  const subscription = { clientId: CLIENT, api: 'orders' };
  await requestSubscription(OPERATOR, { ...subscription, trusted: true, machine: true, scopes: ['read'] });
  await decideSubscription(OPERATOR, { ...subscription, action: 'approve' });
  const [secret] = await givenTrustedClients(['by-secret']);
  bySecret = { ...secret };
  await changeApi(OPERATOR, { id: 'orders', profile: 'fapi-2.0', signingAlg: 'RS256' });
});
const assertion = async (by = pair, changes: Changes = {}, audience = issuer()) => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: await makeAssertion({ clientId: CLIENT, audience, pair: by }, changes),
});

type Sent = { by?: ProofKey | null; credentials?: Record<string, string> };
async function post(
  name: 'par' | 'token',
  form: Record<string, string>,
  { by = key, credentials }: Sent = {},
) {
  const headers = by ? { dpop: await proofOf(by, { address: `${issuer()}/${name}` }) } : {};
  const answer = await ask(`${OPENID_PATH}/${name}`, {
    form: { ...(credentials ?? (await assertion())), ...form },
    headers,
  });
  return { status: answer.status, body: jsonOf(answer) as Record<string, string> };
}

const REQUEST = {
  client_id: CLIENT,
  response_type: 'code',
  redirect_uri: RETURN,
  scope: 'openid read',
  code_challenge: CHALLENGE,
  code_challenge_method: 'S256',
};
const push = (over: Record<string, string> = {}, sent: Sent = {}) =>
  post('par', { ...REQUEST, ...over }, sent);
async function authorized(query: Record<string, string>) {
  const answer = await ask(`${OPENID_PATH}/authorize?${new URLSearchParams(query)}`, { headers: { cookie } });
  return new URL(locationOf(answer)).searchParams;
}
async function code(): Promise<string> {
  const { body } = await push();
  return (await authorized({ client_id: CLIENT, request_uri: body['request_uri'] ?? '' })).get('code') ?? '';
}
const redeem = async (sent?: Sent) =>
  post('token', { grant_type: 'authorization_code', code: await code(), code_verifier: VERIFIER }, sent);

test('the metadata name what holds here', async () => {
  const metadata = jsonOf(await ask(`${OPENID_PATH}/.well-known/openid-configuration`));
  const algs = ['PS256', 'ES256', 'EdDSA', 'Ed25519'];
  expect(metadata).toMatchObject({
    require_pushed_authorization_requests: true,
    token_endpoint_auth_methods_supported: ['private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: algs,
    id_token_signing_alg_values_supported: ['ES256'],
    authorization_response_iss_parameter_supported: true,
  });
  expect(metadata['grant_types_supported']).not.toContain('password');
  const resource = jsonOf(await ask('/.well-known/oauth-protected-resource/apis/orders'));
  expect(resource).toMatchObject({
    dpop_bound_access_tokens_required: true,
    access_token_signing_alg: 'ES256',
  });
});

test('§5.3.2.2 (2), (3): a request that was not pushed is refused', async () => {
  const refused = await authorized(REQUEST);
  expect([refused.get('error'), refused.get('code')]).toEqual(['invalid_request', null]);
});

test('§5.3.2.1 (4), (5): no token without a proof of a key, at any grant', async () => {
  const grant = { grant_type: 'client_credentials' };
  for (const refused of [await redeem({ by: null }), await post('token', grant, { by: null })])
    expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_dpop_proof']);
  expect((await post('token', grant)).body['token_type']).toBe('DPoP');
});

test('§5.3.2.1 (3), (6): neither a public client nor one with a secret gets anything', async () => {
  for (const credentials of [bySecret, { client_id: 'trunat' }]) {
    const pushed = await push(
      { client_id: credentials['client_id'] ?? '', redirect_uri: 'https://by-secret.example/cb' },
      { credentials },
    );
    const asked = await post('token', { grant_type: 'refresh_token', refresh_token: 'x' }, { credentials });
    for (const { status, body } of [pushed, asked])
      expect([status, body['error']]).toEqual([400, 'unauthorized_client']);
  }
});

test.each<[string, () => ReturnType<typeof assertion>]>([
  ['is signed by RS256', () => assertion(rsa)],
  ['names the token endpoint as aud', () => assertion(pair, {}, `${issuer()}/token`)],
  ['names the PAR endpoint as aud', () => assertion(pair, {}, `${issuer()}/par`)],
  ['names the issuer in a list', () => assertion(pair, { claims: { aud: [issuer()] } })],
  ['has expired', () => assertion(pair, { claims: { exp: Math.floor(Date.now() / 1000) - 300 } })],
  [
    'is not valid for another minute',
    () => assertion(pair, { claims: { nbf: Math.floor(Date.now() / 1000) + 61 } }),
  ],
  ['has no sub', () => assertion(pair, { claims: { sub: undefined } })],
])('§5.3.2.1 (8), (13), §5.4.1: a client assertion that %s is refused', async (_, make) => {
  const { status, body } = await push({}, { credentials: await make() });
  expect([status, body['error']]).toEqual([401, 'invalid_client']);
});

test('§5.3.2.1 (13): iat and nbf 10 seconds ahead are good, of an assertion and of a proof', async () => {
  const ahead = Math.floor(Date.now() / 1000) + 10;
  expect(
    (await push({}, { credentials: await assertion(pair, { claims: { iat: ahead, nbf: ahead } }) })).status,
  ).toBe(201);
  const dpop = await proofOf(key, { address: `${issuer()}/par`, claims: { iat: ahead } });
  const answer = await ask(`${OPENID_PATH}/par`, {
    form: { ...REQUEST, ...(await assertion()) },
    headers: { dpop },
  });
  expect(answer.status).toBe(201);
});

test.each([
  ['without redirect_uri', { redirect_uri: '' }],
  ['without a code challenge', { code_challenge: '', code_challenge_method: '' }],
  ['with the method plain', { code_challenge_method: 'plain' }],
  ['for a token', { response_type: 'token' }],
])('§5.3.2.2: a request %s is not pushed', async (_, over) => {
  expect((await push(over as Record<string, string>)).status).toBe(400);
});

test('§5.3.2.1 (9): the refresh token is not rotated, and works only with a proof of a key', async () => {
  const { body } = await redeem();
  expect(body['refresh_token']).toMatch(/^ghrk_/);
  const refresh = (sent?: Sent) =>
    post('token', { grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '' }, sent);
  expect((await refresh({ by: null })).body['error']).toBe('invalid_dpop_proof');
  for (const by of [key, await proofKey()]) {
    const again = await refresh({ by });
    expect([again.status, again.body['token_type'], again.body['refresh_token']]).toEqual([
      200,
      'DPoP',
      undefined,
    ]);
  }
  // two of one batch read one row
  const all = await Promise.all(Array.from({ length: 40 }, () => refresh()));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  // out of the profile it is as good as before, and no better
  await changeApi(OPERATOR, { id: 'orders', profile: null });
  try {
    expect((await refresh({ by: null })).body['error']).toBe('invalid_dpop_proof');
    expect((await refresh()).status).toBe(200);
  } finally {
    await changeApi(OPERATOR, { id: 'orders', profile: 'fapi-2.0' });
  }
  const form = { ...(await assertion()), token: body['refresh_token'] ?? '' };
  expect((await ask(`${OPENID_PATH}/revoke`, { form })).status).toBe(200);
  expect((await refresh()).body['error']).toBe('invalid_grant');
});

test('§5.4.1: ID tokens and access tokens are signed by ES256, whatever the client and the API say', async () => {
  const { body } = await redeem();
  for (const token of [body['id_token'], body['access_token']])
    expect(JSON.parse(Buffer.from((token ?? '').split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      alg: 'ES256',
    });
});
