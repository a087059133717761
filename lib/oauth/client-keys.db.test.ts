// private_key_jwt with `jwks_uri`: keys are fetched by the guard for outgoing calls, cached, and fetched again.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import * as nextToken from '#app/auth/[authMethodId]/api/[apiId]/token/route.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import {
  ACCEPTED,
  expectReason,
  issuerHere,
  outcomeOf,
  passwordForm,
  REFUSED,
} from '#testing/clients/asserted.ts';
import {
  ASSERTION_TYPE,
  makeAssertion,
  makePair,
  type Pair,
  startKeyServer,
} from '#testing/clients/client-keys.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { givenTrustedClients } from '#testing/in-process/openid.ts';

/** The error if Gatehouse cannot reach the `jwks_uri` of the client. */
const UNAVAILABLE = '503 temporarily_unavailable';

let server: Awaited<ReturnType<typeof startKeyServer>>;
let pair: Pair;
let made = 0;
let clientId = '';

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  pair = await makePair();
});
beforeEach(async () => {
  server = await startKeyServer();
  server.publish(pair);
  await sql('delete from attempts');
  made += 1;
  clientId = `by-address-${made}`;
  await givenTrustedClients([clientId], { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: server.url });
});
afterEach(async () => {
  shiftClock(0);
  await server.close();
});
afterAll(() => loadSettings());

/** Authenticates with an assertion signed at the shifted time. */
async function outcome(by = pair, shiftedMs = 0): Promise<string> {
  shiftClock(shiftedMs);
  const iat = Math.floor((Date.now() + shiftedMs) / 1000);
  const claims = { iat, exp: iat + 60 };
  return outcomeOf(await makeAssertion({ clientId, audience: issuerHere(), pair: by }, { claims }));
}

test('concurrent requests fetch the keys of a client once and cache them', async () => {
  server.state.delayMs = 100;
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome()));
  expect(new Set(outcomes)).toEqual(new Set([ACCEPTED]));
  expect(await outcome()).toBe(ACCEPTED);
  expect(server.state.requests).toBe(1);
});

test('key rotation: the first assertion signed by a new key causes a fetch of this key, and the old key remains valid until then', async () => {
  const next = await makePair();
  expect(await outcome()).toBe(ACCEPTED);
  server.publish(pair, next);
  expect(await outcome(next, 29_000)).toBe(REFUSED);
  expect(await outcome(next, 31_000)).toBe(ACCEPTED);
  expect(await outcome(pair, 31_000)).toBe(ACCEPTED);
  server.publish(next);
  expect(await outcome(next, 400_000)).toBe(ACCEPTED);
  expect(await outcome(pair, 400_000)).toBe(REFUSED);
  await expectReason(clientId, 'assertion-key');
  expect(server.state.requests).toBe(3);
});

test('key rotation through Next.js: the old key remains valid, and the new key works after the pause between fetches', async () => {
  const next = await makePair('EdDSA');
  const by = async (signer: Pair, shiftedMs = 0) => {
    shiftClock(shiftedMs);
    const iat = Math.floor((Date.now() + shiftedMs) / 1000);
    const asserted = { clientId, audience: issuerHere(), pair: signer };
    const assertion = await makeAssertion(asserted, { claims: { iat, exp: iat + 60 } });
    const body = new URLSearchParams({
      ...passwordForm(),
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: assertion,
    });
    return (await nextToken.POST(new Request(`${issuerHere()}/token`, { method: 'POST', body }))).status;
  };
  expect(await by(pair)).toBe(200);
  server.publish(pair, next);
  expect(await by(next, 29_000)).toBe(401);
  expect(await by(next, 31_000)).toBe(200);
  expect(await by(pair, 31_000)).toBe(200);
  expect(server.state.requests).toBe(2);
});

test('a new key with the kid of an existing key is found', async () => {
  expect(await outcome()).toBe(ACCEPTED);
  const next = await makePair('ES256', pair.kid);
  server.publish(next);
  expect(await outcome(next, 31_000)).toBe(ACCEPTED);
});

