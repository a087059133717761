// Each combination of API and method is a separate issuer. Settings determine its name, never requests (cases MX,
// CO-06, JW-08).
import { expect, test } from '@playwright/test';
import { fixtureApi } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { send } from '#testing/net/http.ts';
import { authorizeParams, authorizeUrl, type Browser, signIn } from '#testing/service/browser.ts';
import { claimsOf, tokensFor } from '#testing/service/token.ts';
import { expectError, expectPage } from '../../support/clients/expectations.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const EVIL = {
  host: 'evil.example',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-for': '192.0.2.1',
  forwarded: 'host=evil.example;proto=https',
  'x-original-host': 'evil.example',
};

eachDoor((door) => {
  let browser: Browser;
  let conf: Awaited<ReturnType<typeof makeClient>>;
  let personId: string;
  const path = '/auth/pw/api/orders';

  test.beforeAll(async () => {
    conf = await makeClient();
    const person = await makePerson();
    personId = person.id;
    browser = await signIn(door, person, conf);
    await browser.finish(authorizeParams(conf));
  });

  test('MX-01: iss in success and error responses equals the issuer of the metadata, regardless of Host', async () => {
    const metadata = (await send(`${issuerOf(door)}/.well-known/oauth-authorization-server`)).json();
    expect(metadata['issuer']).toBe(issuerOf(door));
    for (const headers of [{}, EVIL]) {
      for (const changes of [{}, { scope: 'nosuch' }, { response_type: 'token' }]) {
        const answer = await browser.get(authorizeUrl(door, authorizeParams(conf, changes)), { headers });
        expect(new URL(answer.location).searchParams.get('iss')).toBe(metadata['issuer']);
      }
    }
  });

  test('MX-02: the four metadata URLs of each issuer return the same document', async () => {
    for (const api of ['orders', 'billing']) {
      const issuer = issuerOf(door, 'pw', api);
      const rest = `/auth/pw/api/${api}`;
      const addresses = ['oauth-authorization-server', 'openid-configuration'].flatMap((name) => [
        `${door.url}/.well-known/${name}${rest}`,
        `${issuer}/.well-known/${name}`,
      ]);
      const texts = new Set<string>();
      for (const address of addresses) {
        const answer = await send(address, { headers: { origin: 'https://anywhere.example' } });
        expect(answer.status, address).toBe(200);
        expect(answer.headers['content-type']).toMatch(/^application\/json/);
        expect(answer.headers['access-control-allow-origin']).toBe('*');
        texts.add(answer.text);
      }
      expect(texts.size).toBe(1);
      expect(JSON.parse([...texts][0] ?? '')).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        pushed_authorization_request_endpoint: `${issuer}/par`,
        token_endpoint: `${issuer}/token`,
        revocation_endpoint: `${issuer}/revoke`,
        introspection_endpoint: `${issuer}/introspect`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        userinfo_endpoint: `${issuer}/userinfo`,
        scopes_supported: [
          // the scopes for postal address and telephone number are missing, because local users have neither
          ...['openid', 'profile', 'email', 'offline_access'],
          ...fixtureApi(api).scopes.map(({ name }) => name),
        ],
        id_token_signing_alg_values_supported: ['RS256', 'ES256'],
        subject_types_supported: ['public', 'pairwise'],
        request_parameter_supported: false,
        request_uri_parameter_supported: false,
      });
    }
  });

  test('MX-03: metadata announce iss, and the password grant only if the method verifies passwords', async () => {
    const of = async (method: string) =>
      (await send(`${issuerOf(door, method)}/.well-known/oauth-authorization-server`)).json();
    const local = await of('pw');
    expect(local['authorization_response_iss_parameter_supported']).toBe(true);
    const grants = ['authorization_code', 'password', 'refresh_token'];
    // the list also contains client_credentials if another test has created a machine client of this API
    expect(local['grant_types_supported']).toEqual(expect.arrayContaining(grants));
    expect((await of('brk'))['grant_types_supported']).not.toContain('password');
  });

  test('MX-05: no address in any response comes from Host or X-Forwarded headers', async () => {
    const interaction = new URL((await send(authorizeUrl(door, authorizeParams(conf)))).location).search;
    const targets = [
      `${path}/authorize?${new URL(authorizeUrl(door, authorizeParams(conf))).search.slice(1)}`,
      `${path}/.well-known/openid-configuration`,
      `/.well-known/oauth-authorization-server${path}`,
      `/login${interaction}`,
      '/logout',
      `${path}/jwks`,
      '/health',
      '/auth/callback/broker/abc?state=xyz',
    ];
    for (const target of targets) {
      const answer = await send(`${door.url}${target}`, { headers: EVIL });
      expect(answer.status, target).toBeLessThan(500);
      expect(`${answer.text} ${JSON.stringify(answer.headers)}`, target).not.toContain('evil.example');
    }
  });

  test('section 7: a sign-in page in the wrong browser explains the reason, and mentions cookies if none arrived', async () => {
    const { search } = new URL((await send(authorizeUrl(door, authorizeParams(conf)))).location);
    for (const page of ['/login', '/consent']) {
      const bare = await send(`${door.url}${page}${search}`);
      expectPage(bare, 400);
      expect(bare.text).toContain('This sign-in link does not work');
      expect(bare.text).toContain('cookies');
      const incomplete = await send(`${door.url}${page}`);
      expectPage(incomplete, 400);
      expect(incomplete.text).not.toContain('cookies');
    }
  });

  test('section 4: every path of an unknown issuer returns 404', async () => {
    for (const rest of [
      'authorize',
      'token',
      'revoke',
      'introspect',
      'jwks',
      '.well-known/openid-configuration',
    ]) {
      for (const combination of ['nosuch/api/orders', 'pw/api/nosuch']) {
        const url = `${door.url}/auth/${combination}/${rest}`;
        for (const method of ['GET', 'POST', 'OPTIONS'])
          expect((await send(url, { method })).status, `${method} ${url}`).toBe(404);
      }
    }
    expect((await send(`${door.url}/.well-known/openid-configuration/auth/pw/api/nosuch`)).status).toBe(404);
  });

  test('section 4: unknown paths below known and unknown issuers return 404, as JSON or page', async () => {
    for (const combination of ['nosuch/api/orders', 'pw/api/nosuch', 'pw/api/orders']) {
      for (const rest of ['', '/', '/nosuch', '/token/', '/a/b/c', '/.well-known/nosuch']) {
        const url = `${door.url}/auth/${combination}${rest}`;
        for (const method of ['GET', 'POST', 'OPTIONS'])
          expectError(await send(url, { method }), 'not_found');
        expectPage(await send(url, { headers: { accept: 'text/html' } }), 404);
      }
    }
  });

  test('section 4: keys are public, shared by all issuers, and cacheable', async () => {
    const answer = await send(`${issuerOf(door)}/jwks`, { headers: { origin: 'https://anywhere.example' } });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const keys = answer.json()['keys'] as Record<string, unknown>[];
    expect(keys.length).toBeGreaterThan(0);
    for (const key of keys) {
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(secret);
      expect(typeof key['kid']).toBe('string');
    }
    expect((await send(`${issuerOf(door, 'ext', 'billing')}/jwks`)).text).toBe(answer.text);
  });

  test('JW-08: an access token contains the claims of RFC 9068, and its subject is no email address', async () => {
    const { accessToken } = await tokensFor(browser, conf);
    const part = (index: number) =>
      JSON.parse(Buffer.from(accessToken.split('.')[index] ?? '', 'base64url').toString());
    const [header, claims] = [part(0), part(1)];
    expect(header).toMatchObject({ typ: 'at+jwt', alg: 'ES256' });
    const keys = (await send(`${issuerOf(door)}/jwks`)).json()['keys'] as { kid: string }[];
    expect(keys.map((key) => key.kid)).toContain(header.kid);
    expect(claims).toMatchObject({
      iss: issuerOf(door),
      aud: fixtureApi('orders').url,
      sub: personId,
      client_id: conf.clientId,
      scope: 'read',
    });
    expect(typeof claims.jti).toBe('string');
    expect(claims.exp - claims.iat).toBe(3_600);
    expect(claims.auth_time).toBeLessThanOrEqual(claims.iat);
    const second = await tokensFor(browser, conf);
    const again = claimsOf(second.accessToken);
    expect(again['sub']).toBe(claims.sub);
    expect(again['jti']).not.toBe(claims.jti);
  });
});
