// ID tokens and userinfo, tested by requests to the protocol core. jose verifies the tokens.
import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose';
import { beforeAll, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';

const PATH = '/auth/pw/api/orders';
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const ASKED = { client_id: 'tru', response_type: 'code', redirect_uri: 'https://tru.example/cb' };

let alice: string;
let cookie: string;

beforeAll(async () => {
  await givenFixtures();
  ({ personId: alice, cookie } = await signInTo('alice@example.com'));
});

const authorize = (over: Record<string, string>, browser = cookie) =>
  ask(`${PATH}/authorize?${new URLSearchParams({ ...ASKED, ...over })}`, { headers: { cookie: browser } });

async function tokens(over: Record<string, string>): Promise<Record<string, string>> {
  const location = new URL(locationOf(await authorize(over)));
  const code = location.searchParams.get('code');
  if (!code) throw new Error(location.href);
  const answer = await ask(`${PATH}/token`, {
    form: { ...TRU, grant_type: 'authorization_code', code, redirect_uri: ASKED.redirect_uri },
  });
  expect(answer.status, String(answer.body)).toBe(200);
  return jsonOf(answer) as Record<string, string>;
}

async function verified(idToken: string | undefined) {
  const jwks = jsonOf(await ask(`${PATH}/jwks`)) as unknown as JSONWebKeySet;
  return jwtVerify(idToken ?? '', createLocalJWKSet(jwks), {
    issuer: `${settings().authUrl}${PATH}`,
    audience: 'tru',
    typ: 'JWT',
  });
}

const userinfo = (token: string | undefined, path = PATH) =>
  ask(`${path}/userinfo`, { headers: { authorization: `Bearer ${token}` } });

const errorOf = async (answer: Promise<{ headers: Record<string, unknown> }>) =>
  new URL(String((await answer).headers['location'])).searchParams.get('error');

test('the scope openid returns an ID token with nonce, at_hash, auth_time, sid, acr and amr, signed by RS256', async () => {
  const given = await tokens({ scope: 'openid read', nonce: 'n-0S6_WzA2Mj ü' });
  expect(given['scope']).toBe('openid read');
  const { payload, protectedHeader } = await verified(given['id_token']);
  expect(protectedHeader).toMatchObject({ alg: 'RS256', typ: 'JWT' });
  const half = createHash('sha256')
    .update(given['access_token'] ?? '')
    .digest()
    .subarray(0, 16);
  expect(payload).toMatchObject({
    sub: alice,
    nonce: 'n-0S6_WzA2Mj ü',
    at_hash: half.toString('base64url'),
    auth_time: expect.any(Number),
    sid: expect.stringMatching(/^[0-9a-f-]{36}$/),
    acr: 'urn:gatehouse:acr:password',
    amr: ['pwd'],
  });
  for (const absent of ['name', 'email', 'azp', 'client_id', 'scope'])
    expect(payload).not.toHaveProperty(absent);
});

test('a client with id_token_signed_response_alg: ES256 gets its ID tokens signed with ES256', async () => {
  await changeClient(OPERATOR, { clientId: 'tru', idTokenSignedResponseAlg: 'ES256' });
  const given = await tokens({ scope: 'openid' });
  expect((await verified(given['id_token'])).protectedHeader.alg).toBe('ES256');
  await changeClient(OPERATOR, { clientId: 'tru', idTokenSignedResponseAlg: 'RS256' });
});

test('without openid, no ID token is issued and OpenID scopes return invalid_scope', async () => {
  expect(await tokens({ scope: 'read' })).not.toHaveProperty('id_token');
  expect(await tokens({})).not.toHaveProperty('id_token');
  for (const scope of ['profile', 'offline_access', 'read email'])
    expect(await errorOf(authorize({ scope })), scope).toBe('invalid_scope');
  const ignored = {
    request: 'x',
    request_uri: 'https://x.example',
    nonce: 'n',
    claims: 'x',
    id_token_hint: 'x',
  };
  expect(await tokens({ scope: 'read', ...ignored })).not.toHaveProperty('id_token');
});

test('without openid, offline_access next to API scopes is dropped, and the response lists the granted scopes', async () => {
  const given = await tokens({ scope: 'offline_access read', prompt: '' });
  expect(given).toMatchObject({ scope: 'read', refresh_token: expect.any(String) });
  expect(decodeJwt(given['access_token'] ?? '')).toMatchObject({ scope: 'read' });
});

test('a refresh returns an ID token with equal claims except nonce, and a refresh narrowed to scopes without openid returns none', async () => {
  const first = await tokens({ scope: 'openid read', nonce: 'once' });
  const renew = (form: Record<string, string>) =>
    ask(`${PATH}/token`, { form: { ...TRU, grant_type: 'refresh_token', ...form } });
  const second = jsonOf(await renew({ refresh_token: first['refresh_token'] ?? '' })) as Record<
    string,
    string
  >;
  const before = decodeJwt(first['id_token'] ?? '');
  const after = (await verified(second['id_token'])).payload;
  for (const same of ['iss', 'sub', 'aud', 'auth_time', 'sid', 'acr', 'amr'])
    expect(after[same], same).toEqual(before[same]);
  expect(after).not.toHaveProperty('nonce');
  const third = jsonOf(await renew({ refresh_token: second['refresh_token'] ?? '', scope: 'read' }));
  expect(decodeJwt(third['access_token'] as string)).toMatchObject({ scope: 'read' });
  expect(third).not.toHaveProperty('id_token');
});

test('userinfo returns the claims of the scopes and the individually requested claims', async () => {
  const { access_token: profile } = await tokens({ scope: 'openid profile' });
  expect(jsonOf(await userinfo(profile))).toEqual({
    sub: alice,
    name: 'Alice',
    updated_at: expect.any(Number),
  });
  const { access_token: email } = await tokens({ scope: 'openid email' });
  expect(jsonOf(await userinfo(email))).toEqual({
    sub: alice,
    email: 'alice@example.com',
    email_verified: false,
  });
  const claims = JSON.stringify({ userinfo: { name: { essential: true }, shoe_size: null, sub: null } });
  const named = await tokens({ scope: 'openid', claims });
  expect(jsonOf(await userinfo(named['access_token']))).toEqual({ sub: alice, name: 'Alice' });
  expect(decodeJwt(named['id_token'] ?? '')).not.toHaveProperty('name');
  const inside = await tokens({ scope: 'openid', claims: '{"id_token":{"email":null,"iss":null}}' });
  expect(decodeJwt(inside['id_token'] ?? '')).toMatchObject({ email: 'alice@example.com' });
});

test('userinfo accepts GET and POST with the token in header or form, and explains token errors', async () => {
  const { access_token: token = '' } = await tokens({ scope: 'openid' });
  expect(jsonOf(await ask(`${PATH}/userinfo`, { form: { access_token: token } }))).toEqual({ sub: alice });
  const posted = await ask(`${PATH}/userinfo`, { form: {}, headers: { authorization: `bearer ${token}` } });
  expect(posted.status).toBe(200);
  const twice = await ask(`${PATH}/userinfo`, {
    form: { access_token: token },
    headers: { authorization: `Bearer ${token}` },
  });
  expect(jsonOf(twice)).toMatchObject({ error: 'invalid_request' });
  const missing = await ask(`${PATH}/userinfo`);
  expect([missing.status, missing.headers['www-authenticate']]).toEqual([401, 'Bearer realm="Gatehouse"']);
  const foreign = await userinfo(token, '/auth/ext/api/orders');
  expect([foreign.status, jsonOf(foreign)['error']]).toEqual([401, 'invalid_token']);
  const { access_token: plain } = await tokens({ scope: 'read' });
  const refused = await userinfo(plain);
  expect([refused.status, jsonOf(refused)['error']]).toEqual([403, 'insufficient_scope']);
});

test('userinfo rejects a token whose code was used twice', async () => {
  const code = new URL(locationOf(await authorize({ scope: 'openid' }))).searchParams.get('code') ?? '';
  const form = { ...TRU, grant_type: 'authorization_code', code, redirect_uri: ASKED.redirect_uri };
  const { access_token: token } = jsonOf(await ask(`${PATH}/token`, { form })) as Record<string, string>;
  expect((await userinfo(token)).status).toBe(200);
  expect((await ask(`${PATH}/token`, { form })).status).toBe(400);
  expect((await userinfo(token)).status).toBe(401);
});

test('an id_token_hint binds a request to its user, and values other than an ID token of this issuer are rejected', async () => {
  const { id_token: hint = '', access_token: access = '' } = await tokens({ scope: 'openid' });
  const silent = { scope: 'openid', prompt: 'none', id_token_hint: hint };
  expect(locationOf(await authorize(silent))).toContain('code=');
  const bob = await signInTo('bob@example.com');
  expect(await errorOf(authorize(silent, bob.cookie))).toBe('login_required');
  expect(locationOf(await authorize({ ...silent, prompt: '' }, bob.cookie))).toContain('/login?');
  const unsigned = `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${hint.split('.')[1]}.`;
  for (const bad of [unsigned, access, `${hint}x`, 'x'])
    expect(await errorOf(authorize({ ...silent, id_token_hint: bad })), bad).toBe('invalid_request');
});

test('prompt=select_account and prompt=create show the sign-in page even to a signed-in user, and a request object is rejected', async () => {
  for (const prompt of ['select_account', 'create', 'login'])
    expect(locationOf(await authorize({ scope: 'openid', prompt })), prompt).toContain('/login?');
  expect(await errorOf(authorize({ scope: 'openid', request: 'x' }))).toBe('request_not_supported');
  expect(await errorOf(authorize({ scope: 'openid', request_uri: 'https://x.example' }))).toBe(
    'request_uri_not_supported',
  );
  expect(await errorOf(authorize({ scope: 'openid', registration: '{}' }))).toBe(
    'registration_not_supported',
  );
  for (const over of [{ claims: 'x' }, { claims: '{"userinfo":[]}' }, { nonce: 'n'.repeat(2_049) }])
    expect(await errorOf(authorize({ scope: 'openid', ...over }))).toBe('invalid_request');
});

test('response_mode=form_post returns a page that posts code or error, with state and iss', async () => {
  const sent = { scope: 'openid', response_mode: 'form_post', state: '"><script>' };
  const page = await authorize(sent);
  expect([page.status, page.headers['location']]).toEqual([200, undefined]);
  expect(String(page.body)).toContain('action="https://tru.example/cb"');
  expect(String(page.body)).toContain('name="state" value="&quot;&gt;&lt;script&gt;"');
  expect(String(page.body)).toMatch(/name="code" value="ghc_/);
  expect(String(page.body)).toContain('name="iss"');
  const policy = String(page.headers['content-security-policy']);
  const [, nonce = ''] = /<script nonce="([\w-]+)">/.exec(String(page.body)) ?? [];
  expect(policy).toContain(`'nonce-${nonce}'`);
  const refused = await authorize({ ...sent, prompt: 'none' }, '');
  expect(String(refused.body)).toContain('name="error" value="login_required"');
});

test('the password grant issues no ID token: the scope openid returns invalid_scope', async () => {
  const form = {
    ...TRU,
    grant_type: 'password',
    username: 'alice@example.com',
    password: 'alice-password-1',
  };
  expect(jsonOf(await ask(`${PATH}/token`, { form: { ...form, scope: 'openid read' } }))).toMatchObject({
    error: 'invalid_scope',
  });
  expect(jsonOf(await ask(`${PATH}/token`, { form }))).not.toHaveProperty('id_token');
});