test('a flood of assertions with unknown keys fetches the key set once in 30 seconds', async () => {
  expect(await outcome()).toBe(ACCEPTED);
  const stranger = await makePair();
  for (const shifted of [0, 31_000, 31_500, 45_000, 55_000])
    await Promise.all([1, 2, 3, 4].map(() => outcome(stranger, shifted)));
  expect(server.state.requests).toBe(2);
  expect(await outcome(pair, 62_000)).toBe(ACCEPTED);
});

test.each<[what: string, change: () => void]>([
  ['answers 500', () => Object.assign(server.state, { status: 500 })],
  ['redirects', () => Object.assign(server.state, { status: 302 })],
  ['sends no JSON', () => Object.assign(server.state, { body: '<html>' })],
  ['sends no key set', () => Object.assign(server.state, { body: '[]' })],
  ['sends null', () => Object.assign(server.state, { body: 'null' })],
  [
    'sends too much',
    () => Object.assign(server.state, { body: JSON.stringify({ keys: [], x: 'x'.repeat(70_000) }) }),
  ],
  ['takes too long', () => Object.assign(server.state, { delayMs: 4_000 })],
])(
  'an address that %s is rejected, requested at most once in 30 seconds, and works again later',
  async (_, change) => {
    const good = { ...server.state, requests: 1 };
    change();
    expect(await outcome()).toBe(UNAVAILABLE);
    await expectReason(clientId, 'keys-unreachable');
    Object.assign(server.state, good);
    expect(await outcome()).toBe(UNAVAILABLE);
    expect(server.state.requests).toBe(1);
    expect(await outcome(pair, 31_000)).toBe(ACCEPTED);
  },
);

test('assertions that fail because jwks_uri is unreachable do not count as failed attempts of the client', async () => {
  server.state.status = 503;
  const outcomes = await Promise.all(Array.from({ length: 80 }, () => outcome()));
  expect(new Set(outcomes)).toEqual(new Set([UNAVAILABLE]));
  server.state.status = 200;
  expect(await outcome(pair, 31_000)).toBe(ACCEPTED);
});

test('if jwks_uri does not respond, keys that were fetched in the last hour remain valid', async () => {
  expect(await outcome()).toBe(ACCEPTED);
  server.state.status = 503;
  expect(await outcome(pair, 310_000)).toBe(ACCEPTED);
  expect(await outcome(pair, 3_590_000)).toBe(ACCEPTED);
  expect(await outcome(pair, 3_700_000)).toBe(UNAVAILABLE);
});

test('unusable entries of a client’s key set are ignored: encryption keys, secrets, weak and broken keys', async () => {
  const weak = { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: pair.kid };
  const others = [
    { ...pair.jwk, use: 'enc' },
    { kty: 'oct', k: 'c2VjcmV0', kid: pair.kid },
    weak,
    null,
    'key',
    {},
  ];
  server.state.body = JSON.stringify({ keys: [...others, pair.jwk] });
  expect(await outcome()).toBe(ACCEPTED);
});

test('an IP address above its limit causes no key fetch, whichever client it names', async () => {
  const address = '192.0.2.99';
  const assertion = () => makeAssertion({ clientId, audience: issuerHere(), pair });
  expect(await outcomeOf('x.y.z', { address, form: { client_id: 'tru' } })).toBe(REFUSED);
  await sql("update attempts set count = 600, failed = 600 where key ~ '^3address'");
  expect(await outcomeOf(await assertion(), { address })).toBe('429 slow_down');
  expect(server.state.requests).toBe(0);
  expect(await outcomeOf(await assertion(), { address: '192.0.2.100' })).toBe(ACCEPTED);
});

test('without CLIENT_DOCUMENTS_PRIVATE_NETWORK, a private jwks_uri is not called', async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'false' });
  expect(await outcome()).toBe(UNAVAILABLE);
  expect(server.state.requests).toBe(0);
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
});
