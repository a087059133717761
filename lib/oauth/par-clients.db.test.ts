// Two unmodified client libraries, openid-client and oauth4webapi, push their requests to a real server, from discovery
// to tokens.
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
afterAll(async () => {
  await door.close();
  loadSettings();
});

/** Follows the authorize redirect in a signed-in browser. Returns the address of the client with the response. */
async function answerTo(address: URL): Promise<URL> {
  expect(new Set(address.searchParams.keys())).toEqual(new Set(['client_id', 'request_uri']));
  const answer = await fetch(address, { redirect: 'manual', headers: { cookie } });
  return new URL(answer.headers.get('location') ?? '');
}

const asked = { redirect_uri: ASKED.redirect_uri, scope: ASKED.scope };

test('openid-client completes buildAuthorizationUrlWithPAR, the code flow with PKCE, state and nonce, and a refresh', async () => {
  const config = await openid.discovery(
    new URL(pathIssuer()),
    'tru',
    undefined,
    openid.ClientSecretBasic(TRU.client_secret),
    { execute: [openid.allowInsecureRequests] },
  );
  expect(config.serverMetadata().pushed_authorization_request_endpoint).toBe(`${pathIssuer()}/par`);
  const [pkceCodeVerifier, expectedNonce] = [openid.randomPKCECodeVerifier(), openid.randomNonce()];
  const expectedState = openid.randomState();
  const address = await openid.buildAuthorizationUrlWithPAR(config, {
    ...asked,
    state: expectedState,
    nonce: expectedNonce,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  const checks = { pkceCodeVerifier, expectedNonce, expectedState };
  const tokens = await openid.authorizationCodeGrant(config, await answerTo(address), checks);
  expect(tokens.claims()?.iss).toBe(pathIssuer());
  expect((await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toMatch(/./);
  const refused = openid.buildAuthorizationUrlWithPAR(config, {
    ...asked,
    redirect_uri: 'https://evil.example/',
  });
  await expect(refused).rejects.toMatchObject({ error: 'invalid_request', status: 400 });
});

test('oauth4webapi completes pushedAuthorizationRequest and the code flow with PKCE and state', async () => {
  const options = { [oauth.allowInsecureRequests]: true };
  const issuer = new URL(pathIssuer());
  const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  const client: oauth.Client = { client_id: 'tru' };
  const authentication = oauth.ClientSecretPost(TRU.client_secret);
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const parameters = {
    ...asked,
    scope: 'read',
    response_type: 'code',
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  };
  const response = await oauth.pushedAuthorizationRequest(
    server,
    client,
    authentication,
    parameters,
    options,
  );
  const pushed = await oauth.processPushedAuthorizationResponse(server, client, response);
  expect(pushed.expires_in).toBe(90);
  const address = new URL(server.authorization_endpoint ?? '');
  address.search = String(new URLSearchParams({ client_id: 'tru', request_uri: pushed.request_uri }));
  const arrived = oauth.validateAuthResponse(server, client, await answerTo(address), state);
  const given = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    arrived,
    asked.redirect_uri,
    verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, given);
  expect(tokens.scope ?? 'read').toBe('read');
  expect(tokens.access_token).toMatch(/./);
});
