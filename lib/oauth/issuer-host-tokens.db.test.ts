// Whose tokens are good where, of an issuer with a host of its own, and what is in flight when the host is taken away
// (docs/decisions/0009). Over requests to the protocol's core.
import { decodeJwt } from 'jose';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import {
  ASKED,
  askHost,
  askPath,
  authorize,
  codeFor,
  giveHost,
  givenPersonAtBoth,
  HOST,
  introspect,
  ORIGIN,
  pathIssuer,
  redeem,
  refresh,
  TRU,
  tokensOf,
  userinfo,
} from '#testing/in-process/issuer-host.ts';

let cookie: string;

beforeAll(async () => {
  cookie = await givenPersonAtBoth();
});
beforeEach(async () => {
  await giveHost(null, 'billing');
  await giveHost({ pw: ORIGIN });
});

describe('iss is the address that was called', () => {
  test('RFC 9207 §2: answers and errors name the host, and what came by the path names the path', async () => {
    expect((await authorize('host')).get('iss')).toBe(ORIGIN);
    expect((await authorize('host', { response_type: 'token', state: 'a&b' })).get('iss')).toBe(ORIGIN);
    expect((await authorize('host', { state: 'a&b=c' })).get('state')).toBe('a&b=c');
    expect((await authorize('path')).get('iss')).toBe(pathIssuer());
  });

  test('a POST goes on by GET, with the parameter of our own alone', async () => {
    const answer = await askHost('/authorize', { form: { ...ASKED, issuer_host: 'https://evil.example' } });
    expect(answer.status).toBe(303);
    expect(new URL(locationOf(answer)).searchParams.getAll('issuer_host')).toEqual([ORIGIN]);
  });

  test('nobody chooses another issuer by the parameter: only the combination’s own host counts', async () => {
    await giveHost({ pw: 'https://login-billing.example' }, 'billing');
    for (const issuer_host of [
      'https://evil.example',
      'https://login-billing.example',
      HOST,
      `${ORIGIN}/`,
      'null',
    ])
      expect((await authorize('path', { issuer_host })).get('iss'), issuer_host).toBe(pathIssuer());
    const twice = await authorize('host', { issuer_host: 'https://evil.example' });
    expect(twice.get('iss')).toBe(ORIGIN);
  });

  test('access token, ID token and introspection name it; either address takes the token', async () => {
    for (const [at, issuer] of [
      ['host', ORIGIN],
      ['path', pathIssuer()],
    ] as const) {
      const given = await tokensOf(at);
      expect(decodeJwt(given['access_token'] ?? '').iss).toBe(issuer);
      expect(decodeJwt(given['id_token'] ?? '').iss).toBe(issuer);
      for (const where of ['host', 'path'] as const) {
        expect(await introspect(given['access_token'], where)).toMatchObject({ active: true, iss: issuer });
        expect(await introspect(given['refresh_token'], where)).toMatchObject({ active: true, iss: issuer });
        expect(await userinfo(given['access_token'], where)).toBe(200);
      }
      const next = jsonOf(await refresh(at, given['refresh_token'])) as Record<string, string>;
      expect(decodeJwt(next['access_token'] ?? '').iss).toBe(issuer);
      expect(decodeJwt(next['id_token'] ?? '').iss).toBe(issuer);
    }
  });

  test('a code and a refresh token belong to the address that they began at; the other one burns neither', async () => {
    for (const [own, other] of [
      ['host', 'path'],
      ['path', 'host'],
    ] as const) {
      const code = await codeFor(own);
      expect(jsonOf(await redeem(other, code))['error']).toBe('invalid_grant');
      const given = jsonOf(await redeem(own, code)) as Record<string, string>;
      expect(jsonOf(await refresh(other, given['refresh_token']))['error']).toBe('invalid_grant');
      expect((await refresh(own, given['refresh_token'])).status).toBe(200);
    }
  });

  test('a used code that comes again by the other address ends nothing', async () => {
    const code = await codeFor('host');
    const given = jsonOf(await redeem('host', code)) as Record<string, string>;
    expect((await redeem('path', code)).status).toBe(400);
    expect(await introspect(given['access_token'])).toMatchObject({ active: true });
  });

  test('the password grant gives tokens of the address that was called', async () => {
    const { email: username, password } = fixturePerson('alice');
    const form = { ...TRU, grant_type: 'password', username, password };
    const given = jsonOf(await askHost('/token', { form })) as Record<string, string>;
    expect(decodeJwt(given['access_token'] ?? '').iss).toBe(ORIGIN);
    expect((await refresh('path', given['refresh_token'])).status).toBe(400);
    expect((await refresh('host', given['refresh_token'])).status).toBe(200);
  });

  test('Core §3.1.2.1: a hint is of the address that is called', async () => {
    const { id_token = '' } = await tokensOf('host');
    expect((await authorize('host', { id_token_hint: id_token, prompt: 'none' })).get('code')).toBeTruthy();
    expect((await authorize('path', { id_token_hint: id_token, prompt: 'none' })).get('error')).toBe(
      'invalid_request',
    );
  });

  test('the sign-out page is reached from the host, and takes the host’s hint', async () => {
    const { id_token = '' } = await tokensOf('host');
    const answer = await askHost(`/logout?id_token_hint=${id_token}&state=x`);
    const next = new URL(locationOf(answer));
    expect([answer.status, next.origin + next.pathname]).toEqual([303, `${pathIssuer()}/logout`]);
    const foreign = { headers: { cookie: '' } };
    // without a session in this browser, and a good hint asks nothing
    expect((await ask(`${next.pathname}${next.search}`, foreign)).status).toBe(200);
    expect((await askPath(`/logout?id_token_hint=${id_token}`, foreign)).status).toBe(303);
  });
});

