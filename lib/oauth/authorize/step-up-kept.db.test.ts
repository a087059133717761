// The level of a code or token family is compared with the API’s current requirement, and never increases. The
// password grant fails if the user has a second factor.
import { availableParallelism } from 'node:os';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { hashPassword } from '#lib/kit/password-hash.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import {
  ACR,
  authorizeAs,
  claimsOf,
  giveFactor,
  introspected,
  raise,
  require,
  TRU,
  takeFactors,
  tokenFor,
  tokensAs,
} from '#testing/in-process/step-up.ts';
import { typed } from '#testing/in-process/typed.ts';

let alice: string;
let cookie: string;

beforeAll(async () => {
  await givenFixtures();
  await sql(
    "insert into subscriptions (client_id, api_id, state, trusted) values ('tru', 'billing', 'approved', true)",
  );
});
beforeEach(async () => {
  ({ personId: alice, cookie } = await signInTo('alice@example.com'));
  await takeFactors(alice);
  for (const api of ['orders', 'billing'])
    await require({ api }, { required_acr: null, second_factor: null });
  await sql('update api_scopes set required_acr = null');
  await sql('truncate attempts');
});

const refresh = (token: string | undefined, over = {}) =>
  tokenFor({ grant_type: 'refresh_token', refresh_token: token ?? '', ...over });
