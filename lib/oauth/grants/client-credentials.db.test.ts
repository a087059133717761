// client_credentials tokens (RFC 6749 §4.4), tested by requests to the protocol core: subject, scope and rejected
// clients.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sha256 } from '#lib/kit/random.ts';
import { deleteExpired } from '#lib/store/cleanup.ts';
import { issuerHere } from '#testing/clients/asserted.ts';
import { ASSERTION_TYPE, makeAssertion, makePair, setOf } from '#testing/clients/client-keys.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, jsonOf } from '#testing/in-process/in-process.ts';
import { giveFormat, givenMachines } from '#testing/in-process/machines.ts';
import { givenTrustedClients, OPENID_PATH } from '#testing/in-process/openid.ts';

let machines: Awaited<ReturnType<typeof givenMachines>>;

beforeAll(async () => {
  machines = await givenMachines();
});
beforeEach(async () => {
  await giveFormat('jwt');
  await sql('truncate machine_tokens, attempts');
});

test('RFC 9068 §2.2: the subject of a machine token is the client, and there is no user, refresh token or ID token', async () => {
  const answer = jsonOf(await machines.request());
  expect(answer).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: expect.any(Number),
    scope: 'read write',
  });
  const token = String(answer['access_token']);
  expect(decodeProtectedHeader(token).typ).toBe('at+jwt');
  const claims = decodeJwt(token);
  expect(claims).toEqual({
    iss: issuerHere(),
    aud: 'https://api.example/orders',
    sub: 'bot',
    client_id: 'bot',
    scope: 'read write',
    jti: expect.stringMatching(/^machine\./),
    iat: expect.any(Number),
    exp: expect.any(Number),
  });
  const { iat, exp, ...live } = await machines.introspect(token);
  const { iat: _, exp: __, ...given } = claims;
  expect(live).toEqual({ active: true, token_type: 'bearer', ...given });
  expect([iat, exp].every((time) => typeof time === 'number')).toBe(true);
});

test('opaque machine tokens have a separate prefix and table', async () => {
  await giveFormat('opaque');
  const token = await machines.tokenFor({ scope: 'read' });
  expect(token).toMatch(/^ghma_/);
  expect(await machines.introspect(token)).toMatchObject({
    active: true,
    sub: 'bot',
    client_id: 'bot',
    scope: 'read',
  });
  expect(await machines.introspect(token)).not.toHaveProperty('auth_time');
  const [row] = await sql<{ families: number }>('select count(*)::int as families from token_families');
  expect(row?.families).toBe(0);
});

test('a machine token has the requested scopes that the ceiling permits, and openid requires a user', async () => {
  expect(jsonOf(await machines.request({ scope: 'write read' }))['scope']).toBe('read write');
  await sql("update subscriptions set scopes = '{read}' where client_id = 'bot'");
  expect(decodeJwt(await machines.tokenFor())['scope']).toBe('read');
  for (const scope of ['read write', 'openid', 'read openid', 'offline_access', 'x"'])
    expect(await machines.outcome({ scope }), scope).toBe('400 invalid_scope');
  await sql("update subscriptions set scopes = '{}' where client_id = 'bot'");
});

test('a client without machine permission, approval or a valid secret receives no machine token and stores no row', async () => {
  const cases: [string, string, string][] = [
    ['machine = false', 'machine = true', '400 unauthorized_client'],
    ["state = 'pending'", "state = 'approved'", '400 unauthorized_client'],
    ["state = 'suspended'", "state = 'approved'", '400 unauthorized_client'],
  ];
  for (const [off, on, expected] of cases) {
    await sql(`update subscriptions set ${off} where client_id = 'bot'`);
    expect(await machines.outcome(), off).toBe(expected);
    await sql(`update subscriptions set ${on} where client_id = 'bot'`);
  }
  expect(await machines.outcome({ client_secret: 'wrong' })).toBe('401 invalid_client');
  expect(await machines.outcome({}, { client_id: 'bot' })).toBe('401 invalid_client');
  await sql("update subscriptions set machine = true where client_id = 'spa'");
  expect(await machines.outcome({}, { client_id: 'spa' })).toBe('400 unauthorized_client');
  expect(await machines.outcome({ resource: 'https://other.example/' })).toBe('400 invalid_target');
  expect(await sql('select from machine_tokens')).toEqual([]);
});

