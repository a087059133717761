// POST {base_url}/auth/token: token exchange of Gatehouse's access tokens (RFC 8693, contract section 6).
import { expect, test } from '@playwright/test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import {
  basic,
  claimsOf,
  credentialsOf,
  introspect,
  passwordGrant,
  tokensFor,
  tokensOf,
} from '#testing/service/token.ts';
import { accessOf, billing, EXCHANGE, givenExchange, orders, TYPE } from '../../support/clients/exchange.ts';
import { expectError, expectTokens } from '../../support/clients/expectations.ts';
import { makeApi, makeClient, rowsOf, sql, subscribe } from '../../support/service/database.ts';
import { nodeDoor as door } from '../../support/service/doors.ts';

const { cast, exchange, isActive } = givenExchange(door);
const byPassword = (api: string) => passwordGrant(door, cast.back, cast.person, {}, { at: { api } });

test('contract 6: an access token is exchanged for another API, with the same user and method', async () => {
  const answer = await exchange(cast.back);
  expectTokens(answer, { refreshToken: false });
  const body = answer.json();
  expect(body['issued_token_type']).toBe(`${TYPE}access_token`);
  expect(body['scope']).toBe('read pay');
  const told = (await introspect(door, accessOf(answer), billing)).json();
  expect(told).toMatchObject({
    active: true,
    iss: issuerOf(door, 'pw', 'billing'),
    aud: billing.url,
    sub: cast.person.id,
    client_id: cast.back.clientId,
    scope: 'read pay',
  });
  expect(told).not.toHaveProperty('act');
  expect(told['auth_time']).toBe(claimsOf(cast.subject.accessToken)['auth_time']);
});

test('contract 6: an opaque token is exchanged for a JWT that verifies at its issuer', async () => {
  cast.subject = tokensOf(await byPassword('billing'));
  expect(cast.subject.accessToken).not.toContain('.');
  for (const target of [
    { audience: 'orders' },
    { audience: orders.url },
    { audience: undefined, resource: orders.url },
  ]) {
    const token = accessOf(await exchange(cast.back, target));
    const keys = createRemoteJWKSet(new URL(`${issuerOf(door)}/jwks`));
    const { payload } = await jwtVerify(token, keys, {
      issuer: issuerOf(door),
      audience: orders.url,
      typ: 'at+jwt',
    });
    expect(payload).toMatchObject({
      sub: cast.person.id,
      client_id: cast.back.clientId,
      scope: 'read write',
    });
    expect(await isActive(token, orders)).toBe(true);
  }
});

test('RFC 8693 section 2.1: JSON and HTTP Basic work as at the token endpoint', async () => {
  const json = {
    grant_type: EXCHANGE,
    subject_token: cast.subject.accessToken,
    subject_token_type: `${TYPE}jwt`,
    audience: 'billing',
  };
  const headers = basic(cast.back.clientId, cast.back.secret ?? '');
  expectTokens(await send(`${door.url}/auth/token`, { json, headers }), { refreshToken: false });
});

test('contract 6: the new token never outlives the subject token', async () => {
  const api = await makeApi({ access_token_ttl: 90 });
  await subscribe(cast.back, api.id, true);
  cast.subject = tokensOf(await byPassword(api.id));
  const end = Number(claimsOf(cast.subject.accessToken)['exp']);
  const wide = await exchange(cast.back, { audience: 'orders' });
  expect(Number(wide.json()['expires_in'])).toBeLessThanOrEqual(90);
  expect(claimsOf(accessOf(wide))['exp']).toBe(end);
  const opaque = accessOf(await exchange(cast.back, { audience: 'billing' }));
  expect((await introspect(door, opaque, billing)).json()['exp']).toBe(end);
});

test('contract 6: the parameter scope narrows the token, and an exchange for the same API never extends its scope', async () => {
  const narrow = await exchange(cast.back, { scope: 'pay' });
  expect(narrow.json()['scope']).toBe('pay');
  expect((await introspect(door, accessOf(narrow), billing)).json()['scope']).toBe('pay');
  expectError(await exchange(cast.back, { scope: 'write' }), 'invalid_scope');

  cast.subject = await tokensFor(cast.browser, cast.front, { scope: 'read' });
  const same = accessOf(await exchange(cast.back, { audience: 'orders' }));
  expect(claimsOf(same)['scope']).toBe('read');
  expectError(await exchange(cast.back, { audience: 'orders', scope: 'write' }), 'invalid_scope');
  expectError(await exchange(cast.back, { audience: 'orders', scope: 'read write' }), 'invalid_scope');
});

