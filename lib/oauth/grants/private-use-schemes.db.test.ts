// A confidential client with https and private-use redirect URIs, as Immich documents it (RFC 8252 §7.1).
import { beforeAll, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import { signInTo } from '#testing/in-process/openid.ts';
import { freshPkce } from '#testing/net/pkce.ts';

const PATH = '/auth/pw/api/orders';
const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const IMMICH = 'app.immich:///oauth-callback';
const redirectUris = ['https://tru.example/cb', IMMICH];

let cookie: string;
beforeAll(async () => {
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
});

test('the registry rejects app.immich:/// of a confidential client, and the error names private_use_schemes', async () => {
  await expect(changeClient(OPERATOR, { clientId: 'tru', redirectUris })).rejects.toMatchObject({
    faults: [{ field: 'redirectUris.1', message: expect.stringContaining('private_use_schemes') }],
  });
});

const locationFor = async (query: Record<string, string>) => {
  const asked = new URLSearchParams({ client_id: 'tru', response_type: 'code', ...query });
  return locationOf(await ask(`${PATH}/authorize?${asked}`, { headers: { cookie } }));
};

test.each(redirectUris)('with private_use_schemes, a code is redirected to %s and redeemed', async (uri) => {
  await changeClient(OPERATOR, { clientId: 'tru', redirectUris, privateUseSchemes: true });
  // a change of redirect addresses returns the subscription to pending, so the test approves it again
  await sql("update subscriptions set state = 'approved' where client_id = 'tru'");
  const pkce = freshPkce();
  const location = await locationFor({ redirect_uri: uri, ...pkce.params });
  expect(location.startsWith(`${uri}?code=`), location).toBe(true);
  const code = new URL(location).searchParams.get('code') ?? '';
  const form = {
    ...TRU,
    grant_type: 'authorization_code',
    code,
    redirect_uri: uri,
    code_verifier: pkce.verifier,
  };
  expect(jsonOf(await ask(`${PATH}/token`, { form }))).toMatchObject({ access_token: expect.any(String) });
});

test('RFC 8252 §8.1, §8.6: a private-use scheme receives no code without PKCE or for prompt=none, but an https address does', async () => {
  await changeClient(OPERATOR, { clientId: 'tru', redirectUris, privateUseSchemes: true });
  await sql("update subscriptions set state = 'approved' where client_id = 'tru'");
  expect(await locationFor({ redirect_uri: IMMICH })).toContain('error=invalid_request');
  const silent = { ...freshPkce().params, prompt: 'none' };
  expect(await locationFor({ redirect_uri: IMMICH, ...silent })).toContain('error=interaction_required');
  expect(await locationFor({ redirect_uri: 'https://tru.example/cb', ...silent })).toContain('?code=');
});
