// Former issuers: Gatehouse answers at another service's old addresses until a date. openid-client is configured only
// with the old issuer, and its requests reach the protocol core by their Host header.
import { generateKeyPairSync } from 'node:crypto';
import { decodeJwt, exportJWK, SignJWT } from 'jose';
import * as openid from 'openid-client';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import type { Answer } from '#lib/http/message.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { fixturePerson } from '#testing/data/fixtures.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { ASKED, givenPersonAtBoth, introspect, pathIssuer, TRU } from '#testing/in-process/issuer-host.ts';

const UNTIL = '2999-12-31';
/** Issuer address as each service writes it, and the service's documented token endpoint. */
const FORMERS = [
  [
    'keycloak',
    'https://sso.example/realms/shop',
    'https://sso.example/realms/shop/protocol/openid-connect/token',
  ],
  [
    'keycloak',
    'https://sso.example/realms/staff',
    'https://sso.example/realms/staff/protocol/openid-connect/token',
  ],
  ['auth0', 'https://shop.eu.auth.example/', 'https://shop.eu.auth.example/oauth/token'],
  ['hydra', 'https://hydra.example', 'https://hydra.example/oauth2/token'],
  ['wicked', 'https://portal.example/auth/pw/api/orders', 'https://portal.example/auth/pw/api/orders/token'],
  ['same', 'https://login.old.example/v1', 'https://login.old.example/v1/token'],
] as const;

const old = generateKeyPairSync('rsa', { modulusLength: 2048 });
let oldKey: Record<string, unknown>;
let cookie: string;

const former = (issuer: string, over: Record<string, unknown> = {}) => ({
  issuer,
  auth_method: 'pw',
  until: UNTIL,
  ...over,
});
const give = (formerIssuers: unknown, id = 'orders') => changeApi(OPERATOR, { id, formerIssuers });

beforeAll(async () => {
  cookie = await givenPersonAtBoth();
  oldKey = { ...(await exportJWK(old.publicKey)), kid: 'old-1', alg: 'RS256', use: 'sig' };
});
beforeEach(async () => {
  await give(null, 'billing');
  await give(FORMERS.map(([layout, issuer]) => former(issuer, { layout, jwks: { keys: [oldKey] } })));
});

const at = (address: string, sent: Parameters<typeof ask>[1] = {}) => {
  const { host, pathname, search } = new URL(address);
  return ask(pathname + search, { ...sent, headers: { ...sent.headers, host } });
};

/** fetch function for openid-client, which routes each request to this process by its Host. */
const call: openid.CustomFetch = async (address, { method, headers, body }) => {
  const answer = await at(address, {
    method,
    ...(body instanceof URLSearchParams ? { form: body } : {}),
    headers: Object.fromEntries(new Headers(headers)),
  });
  return new Response(answer.body as string, {
    status: answer.status,
    headers: answer.headers as Record<string, string>,
  });
};

/**
 * Sends the requests of a browser: first to the old address, which redirects to Gatehouse, then to Gatehouse
 * with its session cookie.
 */
async function browse(address: URL): Promise<URL> {
  const first: Answer = await at(address.href);
  expect(first.status).toBe(303);
  const next = new URL(locationOf(first));
  expect(next.origin + next.pathname).toBe(`${pathIssuer()}/authorize`);
  return new URL(locationOf(await ask(`${next.pathname}${next.search}`, { headers: { cookie } })));
}

for (const [layout, issuer, tokenEndpoint] of FORMERS) {
  test(`${layout}: openid-client, configured for ${issuer}, signs a person in, refreshes and reads userinfo`, async () => {
    const config = await openid.discovery(new URL(issuer), TRU.client_id, TRU.client_secret, undefined, {
      [openid.customFetch]: call,
    });
    expect(config.serverMetadata()).toMatchObject({ issuer, token_endpoint: tokenEndpoint });
    const nonce = openid.randomNonce();
    const parameters = { redirect_uri: ASKED.redirect_uri, scope: ASKED.scope, nonce };
    const answered = await browse(openid.buildAuthorizationUrl(config, parameters));
    expect(answered.searchParams.get('iss')).toBe(issuer);
    const given = await openid.authorizationCodeGrant(config, answered, { expectedNonce: nonce });
    const [person] = await sql<{ id: string }>('select id from people where email = $1', [
      fixturePerson('alice').email,
    ]);
    const sub = given.claims()?.sub ?? '';
    expect(given.claims()).toMatchObject({ iss: issuer, sub: person?.id });
    const again = await openid.refreshTokenGrant(config, given.refresh_token ?? '');
    expect(decodeJwt(again.access_token).iss).toBe(issuer);
    expect(await openid.fetchUserInfo(config, again.access_token, sub)).toMatchObject({ sub });
    expect(await introspect(again.access_token)).toMatchObject({ active: true, iss: issuer });
  });
}

