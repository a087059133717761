// ID-JAGs that Gatehouse accepts (draft-ietf-oauth-identity-assertion-authz-grant §4.4), tested by requests to the
// protocol core.
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settings } from '#lib/settings/settings.ts';
import { currentSnapshot } from '#lib/store/snapshot.ts';
import {
  BROKER_PATH,
  bring,
  CONF,
  giveMachine,
  granted,
  type IdentityProvider,
  makeIdJag,
  startIdentityProvider,
  trustForMachines,
} from '#testing/clients/id-jag.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

let idp: IdentityProvider;
let issuer: string;

beforeAll(async () => {
  await givenFixtures();
  idp = await startIdentityProvider();
  await trustForMachines(idp, 'conf');
  await giveMachine('conf', 'billing');
  issuer = `${settings().authUrl}${BROKER_PATH}`;
});
afterAll(() => idp.close());

const now = () => Math.floor(Date.now() / 1000);
const introspect = async (token: string, path = BROKER_PATH) =>
  jsonOf(await ask(`${path}/introspect`, { form: { ...CONF, token } }));

test('a broker’s ID-JAG returns an access token of its user, never a refresh token', async () => {
  const authTime = now() - 3_000;
  const given = await granted(await makeIdJag(idp, { claims: { auth_time: authTime } }));
  expect(given).toMatchObject({ token_type: 'bearer', scope: 'read write', expires_in: expect.any(Number) });
  expect(given).not.toHaveProperty('refresh_token');
  expect(given).not.toHaveProperty('issued_token_type');
  const token = given['access_token'] ?? '';
  expect(decodeProtectedHeader(token)).toMatchObject({ typ: 'at+jwt' });
  const [identity] = await sql<{ id: string; subject: string }>(
    "select person_id as id, subject from external_identities where auth_method_id = 'brk'",
  );
  expect(identity?.subject).toBe('U019488227');
  expect(decodeJwt(token)).toMatchObject({
    iss: issuer,
    aud: 'https://api.example/orders',
    sub: identity?.id,
    client_id: 'conf',
    scope: 'read write',
    auth_time: authTime,
  });
  expect(await introspect(token)).toMatchObject({ active: true, sub: identity?.id });
  const [event] = await sql<{ details: object }>(
    "select details from audit_events where event = 'token.issued' order by at desc limit 1",
  );
  expect(event?.details).toMatchObject({ grant_type: expect.stringContaining('jwt-bearer') });
});

test('the method and the sub of an ID-JAG identify the user: a later ID-JAG finds the same user, and its claims are stored', async () => {
  const claims = { sub: 'U7', name: 'Ada', email: 'ada@partner.example', email_verified: true };
  const [first, second] = [
    await granted(await makeIdJag(idp, { claims })),
    await granted(await makeIdJag(idp, { claims: { sub: 'U7' } })),
  ].map((one) => decodeJwt(one['access_token'] ?? '').sub);
  expect(second).toBe(first);
  const [person] = await sql("select name, email from external_identities where subject = 'U7'");
  expect(person).toEqual({ name: 'Ada', email: 'ada@partner.example' });
  const [{ n = 0 } = {}] = await sql<{ n: number }>(
    "select count(*)::int as n from people where email like 'ada@%'",
  );
  expect(n).toBe(0);
});

test('an API with opaque tokens returns an opaque token that belongs to a token family', async () => {
  const path = '/auth/brk/api/billing';
  const claims = {
    aud: `${settings().authUrl}${path}`,
    resource: 'https://api.example/billing',
    scope: 'pay',
  };
  const { access_token: token = '', scope } = await granted(await makeIdJag(idp, { claims }), { path });
  expect(token).toMatch(/^gha_/);
  expect(scope).toBe('pay');
  expect(await introspect(token, path)).toMatchObject({ active: true, scope: 'pay' });
  const [family] = await sql("select basis from token_families where scopes = '{pay}'");
  expect(family).toEqual({ basis: 'assertion' });
});

