// Two unmodified client libraries, openid-client and oauth4webapi, bind their tokens to a key at a real server, from
// discovery to refresh. The API requires nonces: a rejection contains a nonce, and the library repeats the request with
// it.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { changeApi } from '#lib/catalogue/apis/operations.ts';
import { OPERATOR } from '#lib/management/policy.ts';
import { loadSettings } from '#lib/settings/settings.ts';
import { givenFixtures } from '#testing/in-process/in-process.ts';
import { openDoor } from '#testing/in-process/in-process-door.ts';
import { ASKED, introspect, pathIssuer, TRU } from '#testing/in-process/issuer-host.ts';
import { givenTrustedClients, signInTo } from '#testing/in-process/openid.ts';

const API = 'https://api.example/orders';

let door: Awaited<ReturnType<typeof openDoor>>;
let cookie: string;
let personId: string;

beforeAll(async () => {
  door = await openDoor();
  await givenFixtures();
  await changeApi(OPERATOR, { id: 'orders', dpop: 'required', dpopNonce: 'required' });
  ({ cookie, personId } = await signInTo('alice@example.com'));
});
afterAll(async () => {
  await door.close();
  loadSettings();
});

/** Requests of the client with their response statuses, since the last read. */
const sent: string[] = [];
const counted = async (url: string, options: object): Promise<Response> => {
  const answer = await fetch(url, options);
  const address = new URL(url);
  // successful responses also contain a nonce if the proof's nonce expires soon
  const nonce = answer.ok || answer.headers.get('dpop-nonce') === null ? '' : ' with a nonce';
  sent.push(`${address.pathname.split('/').at(-1)} ${answer.status}${nonce}`);
  return answer;
};
const sentSince = () => sent.splice(0);

/** Follows the authorize redirect in a signed-in browser. Returns the address of the client with the response. */
async function answerTo(address: URL): Promise<URL> {
  const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
  return new URL(answer.headers.get('location') ?? '');
}

test('openid-client: PAR, code, refresh and userinfo work with a key, and the first nonce error of each request uses nothing up', async () => {
  const config = await openid.discovery(
    new URL(pathIssuer()),
    'tru',
    undefined,
    openid.ClientSecretBasic(TRU.client_secret),
    { execute: [openid.allowInsecureRequests] },
  );
  config[openid.customFetch] = counted;
  const keys = await openid.randomDPoPKeyPair('ES256');
  // a handle remembers the nonce, so a new handle simulates a restart of the client
  const restarted = () => ({ DPoP: openid.getDPoPHandle(config, keys) });
  const [pkceCodeVerifier, expectedNonce] = [openid.randomPKCECodeVerifier(), openid.randomNonce()];
  const expectedState = openid.randomState();
  const parameters = {
    redirect_uri: ASKED.redirect_uri,
    scope: ASKED.scope,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  };
  const address = await openid.buildAuthorizationUrlWithPAR(config, parameters, restarted());
  expect(sentSince()).toEqual(['par 400 with a nonce', 'par 201']);
  const checks = { pkceCodeVerifier, expectedNonce, expectedState };
  const landed = await answerTo(address);
  const tokens = await openid.authorizationCodeGrant(config, landed, checks, undefined, restarted());
  expect(sentSince()).toEqual(['token 400 with a nonce', 'token 200']);
  expect(tokens.token_type).toBe('dpop');
  const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, restarted());
  expect(sentSince()).toEqual(['token 400 with a nonce', 'token 200']);
  const handle = restarted();
  const claims = await openid.fetchUserInfo(config, renewed.access_token, personId, handle);
  expect(claims.sub).toBe(personId);
  expect(sentSince()).toEqual(['userinfo 401 with a nonce', 'userinfo 200']);
  // with the remembered nonce, the first request succeeds
  await openid.refreshTokenGrant(config, renewed.refresh_token ?? '', undefined, handle);
  await openid.fetchUserInfo(config, renewed.access_token, personId, handle);
  expect(sentSince()).toEqual(['token 200', 'userinfo 200']);

  const stolen = openid.fetchUserInfo(config, renewed.access_token, personId);
  await expect(stolen).rejects.toMatchObject({ status: 401 });
  const otherKey = openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256'));
  const proven = openid.fetchUserInfo(config, renewed.access_token, personId, { DPoP: otherKey });
  await expect(proven).rejects.toMatchObject({ status: 401 });
  expect(await introspect(renewed.access_token)).toMatchObject({ active: true, token_type: 'DPoP' });
});

test('oauth4webapi: a public client’s bound token works at its resource server with a proof, and fails without one', async () => {
  await givenTrustedClients(['keyed-app'], { kind: 'native' });
  const options = { [oauth.allowInsecureRequests]: true, [oauth.customFetch]: counted };
  const issuer = new URL(pathIssuer());
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  expect(server.dpop_signing_alg_values_supported).toContain('ES256');
  const client: oauth.Client = { client_id: 'keyed-app' };
  const keys = await oauth.generateKeyPair('ES256');
  const DPoP = oauth.DPoP(client, keys);
  const verifier = oauth.generateRandomCodeVerifier();
  const redirectUri = 'https://keyed-app.example/cb';
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = String(
    new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid read',
      dpop_jkt: await DPoP.calculateThumbprint(),
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  );
  const arrived = oauth.validateAuthResponse(server, client, await answerTo(address), oauth.expectNoState);
  sentSince();
  /** Repeats the call after a nonce error, as the library's documentation describes. */
  const withNonce = async <T>(ask: () => Promise<T>): Promise<T> =>
    ask().catch((error: unknown) => {
      if (oauth.isDPoPNonceError(error)) return ask();
      throw error;
    });
  const redeem = async () =>
    oauth.processAuthorizationCodeResponse(
      server,
      client,
      await oauth.authorizationCodeGrantRequest(
        server,
        client,
        oauth.None(),
        arrived,
        redirectUri,
        verifier,
        { ...options, DPoP },
      ),
    );
  const tokens = await withNonce(redeem);
  expect(sentSince()).toEqual(['token 400 with a nonce', 'token 200']);
  const refresh = async (by = DPoP) =>
    oauth.processRefreshTokenResponse(
      server,
      client,
      await oauth.refreshTokenGrantRequest(server, client, oauth.None(), tokens.refresh_token ?? '', {
        ...options,
        DPoP: by,
      }),
    );
  const other = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
  await expect(withNonce(() => refresh(other))).rejects.toMatchObject({ error: 'invalid_grant' });
  const { access_token: token } = await refresh();

  let received: Request | undefined;
  const receive = async (url: string, options: object) => {
    received = new Request(url, options);
    return new Response();
  };
  const call = async (accessToken: string, by?: typeof DPoP) => {
    await oauth.protectedResourceRequest(accessToken, 'GET', new URL(`${API}/7`), undefined, undefined, {
      [oauth.customFetch]: receive,
      ...(by && { DPoP: by }),
    });
    if (!received) throw new Error('nothing was sent');
    return oauth.validateJwtAccessToken(server, received, API, { ...options, requireDPoP: true });
  };
  expect(await call(token, DPoP)).toMatchObject({ cnf: { jkt: await DPoP.calculateThumbprint() } });
  await expect(call(token)).rejects.toMatchObject({ message: expect.stringContaining('DPoP') });
  await expect(call(token, other)).rejects.toMatchObject({
    message: 'JWT Access Token confirmation mismatch',
  });
});
