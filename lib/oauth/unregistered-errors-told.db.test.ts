// Authorize errors of document clients redirect to the client if the operator vouches for its host. Otherwise a
// Gatehouse page shows the errors (RFC 6749 §4.1.2.1, RFC 9700 §4.11.2).
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { processWide } from '#lib/kit/process.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { AGENT_CALLBACK, comeWith, startDocumentHost } from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';

let host: Awaited<ReturnType<typeof startDocumentHost>>;
let cookie: string;
let made = 0;
let agent: string;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  host = await startDocumentHost();
  ({ cookie } = await signInTo('alice@example.com'));
});
beforeEach(async () => {
  processWide('client-document-calls').value = undefined;
  agent = host.at(`/told-${++made}`);
  await rulesFor('localhost');
});
afterAll(async () => {
  await host.close();
  loadSettings();
});

async function rulesFor(...hosts: string[]) {
  const rules = hosts.map((name) => ({ host: name, scopes: ['read'], max_days: null }));
  await sql("update apis set agents = 'ask', auto_approve = $1 where id = 'orders'", [JSON.stringify(rules)]);
  await currentSnapshot();
}

const errors: [what: string, over: Record<string, string>, signedIn: boolean, error: string][] = [
  ['a resource of another server', { resource: 'https://other.example/' }, true, 'invalid_target'],
  ['an unknown scope', { scope: 'nothing' }, true, 'invalid_scope'],
  ['no response_type', { response_type: '' }, true, 'invalid_request'],
  ['another response_type', { response_type: 'token' }, true, 'unsupported_response_type'],
  ['prompt=none and no session', { prompt: 'none', scope: 'read' }, false, 'login_required'],
  ['prompt=none before it was let in', { prompt: 'none', scope: 'read' }, true, 'consent_required'],
];

test.each(errors)(
  '%s: the error redirects to the client if a rule names the client’s host',
  async (_, over, signedIn, error) => {
    const answer = await comeWith(signedIn ? cookie : undefined, agent, { state: 's', ...over });
    const at = new URL(locationOf(answer));
    expect([answer.status, at.origin + at.pathname]).toEqual([302, AGENT_CALLBACK]);
    expect([at.searchParams.get('error'), at.searchParams.get('state')]).toEqual([error, 's']);
    expect(await sql('select from clients where client_id = $1', [agent])).toEqual([]);
  },
);

test.each(errors)(
  '%s: a page shows the error if no rule names the client’s host',
  async (_, over, signedIn) => {
    await rulesFor('other.example');
    const answer = await comeWith(signedIn ? cookie : undefined, agent, over);
    expect([answer.status >= 400, locationOf(answer)]).toEqual([true, '']);
  },
);

test('a client that an approver revoked gets an error page, although a rule names its host', async () => {
  expect((await comeWith(cookie, agent, { scope: 'read' })).status).toBe(303);
  await decideSubscription(OPERATOR, { clientId: agent, api: 'orders', action: 'revoke' });
  const answer = await comeWith(cookie, agent, { scope: 'nothing' });
  expect([answer.status >= 400, locationOf(answer)]).toEqual([true, '']);
});

test('Gatehouse never redirects to an address that is not in the document, even if a rule names the client’s host', async () => {
  const answer = await comeWith(cookie, agent, { redirect_uri: 'https://evil.example/', scope: 'nothing' });
  expect([answer.status, locationOf(answer)]).toEqual([400, '']);
});
