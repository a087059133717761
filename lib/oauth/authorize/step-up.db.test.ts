// Step-up (RFC 9470, OpenID Connect Core §5.5.1.1): requirements of a request, scope, API and client, and the claims in
// tokens. SQL raises the level of the sessions, because the tests of the pages cover factor proofs.
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { readSessionHash } from '#lib/sessions/sign-in.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';
import {
  ACR,
  authorizeAs,
  claimsOf,
  giveFactor,
  introspected,
  raise,
  require,
  takeFactors,
  tokenFor,
  tokensAs,
  wentFrom,
} from '#testing/in-process/step-up.ts';

let alice: string;
let cookie: string;

beforeAll(givenFixtures);
beforeEach(async () => {
  ({ personId: alice, cookie } = await signInTo('alice@example.com'));
  await takeFactors(alice);
  await sql('update people set factor_grace_from = null, factor_offered_at = null');
  for (const api of ['orders', 'billing'])
    await require({ api }, { required_acr: null, second_factor: null });
  await sql('update api_scopes set required_acr = null');
  await changeClient(OPERATOR, { clientId: 'tru', defaultAcrValues: [] });
});

const essential = (...values: string[]) => ({
  scope: 'openid read',
  claims: JSON.stringify({ id_token: { acr: { essential: true, values } } }),
});
const silently = (over = {}) => authorizeAs(cookie, { prompt: 'none', ...over });

test('a level 1 session of a user with a second factor redirects to the second-factor page', async () => {
  expect((await authorizeAs(cookie)).to).toBe('code');
  await giveFactor(alice);
  const { to, interaction } = await authorizeAs(cookie);
  expect(to).toBe('confirm');
  const session = (await readSessionHash(cookie, 'pw'))?.toString('base64url');
  expect(interaction).toMatchObject({ asked: session, secondFactor: { level: 2 } });
  expect((await silently()).to).toBe('login_required');
  expect((await authorizeAs(cookie, { client_id: 'conf', redirect_uri: 'https://conf.example/cb' })).to).toBe(
    'confirm',
  );
  await require({}, { second_factor: 'off' });
  expect((await silently()).to).toBe('code');
});

test('if nothing requires a level, tokens omit acr and amr, and after a raised level every token contains them', async () => {
  const plain = await tokensAs(cookie);
  for (const told of [claimsOf(plain['access_token']), await introspected(plain['access_token'])])
    for (const claim of ['acr', 'amr']) expect(told).not.toHaveProperty(claim);
  await giveFactor(alice);
  await raise(cookie, 2);
  const given = await tokensAs(cookie, { scope: 'openid read' });
  const strength = { acr: ACR('mfa'), amr: ['pwd', 'otp', 'mfa'] };
  expect(claimsOf(given['access_token'])).toMatchObject(strength);
  expect(claimsOf(given['id_token'])).toMatchObject(strength);
  const told = await introspected(given['access_token']);
  expect(told).toMatchObject({ ...strength, auth_time: claimsOf(given['access_token'])['auth_time'] });
  const userinfo = await ask(`${OPENID_PATH}/userinfo`, {
    headers: { authorization: `Bearer ${given['access_token']}` },
  });
  expect(jsonOf(userinfo)).toEqual({ sub: alice });
  const renewed = await tokenFor({
    grant_type: 'refresh_token',
    refresh_token: given['refresh_token'] ?? '',
  });
  expect(claimsOf(renewed['access_token'])).toMatchObject(strength);
  expect(claimsOf(renewed['id_token'])).toMatchObject(strength);
});

test('acr_values requires the weakest known class, also without openid, and unknown values are ignored', async () => {
  expect((await authorizeAs(cookie, { acr_values: 'urn:example:gold 1' })).to).toBe('code');
  const asked = await authorizeAs(cookie, { acr_values: `${ACR('phishing-resistant')} ${ACR('mfa')}` });
  expect([asked.to, asked.interaction?.secondFactor]).toEqual(['set-up', { level: 2, why: 'required' }]);
  expect((await silently({ acr_values: ACR('mfa') })).to).toBe('login_required');
  const password = await tokensAs(cookie, { acr_values: ACR('password') });
  expect(claimsOf(password['access_token'])).toMatchObject({ acr: ACR('password'), amr: ['pwd'] });
  await giveFactor(alice);
  await raise(cookie, 2);
  expect((await silently({ acr_values: ACR('mfa') })).to).toBe('code');
  const keyed = await authorizeAs(cookie, { acr_values: 'phr' });
  expect([keyed.to, keyed.interaction?.secondFactor]).toEqual(['set-up', { level: 3, why: 'required' }]);
});

test('an unreachable acr returns unmet_authentication_requirements', async () => {
  await require({}, { second_factor: 'off' });
  for (const over of [{ acr_values: ACR('mfa') }, { acr_values: 'phrh' }, essential(ACR('mfa'), 'gold')])
    for (const prompt of ['', 'none']) {
      const { to, location } = await authorizeAs(cookie, { ...over, prompt, state: 's' });
      expect([to, new URL(location).searchParams.get('state')]).toEqual([
        'unmet_authentication_requirements',
        's',
      ]);
    }
  await require({}, { second_factor: null });
  expect((await authorizeAs('', essential('gold'))).to).toBe('unmet_authentication_requirements');
});