const redeem = (code: string) => tokenFor({ grant_type: 'authorization_code', code });
const byPassword = (over = {}) =>
  tokenFor({ grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1', ...over });
async function exchange(token: string | undefined, over: Record<string, string> = {}) {
  const answer = await ask('/auth/token', {
    form: {
      ...TRU,
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: token ?? '',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'billing',
      ...over,
    },
  });
  return { ...jsonOf(answer), status: answer.status } as Record<string, string> & { status: number };
}
const reasonOf = async (error: string) => {
  const [row] = await sql<{ details: { reason?: string } }>(
    'select details from refused_requests where error = $1 order by at desc limit 1',
    [error],
  );
  return row?.details.reason;
};

test('a code, a refresh token and an exchange are rejected if the API now requires a higher level', async () => {
  const { code } = await authorizeAs(cookie);
  const given = await tokensAs(cookie);
  await require({}, { required_acr: ACR('mfa') });
  expect(await redeem(code)).toMatchObject({ status: 400, error: 'invalid_grant' });
  expect(await refresh(given['refresh_token'])).toMatchObject({ status: 400, error: 'invalid_grant' });
  await expect.poll(() => reasonOf('invalid_grant')).toBe('acr-too-low');
  await require({}, { required_acr: null });
  // the code is still usable, and no token was revoked
  expect((await redeem(code)).status).toBe(200);
  expect((await refresh(given['refresh_token'])).status).toBe(200);

  await require({ api: 'billing' }, { required_acr: ACR('mfa') });
  expect(await exchange(given['access_token'])).toMatchObject({ status: 400, error: 'invalid_grant' });
  await raise(cookie, 2);
  const strong = await tokensAs(cookie);
  const exchanged = await exchange(strong['access_token']);
  expect(await introspected(exchanged['access_token'], 'billing')).toMatchObject({
    acr: ACR('mfa'),
    amr: ['pwd', 'otp', 'mfa'],
  });
});

test('if a scope’s required level is raised, a refresh omits the scope, and a request that names it or a code for it fails', async () => {
  const { code } = await authorizeAs(cookie);
  const given = await tokensAs(cookie);
  await require({ scope: 'write' }, { required_acr: ACR('mfa') });
  expect((await redeem(code))['error']).toBe('invalid_grant');
  const named = await refresh(given['refresh_token'], { scope: 'write' });
  expect(named['error']).toBe('invalid_grant');
  const renewed = await refresh(given['refresh_token']);
  expect(renewed).toMatchObject({ status: 200, scope: 'read' });
  expect(claimsOf(renewed['access_token'])).toMatchObject({ scope: 'read', acr: ACR('password') });
  await raise(cookie, 3);
  const strong = await tokensAs(cookie);
  expect(claimsOf((await refresh(strong['refresh_token']))['access_token'])).toMatchObject({
    scope: 'read write',
  });
  await require({ api: 'billing', scope: 'pay' }, { required_acr: ACR('mfa') });
  expect((await exchange(given['access_token']))['scope']).toBe('read');
  expect((await exchange(given['access_token'], { scope: 'pay' }))['error']).toBe('invalid_scope');
});

test('a refresh keeps a level 1 token family at level 1, even if the level of the session was raised', async () => {
  const given = await tokensAs(cookie, { scope: 'openid read', acr_values: ACR('password') });
  await giveFactor(alice);
  await raise(cookie, 2);
  const renewed = await refresh(given['refresh_token']);
  expect(claimsOf(renewed['access_token'])).toMatchObject({ acr: ACR('password'), amr: ['pwd'] });
  expect(claimsOf(renewed['id_token'])).toMatchObject({ acr: ACR('password') });
});

test('an exchange from an API without a second factor cannot reach an API that requires one', async () => {
  await require({}, { second_factor: 'off' });
  const { access_token: weak } = await tokensAs(cookie);
  expect((await exchange(weak)).status).toBe(200);
  await require({ api: 'billing' }, { second_factor: 'required' });
  expect((await exchange(weak))['error']).toBe('invalid_grant');
  await require({ api: 'billing' }, { second_factor: null });
  await giveFactor(alice);
  expect((await exchange(weak))['error']).toBe('invalid_grant');
  await require({ api: 'billing' }, { second_factor: 'off' });
  expect((await exchange(weak)).status).toBe(200);
});

test('the password grant for a user with a second factor returns the wrong-password error and counts as a failed attempt', async () => {
  const given = await byPassword();
  expect(given.status).toBe(200);
  await giveFactor(alice);
  expect((await refresh(given['refresh_token']))['error']).toBe('invalid_grant');
  expect(await introspected(given['access_token'])).toEqual({ active: false });
  const without = ({ request_id: _, ...rest }: Record<string, unknown>) => rest;
  const [right, wrong] = [await byPassword(), await byPassword({ password: 'wrong' })];
  expect(without(right)).toEqual(without(wrong));
  const reasons = await sql<{ reason: string }>(
    "select details ->> 'reason' as reason from audit_events where event = 'sign_in.refused' order by id desc limit 2",
  );
  expect(reasons.map(({ reason }) => reason)).toEqual(['refused', 'second-factor']);
  for (let tries = 2; tries < 10; tries += 1) await byPassword();
  expect(await byPassword()).toMatchObject({ status: 429, error: 'slow_down' });
  await sql('truncate attempts');
  await takeFactors(alice);
  expect((await byPassword()).status).toBe(200);
  // a revoked token stays revoked
  expect(await introspected(given['access_token'])).toEqual({ active: false });
});

test('the password grant has level 1: its token omits stronger scopes, and APIs with a higher requirement do not offer it', async () => {
  await require({ scope: 'write' }, { required_acr: ACR('mfa') });
  const given = await byPassword();
  expect(given['scope']).toBe('read');
  expect(claimsOf(given['access_token'])).toMatchObject({ acr: ACR('password'), amr: ['pwd'] });
  expect(await introspected(given['access_token'])).toMatchObject({ acr: ACR('password'), amr: ['pwd'] });
  for (const set of [{ required_acr: ACR('mfa') }, { second_factor: 'required' }]) {
    await require({}, { required_acr: null, second_factor: null, ...set });
    expect((await byPassword())['error']).toBe('unsupported_grant_type');
    const metadata = jsonOf(await ask('/auth/pw/api/orders/.well-known/openid-configuration'));
    expect(metadata['grant_types_supported']).not.toContain('password');
  }
});

test('if a scope requirement is raised during a password check, it applies to that request', async () => {
  // these hashes make the password check last longer than the change
  const others = Promise.all(
    Array.from({ length: 4 * availableParallelism() }, () => hashPassword(typed('x'))),
  );
  const given = byPassword();
  await expect.poll(() => sql('select 1 from attempts'), { interval: 2 }).not.toEqual([]);
  await sql("update api_scopes set required_acr = $1 where api_id = 'orders' and name = 'write'", [
    ACR('mfa'),
  ]);
  expect((await given)['scope'] ?? '').not.toContain('write');
  await others;
});

test('if a user adds a second factor during password grants, all their token families are revoked', async () => {
  for (let turn = 0; turn < 8; turn += 1) {
    await takeFactors(alice);
    await sql('truncate attempts, token_families cascade');
    const [answers] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => byPassword())),
      new Promise((resolve) => setTimeout(resolve, 25 * turn)).then(() => giveFactor(alice)),
    ]);
    for (const { access_token, refresh_token } of answers.filter(({ status }) => status === 200)) {
      expect(await introspected(access_token)).toEqual({ active: false });
      expect((await refresh(refresh_token))['error']).toBe('invalid_grant');
    }
    // every token family was revoked, and removing the factor restores none
    expect(await sql('select 1 from token_families where revoked_at is null')).toEqual([]);
  }
});