test('a machine’s token is of the address that was called, and ends with the host', async () => {
  await sql("update subscriptions set machine = true where client_id = 'tru' and api_id = 'orders'");
  const form = { ...TRU, grant_type: 'client_credentials', scope: 'read' };
  for (const format of ['jwt', 'opaque']) {
    await sql('update apis set access_token_format = $1 where id = $2', [format, 'orders']);
    const token = String(jsonOf(await askHost('/token', { form }))['access_token']);
    const other = String(jsonOf(await askPath('/token', { form }))['access_token']);
    if (format === 'jwt') expect(decodeJwt(token).iss).toBe(ORIGIN);
    expect(await introspect(token)).toMatchObject({ active: true, iss: ORIGIN });
    expect(await introspect(other, 'host')).toMatchObject({ active: true, iss: pathIssuer() });
    expect([await userinfo(token, 'path'), await userinfo(token, 'host')]).toEqual([403, 403]);
    await giveHost(null);
    expect(await introspect(token)).toEqual({ active: false });
    expect(await userinfo(token, 'path')).toBe(401);
    await giveHost({ pw: ORIGIN });
  }
  await sql("update apis set access_token_format = 'jwt' where id = 'orders'");
});

describe('what is in flight when the host is taken away', () => {
  test('its tokens and codes are good nowhere, and good again if it comes back in time', async () => {
    const [code, given] = [await codeFor('host'), await tokensOf('host')];
    await giveHost(null);
    expect(await introspect(given['access_token'])).toEqual({ active: false });
    expect(await introspect(given['refresh_token'])).toEqual({ active: false });
    expect(await userinfo(given['access_token'], 'path')).toBe(401);
    expect(
      (await askHost('/token', { form: { ...TRU, grant_type: 'authorization_code', code } })).status,
    ).toBe(404);
    expect(jsonOf(await redeem('path', code))['error']).toBe('invalid_grant');
    expect(jsonOf(await refresh('path', given['refresh_token']))['error']).toBe('invalid_grant');
    await giveHost({ pw: ORIGIN });
    expect(await introspect(given['access_token'])).toMatchObject({ active: true, iss: ORIGIN });
    expect((await redeem('host', code)).status).toBe(200);
    expect((await refresh('host', given['refresh_token'])).status).toBe(200);
  });

  test('moved to another API it is that API’s issuer, and takes nothing of the one before', async () => {
    const [code, given] = [await codeFor('host'), await tokensOf('host')];
    await giveHost(null);
    await giveHost({ pw: ORIGIN }, 'billing');
    expect(jsonOf(await askHost('/.well-known/openid-configuration'))['scopes_supported']).toContain('pay');
    expect(await userinfo(given['access_token'], 'host')).toBe(401);
    expect(await introspect(given['access_token'])).toEqual({ active: false });
    expect((await redeem('host', code)).status).toBe(400);
    expect((await refresh('host', given['refresh_token'])).status).toBe(400);
  });

  test('a request that began there is answered by the path address', async () => {
    const answer = await askHost(`/authorize?${new URLSearchParams(ASKED)}`);
    await giveHost(null);
    const next = new URL(locationOf(answer));
    const followed = await ask(`${next.pathname}${next.search}`, { headers: { cookie } });
    expect(new URL(locationOf(followed)).searchParams.get('iss')).toBe(pathIssuer());
  });

  test('a method that is taken from the API, or away altogether, takes its host along', async () => {
    await sql(
      'update apis set issuer_hosts = \'{"gone": "https://gone.example", "pw": "https://login-orders.example"}\' where id = \'orders\'',
    );
    expect((await askHost('/jwks', { host: 'gone.example' })).status).toBe(404);
    expect((await askHost('/jwks')).status).toBe(200);
  });
});
