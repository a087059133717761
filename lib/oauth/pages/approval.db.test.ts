// Unregistered client: the waiting page, the request, the approval, and the link that continues afterwards.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { decideSubscription, pageInbox } from '#lib/catalogue/subscriptions/operations.ts';
import { processWide } from '#lib/kit/process.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  AGENT_CALLBACK,
  AGENT_PKCE,
  allow,
  comeWith,
  factOf,
  headingOf,
  startDocumentHost,
} from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';

let host: Awaited<ReturnType<typeof startDocumentHost>>;
let alice: string;
let bob: string;
let made = 0;
let agent: string;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  host = await startDocumentHost();
  ({ cookie: alice } = await signInTo('alice@example.com'));
  ({ cookie: bob } = await signInTo('bob@example.com'));
});
beforeEach(async () => {
  // resets the limits of document fetches for each test
  processWide('client-document-calls').value = undefined;
  made += 1;
  agent = host.at(`/agent-${made}`);
  await setting({});
  await sql("delete from clients where origin = 'document'");
  await currentSnapshot();
});
afterAll(async () => {
  await host.close();
  loadSettings();
});

async function setting(over: { agents?: string; hosts?: string[]; rules?: unknown[] }) {
  await sql(`update apis set agents = $1, agent_hosts = $2, auto_approve = $3 where id = 'orders'`, [
    over.agents ?? 'ask',
    over.hosts ?? [],
    JSON.stringify(over.rules ?? []),
  ]);
  await currentSnapshot();
}
const rows = () =>
  sql<{ state: string; scopes: string[] }>('select state, scopes from subscriptions where client_id = $1', [
    agent,
  ]);
const decide = (action: 'approve' | 'reject' | 'suspend' | 'revoke') =>
  decideSubscription(OPERATOR, { clientId: agent, api: 'orders', action, reason: 'because' });
const redeem = (code: string) =>
  ask('/auth/pw/api/orders/token', {
    form: {
      grant_type: 'authorization_code',
      client_id: agent,
      code,
      code_verifier: AGENT_PKCE.verifier,
      redirect_uri: AGENT_CALLBACK,
    },
  });

test('with agents: off, an API rejects an unregistered client as unknown, and reads no document', async () => {
  await setting({ agents: 'off' });
  const before = host.state.requests;
  const answer = await comeWith(alice, agent);
  expect([answer.status, headingOf(answer)]).toEqual([400, 'This sign-in link does not work']);
  expect(host.state.requests).toBe(before);
});

test('an unregistered client without a user session leads to the sign-in page, and no row is stored', async () => {
  const answer = await comeWith(undefined, agent);
  expect(locationOf(answer)).toContain('/login?');
  expect(await sql('select from clients where client_id = $1', [agent])).toEqual([]);
});

test('a client is unknown, then waiting, then approved: the same link continues to consent, a code and tokens', async () => {
  host.say(`/agent-${made}`, { client_name: 'Helpful' });
  const waiting = await comeWith(alice, agent, { scope: 'read' });
  expect([waiting.status, headingOf(waiting)]).toEqual([200, 'Waiting for approval']);
  expect(factOf(waiting, 'From')).toBe('localhost');
  expect(factOf(waiting, 'Returns to')).toBe('agent.example');
  expect(factOf(waiting, 'Application')).toBe('Helpful');
  expect(factOf(waiting, 'It asks for')).toBe('See your orders');
  const requestId = factOf(waiting, 'Request id');
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  expect(factOf(await comeWith(alice, agent, { scope: 'read' }), 'Request id')).toBe(requestId);
  expect(factOf(await comeWith(bob, agent, { scope: 'read write' }), 'Request id')).not.toBe(requestId);
  expect(await rows()).toEqual([{ state: 'pending', scopes: [] }]);

  const [row] = (await pageInbox(OPERATOR)).rows.filter((one) => one.clientId === agent);
  expect(row).toMatchObject({
    clientName: 'Helpful',
    clientOrigin: 'document',
    askers: 2,
    requestedByEmail: 'alice@example.com',
    firstRequestId: requestId,
  });
  const events = await sql<{ event: string }>(
    'select event from audit_events where client_id = $1 order by id',
    [agent],
  );
  expect(events.map(({ event }) => event)).toEqual([
    'client.discovered',
    'subscription.requested',
    'subscription.changed',
  ]);

  await decide('approve');
  const code = await allow(await comeWith(alice, agent, { scope: 'read' }), alice);
  const tokens = await redeem(code);
  expect(tokens.status, String(tokens.body)).toBe(200);
  expect(jsonOf(tokens)).toHaveProperty('refresh_token');
  expect(
    await sql(`select from audit_events where client_id = $1 and event = 'agent.approved'`, [agent]),
  ).toHaveLength(1);
  // the redirect address is https, so the consent is remembered
  expect(locationOf(await comeWith(alice, agent, { scope: 'read' }))).toContain(`${AGENT_CALLBACK}?code=`);
});

