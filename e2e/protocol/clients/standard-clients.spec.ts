// Unmodified standard client libraries that are configured only with an issuer's address.
import { expect, test } from '@playwright/test';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { type Client, fixtureClient } from '#testing/data/fixtures.ts';
import { issuerOf } from '#testing/net/door.ts';
import { type Browser, type Params, signIn } from '#testing/service/browser.ts';
import { makeClient, makePerson } from '../../support/service/database.ts';
import { eachDoor } from '../../support/service/doors.ts';

const conf = fixtureClient('conf');
const spa = fixtureClient('spa');

eachDoor((door) => {
  let browser: Browser;
  const issuer = new URL(issuerOf(door));
  /** Simulates the browser's redirect to the client. */
  const visit = async (url: URL): Promise<URL> => {
    const params: Params = Object.fromEntries(url.searchParams);
    expect(url.href.startsWith(`${issuerOf(door)}/authorize?`)).toBe(true);
    return new URL((await browser.finish(params)).location);
  };

  test.beforeAll(async () => {
    browser = await signIn(door, await makePerson(), conf);
  });

  for (const algorithm of ['oauth2', 'oidc'] as const) {
    for (const kind of ['client_secret_post', 'client_secret_basic', 'native'] as const) {
      test(`openid-client discovers the issuer by ${algorithm}, runs the code flow with PKCE and refreshes as ${kind}`, async () => {
        const native: Client = await makeClient({
          kind: 'native',
          redirectUris: ['com.example.library:/cb'],
        });
        const client = kind === 'native' ? native : conf;
        const secret = client.secret ?? '';
        const authentication =
          kind === 'native'
            ? openid.None()
            : kind === 'client_secret_post'
              ? openid.ClientSecretPost(secret)
              : openid.ClientSecretBasic(secret);
        const config = await openid.discovery(issuer, client.clientId, undefined, authentication, {
          algorithm,
          execute: [openid.allowInsecureRequests],
        });
        const pkceCodeVerifier = openid.randomPKCECodeVerifier();
        const expectedState = openid.randomState();
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: client.redirectUri,
          scope: 'read',
          state: expectedState,
          code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        });
        const tokens = await openid.authorizationCodeGrant(config, await visit(url), {
          pkceCodeVerifier,
          expectedState,
        });
        expect(tokens.token_type).toBe('bearer');
        expect(tokens.expiresIn()).toBeGreaterThan(0);
        const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '');
        expect(next.access_token).not.toBe(tokens.access_token);
        expect(next.refresh_token).not.toBe(tokens.refresh_token);
      });
    }
  }

  test('openid-client reports the error that Gatehouse returned', async () => {
    const execute = [openid.allowInsecureRequests];
    const config = await openid.discovery(issuer, 'conf', undefined, openid.ClientSecretPost('wrong'), {
      algorithm: 'oauth2',
      execute,
    });
    await expect(openid.refreshTokenGrant(config, 'x')).rejects.toMatchObject({
      error: 'invalid_client',
      status: 401,
    });
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: conf.redirectUri,
      scope: 'nosuch',
      state: 'S',
    });
    const grant = openid.authorizationCodeGrant(config, await visit(url), { expectedState: 'S' });
    await expect(grant).rejects.toMatchObject({ error: 'invalid_scope' });
  });

  for (const algorithm of ['oauth2', 'oidc'] as const) {
    test(`oauth4webapi discovers the issuer by ${algorithm}, runs the code flow with PKCE as a browser client, and refreshes as a confidential one`, async () => {
      const options = { [oauth.allowInsecureRequests]: true };
      const discovered = await oauth.discoveryRequest(issuer, { algorithm, ...options });
      const server = await oauth.processDiscoveryResponse(issuer, discovered);
      const run = async (registered: Client, authentication: oauth.ClientAuth) => {
        const client: oauth.Client = { client_id: registered.clientId };
        const verifier = oauth.generateRandomCodeVerifier();
        const state = oauth.generateRandomState();
        const url = new URL(server.authorization_endpoint ?? '');
        const params = {
          client_id: registered.clientId,
          redirect_uri: registered.redirectUri,
          response_type: 'code',
          scope: 'read',
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        };
        for (const [name, value] of Object.entries(params)) url.searchParams.set(name, value);
        const parameters = oauth.validateAuthResponse(server, client, await visit(url), state);
        const response = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          parameters,
          registered.redirectUri,
          verifier,
          options,
        );
        return { client, tokens: await oauth.processAuthorizationCodeResponse(server, client, response) };
      };
      const browserRun = await run(spa, oauth.None());
      expect(browserRun.tokens).not.toHaveProperty('refresh_token');
      const authentication = oauth.ClientSecretPost(conf.secret ?? '');
      const { client, tokens } = await run(conf, authentication);
      const response = await oauth.refreshTokenGrantRequest(
        server,
        client,
        authentication,
        tokens.refresh_token ?? '',
        options,
      );
      const next = await oauth.processRefreshTokenResponse(server, client, response);
      expect(next.access_token).not.toBe(tokens.access_token);

      const request = new Request('https://api.example/orders', {
        headers: { authorization: `Bearer ${next.access_token}` },
      });
      const claims = await oauth.validateJwtAccessToken(
        server,
        request,
        'https://api.example/orders',
        options,
      );
      expect(claims).toMatchObject({ client_id: conf.clientId, scope: 'read' });

      const again = await oauth.introspectionRequest(
        server,
        client,
        authentication,
        next.access_token,
        options,
      );
      expect(await oauth.processIntrospectionResponse(server, client, again)).toMatchObject({ active: true });
      await oauth.processRevocationResponse(
        await oauth.revocationRequest(server, client, authentication, next.access_token, options),
      );
      const after = await oauth.introspectionRequest(
        server,
        client,
        authentication,
        next.access_token,
        options,
      );
      expect(await oauth.processIntrospectionResponse(server, client, after)).toEqual({ active: false });
    });
  }
});
