// An unregistered client limited to some users: Gatehouse rejects other users after sign-in, and tokens end if the user
// loses the claim.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeTerms, decideSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { expectReason } from '#testing/clients/asserted.ts';
import {
  AGENT_CALLBACK,
  AGENT_PKCE,
  allow,
  comeWith,
  consentOf,
  headingOf,
  startDocumentHost,
} from '#testing/clients/unregistered.ts';
import { sql } from '#testing/data/registry.ts';
import { introspect } from '#testing/in-process/delegations.ts';
import { ask, cookieOf, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';

const REFUSED = 'You may not use this application here';
const AT = '/auth/pw/api/orders';
let host: Awaited<ReturnType<typeof startDocumentHost>>;
let alice: string;
let bob: string;
let agent = '';
let made = 0;

beforeAll(async () => {
  loadSettings({ ...process.env, CLIENT_DOCUMENTS_PRIVATE_NETWORK: 'true' });
  await givenFixtures();
  await sql("update apis set agents = 'ask' where id = 'orders'");
  await sql(
    "update people set email_verified_at = now() where email in ('alice@example.com', 'bob@example.com')",
  );
  host = await startDocumentHost();
  ({ cookie: alice } = await signInTo('alice@example.com'));
  ({ cookie: bob } = await signInTo('bob@example.com'));
});
beforeEach(async () => {
  made += 1;
  agent = host.at(`/agent-${made}`);
  await sql("delete from clients where origin = 'document'");
  await currentSnapshot();
  await comeWith(alice, agent);
});
afterAll(async () => {
  await host.close();
  loadSettings();
});

const forWhom = (...values: string[]) => ({ name: 'email', values });
const approve = (requiredClaim = forWhom('alice@example.com')) =>
  decideSubscription(OPERATOR, { clientId: agent, api: 'orders', action: 'approve', requiredClaim });
const change = (requiredClaim: ReturnType<typeof forWhom> | null) =>
  changeTerms(OPERATOR, { clientId: agent, api: 'orders', requiredClaim });
const token = async (form: Record<string, string>) => {
  const answer = await ask(`${AT}/token`, { form: { client_id: agent, ...form } });
  return { status: answer.status, ...jsonOf(answer) } as { status: number } & Record<string, string>;
};
const redeem = (code: string) =>
  token({
    grant_type: 'authorization_code',
    code,
    code_verifier: AGENT_PKCE.verifier,
    redirect_uri: AGENT_CALLBACK,
  });
const refresh = (refresh_token = '') => token({ grant_type: 'refresh_token', refresh_token });
const errorOf = (location: string) => new URL(location).searchParams.get('error');
const hrefOf = (body: unknown, label: string) =>
  new RegExp(`href="([^"]*)">(?:<bdi>)?${label}`).exec(String(body))?.[1]?.replaceAll('&amp;', '&') ?? '';

test('after the approval, the waiting page redirects users with the required claim to consent, and rejects other users', async () => {
  expect(headingOf(await comeWith(bob, agent))).toBe('Waiting for approval');
  await approve();
  expect(locationOf(await comeWith(alice, agent))).toContain('/consent?');
  const refused = await comeWith(bob, agent);
  expect([refused.status, headingOf(refused), locationOf(refused)]).toEqual([403, REFUSED, '']);
  expect(String(refused.body)).not.toContain('alice');
  expect(await sql('select from consents where client_id = $1', [agent])).toEqual([]);
});

test('RFC 6749 §4.1.2.1: without the required claim, the client receives access_denied, as with prompt=none', async () => {
  await approve();
  const refused = await comeWith(bob, agent, { state: 'kept' });
  const cookie = `${bob}; ${cookieOf(refused)}`;
  const go = async (label: string) => {
    const { pathname, search } = new URL(hrefOf(refused.body, label));
    const moved = await ask(pathname + search, { headers: { cookie } });
    const next = /url=([^"]*)"/.exec(String(moved.body))?.[1]?.replaceAll('&amp;', '&') ?? '';
    return ask(new URL(next).pathname + new URL(next).search, { headers: { cookie } });
  };
  const back = new URL(locationOf(await go('Back to the application')));
  expect(`${back.origin}${back.pathname}`).toBe(AGENT_CALLBACK);
  expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: 'access_denied', state: 'kept' });
  expect(locationOf(await go('Sign in again'))).toContain('/login?');
  expect(errorOf(locationOf(await comeWith(bob, agent, { prompt: 'none' })))).toBe('access_denied');
  await expectReason(agent, 'person-refused');
});

test('a consent page that was opened before a claim was required gives the client no code', async () => {
  await approve(forWhom('@example.com'));
  const asked = await comeWith(bob, agent);
  await consentOf(asked, bob);
  await change(forWhom('alice@example.com'));
  expect(await allow(asked, bob)).toBe(REFUSED);
});

test('a code issued before the terms changed fails, and its client’s developer sees the reason', async () => {
  await approve(forWhom('@example.com'));
  const code = await allow(await comeWith(bob, agent), bob);
  await change(forWhom('alice@example.com'));
  expect(await redeem(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
  await expectReason(agent, 'person-refused');
  await change(null);
  expect((await redeem(code)).status).toBe(200);
});

test('refresh, introspection and userinfo fail after the user loses the required claim, and work again once the claim returns', async () => {
  await approve(forWhom('@example.com'));
  const tokens = await redeem(await allow(await comeWith(bob, agent, { scope: 'openid read' }), bob));
  const bearer = { headers: { authorization: `Bearer ${tokens['access_token']}` } };
  const now = async () => [
    (await introspect(tokens['access_token'], 'orders'))['active'],
    (await introspect(tokens['refresh_token'], 'orders'))['active'],
    (await ask(`${AT}/userinfo`, bearer)).status,
  ];
  expect(await now()).toEqual([true, true, 200]);
  await change(forWhom('alice@example.com'));
  expect(await now()).toEqual([false, false, 401]);
  expect(await refresh(tokens['refresh_token'])).toMatchObject({ status: 400, error: 'invalid_grant' });
  await expectReason(agent, 'person-refused');
  await change(null);
  expect(await now()).toEqual([true, true, 200]);
  // the address is unverified now: the user's claim changed, not the required claim
  await change(forWhom('@example.com'));
  await sql("update people set email_verified_at = null where email = 'bob@example.com'");
  expect(await now()).toEqual([false, false, 401]);
  await sql("update people set email_verified_at = now() where email = 'bob@example.com'");
  expect((await refresh(tokens['refresh_token'])).status).toBe(200);
});

test('a required claim added during redemptions and refreshes invalidates every code and token of users without it', async () => {
  await approve(forWhom('@example.com'));
  await allow(await comeWith(bob, agent), bob);
  const codeOf = async () => new URL(locationOf(await comeWith(bob, agent))).searchParams.get('code') ?? '';
  for (let round = 0; round < 6; round += 1) {
    await change(forWhom('@example.com'));
    const codes = await Promise.all(Array.from({ length: 8 }, codeOf));
    const held = await Promise.all((await Promise.all([codeOf(), codeOf()])).map(redeem));
    const [, ...answers] = await Promise.all([
      change(forWhom('alice@example.com')),
      ...codes.map(redeem),
      ...held.map(async (one) => refresh(one['refresh_token'])),
    ]);
    const given = answers.flatMap((one) => (one.status === 200 ? [one] : []));
    for (const one of given)
      expect(await refresh(one['refresh_token'])).toMatchObject({ error: 'invalid_grant' });
    const active = await Promise.all(given.map((one) => introspect(one['access_token'], 'orders')));
    expect(active.every((one) => one['active'] === false)).toBe(true);
  }
});