test.each([
  ['reject', 'This application was not approved'],
  ['suspend', 'This application is suspended'],
  ['revoke', 'This application may no longer be used'],
] as const)(
  'after the decision %s about a client, a page explains it, and with prompt=none only suspended clients receive an error',
  async (action, heading) => {
    await comeWith(alice, agent);
    if (action === 'suspend') await decide('approve');
    await decide(action);
    const answer = await comeWith(alice, agent);
    expect([answer.status, headingOf(answer)]).toEqual([403, heading]);
    const silent = await comeWith(alice, agent, { prompt: 'none' });
    expect([silent.status, locationOf(silent).includes('error=unauthorized_client')]).toEqual(
      action === 'suspend' ? [302, true] : [400, false],
    );
  },
);

test('RFC 9700 §4.11.2: no error redirects a browser to the address in an unapproved document, and nothing is written', async () => {
  for (const wrong of [
    { prompt: 'none' },
    { response_type: 'token' },
    { scope: 'no such' },
    { code_challenge: '' },
    { resource: 'https://other.example/' },
  ]) {
    const answer = await comeWith(alice, agent, wrong);
    expect([answer.status, locationOf(answer)], JSON.stringify(wrong)).toEqual([400, '']);
  }
  expect(await sql('select from clients where client_id = $1', [agent])).toEqual([]);
});

test('with agents: listed, clients on listed hosts can request approval, and others are rejected before their document is read', async () => {
  await setting({ agents: 'listed', hosts: ['*.example.com'] });
  const before = host.state.requests;
  const answer = await comeWith(alice, agent);
  expect([answer.status, headingOf(answer)]).toEqual([403, 'This application cannot be used here']);
  expect(host.state.requests).toBe(before);
  expect(await rows()).toEqual([]);
  await setting({ agents: 'listed', hosts: ['localhost'] });
  expect(headingOf(await comeWith(alice, agent))).toBe('Waiting for approval');
});

test('an approval rule approves a client’s request immediately, and sets its scope ceiling and lifetime', async () => {
  await setting({ agents: 'listed', rules: [{ host: 'localhost', scopes: ['read'], max_days: 2 }] });
  const code = await allow(await comeWith(alice, agent, { scope: 'read' }), alice);
  expect((await redeem(code)).status).toBe(200);
  const [family] = await sql<{ days: number }>(
    `select extract(epoch from expires_at - now()) / 86400 as days from token_families where client_id = $1`,
    [agent],
  );
  expect(Number(family?.days)).toBeGreaterThan(1.9);
  expect(Number(family?.days)).toBeLessThanOrEqual(2);
  expect(await rows()).toEqual([{ state: 'approved', scopes: ['read'] }]);
  expect(locationOf(await comeWith(alice, agent, { scope: 'write' }))).toContain('error=invalid_scope');
  expect(locationOf(await comeWith(alice, agent, { scope: 'read' }))).toContain('code=');
  await sql("update consents set updated_at = now() - interval '3 days' where client_id = $1", [agent]);
  expect(locationOf(await comeWith(alice, agent, { scope: 'read' }))).toContain('/consent?');
});

test('an approval rule does not approve a request with further scopes', async () => {
  await setting({ rules: [{ host: 'localhost', scopes: ['read'], max_days: null }] });
  expect(headingOf(await comeWith(alice, agent, { scope: 'read write' }))).toBe('Waiting for approval');
});

test('concurrent first requests for one client create one client and one subscription, and count each user once', async () => {
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) => comeWith(at % 2 ? alice : bob, agent)),
  );
  expect(answers.map(headingOf)).toEqual(answers.map(() => 'Waiting for approval'));
  expect(await rows()).toEqual([{ state: 'pending', scopes: [] }]);
  expect(await sql('select from agent_requests where client_id = $1', [agent])).toHaveLength(2);
  expect(
    await sql("select from audit_events where client_id = $1 and event = 'client.discovered'", [agent]),
  ).toHaveLength(1);
});

test('approving every scope does not include scopes added to the API later', async () => {
  await comeWith(alice, agent, { scope: 'read' });
  await decideSubscription(OPERATOR, {
    clientId: agent,
    api: 'orders',
    action: 'approve',
    scopes: ['read', 'write'],
  });
  expect(await rows()).toEqual([{ state: 'approved', scopes: ['read', 'write'] }]);
});

test('a request for more scopes during the approval waits or follows the decision', async () => {
  for (let round = 0; round < 12; round += 1) {
    agent = host.at(`/race-${made}-${round}`);
    await comeWith(alice, agent, { scope: 'read' });
    const came = Array.from({ length: 4 }, () => comeWith(bob, agent, { scope: 'read write' }));
    const [answers] = await Promise.all([Promise.all(came), decide('approve').catch(() => null)]);
    const said = answers.map((one) => headingOf(one) || new URL(locationOf(one)).searchParams.get('error'));
    for (const one of said) expect(['Waiting for approval', 'invalid_scope', null]).toContain(one);
  }
});

test('a request for OpenID Connect scopes alone does not widen a pending request', async () => {
  await comeWith(alice, agent, { scope: 'read' });
  await comeWith(bob, agent, { scope: 'openid' });
  await comeWith(alice, agent, { scope: 'openid' });
  expect(await rows()).toEqual([{ state: 'pending', scopes: ['read'] }]);
});
