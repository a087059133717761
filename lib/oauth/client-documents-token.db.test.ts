// Document clients at the token, revocation and introspection endpoints. They authenticate with keys of the current
// document, and an outage of its host breaks nothing.
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { shiftClock } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { ACCEPTED, expectReason, issuerHere, outcomeOf, REFUSED } from '#testing/clients/asserted.ts';
import {
  ASSERTION_TYPE,
  makeAssertion,
  makePair,
  type Pair,
  setOf,
  startKeyServer,
} from '#testing/clients/client-keys.ts';
import { type DocumentHost, startDocumentHost } from '#testing/clients/document-host.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH } from '#testing/in-process/openid.ts';

const MINUTE = 60_000;

let host: DocumentHost;
let pair: Pair;
let made = 0;
let at = '';
let clientId = '';

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  pair = await makePair();
  host = await startDocumentHost();
});
beforeEach(async () => {
  await sql('delete from attempts');
  made += 1;
  at = `/agent-${made}.json`;
  publish(pair);
  clientId = host.origin + at;
  await givenRow({ jwks: setOf(pair) });
});
afterEach(() => {
  shiftClock(0);
  processWide('client-document-calls').value = undefined;
});
afterAll(async () => {
  loadSettings();
  await host.close();
});

const signing = { token_endpoint_auth_method: 'private_key_jwt' };
const publish = (...pairs: Pair[]) => host.publish(at, { ...signing, jwks: setOf(...pairs) });

/** Inserts the row that a sign-in stores for the document's client. */
async function givenRow(keys: Record<string, unknown>): Promise<void> {
  const name = `agent-${made}`;
  await sql('delete from clients where client_id = $1', [clientId]);
  await givenTrustedClients([name], { tokenEndpointAuthMethod: 'private_key_jwt', ...keys });
  const row = "update clients set client_id = $1, origin = 'document' where client_id = $2";
  await sql(row, [clientId, name]);
}

const requests = () => host.requests.filter(({ url }) => url === at).length;

/** Signs an assertion at the shifted time. */
async function assertion(by: Pair, shiftedMs = 0): Promise<string> {
  shiftClock(shiftedMs);
  const iat = Math.floor((Date.now() + shiftedMs) / 1_000);
  return makeAssertion({ clientId, audience: issuerHere(), pair: by }, { claims: { iat, exp: iat + 60 } });
}
const outcome = async (by = pair, shiftedMs = 0) => outcomeOf(await assertion(by, shiftedMs));

test('keys in a document: concurrent token requests read it once, and token, revocation and introspection accept the assertion', async () => {
  host.publish(at, { ...signing, jwks: setOf(pair) }, { delayMs: 100 });
  const outcomes = await Promise.all(Array.from({ length: 10 }, () => outcome()));
  expect(new Set(outcomes)).toEqual(new Set([ACCEPTED]));
  for (const endpoint of ['revoke', 'introspect']) {
    const form = {
      client_assertion_type: ASSERTION_TYPE,
      client_assertion: await assertion(pair),
      token: 'x',
    };
    expect((await ask(`${OPENID_PATH}/${endpoint}`, { form })).status).toBe(200);
  }
  expect(requests()).toBe(1);
});

test('key rotation of a document: a newly published key is accepted, and a removed key is rejected', async () => {
  const next = await makePair();
  expect(await outcome()).toBe(ACCEPTED);
  publish(pair, next);
  expect(await outcome(next, 31_000)).toBe(ACCEPTED);
  expect(await outcome(pair, 32_000)).toBe(ACCEPTED);
  publish(next);
  expect(await outcome(next, 6 * MINUTE)).toBe(ACCEPTED);
  expect(await outcome(pair, 6 * MINUTE)).toBe(REFUSED);
  await expectReason(clientId, 'assertion-key');
});

test('a document without keys invalidates its earlier keys, and publishing them again makes them valid', async () => {
  expect(await outcome()).toBe(ACCEPTED);
  host.publish(at, { token_endpoint_auth_method: 'none' });
  expect(await outcome(pair, 6 * MINUTE)).toBe(REFUSED);
  publish(pair);
  expect(await outcome(pair, 7 * MINUTE)).toBe(ACCEPTED);
});

