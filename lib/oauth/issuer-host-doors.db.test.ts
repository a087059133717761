// An issuer's own host at both HTTP entry points: the Node server with an unmodified openid-client, and the handlers of
// the Next server (docs/project/decisions/0009).
import { createServer } from 'node:net';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import { Agent, fetch as undiciFetch } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import * as nextSubmit from '#app/(console)/admin/submit/[form]/route.ts';
import * as nextSignOut from '#app/(hosted)/logout/route.tsx';
import * as nextStart from '#app/(site)/route.tsx';
import * as nextUnlisted from '#app/[...path]/route.ts';
import * as nextManagement from '#app/api/v1/[[...path]]/route.ts';
import * as nextOpenapi from '#app/openapi.json/route.ts';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createNodeDoor } from '#lib/http/node-door.ts';
import { examine } from '#lib/management/doctor.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { passwordForm } from '#testing/clients/asserted.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';
import { type Listening, listen } from '#testing/net/listen.ts';
import { handleHttp } from './endpoints.ts';
import { malformedRequest } from './refusals.ts';

const NAME = 'login-orders.localhost';

let server: Listening;
let local: string;
let cookie: string;
let pages = 0;

/** Every name leads to this machine; browsers resolve `*.localhost` to it without configuration. */
const agent = new Agent({
  connect: { lookup: (_name, _options, done) => done(null, [{ address: '127.0.0.1', family: 4 }]) },
});
const call = (input: string, init?: object) =>
  undiciFetch(input, { ...init, dispatcher: agent }) as unknown as Promise<Response>;

beforeAll(async () => {
  const door = createNodeDoor({
    handle: handleHttp,
    otherwise: async (_, outgoing) => {
      pages += 1;
      outgoing.writeHead(200).end('a page');
    },
    onFault: (error) => {
      throw error;
    },
    onMalformed: malformedRequest,
  });
  server = await listen(door.server);
  loadSettings({ ...process.env, BASE_URL: `http://localhost:${server.port}` });
  local = `http://${NAME}:${server.port}`;
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
});
afterAll(async () => {
  await server.close();
  await agent.close();
  loadSettings();
});
beforeEach(() => changeApi(OPERATOR, { id: 'orders', issuerHosts: { pw: local } }));

test.each(['oauth2', 'oidc'] as const)(
  'openid-client, unmodified and configured with only the host, completes discovery by %s, code with PKCE, refresh and userinfo',
  async (algorithm) => {
    const config = await openid.discovery(
      new URL(local),
      'tru',
      undefined,
      openid.ClientSecretPost('tru-secret-of-the-fixtures'),
      {
        algorithm,
        execute: [openid.allowInsecureRequests],
        [openid.customFetch]: call as openid.CustomFetch,
      },
    );
    expect(config.serverMetadata().issuer).toBe(local);
    const [pkceCodeVerifier, expectedNonce] = [openid.randomPKCECodeVerifier(), openid.randomNonce()];
    const start = openid.buildAuthorizationUrl(config, {
      redirect_uri: 'https://tru.example/cb',
      scope: 'openid read offline_access',
      nonce: expectedNonce,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    expect(start.origin).toBe(local);
    const toUs = await call(start.href, { redirect: 'manual' });
    const next = toUs.headers.get('location') ?? '';
    expect(next.startsWith(`${settings().authUrl}${OPENID_PATH}/authorize?`)).toBe(true);
    const back = await call(next, { redirect: 'manual', headers: { cookie } });
    // openid-client compares iss of response and ID token with the discovered issuer
    const tokens = await openid.authorizationCodeGrant(config, new URL(back.headers.get('location') ?? ''), {
      pkceCodeVerifier,
      expectedNonce,
    });
    expect(tokens.claims()?.iss).toBe(local);
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
    expect(renewed.claims()?.iss).toBe(local);
    const sub = tokens.claims()?.sub ?? '';
    expect((await openid.fetchUserInfo(config, renewed.access_token, sub)).sub).toBe(sub);
    const out = openid.buildEndSessionUrl(config, { id_token_hint: renewed.id_token ?? '' });
    expect((await call(out.href, { redirect: 'manual' })).status).toBe(303);
  },
);

test('the Node server never sends requests of an issuer host to Next, and still sends those of the main host', async () => {
  const before = pages;
  for (const path of [
    '/',
    '/admin',
    '/api/v1/apis',
    '/_next/static/x.js',
    '/health',
    '//evil.example',
    '/%00',
  ])
    expect((await call(`${local}${path}`)).status, path).toBe(404);
  expect(pages).toBe(before);
  expect((await call(`${server.url}/admin`)).status).toBe(200);
  expect(pages).toBe(before + 1);
});

test('the Next handlers serve the issuer at its host, and reject addresses that only Next serves', async () => {
  const params = Promise.resolve({ form: 'x' });
  const request = (path: string, host: string, init: RequestInit = {}) =>
    new Request(`http://inner${path}`, { ...init, headers: { ...(init.headers as object), host } });
  const metadata = await nextUnlisted.GET(
    request('/.well-known/openid-configuration', `${NAME}:${server.port}`),
  );
  expect(((await metadata.json()) as { issuer: string }).issuer).toBe(local);
  const form = new URLSearchParams({
    client_id: 'tru',
    client_secret: 'tru-secret-of-the-fixtures',
    ...passwordForm(),
  });
  const given = await nextUnlisted.POST(
    request('/token', `${NAME}:${server.port}`, { method: 'POST', body: form }),
  );
  expect(decodeJwt(((await given.json()) as { access_token: string }).access_token).iss).toBe(local);
  const signOut = await nextSignOut.GET(request('/logout', `${NAME}:${server.port}`), {
    params: Promise.resolve({}),
  });
  expect([signOut.status, signOut.headers.get('location')?.startsWith(settings().authUrl)]).toEqual([
    303,
    true,
  ]);
  const others = (host: string) =>
    Promise.all([
      nextStart.GET(request('/', host), { params: Promise.resolve({}) }),
      nextManagement.GET(request('/api/v1/apis', host)),
      nextOpenapi.GET(request('/openapi.json', host)),
      nextSubmit.POST(request('/admin/submit/x', host, { method: 'POST' }), { params }),
      nextSubmit.GET(request('/admin/submit/x', host)),
    ]).then((all) => all.map(({ status }) => status));
  expect(await others(`${NAME}:${server.port}`)).toEqual([404, 404, 404, 404, 404]);
  expect(await others(`localhost:${server.port}`)).toEqual([200, 401, 200, 403, 405]);
  expect(
    (await nextUnlisted.POST(request('/token', 'localhost', { method: 'POST', body: form }))).status,
  ).toBe(404);
});

test('doctor warns if an issuer host leads to another service, and reports its response', async () => {
  const closed = await listen(createServer());
  await closed.close();
  const gone = `http://127.0.0.1:${closed.port}`;
  const here = `http://127.0.0.1:${server.port}`;
  await sql('update apis set issuer_hosts = $1 where id = $2', [
    { pw: here, ext: gone, brk: server.url.replace('127.0.0.1', 'localhost') },
    'orders',
  ]);
  const found = new Map((await examine()).map((one) => [one.check, one]));
  expect(found.get('host of pw at orders')).toMatchObject({
    state: 'ok',
    detail: `${here} leads to this service`,
  });
  expect(found.get('host of ext at orders')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('ECONNREFUSED'),
  });
  expect(found.get('host of brk at orders')).toMatchObject({
    state: 'warning',
    detail: expect.stringContaining('answers 404'),
  });
});
