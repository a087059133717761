// Tokens of an issuer with a second address: their valid addresses, and the effect of host removal
// (docs/project/decisions/0009). Tested by requests to the protocol core.
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

describe('iss is the address that the client called', () => {
  test('RFC 9207 §2: iss in responses and errors is the host, or the path address if the client called that', async () => {
    expect((await authorize('host')).get('iss')).toBe(ORIGIN);
    expect((await authorize('host', { response_type: 'token', state: 'a&b' })).get('iss')).toBe(ORIGIN);
    expect((await authorize('host', { state: 'a&b=c' })).get('state')).toBe('a&b=c');
    expect((await authorize('path')).get('iss')).toBe(pathIssuer());
  });

  test('a POST redirects to GET with only Gatehouse’s own issuer_host parameter', async () => {
    const answer = await askHost('/authorize', { form: { ...ASKED, issuer_host: 'https://evil.example' } });
    expect(answer.status).toBe(303);
    expect(new URL(locationOf(answer)).searchParams.getAll('issuer_host')).toEqual([ORIGIN]);
  });

  test('the parameter issuer_host cannot select another issuer, because only the host of the called issuer is accepted', async () => {
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

  test('access token, ID token and introspection name the called issuer, and both addresses accept the token', async () => {
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

  test('codes and refresh tokens work only at the address that issued them, and the other address does not use them up', async () => {
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

  test('a used code that is sent to the other issuer address revokes nothing', async () => {
    const code = await codeFor('host');
    const given = jsonOf(await redeem('host', code)) as Record<string, string>;
    expect((await redeem('path', code)).status).toBe(400);
    expect(await introspect(given['access_token'])).toMatchObject({ active: true });
  });

  test('the password grant issues tokens that name the called address', async () => {
    const { email: username, password } = fixturePerson('alice');
    const form = { ...TRU, grant_type: 'password', username, password };
    const given = jsonOf(await askHost('/token', { form })) as Record<string, string>;
    expect(decodeJwt(given['access_token'] ?? '').iss).toBe(ORIGIN);
    expect((await refresh('path', given['refresh_token'])).status).toBe(400);
    expect((await refresh('host', given['refresh_token'])).status).toBe(200);
  });

  test('Core §3.1.2.1: an id_token_hint must name the called address', async () => {
    const { id_token = '' } = await tokensOf('host');
    expect((await authorize('host', { id_token_hint: id_token, prompt: 'none' })).get('code')).toBeTruthy();
    expect((await authorize('path', { id_token_hint: id_token, prompt: 'none' })).get('error')).toBe(
      'invalid_request',
    );
  });

  test('the issuer host redirects to the sign-out page and accepts hints that name the host', async () => {
    const { id_token = '' } = await tokensOf('host');
    const answer = await askHost(`/logout?id_token_hint=${id_token}&state=x`);
    const next = new URL(locationOf(answer));
    expect([answer.status, next.origin + next.pathname]).toEqual([303, `${pathIssuer()}/logout`]);
    const foreign = { headers: { cookie: '' } };
    // in a browser without a session, a valid hint makes the confirmation unnecessary
    expect((await ask(`${next.pathname}${next.search}`, foreign)).status).toBe(200);
    expect((await askPath(`/logout?id_token_hint=${id_token}`, foreign)).status).toBe(303);
  });
});

test('a machine token names the called address, and is revoked when the host is removed', async () => {
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

describe('requests in flight while the host is removed', () => {
  test('if the host is removed, its tokens and codes become invalid, and when it is restored they are valid again', async () => {
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

  test('a host moved to another API becomes that API’s issuer and rejects earlier tokens', async () => {
    const [code, given] = [await codeFor('host'), await tokensOf('host')];
    await giveHost(null);
    await giveHost({ pw: ORIGIN }, 'billing');
    expect(jsonOf(await askHost('/.well-known/openid-configuration'))['scopes_supported']).toContain('pay');
    expect(await userinfo(given['access_token'], 'host')).toBe(401);
    expect(await introspect(given['access_token'])).toEqual({ active: false });
    expect((await redeem('host', code)).status).toBe(400);
    expect((await refresh('host', given['refresh_token'])).status).toBe(400);
  });

  test('requests that started at a removed host return to the path address', async () => {
    const answer = await askHost(`/authorize?${new URLSearchParams(ASKED)}`);
    await giveHost(null);
    const next = new URL(locationOf(answer));
    const followed = await ask(`${next.pathname}${next.search}`, { headers: { cookie } });
    expect(new URL(locationOf(followed)).searchParams.get('iss')).toBe(pathIssuer());
  });

  test('a method that is removed also loses its issuer host', async () => {
    await sql(
      'update apis set issuer_hosts = \'{"gone": "https://gone.example", "pw": "https://login-orders.example"}\' where id = \'orders\'',
    );
    expect((await askHost('/jwks', { host: 'gone.example' })).status).toBe(404);
    expect((await askHost('/jwks')).status).toBe(200);
  });
});
