// Protected resource metadata (RFC 9728) of APIs and the management API, and its discovery from a 401 response.
import { beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { ensureManagementApi } from '#lib/management/built-in.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { handleManagementApi } from '#lib/management-api/management-api.ts';
import { resourceMetadataAddress } from '#lib/registry/well-known.ts';
import { settings } from '#lib/settings/settings.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';

const AT = '/.well-known/oauth-protected-resource';

beforeAll(async () => {
  await givenFixtures();
  await ensureManagementApi(undefined, { atStart: true });
});

test('RFC 9728 §2: the metadata of an API contain url, issuers, scopes and configured optional members', async () => {
  const { baseUrl, authUrl } = settings();
  const answer = await ask(`${AT}/apis/orders`, { headers: { origin: 'https://inspector.example' } });
  expect(answer.status).toBe(200);
  expect(answer.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=60',
  });
  const document = jsonOf(answer);
  expect(document).toEqual({
    resource: 'https://api.example/orders',
    resource_name: expect.any(String),
    authorization_servers: expect.arrayContaining([`${authUrl}/auth/pw/api/orders`]),
    scopes_supported: ['read', 'write'],
    bearer_methods_supported: ['header'],
    dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
    access_token_format: 'jwt',
    access_token_signing_alg: 'ES256',
    resource_documentation: `${baseUrl}/apis/orders`,
    resource_policy_uri: 'https://api.example/privacy',
    resource_tos_uri: 'https://api.example/terms',
  });
  for (const issuer of document['authorization_servers'] as string[]) {
    const metadata = await ask(new URL(`${issuer}/.well-known/oauth-authorization-server`).pathname);
    expect(jsonOf(metadata)['issuer']).toBe(issuer);
  }
});

test('API metadata show changed settings immediately, and omit unset members', async () => {
  await changeApi(OPERATOR, {
    id: 'billing',
    tosUri: 'https://api.example/billing/terms',
    scopes: [],
    authMethods: [],
  });
  await expect
    .poll(async () => jsonOf(await ask(`${AT}/apis/billing`)))
    .toEqual({
      resource: 'https://api.example/billing',
      resource_name: expect.any(String),
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
      access_token_format: 'opaque',
      resource_documentation: expect.any(String),
      resource_tos_uri: 'https://api.example/billing/terms',
    });
});

test('RFC 9728 §5.1: a 401 response of the management API links to metadata that name the management API as resource', async () => {
  const call = (authorization?: string) =>
    handleManagementApi({
      method: 'GET',
      path: '/api/v1/clients',
      query: '',
      headers: authorization === undefined ? {} : { authorization },
      body: async () => new Uint8Array(),
      peerAddress: undefined,
      requestId: 'r',
    });
  const management = `${settings().baseUrl}/api/v1`;
  for (const refused of [await call(), await call('Bearer nothing')]) {
    expect(refused?.status).toBe(401);
    const challenge = String(refused?.headers['www-authenticate']);
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
    expect(address).toBe(resourceMetadataAddress(management));
    const document = jsonOf(await ask(new URL(address).pathname));
    expect(document).toMatchObject({ resource: management, scopes_supported: expect.any(Array) });
    expect(document['authorization_servers']).toEqual([`${settings().authUrl}/auth/pw/api/management`]);
  }
});

test('HEAD and preflight of the metadata succeed, other methods return 405, and an unknown API returns 404', async () => {
  const origin = { origin: 'https://inspector.example' };
  expect((await ask(`${AT}/apis/orders`, { method: 'HEAD' })).status).toBe(200);
  expect((await ask(`${AT}/api/v1`, { method: 'OPTIONS', headers: origin })).status).toBe(204);
  expect((await ask(`${AT}/apis/orders`, { method: 'PUT' })).status).toBe(405);
  for (const id of ['nothing', '%00', '__proto__', '%zz']) {
    const { status, body } = await ask(`${AT}/apis/${id}`);
    expect([status, JSON.parse(String(body)).error]).toEqual([404, 'not_found']);
  }
});
