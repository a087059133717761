// The bindings of a request also apply to a broker's code. If a proof, nonce or binding is wrong, the assertion, the
// state and the broker's code remain usable.
import { SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { changeClient, createClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, type Pair, setOf } from '#testing/clients/client-keys.ts';
import { BROKER_PATH, type IdentityProvider, startIdentityProvider } from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { openIdTokens, signInTo } from '#testing/in-process/openid.ts';
import { type ProofKey, proofKey, proofOf } from '#testing/net/dpop.ts';
import { freshPkce } from '#testing/net/pkce.ts';

type Form = Record<string, string>;

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const KEYED = 'keyed';
const request = (clientId = 'tru'): Form => ({
  client_id: clientId,
  response_type: 'code',
  redirect_uri: `https://${clientId}.example/cb`,
});

let idp: IdentityProvider;
let pair: Pair;
let rsa: Pair;
let key: ProofKey;
let other: ProofKey;

beforeAll(async () => {
  await givenFixtures();
  idp = await startIdentityProvider('RS256');
  await sql(
    `update auth_methods set config = config || jsonb_build_object('issuer', $1::text) where id = 'brk'`,
    [idp.issuer],
  );
  [pair, rsa, key, other] = await Promise.all([makePair('ES256'), makePair('RS256'), proofKey(), proofKey()]);
  await createClient(OPERATOR, {
    clientId: KEYED,
    name: 'Keyed',
    kind: 'confidential',
    redirectUris: [`https://${KEYED}.example/cb`],
    tokenEndpointAuthMethod: 'private_key_jwt',
    tokenEndpointAsAudience: true,
    jwks: setOf(pair, rsa),
  });
  for (const api of ['orders', 'billing']) {
    await requestSubscription(OPERATOR, { clientId: KEYED, api, trusted: true, scopes: ['read'] });
    await decideSubscription(OPERATOR, { clientId: KEYED, api, action: 'approve' });
  }
  return () => idp.close();
});
beforeEach(async () => {
  for (const id of ['orders', 'billing'])
    await changeApi(OPERATOR, { id, profile: null, dpop: 'optional', dpopNonce: 'off' });
  await pushesFirst(false);
});

const pushesFirst = (is: boolean) =>
  changeClient(OPERATOR, { clientId: 'tru', requirePushedAuthorizationRequests: is });

/**
 * Sends the user to the broker. `comesBack` makes the broker return tokens. `meanwhile` runs before the broker
 * responds.
 */
async function depart(query: Form, meanwhile?: () => Promise<unknown>) {
  const sent = new URL(locationOf(await ask(`${BROKER_PATH}/authorize?${new URLSearchParams(query)}`)))
    .searchParams;
  expect(sent.get('state')).toMatch(/./);
  const comesBack = () => {
    idp.state.tokens = async () => {
      await meanwhile?.();
      const id_token = await new SignJWT({ sub: 'U1', nonce: sent.get('nonce') })
        .setIssuer(idp.issuer)
        .setAudience('gatehouse')
        .setIssuedAt()
        .setExpirationTime('5m')
        .setProtectedHeader({ alg: idp.pair.alg, kid: idp.pair.kid })
        .sign(idp.pair.privateKey);
      return { access_token: 'x', token_type: 'Bearer', id_token };
    };
  };
  return { state: sent.get('state') ?? '', comesBack };
}

const address = () => `${settings().baseUrl}/auth/token`;

type Proving = { by?: ProofKey | undefined; nonce?: string };
async function post(form: Form, { by, nonce }: Proving = {}) {
  const headers = by && { dpop: await proofOf(by, { address: address(), ...(nonce && { nonce }) }) };
  const answer = await ask('/auth/token', { form, ...(headers && { headers }) });
  const { error, token_type: type } = jsonOf(answer);
  return { is: error ?? type, nonce: String(answer.headers['dpop-nonce'] ?? '') };
}
const code = (state: string) => ({ grant_type: 'authorization_code', code: 'any', state });

async function redeem(
  { state, comesBack }: Awaited<ReturnType<typeof depart>>,
  over: Form = {},
  by?: ProofKey,
) {
  comesBack();
  return (await post({ ...TRU, ...code(state), ...over }, { by })).is;
}

describe('a pushed request', () => {
  const push = async () => {
    const answer = await ask(`${BROKER_PATH}/par`, { form: { ...TRU, ...request() } });
    return { client_id: 'tru', request_uri: String(jsonOf(answer)['request_uri']) };
  };

  test('a pushed request results in one code, although its request_uri was used for two broker sign-ins', async () => {
    const pushed = await push();
    const [first, second] = [await depart(pushed), await depart(pushed)];
    expect(await redeem(first)).toBe('bearer');
    expect(await redeem(second)).toBe('invalid_grant');
    const again = locationOf(await ask(`${BROKER_PATH}/authorize?${new URLSearchParams(pushed)}`));
    expect(new URL(again).searchParams.get('error')).toBe('invalid_request_uri');
  });

  test('a client that must push succeeds with a pushed request, and a premature request uses neither state nor code up', async () => {
    const [plain, pushed] = [await depart(request()), await depart(await push())];
    await pushesFirst(true);
    expect(await redeem(plain)).toBe('invalid_request');
    expect(await redeem(pushed)).toBe('bearer');
    await pushesFirst(false);
    expect(await redeem(plain)).toBe('bearer');
  });
});

// if the newer registry rejects the request, the request is repeated and finds its state already used
test.each<[string, () => Promise<unknown>, string]>([
  ['the client has to push its requests', () => pushesFirst(true), 'invalid_request'],
  [
    'the API asks for a proof',
    () => changeApi(OPERATOR, { id: 'orders', dpop: 'required' }),
    'invalid_grant',
  ],
  [
    'the API keeps to FAPI 2.0',
    () => changeApi(OPERATOR, { id: 'orders', profile: 'fapi-2.0' }),
    'invalid_grant',
  ],
])('no token is issued if %s during the broker sign-in', async (_, change, error) => {
  expect(await redeem(await depart(request(), change))).toBe(error);
});

describe('a broker’s code is not used up', () => {
  test('a broker’s code is not used up if the DPoP proof is missing or its key differs from dpop_jkt', async () => {
    const bound = await depart({ ...request(), dpop_jkt: key.jkt });
    expect(await redeem(bound, {}, other)).toBe('invalid_grant');
    expect(await redeem(bound)).toBe('invalid_grant');
    expect(await redeem(bound, {}, key)).toBe('DPoP');
  });

  test('a broker’s code is not used up if the PKCE verifier is missing, although the API now requires PKCE', async () => {
    const { verifier, params } = freshPkce();
    const [plain, proved] = [await depart(request()), await depart({ ...request(), ...params })];
    await changeApi(OPERATOR, { id: 'orders', profile: 'oauth-2.1' });
    expect(await redeem(plain)).toBe('invalid_request');
    expect(await redeem(proved)).toBe('invalid_grant');
    expect(await redeem(proved, { code_verifier: verifier })).toBe('bearer');
    await changeApi(OPERATOR, { id: 'orders', profile: null });
    expect(await redeem(plain)).toBe('bearer');
  });
});

type Made = { by?: Pair; audience?: string };
const asserted = async ({ by = pair, audience }: Made = {}): Promise<Form> => ({
  client_assertion_type: ASSERTION_TYPE,
  client_assertion: await makeAssertion({
    clientId: KEYED,
    audience: audience ?? `${settings().authUrl}${BROKER_PATH}`,
    pair: by,
  }),
});

const exchange = async (audience = 'billing'): Promise<Form> => {
  const { cookie } = await signInTo('alice@example.com');
  const { access_token: subject = '' } = await openIdTokens(TRU, { cookie, scope: 'openid read' });
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: subject,
    subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    audience,
  };
};

