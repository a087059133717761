// Clients of a Keycloak that know only its issuer, over a real network: Apache's mod_auth_openidc and openid-client
// reach `sso.example` by TLS, check the certificate, and keep working.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { decodeJwt } from 'jose';
import * as openid from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { settings } from '#lib/settings/settings.ts';
import { type FormerService, startFormerService } from '#testing/clients/former-service.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { TRU } from '#testing/in-process/issuer-host.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { CookieJar } from '#testing/net/cookie-jar.ts';
import { serveNames } from '#testing/net/detour.ts';
import { freePort } from '#testing/net/free-port.ts';
import { send } from '#testing/net/http.ts';
import type { Listening } from '#testing/net/listen.ts';
import { passOn } from '#testing/net/onward.ts';
import { startOutgoingProxy } from '#testing/net/outgoing-proxy.ts';
import { hasApacheClient, newFolder, type RunningProxy, startApache } from '#testing/net/proxies.ts';

const ISSUER = 'https://sso.example/realms/shop';
const ENDPOINT = `${ISSUER}/protocol/openid-connect`;
let door: Listening;
let old: FormerService;
let names: Awaited<ReturnType<typeof serveNames>>;
let proxy: Awaited<ReturnType<typeof startOutgoingProxy>>;
let port: number;
let cookie: string;
/** subject at the old service */
let sub: string;

beforeAll(async () => {
  await givenFixtures();
  door = await openDoor();
  names = await serveNames(
    ['sso.example'],
    passOn(() => door.url),
  );
  proxy = await startOutgoingProxy();
  old = await startFormerService([TRU], ISSUER);
  port = await freePort();
  const addresses = ['https://tru.example/cb', `http://localhost:${port}/private/callback`];
  await sql("update clients set redirect_uris = $1 where client_id = 'tru'", [addresses]);
  ({ cookie, personId: sub } = await signInTo(fixturePerson('alice').email));
  const former = { issuer: ISSUER, auth_method: 'pw', layout: 'keycloak', until: '2999-12-31' };
  const asks = { refresh: 'ask', token_endpoint: old.tokenEndpoint, allow_private_network: true };
  await changeApi(OPERATOR, {
    id: 'orders',
    formerIssuers: [{ ...former, ...asks, jwks: { keys: old.keys } }],
  });
});
afterAll(() => Promise.all([names, proxy, old, door].map((one) => one?.close())));

/** Follows the old address in a signed-in browser to Gatehouse, and then to the client. */
async function followed(address: string): Promise<string> {
  expect(address.startsWith(`${ENDPOINT}/auth?`), address).toBe(true);
  const there = await fetch(address, { redirect: 'manual' });
  const ours = there.headers.get('location') ?? '';
  expect([there.status, ours.startsWith(`${settings().authUrl}/auth/pw/api/orders/authorize?`)]).toEqual([
    303,
    true,
  ]);
  return (await send(ours, { headers: { cookie } })).location;
}

test('openid-client: an old refresh token works, and the code flow returns the same sub as before', async () => {
  const config = await openid.discovery(new URL(ISSUER), TRU.client_id, TRU.client_secret);
  expect(config.serverMetadata().token_endpoint).toBe(`${ENDPOINT}/token`);
  const first = await openid.refreshTokenGrant(config, await old.refreshToken('tru', sub));
  const next = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
  for (const given of [first, next])
    expect(decodeJwt(given.access_token)).toMatchObject({ iss: ISSUER, sub });
  expect(await openid.fetchUserInfo(config, next.access_token, sub)).toMatchObject({ sub });
  expect(old.asked()).toBe(1);

  const asked = { redirect_uri: 'https://tru.example/cb', scope: 'openid read', nonce: openid.randomNonce() };
  const back = new URL(await followed(openid.buildAuthorizationUrl(config, asked).href));
  const given = await openid.authorizationCodeGrant(config, back, { expectedNonce: asked.nonce });
  expect(given.claims()).toMatchObject({ iss: ISSUER, sub });
});

test.runIf(hasApacheClient())('mod_auth_openidc signs the same person in, and refreshes', async () => {
  const apache = await startClient();
  const origin = `http://localhost:${port}`;
  try {
    const jar = new CookieJar();
    const visit = (target: string) => send(`${origin}${target}`, { jar, headers: { accept: 'text/html' } });
    const sent = await visit('/private/page.html');
    expect(sent.status).toBe(302);
    const back = new URL(await followed(sent.location));
    expect(back.searchParams.get('iss')).toBe(ISSUER);
    const signedIn = await visit(back.pathname + back.search);
    expect([signedIn.status, signedIn.location], signedIn.text).toEqual([302, `${origin}/private/page.html`]);
    const token = (at: { headers: object }) => (at.headers as Record<string, string>)['x-token'] ?? '';
    const page = await visit('/private/page.html');
    expect([page.status, page.headers['x-person']]).toEqual([200, sub]);
    expect(decodeJwt(token(page))).toMatchObject({ iss: ISSUER, sub });

    const target = `/private/callback?${new URLSearchParams({ refresh: `${origin}/private/page.html`, access_token: token(page) })}`;
    const refreshed = await visit(target);
    expect([refreshed.status, refreshed.location]).toEqual([302, `${origin}/private/page.html`]);
    const later = await visit('/private/page.html');
    expect(decodeJwt(token(later))).toMatchObject({ iss: ISSUER, sub });
    expect(token(later)).not.toBe(token(page));
    expect(new Set(proxy.asked)).toEqual(new Set(['sso.example:443']));
    const [{ n } = { n: 0 }] = await sql<{ n: number }>(
      `select count(*)::int as n from token_families where client_id = 'tru'`,
    );
    expect(n).toBe(3);
  } finally {
    await apache.stop();
  }
});

function startClient(): Promise<RunningProxy> {
  const folder = newFolder();
  mkdirSync(path.join(folder, 'pages/private'), { recursive: true });
  writeFileSync(path.join(folder, 'pages/private/page.html'), '<!doctype html><p>The private page');
  writeFileSync(path.join(folder, 'ca.pem'), names.cert);
  return startApache(
    folder,
    port,
    `DocumentRoot ${folder}/pages
OIDCProviderMetadataURL ${ISSUER}/.well-known/openid-configuration
OIDCCABundlePath ${folder}/ca.pem
OIDCOutgoingProxy 127.0.0.1:${proxy.port}
OIDCClientID ${TRU.client_id}
OIDCClientSecret ${TRU.client_secret}
OIDCRedirectURI http://localhost:${port}/private/callback
OIDCCryptoPassphrase ${'x'.repeat(32)}
OIDCScope "openid read offline_access"
OIDCPKCEMethod S256
<Location /private>
  AuthType openid-connect
  Require valid-user
  Header always set X-Person "%{OIDC_CLAIM_sub}e"
  Header always set X-Token "%{OIDC_access_token}e"
</Location>`,
  );
}