test('contract 6: the scope ceiling of a subscription also applies to exchanged tokens', async () => {
  const low = await makeClient({
    trusted: true,
    apis: ['billing'],
    scopes: ['read'],
  });
  expect((await introspect(door, accessOf(await exchange(low)), billing)).json()['scope']).toBe('read');
  expectError(await exchange(low, { scope: 'pay' }), 'invalid_scope');
});

test('contract 6: a client without an approved trusted subscription to the target receives unauthorized_client', async () => {
  expectError(await exchange(cast.front), 'unauthorized_client');
  for (const state of ['pending', 'suspended', 'revoked', 'rejected']) {
    const waiting = await makeClient({ trusted: true, apis: ['billing'], state });
    expectError(await exchange(waiting), 'unauthorized_client');
    expect(await rowsOf(waiting.clientId)).toMatchObject({ families: 0 });
  }
  const elsewhere = await makeClient({ trusted: true, apis: ['orders'] });
  expectError(await exchange(elsewhere), 'unauthorized_client');
});

test('contract 6: an unknown target or two targets return invalid_target', async () => {
  for (const target of [
    { audience: 'nosuch' },
    { audience: undefined, resource: 'https://api.example/nosuch' },
    { audience: undefined, resource: 'billing' },
    { audience: 'billing', resource: orders.url },
    { audience: 'nosuch', resource: billing.url },
  ])
    expectError(await exchange(cast.back, target), 'invalid_target');
  expectTokens(await exchange(cast.back, { audience: 'billing', resource: billing.url }), {
    refreshToken: false,
  });
  expectError(await exchange(cast.back, { audience: undefined }), 'invalid_request');
  const twice: [string, string][] = [
    ['grant_type', EXCHANGE],
    ...Object.entries(credentialsOf(cast.back)),
    ['subject_token', cast.subject.accessToken],
    ['subject_token_type', `${TYPE}access_token`],
    ['audience', 'billing'],
    ['audience', 'orders'],
  ];
  expectError(await send(`${door.url}/auth/token`, { form: twice }), 'invalid_target');
  const other = [...twice.slice(0, -1), ['subject_token', 'x'] as [string, string]];
  expectError(await send(`${door.url}/auth/token`, { form: other }), 'invalid_request');
});

test('contract 6: a target that rejects the subject’s method returns invalid_target', async () => {
  const api = await makeApi();
  await sql('delete from combinations where api_id = $1', [api.id]);
  await sql("insert into combinations (auth_method_id, api_id) values ('ext', $1)", [api.id]);
  await subscribe(cast.back, api.id, true);
  expectError(await exchange(cast.back, { audience: api.id }), 'invalid_target');
});

test('RFC 8693 section 2.2.2: a subject token that is missing, malformed or of another type returns invalid_request', async () => {
  const [head, body, signature = ''] = cast.subject.accessToken.split('.');
  for (const changes of [
    { subject_token: undefined },
    { subject_token_type: undefined },
    { subject_token_type: `${TYPE}refresh_token` },
    { subject_token_type: `${TYPE}saml2` },
    { subject_token_type: `${TYPE}id_token` },
    { subject_token: 'garbage' },
    { subject_token: `${head}.${body}.${signature.slice(0, -4)}AAAA` },
    { subject_token: cast.subject.refreshToken },
    { requested_token_type: `${TYPE}refresh_token` },
    { actor_token: cast.subject.accessToken },
    { actor_token_type: `${TYPE}access_token` },
    { actor_token: 'garbage', actor_token_type: `${TYPE}access_token` },
    { auth_method: 'brk' },
  ])
    expectError(await exchange(cast.back, changes), 'invalid_request');
  expect(await rowsOf(cast.front.clientId)).toMatchObject({ revoked_families: 0 });
});