test('RFC 6749 §5.2: client_credentials without machine permission returns unauthorized_client if the metadata list the grant, else unsupported_grant_type', async () => {
  const names = async () => {
    const answer = await ask(`${OPENID_PATH}/.well-known/oauth-authorization-server`);
    return (jsonOf(answer)['grant_types_supported'] as string[]).includes('client_credentials');
  };
  await sql("update subscriptions set machine = false where client_id = 'bot'");
  expect([await names(), await machines.outcome()]).toEqual([true, '400 unauthorized_client']);
  await sql("update subscriptions set state = 'suspended' where client_id <> 'bot' and machine");
  expect([await names(), await machines.outcome()]).toEqual([false, '400 unsupported_grant_type']);
  await sql("update subscriptions set state = 'approved' where client_id <> 'bot' and machine");
  await sql("update subscriptions set machine = true where client_id = 'bot'");
  expect([await names(), await machines.outcome()]).toEqual([true, '200 ']);
});

test('private_key_jwt: a machine client with registered keys needs no shared secret', async () => {
  const pair = await makePair();
  await givenTrustedClients(['keyed'], { tokenEndpointAuthMethod: 'private_key_jwt', jwks: setOf(pair) });
  await sql("update subscriptions set machine = true where client_id = 'keyed'");
  const assertion = await makeAssertion({ clientId: 'keyed', audience: issuerHere(), pair });
  const form = { client_assertion_type: ASSERTION_TYPE, client_assertion: assertion };
  const answer = await machines.request(form, {});
  expect(answer.status, String(answer.body)).toBe(200);
  expect(await machines.outcome(form, {})).toBe('401 invalid_client');
});

test('expired machine tokens are deleted from the database', async () => {
  await machines.tokenFor();
  const [old] = [await machines.tokenFor()];
  await sql("update machine_tokens set expires_at = now() - interval '1 second' where token_hash = $1", [
    sha256(String(decodeJwt(old ?? '').jti)),
  ]);
  expect((await deleteExpired()).deleted['machine_tokens']).toBe(1);
});

const giveTokens = (count: number) =>
  sql(
    `insert into machine_tokens (token_hash, client_id, api_id, auth_method_id, epoch, expires_at)
     select sha256(gen_random_uuid()::text::bytea), 'other', a.api_id, a.auth_method_id, 0, now() + interval '1 hour'
     from generate_series(1, $1::int), (select * from combinations where api_id = 'orders' limit 1) as a`,
    [count],
  );
const requestOf = () => machines.outcome({}, machines.other);

test.each([9_960, 9_997, 9_999])('a client with %i active tokens gets tokens up to 10,000', async (count) => {
  await giveTokens(count);
  const outcomes: string[] = [];
  for (let i = count; i < 10_002; i += 1) outcomes.push(await requestOf());
  expect(outcomes).toEqual([...Array(10_000 - count).fill('200 '), '429 slow_down', '429 slow_down']);
});

test('a client at its limit gets tokens again when others have expired', async () => {
  await giveTokens(10_000);
  expect(await requestOf()).toBe('429 slow_down');
  await sql("update machine_tokens set expires_at = now() where client_id = 'other'");
  expect(await requestOf()).toBe('200 ');
});

test('a process issues at most 100 tokens of a client without a count', async () => {
  // the first request counts, or uses the share that the test before left
  expect(await requestOf()).toBe('200 ');
  // issued by another process meanwhile
  await giveTokens(10_000);
  const outcomes = await Promise.all(Array.from({ length: 110 }, requestOf));
  expect(outcomes.filter((outcome) => outcome === '200 ').length).toBeLessThanOrEqual(100);
  expect(await requestOf()).toBe('429 slow_down');
});
