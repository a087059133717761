// Clients with keys, tested with unmodified openid-client (RFC 7523, OpenID Connect Core §9): keys by value and by
// address, at each endpoint that authenticates clients, and assertions that are invalid in many ways.
import { expect, test } from '@playwright/test';
import { CompactSign } from 'jose';
import * as openid from 'openid-client';
import {
  ASSERTION_TYPE,
  makeAssertion,
  makePair,
  type Pair,
  setOf,
  startKeyServer,
} from '#testing/clients/client-keys.ts';
import { type Client, fixturePerson } from '#testing/data/fixtures.ts';
import type { Person } from '#testing/data/world.ts';
import { type Door, issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { Browser } from '#testing/service/browser.ts';
import { expectError } from '../../support/clients/expectations.ts';
import { RelyingParty } from '../../support/clients/openid.ts';
import { clearAddressAttempts, makeClient, makePerson, sql } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

type Keys = { jwks: object } | { jwksUri: string };

/** Creates a confidential, trusted client that has keys and no secret. */
async function makeKeyed(keys: Keys): Promise<Client> {
  const { clientId, redirectUri } = await makeClient({ trusted: true, apis: ['orders', 'billing'] });
  const [jwks, uri] = 'jwks' in keys ? [JSON.stringify(keys.jwks), null] : [null, keys.jwksUri];
  await sql(
    `update clients set token_endpoint_auth_method = 'private_key_jwt', jwks = $2, jwks_uri = $3 where client_id = $1`,
    [clientId, jwks, uri],
  );
  await sql('delete from client_secrets where client_id = $1', [clientId]);
  return { clientId, redirectUri };
}

const signedBy = ({ privateKey: key, kid }: Pair) => ({ authentication: openid.PrivateKeyJwt({ key, kid }) });

/** Posts this assertion with a valid password, and returns the response of the token endpoint. */
function post(door: Door, assertion: string, more: Record<string, string> = {}) {
  const { email: username, password } = fixturePerson('alice');
  return send(`${issuerOf(door)}/token`, {
    form: {
      ...{ grant_type: 'password', username, password },
      ...{ client_assertion_type: ASSERTION_TYPE, client_assertion: assertion },
      ...more,
    },
  });
}

test.beforeEach(clearAddressAttempts);

let person: Person;
test.beforeAll(async () => {
  person = await makePerson();
});

for (const alg of ['ES256', 'RS256', 'PS256', 'Ed25519']) {
  test(`oidcc-ensure-client-assertion-with-iss-aud-succeeds: an assertion with ${alg} is accepted, with keys by value`, async () => {
    const pair = await makePair(alg);
    const rp = await RelyingParty.at(door, await makeKeyed({ jwks: setOf(pair) }), signedBy(pair));
    expect(rp.metadata['token_endpoint_auth_methods_supported']).toContain('private_key_jwt');
    expect(rp.metadata['token_endpoint_auth_signing_alg_values_supported']).toContain(alg);
    const { tokens, claims } = await rp.signIn(new Browser(door), person, {
      scope: 'openid offline_access',
    });
    expect(claims.sub).toBe(person.id);
    const renewed = await openid.refreshTokenGrant(rp.config, tokens.refresh_token ?? '');
    const introspected = () => openid.tokenIntrospection(rp.config, renewed.access_token);
    expect(await introspected()).toMatchObject({ active: true, client_id: rp.client.clientId });
    await openid.tokenRevocation(rp.config, renewed.refresh_token ?? '');
    expect(await introspected()).toEqual({ active: false });
  });
}

test('oidcc-ensure-client-assertion-with-iss-aud-succeeds: keys by address are fetched once for many requests', async () => {
  const server = await startKeyServer();
  const pair = await makePair();
  server.publish(pair);
  const rp = await RelyingParty.at(door, await makeKeyed({ jwksUri: server.url }), signedBy(pair));
  const { claims } = await rp.signIn(new Browser(door), person);
  expect(claims.sub).toBe(person.id);
  const { email: username, password } = fixturePerson('alice');
  const grant = () => openid.genericGrantRequest(rp.config, 'password', { username, password });
  await Promise.all([grant(), grant(), grant()]);
  expect(server.state.requests).toBe(1);
  await server.close();
});

test('of many parallel uses of one assertion, exactly one is accepted', async () => {
  const pair = await makePair();
  const { clientId } = await makeKeyed({ jwks: setOf(pair) });
  const assertion = await makeAssertion({ clientId, audience: issuerOf(door), pair });
  const answers = await Promise.all(Array.from({ length: 12 }, () => post(door, assertion)));
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
  expect(statuses).toEqual([200, ...Array<number>(11).fill(401)]);
});

test('the token exchange accepts an assertion for any issuer of this service', async () => {
  const pair = await makePair();
  const { clientId } = await makeKeyed({ jwks: setOf(pair) });
  const subject = await post(door, await makeAssertion({ clientId, audience: issuerOf(door), pair }));
  const exchanged = (audience: string) =>
    makeAssertion({ clientId, audience, pair }).then((assertion) =>
      send(`${door.url}/auth/token`, {
        form: {
          grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
          subject_token: String(subject.json()['access_token']),
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
          audience: 'billing',
          client_assertion_type: ASSERTION_TYPE,
          client_assertion: assertion,
        },
      }),
    );
  expect((await exchanged(issuerOf(door))).status).toBe(200);
  expectError(await exchanged('https://elsewhere.example'), 'invalid_client');
});

test('an invalid assertion always returns invalid_client, never 500', async () => {
  const pair = await makePair();
  const { clientId } = await makeKeyed({ jwks: setOf(pair) });
  const asserted = { clientId, audience: issuerOf(door), pair };
  const good = await makeAssertion(asserted);
  const [head = '', body = '', signature = ''] = good.split('.');
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const texts = [
    ...['', '.', '..', '...', 'a.b.c', `${head}.${body}`, `${head}.${body}.`, `${head}..${signature}`],
    ...[`${good}.`, `${good}.${signature}`, ` ${good}`, `${good}\n`, `${head}=.${body}.${signature}`],
    ...[`${head}.${body}.${'A'.repeat(86)}`, `${head}.${body}.AAAA`, `${head}.${body}.*`, '\u0001'.repeat(9)],
    ...['x'.repeat(8_193), `${'A'.repeat(8_000)}.e30.AA`, `${encoded([])}.${encoded([])}.AA`, 'e30.e30.e30'],
    ...[
      `${encoded({ alg: 'ES256' })}.${encoded(null)}.AA`,
      `${encoded({ alg: ['ES256'] })}.${body}.${signature}`,
    ],
    `${encoded({ alg: 'ES256', kid: pair.kid, b64: false, crit: ['b64'] })}.${body}.${signature}`,
  ];
  for (const text of texts) {
    const answer = await post(door, text, { client_id: clientId });
    expect(answer.status, text.slice(0, 80)).toBe(401);
    expectError(answer, 'invalid_client');
  }
  const signed = (payload: string, header = {}) =>
    new CompactSign(Buffer.from(payload))
      .setProtectedHeader({ alg: 'ES256', kid: pair.kid, ...header })
      .sign(pair.privateKey);
  const payloads = [
    'null',
    '[]',
    '7',
    '"x"',
    '{',
    '',
    '{"iss":1e999}',
    '{"__proto__":{"iss":"x"}}',
    '\ufeff{}',
  ];
  const claims = [
    { exp: 1e308 },
    { exp: -1 },
    { exp: null },
    { jti: {} },
    { aud: {} },
    { aud: [] },
    { sub: ['x'] },
  ];
  for (const assertion of await Promise.all([
    ...payloads.map((payload) => signed(payload)),
    ...claims.map((changes) => makeAssertion(asserted, { claims: changes })),
    makeAssertion(asserted, { header: { typ: 'logout+jwt' } }),
    makeAssertion(asserted, { header: { kid: '../../etc/passwd' } }),
    makeAssertion(asserted, { header: { jwk: pair.jwk, jku: 'http://127.0.0.1/', kid: 'mine' } }),
  ]))
    expectError(await post(door, assertion, { client_id: clientId }), 'invalid_client');
  await clearAddressAttempts();
  expect((await post(door, await makeAssertion(asserted))).status).toBe(200);
});

test('a secret with an assertion is rejected as two methods, and a secret alone as the wrong method of this client', async () => {
  const pair = await makePair();
  const { clientId } = await makeKeyed({ jwks: setOf(pair) });
  const assertion = await makeAssertion({ clientId, audience: issuerOf(door), pair });
  expectError(await post(door, assertion, { client_secret: 'x' }), 'invalid_request');
  const form = { grant_type: 'refresh_token', client_id: clientId, client_secret: 'x', refresh_token: 'x' };
  expectError(await send(`${issuerOf(door)}/token`, { form }), 'invalid_client');
  expect((await post(door, assertion)).status).toBe(200);
});
