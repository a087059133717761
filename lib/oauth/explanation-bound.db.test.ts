// Explanation of key-bound refresh tokens, and of a FAPI 2.0 API.
import { beforeAll, describe, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { explainAccess, stepInEnglish } from '#lib/management/explanation.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { makePair, setOf } from '#testing/clients/client-keys.ts';
import { sql } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf } from '#testing/in-process/in-process.ts';
import { givenTrustedClients, OPENID_PATH, openIdTokens, signInTo } from '#testing/in-process/openid.ts';

const TRU = { client_id: 'tru', client_secret: 'tru-secret-of-the-fixtures' };
const EMAIL = 'alice@example.com';
const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
type Asked = Partial<Parameters<typeof explainAccess>[1]>;

beforeAll(givenFixtures);

async function explained(asked: Asked) {
  const { steps, token } = await explainAccess(OPERATOR, {
    ...{ clientId: 'tru', api: 'orders', authMethod: 'pw' },
    ...asked,
  });
  const refused = steps.filter(({ ok }) => !ok).map(stepInEnglish);
  return {
    refused: refused.map(({ step, reason }) => `${step}: ${reason}`),
    scope: token?.['scope'] ?? null,
  };
}

test('the explanation reports a key-bound refresh token as valid, assuming the client has the key', async () => {
  const { cookie } = await signInTo(EMAIL);
  const { refresh_token = '' } = await openIdTokens(TRU, { cookie, scope: 'openid read' });
  await sql(`update token_families set dpop_jkt = sha256('a key')`);
  const asked = { email: EMAIL, grantType: 'refresh_token' } as const;
  expect(await explained(asked)).toEqual({ refused: [], scope: 'openid read' });
  const form = { ...TRU, grant_type: 'refresh_token', refresh_token };
  expect(jsonOf(await ask(`${OPENID_PATH}/token`, { form }))['error']).toBe('invalid_grant');
});

describe('an API with the profile FAPI 2.0', () => {
  beforeAll(async () => {
    await givenTrustedClients(['bank'], {
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwks: setOf(await makePair()),
    });
    await changeApi(OPERATOR, { id: 'orders', profile: 'fapi-2.0' });
    return () => changeApi(OPERATOR, { id: 'orders', profile: null });
  });

  test.each<[string, Asked]>([
    ['a code', { email: EMAIL }],
    ['a password', { email: EMAIL, grantType: 'password' }],
    ['a refresh', { email: EMAIL, grantType: 'refresh_token' }],
    ['an exchange', { email: EMAIL, grantType: EXCHANGE }],
    ['a token of its own', {}],
  ])('the explanation rejects %s for a public client and a client with a secret', async (_, asked) => {
    const refused = [expect.stringMatching(/^client: The API accepts only clients with their own keys/)];
    for (const clientId of ['tru', 'trunat'])
      expect(await explained({ ...asked, clientId })).toEqual({ refused, scope: null });
  });

  test('the explanation of a code succeeds for a client with keys', async () => {
    const { refused, scope } = await explained({ email: EMAIL, clientId: 'bank', scope: 'read' });
    expect([refused, scope]).toEqual([[], 'read']);
  });
});