describe('an assertion is not used up by a request without the proof or the nonce that the API requires', () => {
  async function threeTimes(form: Form) {
    const once = { ...form, ...(await asserted()) };
    expect((await post(once)).is).toBe('invalid_dpop_proof');
    const { is, nonce } = await post(once, { by: key });
    expect([is, nonce]).toEqual(['use_dpop_nonce', expect.stringMatching(/./)]);
    expect((await post(once, { by: key, nonce })).is).toBe('DPoP');
    expect((await post(once, { by: key, nonce })).is).toBe('invalid_client');
  }

  test('an exchange without the required proof or nonce does not use the assertion up', async () => {
    await changeApi(OPERATOR, { id: 'billing', dpop: 'required', dpopNonce: 'required' });
    await threeTimes(await exchange());
  });

  test('an exchange of a broker’s code without the required proof or nonce does not use the assertion up', async () => {
    await changeApi(OPERATOR, { id: 'orders', dpop: 'required', dpopNonce: 'required' });
    const { state, comesBack } = await depart(request(KEYED));
    comesBack();
    await threeTimes(code(state));
  });

  test('before the client is authenticated, errors reveal neither the target nor another client’s state', async () => {
    const toNothing = await exchange('nothing');
    await changeApi(OPERATOR, { id: 'orders', dpop: 'required', dpopNonce: 'required' });
    const wrong = { client_id: 'tru', client_secret: 'wrong' };
    expect((await post({ ...toNothing, ...wrong })).is).toBe('invalid_client');
    expect((await post({ ...toNothing, ...TRU })).is).toBe('invalid_target');
    for (const state of [(await depart(request())).state, 'unknown'])
      expect((await post({ ...code(state), ...(await asserted()) })).is).toBe('invalid_grant');
  });
});

test('FAPI 2.0 §5.3.2.1 (8), §5.4.1: a FAPI 2.0 API accepts only assertions for the issuer, signed with a permitted algorithm', async () => {
  const [target, endpoint] = [await exchange(), address()];
  const comes = async (made: Made) => (await post({ ...target, ...(await asserted(made)) }, { by: key })).is;
  for (const made of [{ by: rsa }, { audience: endpoint }]) expect(await comes(made)).toBe('DPoP');
  await changeApi(OPERATOR, { id: 'billing', profile: 'fapi-2.0' });
  for (const made of [{ by: rsa }, { audience: endpoint }]) expect(await comes(made)).toBe('invalid_client');
  expect(await comes({})).toBe('DPoP');
});
