// A document whose content differs at each fetch: writes are limited, and fetches are counted per requester.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { shiftClock } from '#lib/kit/clock.ts';
import { processWide } from '#lib/kit/process.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { issuerHere } from '#testing/clients/asserted.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, setOf } from '#testing/clients/client-keys.ts';
import { comeWith, startDocumentHost } from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';

const MINUTE = 60_000;
let host: Awaited<ReturnType<typeof startDocumentHost>>;
let cookie: string;
let made = 0;
let path: string;
let agent: string;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  await sql("update apis set agents = 'ask' where id = 'orders'");
  await currentSnapshot();
  host = await startDocumentHost();
  ({ cookie } = await signInTo('alice@example.com'));
});
beforeEach(async () => {
  await sql('delete from attempts');
  path = `/bounded-${++made}`;
  agent = host.at(path);
  await sql("delete from clients where origin = 'document'");
  await currentSnapshot();
});
afterEach(() => {
  shiftClock(0);
  processWide('client-document-calls').value = undefined;
});
afterAll(async () => {
  await host.close();
  loadSettings();
});

const approve = () => decideSubscription(OPERATOR, { clientId: agent, api: 'orders', action: 'approve' });
const changes = () =>
  sql<{ details: Record<string, unknown> }>(
    "select details from audit_events where client_id = $1 and event = 'client.changed'",
    [agent],
  );
const nameOf = async () =>
  (await sql<{ name: string }>('select name from clients where client_id = $1', [agent]))[0]?.name;

/** Changes the document repeatedly, with an anonymous request after each change. */
async function churn(times: number, start = 0): Promise<void> {
  for (let at = start; at < start + times; at++) {
    host.say(path, { client_name: `Name ${at}` });
    shiftClock((at + 1) * 6 * MINUTE);
    processWide('client-document-calls').value = undefined;
    expect((await comeWith(undefined, agent)).status).toBe(303);
  }
}

test('the document of a pending client is updated at most ten times a day, and the audit log records that the limit was reached', async () => {
  await comeWith(cookie, agent);
  await churn(13);
  expect(await changes()).toHaveLength(10);
  expect(await nameOf()).toBe('Name 9');
  const limited = await sql<{ details: { limit: string } }>(
    "select details from audit_events where client_id = $1 and event = 'attempts.limited'",
    [agent],
  );
  expect(limited.map(({ details }) => details.limit)).toEqual(['document']);
  shiftClock(0);
  await approve();
  await churn(1, 20);
  expect(await nameOf()).toBe('Name 20');
});

test('pending clients share a limit of 1,000 document changes a day, which does not apply to approved clients', async () => {
  await comeWith(cookie, agent);
  await churn(1);
  await sql("update attempts set count = 1000 where key like '1all:%'");
  await churn(1, 1);
  expect(await nameOf()).toBe('Name 0');
  await approve();
  await churn(1, 2);
  expect(await nameOf()).toBe('Name 2');
});

test('the audit log truncates a long change of a document', async () => {
  await comeWith(cookie, agent);
  const uris = Array.from({ length: 40 }, (_, at) => `https://agent.example/${'x'.repeat(60)}/${at}`);
  host.say(path, { redirect_uris: ['https://agent.example/callback', ...uris] });
  shiftClock(6 * MINUTE);
  await comeWith(undefined, agent);
  const [change] = await changes();
  expect(JSON.stringify(change).length).toBeLessThan(2_500);
  expect(JSON.stringify(change)).toContain('… and 31 more');
});

const signing = {
  token_endpoint_auth_method: 'private_key_jwt',
  redirect_uris: ['https://agent.example/callback'],
};
const keysOf = (pair: Awaited<ReturnType<typeof makePair>>) => ({ ...signing, jwks: setOf(pair) });

async function tokenBy(pair: Awaited<ReturnType<typeof makePair>>, shifted: number) {
  shiftClock(shifted);
  const iat = Math.floor((Date.now() + shifted) / 1_000);
  const audience = issuerHere().replace(/\/auth\/.*$/, '/auth/pw/api/orders');
  const assertion = await makeAssertion(
    { clientId: agent, audience, pair },
    { claims: { iat, exp: iat + 60, jti: randomUUID() } },
  );
  const form = {
    grant_type: 'refresh_token',
    refresh_token: 'x',
    client_assertion_type: ASSERTION_TYPE,
    client_assertion: assertion,
  };
  return jsonOf(await ask('/auth/pw/api/orders/token', { form, address: '192.0.2.9' }));
}

test('a token request of an unapproved client stores no document changes', async () => {
  const [first, next] = [await makePair(), await makePair()];
  host.say(path, keysOf(first));
  await comeWith(cookie, agent);
  host.say(path, { ...keysOf(next), client_name: 'Renamed' });
  expect(await tokenBy(next, MINUTE)).toMatchObject({ error: 'unauthorized_client' });
  expect(await changes()).toEqual([]);
  await approve();
  await tokenBy(next, 2 * MINUTE);
  expect(await nameOf()).toBe('Renamed');
});

test('document fetches for unapproved clients count as fetches by anonymous callers', async () => {
  const pair = await makePair();
  const counted = async () => {
    processWide('client-documents').value = undefined;
    processWide('client-document-calls').value = undefined;
    await tokenBy(pair, MINUTE);
    const books = processWide<{ counted: Map<string, unknown> }>('client-document-calls').value;
    return [...(books?.counted.keys() ?? [])];
  };
  host.say(path, keysOf(pair));
  await comeWith(cookie, agent);
  expect(await counted()).toEqual(expect.arrayContaining(['strangers', 'caller 192.0.2.9']));
  await approve();
  const approved = await counted();
  expect(approved).toContain('clients');
  expect(approved).not.toContain('strangers');
});

test('if a client’s document changes from none to private_key_jwt, the client must authenticate at the next token request', async () => {
  await comeWith(cookie, agent);
  await approve();
  const publicly = async () => {
    const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: agent };
    return jsonOf(await ask('/auth/pw/api/orders/token', { form }))['error'];
  };
  expect(await publicly()).toBe('invalid_grant');
  const pair = await makePair();
  host.say(path, keysOf(pair));
  shiftClock(6 * MINUTE);
  expect(await publicly()).toBe('invalid_client');
  expect(await tokenBy(pair, 6 * MINUTE)).toMatchObject({ error: 'invalid_grant' });
  host.say(path, {});
  shiftClock(12 * MINUTE);
  expect(await publicly()).toBe('invalid_grant');
});

test('if a client’s document gets keys, the client must authenticate, even above the limit of stored changes', async () => {
  await comeWith(cookie, agent);
  await approve();
  host.say(path, { client_name: 'Other' });
  shiftClock(6 * MINUTE);
  await comeWith(undefined, agent);
  await sql("update attempts set count = 100 where key like '4document:%'");
  host.say(path, keysOf(await makePair()));
  shiftClock(12 * MINUTE);
  const form = { grant_type: 'refresh_token', refresh_token: 'x', client_id: agent };
  expect(jsonOf(await ask('/auth/pw/api/orders/token', { form }))['error']).toBe('invalid_client');
});
