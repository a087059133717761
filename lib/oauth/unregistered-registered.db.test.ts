// A client that registered itself (RFC 7591) waits like a document client: waiting page, approval, and the same link.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { listMyConsents } from '#lib/management/my-account.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { AGENT_CALLBACK, allow, comeWith, factOf, headingOf } from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { handleHttp } from './endpoints.ts';

const TOKEN = 'a-registration-token-of-tests';
let alice: string;

beforeAll(async () => {
  loadSettings({ ...process.env, REGISTRATION_TOKEN: TOKEN });
  await givenFixtures();
  ({ cookie: alice } = await signInTo('alice@example.com'));
});
afterAll(async () => {
  await sql("delete from clients where origin = 'registration'");
  await sql("delete from consents where client_id like 'registered-%'");
  loadSettings();
});

async function register(): Promise<string> {
  const members = {
    redirect_uris: [AGENT_CALLBACK],
    token_endpoint_auth_method: 'none',
    application_type: 'native',
    client_name: 'Came by itself',
    scope: 'read',
  };
  const answer = await handleHttp({
    method: 'POST',
    path: '/auth/pw/api/orders/register',
    query: '',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
    body: async () => Buffer.from(JSON.stringify(members)),
    peerAddress: undefined,
    requestId: 'a-registration',
  });
  if (!answer) throw new Error('nothing is here');
  expect(answer.status, String(answer.body)).toBe(201);
  await currentSnapshot();
  return String(jsonOf(answer)['client_id']);
}

test('a registered client needs one approval before users can use it, and then the same link leads to the consent page', async () => {
  const clientId = await register();
  const decided = { clientId, api: 'orders', action: 'approve' as const, scopes: ['read'], maxDays: 30 };
  const waiting = await comeWith(alice, clientId, { scope: 'read' });
  expect([waiting.status, headingOf(waiting)]).toEqual([200, 'Waiting for approval']);
  expect(factOf(waiting, 'Application')).toBe('Came by itself');
  // the client has no host, and its name is unverified
  expect(factOf(waiting, 'From')).toBe('');
  expect(factOf(waiting, 'Returns to')).toBe('agent.example');
  const requestId = factOf(waiting, 'Request id');
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(factOf(await comeWith(alice, clientId, { scope: 'read' }), 'Request id')).toBe(requestId);

  await decideSubscription(OPERATOR, decided);
  const link = await comeWith(alice, clientId, { scope: 'read' });
  expect(locationOf(link)).toContain('/consent?');
  expect(await allow(link, alice)).toMatch(/^ghc_/);
  const [row] = await sql<{ id: string }>("select id from people where email = 'alice@example.com'");
  const me = { kind: 'person', id: row?.id as string, email: null, roles: [], signedInAt: null } as const;
  const consents = await listMyConsents({ ...me, request: { id: 'test', ip: null } });
  expect(consents.find((one) => one.clientId === clientId)).toMatchObject({ clientOrigin: 'registration' });
});

test('the page for a rejected client says that the client was not approved', async () => {
  const clientId = await register();
  await comeWith(alice, clientId);
  await decideSubscription(OPERATOR, { clientId, api: 'orders', action: 'reject', reason: 'because' });
  const answer = await comeWith(alice, clientId);
  expect([answer.status, headingOf(answer)]).toEqual([403, 'This application was not approved']);
});
