// `token_claims` of an API: claims of the user in the API's access tokens and in introspection (RFC 9068 §2.2.3).
import { decodeJwt } from 'jose';
import pg from 'pg';
import { expect, test, vi } from 'vitest';
import {
  brokersIdToken,
  brokerWith,
  byBroker,
  byVerifier,
  elsewhere,
  exchanged,
  givenPeopleElsewhere,
  givenTokenClaims,
  introspected,
  type MethodClaims,
  redeem,
  verifierWith,
} from '#testing/brokers/people-elsewhere.ts';

givenPeopleElsewhere();

test('RFC 9068 §2.2.3.1: an API’s token claims can be named groups, roles and entitlements', async () => {
  elsewhere.say = { memberOf: ['staff'], positions: ['clerk'], rights: ['refund'] };
  await brokerWith({ claims: { groups: 'memberOf', roles: 'positions', entitlements: 'rights' } });
  await givenTokenClaims(['groups', 'roles', 'entitlements']);
  const { access_token: token = '' } = await byBroker('tessa', 'read');
  const told = { groups: ['staff'], roles: ['clerk'], entitlements: ['refund'] };
  expect(decodeJwt(token)).toMatchObject(told);
  expect(await introspected(token)).toMatchObject(told);
});

test('an API’s configured claims appear in JWTs of every grant and in introspection', async () => {
  elsewhere.say = { memberOf: ['staff'] };
  await brokerWith({ claims: { groups: 'memberOf' } });
  await givenTokenClaims(['groups', 'email', 'unknown']);
  const given = await byBroker('tina', 'read');
  const told = { groups: ['staff'], email: 'tina@partner.example' };
  expect(decodeJwt(given['access_token'] ?? '')).toMatchObject({ ...told, scope: 'read', client_id: 'tru' });
  expect(decodeJwt(given['access_token'] ?? '')).not.toHaveProperty('unknown');
  expect(await introspected(given['access_token'])).toMatchObject({ active: true, ...told });
  expect(await introspected(given['refresh_token'])).not.toHaveProperty('groups');
  const refresh = { grant_type: 'refresh_token', refresh_token: given['refresh_token'] ?? '' };
  const renewed = await redeem('/auth/brk/api/orders', refresh);
  expect(decodeJwt(renewed['access_token'] ?? '')).toMatchObject(told);

  await verifierWith({ claims: { groups: 'memberOf', email: 'mail' } });
  elsewhere.say = { memberOf: 'one group', mail: 'x@campus.example' };
  const { access_token: byPassword = '' } = await byVerifier('tim');
  expect(decodeJwt(byPassword)).toMatchObject({ groups: 'one group', email: 'x@campus.example' });

  await givenTokenClaims(['groups'], 'opaque');
  const { access_token: opaque = '' } = await byVerifier('tim');
  expect(opaque).toMatch(/^gha_/);
  expect(await introspected(opaque)).toMatchObject({
    active: true,
    groups: 'one group',
    scope: 'read write',
  });
  await givenTokenClaims([]);
  const { access_token: without = '' } = await byVerifier('tim');
  expect(Object.keys(decodeJwt(without))).toEqual([
    'client_id',
    'scope',
    'auth_time',
    'iss',
    'aud',
    'sub',
    'jti',
    'iat',
    'exp',
  ]);
});

test('members of a verifier’s response are mapped to claims, and email_verified requires trust in the method', async () => {
  const known = async (method: MethodClaims, says: Record<string, unknown>) => {
    await verifierWith(method);
    elsewhere.say = says;
    await givenTokenClaims(['email', 'email_verified', 'department', 'given_name']);
    const payload = decodeJwt((await byVerifier('vic'))['access_token'] ?? '');
    const { email, email_verified, department, given_name } = payload;
    return [email, email_verified, department, given_name];
  };
  const own = 'vic@campus.example';
  const map = { claims: { department: 'ou' } };
  expect(await known(map, { ou: 'physics', given_name: 'Vic' })).toEqual([own, false, 'physics', undefined]);
  expect(await known({ trust_email: true }, { ou: 'physics' })).toEqual([own, true, undefined, undefined]);
  expect(await known({ trust_email: true }, { email_verified: false })).toEqual([
    own,
    false,
    undefined,
    undefined,
  ]);
  expect(await known({ trust_email: true }, { email: '' })).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test('an exchange of a broker’s ID token stores its claims, and overwrites no newer claims', async () => {
  await brokerWith({ claims: { groups: 'memberOf' }, trust_email: true }, true);
  await givenTokenClaims(['groups', 'given_name', 'email_verified']);
  const told = async ({ access_token = '' }: Record<string, string>) => {
    const { groups, given_name, email_verified } = decodeJwt(access_token);
    return [groups, given_name, email_verified];
  };
  elsewhere.say = { memberOf: ['staff', 'admins'], email_verified: true };
  const old = await brokersIdToken('exa');
  expect(await told(await exchanged(old))).toEqual([['staff', 'admins'], undefined, true]);
  elsewhere.say = { memberOf: ['staff'], given_name: 'Exa' };
  expect(await told(await byBroker('exa', 'read'))).toEqual([['staff'], 'Exa', false]);
  expect(await told(await exchanged(old))).toEqual([['staff'], 'Exa', false]);
});

test('an API without token claims runs no extra database statement, and an API with token claims runs one', async () => {
  await verifierWith({ claims: { groups: 'memberOf' } });
  elsewhere.say = { memberOf: 'staff' };
  const asked = vi.spyOn(pg.Pool.prototype, 'query');
  const namesOf = async (names: string[]) => {
    await givenTokenClaims(names);
    asked.mockClear();
    await byVerifier('stan');
    return asked.mock.calls.map(([statement]) => (statement as unknown as { name: string }).name);
  };
  expect(await namesOf([])).not.toContain('person-claims');
  expect((await namesOf(['groups'])).filter((name) => name === 'person-claims')).toHaveLength(1);
  asked.mockRestore();
});

test('introspection accepts a token with the maximum number of claims', async () => {
  elsewhere.say = {
    memberOf: Array.from({ length: 180 }, (_, at) => `a group with a rather long name ${at}`),
  };
  await brokerWith({ claims: { groups: 'memberOf' } });
  await givenTokenClaims(['groups']);
  const { access_token: token = '' } = await byBroker('tina', 'openid read');
  expect(token.length).toBeGreaterThan(9_000);
  expect(await introspected(token)).toMatchObject({ active: true });
});
