// An unmodified client that is certified for FAPI 2.0 (openid-client), at an API with `profile: fapi-2.0`.
import * as openid from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { createClient } from '#lib/catalogue/clients/operations.ts';
import { decideSubscription, requestSubscription } from '#lib/catalogue/subscriptions/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings, settings } from '#lib/settings/settings.ts';
import { makePair, type Pair, setOf } from '#testing/clients/client-keys.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { OPENID_PATH, signInTo } from '#testing/in-process/openid.ts';

const CLIENT = 'bank';
const RETURN = 'https://bank.example/cb';

let door: Awaited<ReturnType<typeof openDoor>>;
let cookie = '';
let pair: Pair;

const issuer = () => `${settings().authUrl}${OPENID_PATH}`;

beforeAll(async () => {
  door = await openDoor();
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
  pair = await makePair('ES256');
  await createClient(OPERATOR, {
    clientId: CLIENT,
    name: 'Bank',
    kind: 'confidential',
    redirectUris: [RETURN],
    tokenEndpointAuthMethod: 'private_key_jwt',
    jwks: setOf(pair),
  });
  const subscription = { clientId: CLIENT, api: 'orders' };
  await requestSubscription(OPERATOR, { ...subscription, trusted: true });
  await decideSubscription(OPERATOR, { ...subscription, action: 'approve' });
  await changeApi(OPERATOR, { id: 'orders', profile: 'fapi-2.0' });
});
afterAll(async () => {
  await door.close();
  loadSettings();
});

test('openid-client completes discovery, PAR, DPoP, private_key_jwt, userinfo and refresh', async () => {
  const config = await openid.discovery(
    new URL(issuer()),
    CLIENT,
    undefined,
    openid.PrivateKeyJwt({ key: pair.privateKey, kid: pair.kid }),
    { execute: [openid.allowInsecureRequests] },
  );
  const DPoP = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
  const [pkceCodeVerifier, expectedNonce] = [openid.randomPKCECodeVerifier(), openid.randomNonce()];
  const asked = {
    redirect_uri: RETURN,
    scope: 'openid read',
    nonce: expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  };
  const address = await openid.buildAuthorizationUrlWithPAR(config, asked, { DPoP });
  const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
  const back = new URL(answer.headers.get('location') ?? '');
  const checks = { pkceCodeVerifier, expectedNonce };
  const tokens = await openid.authorizationCodeGrant(config, back, checks, undefined, { DPoP });
  expect(tokens.token_type).toBe('dpop');
  const subject = tokens.claims()?.sub ?? '';
  expect((await openid.fetchUserInfo(config, tokens.access_token, subject, { DPoP })).sub).toBe(subject);
  await expect(openid.fetchUserInfo(config, tokens.access_token, subject)).rejects.toThrow(/./);
  const refreshToken = tokens.refresh_token ?? '';
  for (const _ of [1, 2]) {
    const again = await openid.refreshTokenGrant(config, refreshToken, undefined, { DPoP });
    expect(again.refresh_token).toBeUndefined();
  }
});
