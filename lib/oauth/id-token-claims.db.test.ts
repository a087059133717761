// `id_token_claims` of a client: libraries that read only the ID token (oidc-client-ts `profile`, Auth.js, Authlib,
// Kubernetes) find the claims of the granted scopes in it. The libraries are unmodified and use a real server.
import { InMemoryWebStorage, OidcClient, WebStorageStateStore } from 'oidc-client-ts';
import * as openid from 'openid-client';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { changeClient } from '#lib/catalogue/clients/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { ASKED, pathIssuer, TRU } from '#testing/in-process/issuer-host.ts';
import { signInTo } from '#testing/in-process/openid.ts';

let door: Awaited<ReturnType<typeof openDoor>>;
let cookie: string;

beforeAll(async () => {
  door = await openDoor();
  await givenFixtures();
  ({ cookie } = await signInTo('alice@example.com'));
});
beforeEach(() => changeClient(OPERATOR, { clientId: 'tru', idTokenClaims: true }));
afterAll(async () => {
  await door.close();
  loadSettings();
});

async function answerTo(address: string | URL): Promise<URL> {
  const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
  return new URL(answer.headers.get('location') ?? '');
}

const ALICE = { name: 'Alice', email: 'alice@example.com' };

test('oidc-client-ts without loadUserInfo: the user’s profile contains name and address from the ID token', async () => {
  const client = new OidcClient({
    authority: pathIssuer(),
    client_id: 'tru',
    client_secret: TRU.client_secret,
    redirect_uri: ASKED.redirect_uri,
    scope: 'openid profile email',
    stateStore: new WebStorageStateStore({ store: new InMemoryWebStorage() }),
  });
  const profileNow = async () => {
    const request = await client.createSigninRequest({});
    const answer = await client.processSigninResponse((await answerTo(request.url)).href);
    return answer.profile;
  };
  expect(await profileNow()).toMatchObject(ALICE);
  await changeClient(OPERATOR, { clientId: 'tru', idTokenClaims: false });
  const profile = await profileNow();
  expect(profile).not.toHaveProperty('email');
  expect(profile).not.toHaveProperty('name');
});

test('openid-client: the ID token contains only the claims of granted scopes, also after a refresh', async () => {
  const config = await openid.discovery(
    new URL(pathIssuer()),
    'tru',
    undefined,
    openid.ClientSecretBasic(TRU.client_secret),
    { execute: [openid.allowInsecureRequests] },
  );
  const tokensFor = async (scope: string) => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: ASKED.redirect_uri,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    return openid.authorizationCodeGrant(config, await answerTo(address), {
      pkceCodeVerifier,
      idTokenExpected: true,
    });
  };
  const all = await tokensFor('openid profile email read');
  expect(all.claims()).toMatchObject({ ...ALICE, email_verified: expect.any(Boolean) });
  const userinfo = await openid.fetchUserInfo(config, all.access_token, all.claims()?.sub ?? '');
  expect(all.claims()).toMatchObject(userinfo);
  const renewed = await openid.refreshTokenGrant(config, all.refresh_token ?? '');
  expect(renewed.claims()).toMatchObject(ALICE);
  const narrow = await openid.refreshTokenGrant(config, renewed.refresh_token ?? '', {
    scope: 'openid email',
  });
  expect(narrow.claims()).toMatchObject({ email: ALICE.email });
  expect(narrow.claims()).not.toHaveProperty('name');
  expect((await tokensFor('openid')).claims()).not.toHaveProperty('email');
});
