// Each consented scope expires separately. A client with a changed identity needs new consent.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { changeSubscription, changeTerms } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { SCOPE_CLAIMS } from '#lib/registry/claims.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { grantConsent } from '#lib/store/hot/authorize.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { CONF, exchangeAs, givenAlice, inDays, letAct } from '#testing/in-process/delegations.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, openIdTokens, signInTo } from '#testing/in-process/openid.ts';
import { scopesOfClaims } from '../openid.ts';

let cookie: string;
const IDS = { clientId: 'conf', api: 'orders' };
const REDIRECTS = ['https://conf.example/cb'];

beforeAll(givenFixtures);
beforeEach(async () => {
  await sql('delete from consents');
  await sql('delete from delegations');
  await sql("update clients set identity_changed_at = null, redirect_uris = $1 where client_id = 'conf'", [
    REDIRECTS,
  ]);
  await changeTerms(OPERATOR, { ...IDS, maxDays: null });
  ({ cookie } = await signInTo('alice@example.com'));
});

/**
 * Stores a consent to these scopes, like the consent page. `identityChangedAt`: the client's identity as the page
 * showed it.
 */
async function allow(scopes: string[], identityChangedAt?: string | null): Promise<string> {
  const { version, clients } = await currentSnapshot();
  const shown = clients.get('conf')?.identityChangedAt ?? null;
  return grantConsent({
    version,
    sessionHash: (await readSessionHash(cookie, 'pw')) as Buffer,
    idleSeconds: 3_600,
    strength: { level: null, secondFactor: 'off', graceSeconds: 0, trustedDays: 30 },
    label: 'alice@example.com',
    clientId: 'conf',
    apiId: 'orders',
    authMethodId: 'pw',
    scopes,
    identityChangedAt: identityChangedAt === undefined ? shown : identityChangedAt,
    requestId: 'test',
    ip: null,
  });
}

const hoursPass = (hours: number) =>
  sql(
    `update consents set updated_at = updated_at - make_interval(hours => $1), earlier_scopes =
      (select jsonb_object_agg(key, (value #>> '{}')::timestamptz - make_interval(hours => $1)) from jsonb_each(earlier_scopes))`,
    [hours],
  );

/** Sends a request with prompt=none and returns `code` or the error code. */
async function silently(scope: string, redirectUri = REDIRECTS[0] ?? ''): Promise<string> {
  const query = {
    client_id: 'conf',
    scope,
    response_type: 'code',
    redirect_uri: redirectUri,
    prompt: 'none',
  };
  const answer = await ask(`${OPENID_PATH}/authorize?${new URLSearchParams(query)}`, { headers: { cookie } });
  const { searchParams } = new URL(locationOf(answer));
  return searchParams.has('code') ? 'code' : (searchParams.get('error') ?? '');
}
const refresh = async ({ refresh_token = '' }: Record<string, string>, scope?: string) => {
  const answer = await ask(`${OPENID_PATH}/token`, {
    form: { ...CONF, grant_type: 'refresh_token', refresh_token, ...(scope && { scope }) },
  });
  return [answer.status, jsonOf(answer) as Record<string, string>] as const;
};

test('max_days: a consent to fewer scopes does not renew the other scopes, for silent requests and refresh tokens', async () => {
  expect(await allow(['read', 'write'])).toBe('granted');
  const tokens = await openIdTokens(CONF, { cookie, scope: 'read write' });
  const narrow = await openIdTokens(CONF, { cookie, scope: 'read' });
  await changeTerms(OPERATOR, { ...IDS, maxDays: 1 });
  await hoursPass(23);
  expect(await allow(['read'])).toBe('granted');
  expect(await silently('read write')).toBe('code');
  const [status, next] = await refresh(tokens);
  expect(status).toBe(200);
  await hoursPass(20);
  expect(await silently('read')).toBe('code');
  expect(await silently('read write')).toBe('consent_required');
  expect((await refresh(next))[0]).toBe(400);
  expect((await refresh(narrow))[0]).toBe(200);
  // consent to fewer scopes does not restore an expired scope
  await allow(['read']);
  expect(await silently('write')).toBe('consent_required');
  await allow(['write']);
  expect(await silently('read write')).toBe('code');
});

test('max_days: a token family expires when its first scope expires', async () => {
  await changeTerms(OPERATOR, { ...IDS, maxDays: 1 });
  await allow(['read', 'write']);
  await hoursPass(23);
  await allow(['read']);
  await openIdTokens(CONF, { cookie, scope: 'read write' });
  const [row] = await sql<{ seconds: number }>(
    `select extract(epoch from expires_at - now())::int as seconds from token_families
      where client_id = 'conf' order by created_at desc limit 1`,
  );
  expect(row?.seconds).toBeLessThanOrEqual(3_600);
});

test('claims that a client requests individually need their scope, which the consent page lists', async () => {
  const names = [...Object.values(SCOPE_CLAIMS).flat(), 'department'];
  const facts = { idToken: names.slice(0, 5), userinfo: names.slice(5) };
  const [row] = await sql<{ scopes: string[] }>('select scopes_of_claims($1::jsonb) as scopes', [
    JSON.stringify(facts),
  ]);
  expect(row?.scopes).toEqual(scopesOfClaims(facts));
});