test('aud of an ID-JAG can be a list with one element, typ a full media type, and resource a list or missing', async () => {
  const taken = [
    { claims: { aud: [issuer] } },
    { header: { typ: 'application/oauth-id-jag+jwt' } },
    { header: { typ: 'OAuth-ID-JAG+JWT' } },
    { claims: { resource: ['https://elsewhere.example', 'https://api.example/orders'] } },
    { claims: { resource: 'https://API.example:443/orders' } },
    { claims: { resource: undefined } },
    { claims: { nbf: now() - 5 } },
    { claims: { shoe_size: 43, act: { sub: 'agent' }, amr: ['mfa'], acr: 'x', tenant: 't' } },
  ];
  for (const changes of taken)
    expect((await bring(await makeIdJag(idp, changes))).status, JSON.stringify(changes)).toBe(200);
});

test('without auth_time, the ID-JAG’s iat counts as sign-in time', async () => {
  const iat = now() - 60;
  const { access_token: token = '' } = await granted(
    await makeIdJag(idp, { claims: { auth_time: undefined, iat } }),
  );
  expect(decodeJwt(token)['auth_time']).toBe(iat);
});

test('the token for an ID-JAG has the scopes that the assertion, the request and the ceiling all permit', async () => {
  await giveMachine('conf2', 'orders', ['read']);
  const conf2 = { client_id: 'conf2', client_secret: 'S2-conf2-secret-of-the-fixtures' };
  const scopeOf = async (scope: string | undefined, form: Record<string, string>) => {
    const claims = { client_id: form['client_id'], scope };
    return (await granted(await makeIdJag(idp, { claims }), { form }))['scope'];
  };
  expect(await scopeOf('write read admin', CONF)).toBe('read write');
  expect(await scopeOf(undefined, CONF)).toBe('read write');
  expect(await scopeOf('read write', { ...CONF, scope: 'write openid' })).toBe('write');
  expect(await scopeOf('read write', conf2)).toBe('read');
  expect(await scopeOf(undefined, { ...conf2, scope: 'write read' })).toBe('read');
});

test('every resource parameter must name the API, and several are allowed (RFC 8707)', async () => {
  const sent = { ...CONF, resource: 'https://api.example/orders' };
  expect((await bring(await makeIdJag(idp), { form: sent })).status).toBe(200);
  const foreign = await bring(await makeIdJag(idp), {
    form: { ...CONF, resource: 'https://elsewhere.example/' },
  });
  expect(jsonOf(foreign)['error']).toBe('invalid_target');
});

test('only the metadata of broker issuers announce the grant', async () => {
  const metadata = async (method: string, api: string) =>
    jsonOf(await ask(`/auth/${method}/api/${api}/.well-known/oauth-authorization-server`));
  const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
  for (const api of ['orders', 'billing']) {
    const of = await metadata('brk', api);
    expect(of['grant_types_supported']).toContain(jwtBearer);
    expect(of['authorization_grant_profiles_supported']).toEqual([
      'urn:ietf:params:oauth:grant-profile:id-jag',
    ]);
  }
  for (const method of ['pw', 'ext']) {
    const of = await metadata(method, 'orders');
    expect(of['grant_types_supported']).not.toContain(jwtBearer);
    expect(of).not.toHaveProperty('authorization_grant_profiles_supported');
  }
});

test('an ID-JAG proves no second factor: APIs and scopes that require one reject it', async () => {
  const mfa = 'urn:gatehouse:acr:mfa';
  const errorOf = async () =>
    jsonOf(await bring(await makeIdJag(idp, { claims: { sub: 'U31' } })))['error'] ?? 'none';
  const set = async (table: string, column: string, value: string | null) => {
    await sql(`update ${table} set ${column} = $1`, [value]);
    await currentSnapshot();
  };
  expect(await errorOf()).toBe('none');
  await set('apis', 'required_acr', mfa);
  expect(await errorOf()).toBe('invalid_grant');
  await set('apis', 'required_acr', null);
  await set('apis', 'second_factor', 'optional');
  expect(await errorOf()).toBe('none');
  await sql(
    `update people set factor_level = 2 where id in (select person_id from external_identities where subject = 'U31')`,
  );
  expect(await errorOf()).toBe('invalid_grant');
  await set('apis', 'second_factor', null);
  await sql(`update api_scopes set required_acr = $1 where name = 'write'`, [mfa]);
  await currentSnapshot();
  expect((await granted(await makeIdJag(idp, { claims: { sub: 'U31' } })))['scope']).toBe('read');
  await set('api_scopes', 'required_acr', null);
});
