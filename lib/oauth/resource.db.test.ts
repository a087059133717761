// `resource` in client requests (RFC 8707): accepted for the issuer's API, without any effect on the token.
import { decodeJwt } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { challengeOf } from './rules.ts';

const ORDERS = 'https://api.example/orders';
const REDIRECT = 'https://agent.example/cb';
let client: TrustedClient;
let cookie: string;

beforeAll(async () => {
  await givenFixtures();
  [client] = (await givenTrustedClients(['agent'])) as [TrustedClient];
  ({ cookie } = await signInTo('alice@example.com'));
});

const query = (resources: string[], over: Record<string, string> = {}) => {
  const asked = new URLSearchParams({
    client_id: 'agent',
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'read',
    ...over,
  });
  for (const resource of resources) asked.append('resource', resource);
  return asked;
};
const authorize = async (resources: string[], over = {}) =>
  new URL(
    locationOf(await ask(`${OPENID_PATH}/authorize?${query(resources, over)}`, { headers: { cookie } })),
  );
const codeFor = async (resources: string[] = []) =>
  (await authorize(resources)).searchParams.get('code') ?? '';
const redeem = (code: string, over: Record<string, string> = {}) =>
  ask(`${OPENID_PATH}/token`, { form: { ...client, grant_type: 'authorization_code', code, ...over } });

test.each([
  [[ORDERS]],
  [['https://api.example/']],
  [['https://api.example']],
  [['https://API.example:443/orders']],
  [[ORDERS, 'https://api.example/', ORDERS]],
  [['', ORDERS]],
  [[]],
])(
  'RFC 8707 §2.1: the parameters %j select the API, and aud contains its configured url',
  async (resources) => {
    const answer = await redeem(await codeFor(resources), resources[0] ? { resource: resources[0] } : {});
    expect(answer.status).toBe(200);
    expect(decodeJwt(String(jsonOf(answer)['access_token'])).aud).toBe(ORDERS);
  },
);

test.each([
  [['https://api.example/billing']],
  [['https://api.example/orders/']],
  [['https://api.example/orders?a=b']],
  [['http://api.example/orders']],
  [['https://other.example']],
  [['https://user@api.example/orders']],
  [[`${ORDERS}#`]],
  [[`${ORDERS}#part`]],
  [['/orders']],
  [['api.example/orders']],
  [['https:api.example/orders']],
  [['https:/\\api.example/orders']],
  [[` ${ORDERS}`]],
  [['https://api.exa\nmple/orders']],
  [['urn:example:orders']],
  [['https://']],
  [[ORDERS, 'https://other.example/']],
  [['https://other.example/', ORDERS]],
])('RFC 8707 §2: the parameters %j return invalid_target at both endpoints', async (resources) => {
  const refused = await authorize(resources, { state: 'S' });
  expect(refused.searchParams.get('error')).toBe('invalid_target');
  expect(refused.searchParams.get('state')).toBe('S');
  const form = query(resources, { ...client, grant_type: 'authorization_code', code: 'x' });
  expect(jsonOf(await ask(`${OPENID_PATH}/token`, { form }))['error']).toBe('invalid_target');
});

test('a request with a wrong resource uses up no code and no refresh token', async () => {
  const code = await codeFor([ORDERS]);
  const wrong = { resource: 'https://other.example/' };
  expect(jsonOf(await redeem(code, wrong))['error']).toBe('invalid_target');
  const { refresh_token } = jsonOf(await redeem(code)) as { refresh_token: string };
  const refresh = (over: Record<string, string>) =>
    ask(`${OPENID_PATH}/token`, { form: { ...client, grant_type: 'refresh_token', refresh_token, ...over } });
  expect(jsonOf(await refresh(wrong))['error']).toBe('invalid_target');
  const renewed = await refresh({ resource: ORDERS });
  expect(decodeJwt(String(jsonOf(renewed)['access_token'])).aud).toBe(ORDERS);
});

test('a request with a former address of the API as resource returns invalid_target and uses up no code and no token', async () => {
  const code = await codeFor([ORDERS]);
  await changeApi(OPERATOR, { id: 'orders', url: 'https://api.example/v2' });
  try {
    expect(jsonOf(await redeem(code, { resource: ORDERS }))['error']).toBe('invalid_target');
    const { access_token } = jsonOf(await redeem(code));
    expect(decodeJwt(String(access_token)).aud).toBe('https://api.example/v2');
  } finally {
    await changeApi(OPERATOR, { id: 'orders', url: ORDERS });
  }
});

test('RFC 8252 §7.3: a native client returns to localhost on any port, and its code is bound to that address', async () => {
  const redirectUris = ['http://localhost/callback'];
  await givenTrustedClients(['desktop'], { kind: 'native', redirectUris });
  const verifier = 'v'.repeat(43);
  const back = 'http://localhost:53682/callback';
  const asked = {
    client_id: 'desktop',
    redirect_uri: back,
    code_challenge: challengeOf(verifier),
    code_challenge_method: 'S256',
  };
  const arrived = await authorize([ORDERS], asked);
  expect(arrived.origin + arrived.pathname).toBe(back);
  const code = arrived.searchParams.get('code') ?? '';
  const redeemAt = (redirect_uri: string) =>
    ask(`${OPENID_PATH}/token`, {
      form: {
        client_id: 'desktop',
        grant_type: 'authorization_code',
        code,
        code_verifier: verifier,
        redirect_uri,
      },
    });
  for (const other of ['http://localhost/callback', 'http://localhost:53683/callback'])
    expect(jsonOf(await redeemAt(other))['error']).toBe('invalid_grant');
  expect((await redeemAt(back)).status).toBe(200);
});