test.each([
  ['another redirect address', { redirectUris: [...REDIRECTS, 'https://conf.example/other'] }],
  ['another name', { name: `Conf ${Math.random()}` }],
])(
  'after a registered client gets %s, earlier consents do not apply, and refresh tokens remain valid',
  async (_, change) => {
    await allow(['read']);
    const tokens = await openIdTokens(CONF, { cookie, scope: 'read' });
    expect(await silently('read')).toBe('code');
    await changeClient(OPERATOR, { clientId: 'conf', ...change });
    expect(await silently('read')).toBe('consent_required');
    expect((await refresh(tokens))[0]).toBe(200);
    await allow(['read']);
    expect(await silently('read')).toBe('code');
  },
);

test('a consent to a client as it was before an identity change does not apply', async () => {
  await changeClient(OPERATOR, { clientId: 'conf', redirectUris: [...REDIRECTS, 'https://conf.example/2'] });
  expect(await allow(['read'], null)).not.toBe('granted');
  expect(await sql('select from consents')).toEqual([]);
});

test('if a client is renamed during concurrent consents, no earlier consent applies', async () => {
  for (let round = 0; round < 10; round += 1) {
    await sql('delete from consents');
    await Promise.allSettled([
      ...Array.from({ length: 6 }, () => allow(['read'])),
      changeClient(OPERATOR, { clientId: 'conf', name: `Round ${round}` }),
    ]);
    const [row] = await sql<{ counts: boolean }>(
      `select co.updated_at >= c.identity_changed_at as counts from consents co join clients c using (client_id)`,
    );
    // a consent after the change contains the client's new identity and is valid
    if (row?.counts) expect(await silently('read')).toBe('code');
    else expect(await silently('read')).toBe('consent_required');
  }
});

test('a delegation ends when its consent ends, by a limit of the subscription or a changed client identity', async () => {
  const alice = await givenAlice();
  const mayAct = async () => (await exchangeAs(alice, { audience: 'orders' })).status === 200;
  await changeTerms(OPERATOR, { ...IDS, maxDays: 2 });
  await expect(letAct(alice, 'orders', ['read'], inDays(30))).rejects.toMatchObject({ kind: 'invalid' });
  await letAct(alice, 'orders', ['read'], inDays(2));
  expect(await mayAct()).toBe(true);
  await changeTerms(OPERATOR, { ...IDS, maxDays: null });
  await letAct(alice, 'orders', ['read'], inDays(300));
  const given = await exchangeAs(alice, { audience: 'orders' });
  await sql("update delegations set given_at = now() - interval '5 days'");
  expect(await mayAct()).toBe(true);
  await changeTerms(OPERATOR, { ...IDS, maxDays: 1 });
  expect(await mayAct()).toBe(false);
  expect(await isActive(given['access_token'])).toBe(false);
  await changeTerms(OPERATOR, { ...IDS, maxDays: null });
  await letAct(alice, 'orders', ['read'], inDays(300));
  expect(await mayAct()).toBe(true);
  await changeClient(OPERATOR, { clientId: 'conf', name: `Somebody else ${Math.random()}` });
  expect(await mayAct()).toBe(false);
  await letAct(alice, 'orders', ['read'], inDays(300));
  expect(await mayAct()).toBe(true);
});

test('RFC 6749 §6: a refresh with no remaining scope is rejected, and the refresh token is not used up', async () => {
  await allow(['read', 'write']);
  const tokens = await openIdTokens(CONF, { cookie, scope: 'write' });
  await changeSubscription(OPERATOR, { ...IDS, scopes: ['read'] });
  const [status, { error }] = await refresh(tokens);
  expect([status, error]).toEqual([400, 'invalid_grant']);
  expect(await refresh(tokens, 'write')).toMatchObject([400, { error: 'invalid_scope' }]);
  await changeSubscription(OPERATOR, { ...IDS, scopes: [] });
  expect((await refresh(tokens))[0]).toBe(200);
});

test('RFC 6749 §6: a refresh is rejected if every scope now requires stronger authentication', async () => {
  await allow(['read', 'write']);
  const tokens = await openIdTokens(CONF, { cookie, scope: 'write' });
  const ask = (acr: string | null) =>
    sql("update api_scopes set required_acr = $1 where api_id = 'orders' and name = 'write'", [acr]);
  await ask('urn:gatehouse:acr:mfa');
  expect(await refresh(tokens)).toMatchObject([400, { error: 'invalid_grant' }]);
  await ask(null);
  expect((await refresh(tokens))[0]).toBe(200);
});

/** Introspects the token and returns true if it is active. */
async function isActive(token: string | undefined): Promise<unknown> {
  const form = { ...CONF, token: token ?? '' };
  return jsonOf(await ask(`${OPENID_PATH}/introspect`, { form }))['active'];
}