test('every metadata address of every former layout responds, and other paths below a former issuer return 404', async () => {
  for (const [, issuer] of FORMERS) {
    const base = issuer.replace(/\/$/, '');
    const metadata = jsonOf(await at(`${base}/.well-known/openid-configuration`));
    const named = Object.entries(metadata).filter(
      ([name, value]) => /_endpoint$|^jwks_uri$/.test(name) && typeof value === 'string',
    );
    expect(named.length).toBeGreaterThan(7);
    for (const [name, address] of named)
      expect((await at(String(address))).status, `${issuer} ${name}`).not.toBe(404);
    for (const path of ['/', '/nowhere', '/login', '/health'])
      expect((await at(base + path)).status, issuer + path).toBe(404);
  }
  const rfc8414 = 'https://sso.example/.well-known/oauth-authorization-server/realms/staff';
  expect(jsonOf(await at(rfc8414))['issuer']).toBe('https://sso.example/realms/staff');
  // each layout of issuers contains only its own paths
  expect((await at('https://sso.example/realms/shop/token', { form: {} })).status).toBe(404);
  expect((await at('https://sso.example/realms/other/protocol/openid-connect/certs')).status).toBe(404);
});

test('the key set still contains old keys, and an old ID token works as hint only at its former issuer', async () => {
  const [, issuer] = FORMERS[0];
  const keys = async (address: string) =>
    (jsonOf(await at(address))['keys'] as { kid: string }[]).map(({ kid }) => kid);
  expect(await keys(`${issuer}/protocol/openid-connect/certs`)).toContain('old-1');
  expect(await keys(`${pathIssuer()}/jwks`)).not.toContain('old-1');
  const config = await openid.discovery(new URL(issuer), TRU.client_id, TRU.client_secret, undefined, {
    [openid.customFetch]: call,
  });
  const first = await browse(openid.buildAuthorizationUrl(config, { ...ASKED }));
  const { sub = '' } = (await openid.authorizationCodeGrant(config, first)).claims() ?? {};
  const hint = (claims: { sub: string; iss?: string }, kid = 'old-1') =>
    new SignJWT({ iss: issuer, aud: 'tru', ...claims })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid })
      .sign(old.privateKey);
  const asked = async (id_token_hint: string) =>
    (await browse(openid.buildAuthorizationUrl(config, { ...ASKED, prompt: 'none', id_token_hint })))
      .searchParams;
  expect((await asked(await hint({ sub }))).get('code')).toBeTruthy();
  expect((await asked(await hint({ sub: 'another' }))).get('error')).toBe('login_required');
  for (const wrong of [await hint({ sub, iss: pathIssuer() }), await hint({ sub }, 'unknown')])
    expect((await asked(wrong)).get('error')).toBe('invalid_request');
});

test('after the last day of a former issuer, its address returns 404 and its tokens end', async () => {
  const [, issuer] = FORMERS[0];
  const config = await openid.discovery(new URL(issuer), TRU.client_id, TRU.client_secret, undefined, {
    [openid.customFetch]: call,
  });
  const given = await openid.authorizationCodeGrant(
    config,
    await browse(openid.buildAuthorizationUrl(config, { ...ASKED })),
  );
  expect(await introspect(given.access_token)).toMatchObject({ active: true });
  const today = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const until = (day: string) =>
    sql('update apis set former_issuers = $1::jsonb where id = $2', [
      JSON.stringify([{ ...former(issuer), layout: 'keycloak', until: day, jwks: null }]),
      'orders',
    ]);
  const address = `${issuer}/.well-known/openid-configuration`;
  await until(today(0));
  await expect.poll(async () => (await at(address)).status).toBe(200);
  await until(today(-1));
  const ended = async () => {
    const answer = await ask(new URL(address).pathname, { headers: { host: 'sso.example' } }).catch(
      () => null,
    );
    return answer?.status ?? 404;
  };
  await expect.poll(ended).toBe(404);
  expect(await introspect(given.access_token)).toEqual({ active: false });
  const next = jsonOf(
    await ask(`${new URL(pathIssuer()).pathname}/token`, {
      form: { ...TRU, grant_type: 'refresh_token', refresh_token: given.refresh_token ?? '' },
    }),
  );
  expect(next['error']).toBe('invalid_grant');
});