test('if a document has changed when it is used, the client’s row is updated, with an event for its approvers', async () => {
  const next = await makePair();
  host.publish(at, { ...signing, jwks: setOf(next), client_name: 'Renamed' });
  expect(new Set(await Promise.all([1, 2, 3, 4].map(() => outcome(next))))).toEqual(new Set([ACCEPTED]));
  const [row] = await sql<{ name: string; kid: string }>(
    "select name, jwks->'keys'->0->>'kid' as kid from clients where client_id = $1",
    [clientId],
  );
  expect(row).toEqual({ name: 'Renamed', kid: next.kid });
  const events = await sql("select 1 from audit_events where event = 'client.changed' and client_id = $1", [
    clientId,
  ]);
  expect(events).toHaveLength(1);
  host.behave(at, { status: 503 });
  processWide('client-documents').value = undefined;
  expect(await outcome(next)).toBe(ACCEPTED);
});

test('a flood of assertions with unknown keys calls the document’s host once in 30 seconds', async () => {
  expect(await outcome()).toBe(ACCEPTED);
  const stranger = await makePair();
  for (const shifted of [0, 31_000, 31_500, 50_000])
    await Promise.all([1, 2, 3].map(() => outcome(stranger, shifted)));
  expect(requests()).toBe(2);
});

test('the keys at a document’s jwks_uri are fetched as for other clients, and a changed jwks_uri is used', async () => {
  const server = await startKeyServer();
  server.publish(pair);
  host.publish(at, { ...signing, jwks_uri: server.url });
  await givenRow({ jwksUri: server.url });
  expect(await outcome()).toBe(ACCEPTED);
  const next = await makePair();
  server.publish(next);
  expect(await outcome(next, 31_000)).toBe(ACCEPTED);
  const other = await startKeyServer();
  other.publish(pair);
  host.publish(at, { ...signing, jwks_uri: other.url });
  expect(await outcome(pair, 62_000)).toBe(ACCEPTED);
  expect(await outcome(next, 62_000)).toBe(REFUSED);
  await Promise.all([server.close(), other.close()]);
});

test.each([
  ['does not answer', { status: 503 }],
  ['has lost the document', { status: 404 }],
  ['redirects', { status: 302, headers: { location: '/' } }],
  ['serves nonsense', { body: '<html>' }],
  ['serves a document with a secret', { body: { client_secret: 'x' } }],
  ['serves a document of nobody', { body: {} }],
])(
  'if the host of a document %s, known keys stay valid and the host is not called repeatedly',
  async (_, answer) => {
    host.behave(at, answer);
    for (const shifted of [0, 1_000, 2_000]) expect(await outcome(pair, shifted)).toBe(ACCEPTED);
    expect(requests()).toBe(1);
    expect(await outcome(await makePair(), 3_000)).toBe(REFUSED);
    publish(pair);
    expect(await outcome(pair, 31_000)).toBe(ACCEPTED);
    expect(requests()).toBe(2);
  },
);

test('invalid assertions cause at most one host call', async () => {
  const strange = await makeAssertion({ clientId, audience: 'https://elsewhere.example', pair });
  expect(await outcomeOf(strange)).toBe(REFUSED);
  expect(await outcomeOf('x.y.z')).toBe(REFUSED);
  await sql('update clients set disabled_at = now() where client_id = $1', [clientId]);
  expect(await outcome()).toBe(REFUSED);
  expect(requests()).toBeLessThanOrEqual(1);
});

test('CORS: pages at the origins of a document’s redirect URIs can read responses, and on loopback hosts at any port', async () => {
  const uris = ['https://agent.example/callback', 'http://localhost/callback'];
  host.publish(at, { redirect_uris: uris });
  await sql(
    `update clients set redirect_uris = $2, application_type = 'native', confidential = false,
      token_endpoint_auth_method = 'none', jwks = null where client_id = $1`,
    [clientId, uris],
  );
  const allowed = async (origin: string) => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: clientId };
    const answer = await ask(`${OPENID_PATH}/token`, { form, headers: { origin } });
    expect(jsonOf(answer)).toMatchObject({ error: 'invalid_grant' });
    return answer.headers['access-control-allow-origin'] === origin;
  };
  for (const origin of ['https://agent.example', 'http://localhost', 'http://localhost:6274'])
    expect(await allowed(origin), origin).toBe(true);
  for (const origin of ['http://127.0.0.1:6274', 'https://agent.example:8443', 'https://localhost', 'null'])
    expect(await allowed(origin), origin).toBe(false);
});
