// Further bindings to an issuer's own host: client assertions, ID-JAGs, logout tokens (docs/project/decisions/0009). Tested by
// requests to the protocol core.
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { outcomeOf, REFUSED } from '#testing/clients/asserted.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, setOf } from '#testing/clients/client-keys.ts';
import {
  BROKER_PATH,
  bring,
  makeIdJag,
  startIdentityProvider,
  trustForMachines,
} from '#testing/clients/id-jag.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { giveHost, HOST, ORIGIN } from '#testing/in-process/issuer-host.ts';
import { startLogoutReceivers } from '#testing/in-process/logout-receivers.ts';
import { givenTrustedClients, OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';
import { deliverLogouts } from './back-channel.ts';

const BROKERS_HOST = 'login-brokers.example';
const BROKERS = `https://${BROKERS_HOST}`;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
});
afterAll(() => {
  loadSettings();
});
beforeEach(() => giveHost({ pw: ORIGIN, brk: BROKERS }));

test('RFC 7523: the aud of an assertion is the issuer address that the client called, and /auth/token accepts either address', async () => {
  const pair = await makePair();
  await givenTrustedClients(['keyed'], { tokenEndpointAuthMethod: 'private_key_jwt', jwks: setOf(pair) });
  const assertion = (audience: string) => makeAssertion({ clientId: 'keyed', audience, pair });
  const atHost = { headers: { host: HOST } };
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_assertion_type: ASSERTION_TYPE };
  const askHost = async (client_assertion: string) =>
    jsonOf(await ask('/token', { form: { ...form, client_assertion }, ...atHost }))['error'];
  expect(await askHost(await assertion(ORIGIN))).toBe('invalid_grant');
  expect(await askHost(await assertion(`${settings().authUrl}${OPENID_PATH}`))).toBe('invalid_client');
  expect(await askHost(await assertion(BROKERS))).toBe('invalid_client');
  expect(await askHost(await assertion(`${ORIGIN}/`))).toBe('invalid_client');
  expect(await outcomeOf(await assertion(ORIGIN))).toBe(REFUSED);
  const exchange = { ...form, grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange' };
  for (const [audience, error] of [
    [ORIGIN, 'invalid_request'],
    [`${settings().authUrl}${OPENID_PATH}`, 'invalid_request'],
    [HOST, 'invalid_client'],
  ] as const) {
    const answer = await ask('/auth/token', {
      form: { ...exchange, client_assertion: await assertion(audience) },
    });
    expect(jsonOf(answer)['error'], audience).toBe(error);
  }
});

test('the aud of an ID-JAG is the issuer address that the client called, and its token names that issuer', async () => {
  const idp = await startIdentityProvider();
  try {
    await trustForMachines(idp, 'conf');
    const assertion = await makeIdJag(idp, { claims: { aud: BROKERS } });
    expect((await bring(assertion)).status).toBe(400);
    const form = { client_id: 'conf', client_secret: 'S1-conf-secret-of-the-fixtures', assertion };
    const grant_type = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
    const answer = await ask('/token', { form: { ...form, grant_type }, headers: { host: BROKERS_HOST } });
    expect(answer.status, String(answer.body)).toBe(200);
    const token = String(jsonOf(answer)['access_token']);
    expect(decodeJwt(token).iss).toBe(BROKERS);
    const asked = { form: { ...form, token }, headers: {} };
    expect(jsonOf(await ask(`${BROKER_PATH}/introspect`, asked))).toMatchObject({
      active: true,
      iss: BROKERS,
    });
  } finally {
    await idp.close();
  }
});

test('Back-Channel Logout §2.4: a client of both addresses receives both logout tokens, even after the host is removed', async () => {
  const receivers = await startLogoutReceivers();
  try {
    await changeClient(OPERATOR, { clientId: 'tru', backchannelLogoutUri: `${receivers.url}/tru` });
    const session = (await signInTo('alice@example.com')).cookie;
    const query = new URLSearchParams({
      client_id: 'tru',
      response_type: 'code',
      redirect_uri: 'https://tru.example/cb',
      scope: 'openid',
    });
    const hints: string[] = [];
    for (const [path, host, over] of [
      [OPENID_PATH, undefined, ''],
      ['', HOST, `&issuer_host=${encodeURIComponent(ORIGIN)}`],
    ] as const) {
      const answer = await ask(`${OPENID_PATH}/authorize?${query}${over}`, { headers: { cookie: session } });
      const code = new URL(String(answer.headers['location'])).searchParams.get('code') ?? '';
      const form = {
        client_id: 'tru',
        client_secret: 'tru-secret-of-the-fixtures',
        grant_type: 'authorization_code',
        code,
      };
      hints.push(String(jsonOf(await ask(`${path}/token`, { form, headers: { host } }))['id_token']));
    }
    await giveHost(null);
    await ask(`${OPENID_PATH}/logout?id_token_hint=${hints[0]}`, { headers: { cookie: session } });
    await deliverLogouts();
    const told = receivers.received
      .map(({ form }) => decodeJwt(form.get('logout_token') ?? '').iss)
      .toSorted();
    expect(told).toEqual([ORIGIN, `${settings().authUrl}${OPENID_PATH}`].toSorted());
  } finally {
    await receivers.close();
  }
});
