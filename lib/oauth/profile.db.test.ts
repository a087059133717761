// An API with `profile: oauth-2.1`: restrictions apply immediately after the setting changes.

import { beforeAll, expect, test } from 'vitest';
import { changeApi, previewApiChange } from '#lib/catalogue/apis/operations.ts';
import { inEnglish } from '#lib/language/words.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { refusal } from '#testing/data/registry.ts';
import { ask, givenFixtures, jsonOf, locationOf } from '#testing/in-process/in-process.ts';
import {
  givenTrustedClients,
  OPENID_PATH,
  signInTo,
  type TrustedClient,
} from '#testing/in-process/openid.ts';
import { freshPkce } from '#testing/net/pkce.ts';

let client: TrustedClient;
let cookie: string;

beforeAll(async () => {
  await givenFixtures();
  [client] = (await givenTrustedClients(['server'])) as [TrustedClient];
  ({ cookie } = await signInTo('alice@example.com'));
});

const switchTo = (profile: 'oauth-2.1' | null) => changeApi(OPERATOR, { id: 'orders', profile });
const authorize = async (over: Record<string, string> = {}, path = OPENID_PATH) => {
  const asked = {
    client_id: 'server',
    response_type: 'code',
    redirect_uri: 'https://server.example/cb',
    ...over,
  };
  const answer = await ask(`${path}/authorize?${new URLSearchParams(asked)}`, { headers: { cookie } });
  return new URL(locationOf(answer)).searchParams;
};
const codeOf = async (over = {}) => (await authorize(over)).get('code') ?? '';
const token = async (form: Record<string, string>) =>
  jsonOf(await ask(`${OPENID_PATH}/token`, { form: { ...client, ...form } }));
const redeem = (code: string, over = {}) => token({ grant_type: 'authorization_code', code, ...over });
const password = () =>
  token({ grant_type: 'password', username: 'alice@example.com', password: 'alice-password-1' });
const grants = async () =>
  jsonOf(await ask(`${OPENID_PATH}/.well-known/oauth-authorization-server`))['grant_types_supported'];

test('without a profile, confidential clients can omit PKCE, and trusted clients can send passwords', async () => {
  expect(await redeem(await codeOf())).toHaveProperty('access_token');
  expect(await password()).toHaveProperty('access_token');
  expect(await grants()).toContain('password');
});

test('oauth-2.1: requests without PKCE and the password grant are rejected, the metadata omit them, and other grants work', async () => {
  const before = (await password())['refresh_token'] as string;
  const { warnings, losesAccess } = await previewApiChange(OPERATOR, { id: 'orders', profile: 'oauth-2.1' });
  expect(losesAccess).toEqual([]);
  const fapi = await previewApiChange(OPERATOR, { id: 'orders', profile: 'fapi-2.0' });
  expect(fapi.losesAccess).toContainEqual({ clientId: 'tru', api: 'orders' });
  expect(warnings.map(inEnglish)).toContain(
    'The password grant and requests without PKCE fail. Everything issued before remains valid.',
  );
  await switchTo('oauth-2.1');
  try {
    expect((await authorize()).get('error')).toBe('invalid_request');
    expect((await authorize({ code_challenge_method: 'S256' })).get('error')).toBe('invalid_request');
    expect((await password())['error']).toBe('unsupported_grant_type');
    await expect.poll(grants).not.toContain('password');
    const { verifier: code_verifier, params } = freshPkce();
    const code = await codeOf(params);
    expect((await redeem(code))['error']).toBe('invalid_grant');
    const elsewhere = { redirect_uri: 'https://server.example/other', code_verifier };
    expect((await redeem(code, elsewhere))['error']).toBe('invalid_grant');
    // redirect_uri is optional (draft-ietf-oauth-v2-1 §10.2)
    const { refresh_token } = await redeem(code, { code_verifier });
    for (const given of [before, String(refresh_token)])
      expect(await token({ grant_type: 'refresh_token', refresh_token: given })).toHaveProperty(
        'access_token',
      );
  } finally {
    await switchTo(null);
  }
  expect(await password()).toHaveProperty('access_token');
});

test('the profile affects one API, and the issuers of other APIs are unchanged', async () => {
  await switchTo('oauth-2.1');
  try {
    const other = '/auth/pw/api/billing';
    const metadata = await ask(`${other}/.well-known/oauth-authorization-server`);
    expect(jsonOf(metadata)['grant_types_supported']).toContain('password');
  } finally {
    await switchTo(null);
  }
});

test('after the profile is set, a code without a challenge is never redeemed, despite concurrent requests', async () => {
  const codes = await Promise.all(Array.from({ length: 24 }, () => codeOf()));
  const changed = Promise.withResolvers<void>();
  let isChanged = false;
  const all = codes.map(async (code, at) => {
    // half of the requests run during the change, and half after it
    if (at % 2 === 1) await changed.promise;
    const after = isChanged;
    return { after, answer: await redeem(code) };
  });
  await switchTo('oauth-2.1');
  isChanged = true;
  changed.resolve();
  try {
    for (const { after, answer } of await Promise.all(all)) {
      if (after) expect(answer['error']).toBe('invalid_grant');
      else expect(answer['error'] ?? 'given').toMatch(/^(given|invalid_grant)$/);
    }
  } finally {
    await switchTo(null);
  }
});

test('an unknown profile is rejected and changes nothing', async () => {
  const refused = await refusal(changeApi(OPERATOR, { id: 'orders', profile: 'oauth-3' as 'oauth-2.1' }));
  expect(refused?.message).toContain('profile must be oauth-2.1');
  expect(await grants()).toContain('password');
});