test('the ID token contains the essential acr value that the client requests and the session reaches', async () => {
  await giveFactor(alice, 'passkey');
  await raise(cookie, 3);
  const acrOf = async (...values: string[]) =>
    claimsOf((await tokensAs(cookie, essential(...values)))['id_token'])['acr'];
  expect(await acrOf('phr')).toBe('phr');
  expect(await acrOf(ACR('mfa'))).toBe(ACR('mfa'));
  expect(await acrOf(ACR('password'), ACR('mfa'), 'gold')).toBe(ACR('mfa'));
  const { id_token, access_token } = await tokensAs(cookie, { scope: 'openid', acr_values: ACR('mfa') });
  expect([claimsOf(id_token)['acr'], claimsOf(access_token)['acr']]).toEqual(
    Array(2).fill(ACR('phishing-resistant')),
  );
});

test('the client’s default acr applies, and the acr of the request overrides it', async () => {
  await changeClient(OPERATOR, { clientId: 'tru', defaultAcrValues: [ACR('mfa')] });
  expect((await authorizeAs(cookie)).to).toBe('set-up');
  expect((await authorizeAs(cookie, { acr_values: ACR('password') })).to).toBe('code');
  expect((await authorizeAs(cookie, { acr_values: 'gold' })).to).toBe('set-up');
  expect((await authorizeAs(cookie, essential(ACR('password')))).to).toBe('code');
});

test('APIs and scopes can require an acr, and their tokens contain the achieved class', async () => {
  await require({ scope: 'write' }, { required_acr: ACR('mfa') });
  expect((await authorizeAs(cookie, { scope: 'read write' })).to).toBe('set-up');
  expect((await authorizeAs(cookie)).to).toBe('set-up');
  const reading = await tokensAs(cookie, { scope: 'read' });
  expect(claimsOf(reading['access_token'])).toMatchObject({ acr: ACR('password'), amr: ['pwd'] });
  await require({}, { required_acr: ACR('phishing-resistant') });
  await giveFactor(alice);
  await raise(cookie, 2);
  expect((await authorizeAs(cookie, { scope: 'read' })).to).toBe('set-up');
  await giveFactor(alice, 'passkey');
  expect((await authorizeAs(cookie, { scope: 'read' })).interaction?.secondFactor).toEqual({ level: 3 });
});

test('metadata lists the acr values that an issuer can reach', async () => {
  const told = async (path: string) =>
    jsonOf(await ask(`${path}/.well-known/openid-configuration`))['acr_values_supported'];
  expect(await told(OPENID_PATH)).toEqual([ACR('password'), ACR('mfa'), ACR('phishing-resistant')]);
  expect(await told('/auth/brk/api/orders')).toBeUndefined();
  await require({}, { second_factor: 'optional' });
  expect(await told('/auth/brk/api/orders')).toEqual([ACR('mfa'), ACR('phishing-resistant')]);
  await require({}, { second_factor: 'off' });
  expect(await told('/auth/brk/api/orders')).toBeUndefined();
  for (const [config, classes] of [
    [`config || '{"second_factor": "off"}'`, [ACR('password')]],
    [`config - 'second_factor'`, [ACR('password'), ACR('mfa'), ACR('phishing-resistant')]],
  ] as const) {
    await sql(`update auth_methods set config = ${config} where id = 'pw'`);
    await currentSnapshot();
    // the API's policy is off and the method's policy is on: users with a factor must still prove it
    expect(await told(OPENID_PATH)).toEqual(classes);
  }
});

test('prompt=login and max_age apply to the password or broker sign-in, and the second factor follows', async () => {
  await giveFactor(alice);
  await raise(cookie, 2);
  expect((await authorizeAs(cookie, { prompt: 'login' })).to).toBe('login');
  await sql("update sessions set auth_time = now() - interval '1 hour' where person_id = $1", [alice]);
  expect((await authorizeAs(cookie, { max_age: '60', acr_values: ACR('mfa') })).to).toBe('login');
  expect((await silently({ max_age: '60' })).to).toBe('login_required');
});

test('a step-up in one tab satisfies another tab, and a session below the required level cannot consent', async () => {
  await giveFactor(alice);
  const conf = { client_id: 'conf', redirect_uri: 'https://conf.example/cb', scope: 'read' };
  const first = await authorizeAs(cookie, conf);
  const second = await authorizeAs(first.cookie, { scope: 'read' });
  expect([first.to, second.to]).toEqual(['confirm', 'confirm']);
  await raise(cookie, 2);
  const on = (tab: typeof first) => {
    const sealed = new URL(tab.location).searchParams.get('interaction');
    return wentFrom(tab.cookie, `${OPENID_PATH}/authorize?interaction=${sealed}`);
  };
  const back = { ...second, cookie: second.cookie };
  expect((await on(back)).to).toBe('code');
  expect((await on({ ...first, cookie: second.cookie })).to).toBe('consent');
});
