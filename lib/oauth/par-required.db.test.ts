// Clients that must push their requests (RFC 9126 §6), registered or with a document. A push of an unregistered
// document client writes nothing.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeClient, readClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { issuerHere } from '#testing/clients/asserted.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, setOf } from '#testing/clients/client-keys.ts';
import {
  AGENT_CALLBACK,
  AGENT_PKCE,
  allow,
  comeWith,
  headingOf,
  startDocumentHost,
} from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { ALICE } from '#testing/documented-errors/world.ts';
import { ask, cookieOf, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { ASKED, TRU } from '#testing/in-process/issuer-host.ts';
import { OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';
import { Visitor } from '#testing/in-process/visitor.ts';

let host: Awaited<ReturnType<typeof startDocumentHost>>;
let cookie: string;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  await sql("update apis set agents = 'ask' where id = 'orders'");
  await currentSnapshot();
  host = await startDocumentHost();
  ({ cookie } = await signInTo('alice@example.com'));
});
afterAll(async () => {
  await host.close();
  loadSettings();
});

const FLAG = 'require_pushed_authorization_requests';
const backOf = (location: string) => new URL(location).searchParams;
const pushed = (form: Record<string, string>) => ask(`${OPENID_PATH}/par`, { form });
const visit = (clientId: string, uri: unknown) =>
  ask(`${OPENID_PATH}/authorize?${new URLSearchParams({ client_id: clientId, request_uri: `${uri}` })}`, {
    headers: { cookie },
  });

/** Counts the rows that a push writes, in total and for this client. */
async function counts(clientId: string) {
  const all = ['clients', 'attempts', 'used_assertions', 'used_requests'].map(
    (name) => `(select count(*) from ${name}) as ${name}`,
  );
  const its = ['audit_events', 'refused_requests'].map(
    (name) => `(select count(*) from ${name} where client_id = $1) as ${name}`,
  );
  return (await sql(`select ${[...all, ...its].join(', ')}`, [clientId]))[0];
}

test('a client document can require PAR: a push writes nothing, and the approval page continues the pushed request', async () => {
  const agent = host.at('/pushes');
  host.say('/pushes', { [FLAG]: true });
  const form = {
    client_id: agent,
    response_type: 'code',
    redirect_uri: AGENT_CALLBACK,
    state: 'pushed',
    ...AGENT_PKCE.params,
  };
  const before = await counts(agent);
  const answer = await pushed(form);
  expect(answer.status, String(answer.body)).toBe(201);
  expect(await counts(agent)).toEqual(before);
  // the browser stays on a Gatehouse page: an unapproved client's redirect URI gets no redirect
  const plain = await comeWith(cookie, agent);
  expect([plain.status, headingOf(plain)]).toEqual([400, 'Something went wrong']);
  const waits = await visit(agent, jsonOf(answer)['request_uri']);
  expect(headingOf(waits)).toBe('Waiting for approval');
  const link = /href="([^"]*\/continue\?interaction=[^"]*)"/.exec(String(waits.body))?.[1] ?? '';
  expect(String(waits.body)).not.toContain('state=pushed');
  await decideSubscription(OPERATOR, { clientId: agent, api: 'orders', action: 'approve' });
  const all = `${cookie}; ${cookieOf(waits)}`;
  const interaction = new URL(link).searchParams.get('interaction') ?? '';
  const asked = await ask(`${OPENID_PATH}/authorize?interaction=${interaction}`, {
    headers: { cookie: all },
  });
  expect(await allow(asked, cookie)).toMatch(/^ghc_/);
  const again = await visit(agent, jsonOf(answer)['request_uri']);
  expect(backOf(locationOf(again)).get('error')).toBe('invalid_request_uri');
  const [row] = await sql(`select ${FLAG} as flag from clients where client_id = $1`, [agent]);
  expect(row).toEqual({ flag: true });
});

test('for a client document with keys, the assertion is verified, and its use is stored only if the client has a row', async () => {
  const agent = host.at('/keyed');
  const pair = await makePair();
  host.say('/keyed', { token_endpoint_auth_method: 'private_key_jwt', jwks: setOf(pair) });
  const assertion = (by = pair) => makeAssertion({ clientId: agent, audience: issuerHere(), pair: by });
  const form = async (client_assertion: string) =>
    pushed({
      response_type: 'code',
      redirect_uri: AGENT_CALLBACK,
      client_assertion_type: ASSERTION_TYPE,
      client_id: agent,
      client_assertion,
    });
  const before = await counts(agent);
  expect((await form(await assertion())).status).toBe(201);
  expect(await counts(agent)).toEqual(before);
  const wrong = await form(await assertion(await makePair()));
  expect([wrong.status, jsonOf(wrong)['error']]).toEqual([401, 'invalid_client']);
});

test('FAPI 2.0: no auto-approval rule accepts a document without keys', async () => {
  const agent = host.at('/keyless');
  host.say('/keyless', {});
  const form = {
    client_id: agent,
    response_type: 'code',
    redirect_uri: AGENT_CALLBACK,
    ...AGENT_PKCE.params,
  };
  const { request_uri } = jsonOf(await pushed(form));
  const rules = JSON.stringify([{ host: new URL(agent).hostname, scopes: [], max_days: null }]);
  await sql("update apis set profile = 'fapi-2.0', auto_approve = $1 where id = 'orders'", [rules]);
  await currentSnapshot();
  const again = await pushed(form);
  expect([again.status, jsonOf(again)['error']]).toEqual([400, 'unauthorized_client']);
  const came = backOf(locationOf(await visit(agent, request_uri)));
  expect(came.get('error')).toBe('unauthorized_client');
  expect(came.get('error_description')).toContain('only confidential clients with private_key_jwt');
  expect(await sql('select 1 from subscriptions where client_id = $1', [agent])).toEqual([]);
  await sql("update apis set profile = null, auto_approve = '[]'::jsonb where id = 'orders'");
  await currentSnapshot();
  expect((await pushed(form)).status).toBe(201);
});

test('a document whose require_pushed_authorization_requests is neither true nor false is rejected', async () => {
  host.say('/odd', { [FLAG]: 'yes' });
  const odd = await pushed({ client_id: host.at('/odd'), ...AGENT_PKCE.params });
  expect([odd.status, jsonOf(odd)['error_description']]).toEqual([400, `${FLAG} must be true or false.`]);
});

test('RFC 9126 §6: requests that were not pushed are rejected, including requests during sign-in', async () => {
  const visitor = new Visitor();
  const before = await visitor.start();
  await changeClient(OPERATOR, { clientId: 'tru', requirePushedAuthorizationRequests: true });
  expect((await readClient(OPERATOR, { clientId: 'tru' })).requirePushedAuthorizationRequests).toBe(true);
  const plain = await ask(`${OPENID_PATH}/authorize?${new URLSearchParams({ ...ASKED, state: 'S' })}`, {
    headers: { cookie },
  });
  const refused = backOf(locationOf(plain));
  expect([refused.get('error'), refused.get('state')]).toEqual(['invalid_request', 'S']);
  expect(refused.get('error_description')).toContain('push');
  expect((await visitor.submit(before, ALICE)).client.get('error')).toBe('invalid_request');
  const { request_uri } = jsonOf(await pushed({ ...ASKED, ...TRU }));
  expect(backOf(locationOf(await visit('tru', request_uri))).get('code')).toMatch(/./);
  await changeClient(OPERATOR, { clientId: 'tru', requirePushedAuthorizationRequests: false });
});
