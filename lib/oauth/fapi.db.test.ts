// An API with `profile: fapi-2.0` (FAPI 2.0 Security Profile): each module of the OpenID conformance suite's plan that
// applies, under its name. Further tests cover requirements that the plan does not test.
import { createHash } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, type Pair, setOf } from '#testing/clients/client-keys.ts';
import { openBank } from '#testing/fapi2/bank.ts';
import { LEFT_OUT, MODULES, type Modules } from '#testing/fapi2/modules.ts';
import { PROOFS } from '#testing/fapi2/proofs.ts';
import { REQUESTS } from '#testing/fapi2/requests.ts';
import { TOKENS } from '#testing/fapi2/tokens.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';
import { handleHttp } from './endpoints.ts';

const CLIENT = 'bank';
const RETURN = 'https://bank.example/cb';
const VERIFIER = 'v'.repeat(43);
const CHALLENGE = createHash('sha256').update(VERIFIER).digest('base64url');

let cookie = '';
let pair: Pair;
let key: ProofKey;
/** credentials created before the API adopted the profile */
let bySecret: Record<string, string>;

const issuer = () => `${settings().authUrl}${OPENID_PATH}`;

beforeAll(async () => {
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
  [pair, key] = await Promise.all([makePair('ES256'), proofKey()]);
  await createClient(OPERATOR, {
    clientId: CLIENT,
    name: 'Bank',
    kind: 'confidential',
    redirectUris: [RETURN],
    tokenEndpointAuthMethod: 'private_key_jwt',
    tokenEndpointAsAudience: true,
    jwks: setOf(pair),
  });
  const subscription = { clientId: CLIENT, api: 'orders' };
  await requestSubscription(OPERATOR, { ...subscription, trusted: true, machine: true, scopes: ['read'] });
  await decideSubscription(OPERATOR, { ...subscription, action: 'approve' });
  const [secret] = await givenTrustedClients(['by-secret']);
  bySecret = { ...secret };
  await changeApi(OPERATOR, { id: 'orders', profile: 'fapi-2.0', signingAlg: 'RS256' });
  await openBank();
});

const assertion = async (audience = issuer()) => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: await makeAssertion({ clientId: CLIENT, audience, pair }),
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

const RUNS: Modules = { ...REQUESTS, ...TOKENS, ...PROOFS };

test('every module of the FAPI conformance test plan is applied or excluded with a reason', () => {
  expect([MODULES.length, Object.keys(LEFT_OUT).length]).toEqual([56, 22]);
  expect(new Set(Object.keys(RUNS))).toEqual(new Set(MODULES));
  expect(MODULES.filter((name) => name in LEFT_OUT)).toEqual([]);
});

test.each(MODULES)('fapi2-security-profile-final-%s', (name) => RUNS[name]());

test('API metadata declare DPoP-bound tokens', async () => {
  expect(jsonOf(await ask('/.well-known/oauth-protected-resource/apis/orders'))).toMatchObject({
    dpop_bound_access_tokens_required: true,
    access_token_signing_alg: 'ES256',
  });
});

test('§5.3.2.1 (8): an assertion’s aud must be the issuer as one string, whatever token_endpoint_as_audience is set to', async () => {
  for (const audience of [`${issuer()}/token`, [issuer()], [`${issuer()}/token`]]) {
    const credentials = await assertion(audience as string);
    expect((await push({}, { credentials })).body['error']).toBe('invalid_client');
  }
});

test('§5.3.2.1 (4), (5): every client must send a DPoP proof', async () => {
  const grant = { grant_type: 'client_credentials' };
  const refused = await post('token', grant, { by: null });
  expect([refused.status, refused.body['error']]).toEqual([400, 'invalid_dpop_proof']);
  expect((await post('token', grant)).body['token_type']).toBe('DPoP');
});

test('§5.3.2.1 (3), (6): public clients and clients that use a secret are rejected', async () => {
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

test('RFC 7591: registration requires client keys, and ID tokens are signed with ES256', async () => {
  settings().registrationToken = 'a-token-of-this-test';
  const register = async (more: Record<string, unknown>) => {
    const answer = await handleHttp({
      method: 'POST',
      path: `${OPENID_PATH}/register`,
      query: '',
      headers: { 'content-type': 'application/json', authorization: 'Bearer a-token-of-this-test' },
      body: async () => Buffer.from(JSON.stringify({ redirect_uris: [RETURN], ...more })),
      peerAddress: undefined,
      requestId: 'a-registration',
    });
    if (!answer) throw new Error('nothing is here');
    return { status: answer.status, body: jsonOf(answer) };
  };
  const keyed = { token_endpoint_auth_method: 'private_key_jwt', jwks: setOf(pair) };
  for (const [more, member] of [
    [{}, 'token_endpoint_auth_method'],
    [{ token_endpoint_auth_method: 'none' }, 'token_endpoint_auth_method'],
    [{ ...keyed, id_token_signed_response_alg: 'RS256' }, 'id_token_signed_response_alg'],
  ] as const) {
    const { status, body } = await register(more);
    expect([status, body['error'], body['error_description']]).toEqual([
      400,
      'invalid_client_metadata',
      expect.stringContaining(member),
    ]);
  }
  const made = await register(keyed);
  expect([made.status, made.body['id_token_signed_response_alg']]).toEqual([201, 'ES256']);
  settings().registrationToken = null;
});

test('§5.3.2.1 (9): a refresh token without rotation can be used concurrently, survives a change of the profile, and can be revoked', async () => {
  const { body } = await redeem();
  expect(body['refresh_token']).toMatch(/^ghrk_/);
  const refresh = (sent?: Sent) =>
    post('token', { grant_type: 'refresh_token', refresh_token: body['refresh_token'] ?? '' }, sent);
  // two requests of one batch read the same row
  const all = await Promise.all(Array.from({ length: 40 }, () => refresh()));
  expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
  // without the profile the token still works unchanged, and still requires a proof
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

test('§5.4.1: ID tokens and access tokens are signed with ES256, whatever the client and the API are set to', async () => {
  const { body } = await redeem();
  for (const token of [body['id_token'], body['access_token']])
    expect(JSON.parse(Buffer.from((token ?? '').split('.')[0] ?? '', 'base64url').toString())).toMatchObject({
      alg: 'ES256',
    });
});
